#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What recordings of language runtimes show: the table of docs/runtimes.md.

usage, as root: bench-runtimes.py BUILD PYTHON…     as build /usr/bin/python3 /srv/trixie:python3.13 (in that root directory)

complete: of the samples with a user stack. functions: have some of the language's. agree: from turn() of tests/programs/work.py on, their
functions and lines are a stack that the interpreter itself says the program can have, or the beginning of one. cost: of a sample's program
in the kernel, functions included, and without them (what is not Python's is recorded so).
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'tests' / 'decoder'))
from capture_decoder import Capture  # noqa: E402

STATISTICS = pathlib.Path('/proc/sys/kernel/bpf_stats_enabled')
COMPLETE, NO_USER_STACK, NO_STACK = 1, 4, 10
SECONDS = 5


def functions_of(sample):
    functions = [(frame.told.name, frame.told.executed) for frame in reversed(sample.frames) if frame.told]
    turns = [i for i, (name, _line) in enumerate(functions) if name == 'turn']
    return tuple(functions[turns[0]:]) if turns else None


def cost():
    """Nanoseconds a run of the recorder's program, now."""
    programs = json.loads(subprocess.run(['bpftool', '-j', 'prog', 'list'], capture_output=True, text=True, check=True).stdout)
    runs = [(p.get('run_time_ns', 0), p.get('run_cnt', 0)) for p in programs if p.get('name', '').startswith('recorder_perf')]
    return max((time / count for time, count in runs if count), default=0)


def look_at(build, where):
    root, _, python = where.rpartition(':')
    command = ['chroot', root, python] if root else [python]
    with tempfile.TemporaryDirectory() as directory:
        program = f'{root}/tmp/work.py' if root else f'{directory}/work.py'
        shutil.copy(ROOT / 'tests' / 'programs' / 'work.py', program)
        inside = program.removeprefix(root)
        version = subprocess.run([*command, '--version'], capture_output=True, text=True, check=True).stdout.split()[1]
        known = {tuple(map(tuple, stack)) for stack in
                 json.loads(subprocess.run([*command, inside, 'trace'], capture_output=True, text=True, check=True).stdout)}
        begun = {stack[:i] for stack in known for i in range(len(stack))}
        worker = subprocess.Popen([*command, inside, '1000'])
        time.sleep(1.5)
        capture = f'{directory}/work.capture'
        recording = subprocess.Popen([f'{build}/capturectl/capturectl', 'record', '-q', '-F', '1999', '--no-names', '--duration', str(SECONDS),
                                      '-p', str(worker.pid), '-o', capture])
        time.sleep(SECONDS - 0.5)
        nanoseconds = cost()
        recording.wait()
        worker.kill()
        worker.wait()
        samples = [s for s in Capture(capture).samples() if s.outcome not in (NO_USER_STACK, NO_STACK)]
    stacks = collections.Counter(map(functions_of, samples))
    stacks.pop(None, None)
    agree = sum(n for stack, n in stacks.items() if stack in known or stack in begun) / sum(stacks.values())
    complete = sum(s.outcome == COMPLETE for s in samples) / len(samples)
    named = sum(any(frame.told for frame in s.frames) for s in samples) / len(samples)
    return f'| CPython {version} | {len(samples)} | {100 * complete:.1f} | {100 * named:.1f} | {100 * agree:.1f} | {nanoseconds / 1000:.1f} |'


def main():
    build, *pythons = sys.argv[1:]
    before = STATISTICS.read_text()
    STATISTICS.write_text('1')
    try:
        print('| runtime | samples | complete, % | with functions, % | agree, % | a sample, µs |\n|---|---|---|---|---|---|')
        for where in pythons:
            print(look_at(os.path.realpath(build), where), flush=True)
    finally:
        STATISTICS.write_text(before)


if __name__ == '__main__':
    main()
