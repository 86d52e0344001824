#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Prints a capture as text, by a decoder that shares no code with the project's own.

usage: decode.py FILE               every part, record and entry (docs/dump.md)
       decode.py --stacks FILE      every sample: time, process, thread, command, event, addresses from the leaf on
       decode.py --summary FILE     how much there is of what
"""
import argparse
import collections
import os
import sys

from capture_decoder import Capture, File, NotACapture, text


def stacks(path):
    """A line a sample, like perf script's but in one line; frames that no mapping holds are ?."""
    for sample in Capture(path).samples():
        addresses = ' '.join('?' if frame.address is None else f'{frame.address:x}' for frame in sample.frames)
        yield f'{sample.time} {sample.pid} {sample.tid} {sample.command!r} {sample.event}: {addresses}'.rstrip()


def summary(path):
    capture = Capture(path)
    parts = collections.Counter(text.KINDS.get(part.kind, part.kind) for part in capture.file.parts)
    yield f'parts: {dict(parts)}, index: {capture.file.has_index}, whole: {capture.file.end == capture.file.size}'
    yield f'ended: {capture.file.ended}'
    yield f'metadata: {capture.metadata}'
    events, commands = collections.Counter(), collections.Counter()
    frames, unresolved, named = 0, 0, 0
    for sample in capture.samples():
        events[sample.event] += 1
        commands[sample.command] += 1
        frames += len(sample.frames)
        unresolved += sum(frame.address is None for frame in sample.frames)
        named += sum(capture.function_of(frame, number > 0) is not None for number, frame in enumerate(sample.frames))
    yield f'samples: {dict(events)}, lost: {capture.lost()}'
    yield f'commands: {dict(commands.most_common())}'
    yield f'frames: {frames}, named: {named}, without an address: {unresolved}'


def main():
    parser = argparse.ArgumentParser()
    how = parser.add_mutually_exclusive_group()
    how.add_argument('--stacks', action='store_true')
    how.add_argument('--summary', action='store_true')
    parser.add_argument('file')
    arguments = parser.parse_args()
    try:
        lines = (stacks(arguments.file) if arguments.stacks else summary(arguments.file) if arguments.summary else
                 text.lines(File(arguments.file)))
        for line in lines:
            print(line)
        sys.stdout.flush()
    except (NotACapture, OSError) as problem:
        print(f'{arguments.file}: {problem}', file=sys.stderr)
        return 1
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


if __name__ == '__main__':
    sys.exit(main())
