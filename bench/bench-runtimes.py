#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What recordings of language runtimes show: the table of docs/runtimes.md.

usage, as root: bench-runtimes.py BUILD PYTHON|NODE…     as build /usr/bin/python3 /srv/trixie:python3.13 (in that root directory)

complete: of the samples with a user stack. functions: have some of the language's. agree: from turn() of tests/programs/work.py, or stacks.js,
on, their functions and lines are a stack that the runtime itself says the program can have, or the beginning of one. Of JavaScript's innermost
function the line is not compared. a sample: of a sample's program in the kernel.
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


def from_turn(functions, is_node):
    """From turn() on; in node what runs after an await has none of it."""
    turns = [i for i, (name, _line) in enumerate(functions) if name == 'turn']
    begin = turns[0] if turns else 0
    if not functions[begin:] or not turns and not is_node:
        return None
    functions = [(name or '(anonymous)', line) for name, line in functions[begin:]]
    return tuple(functions[:-1] + [(functions[-1][0], 0)] if is_node else functions)


def functions_of(sample, program, is_node):
    told = [frame.told for frame in reversed(sample.frames) if frame.told]
    told = [function for function in told if not is_node or function.file == program and function.name != 'run']
    return from_turn([(function.name, function.executed) for function in told], is_node)


def cost():
    """Nanoseconds a run of the recorder's program, now."""
    programs = json.loads(subprocess.run(['bpftool', '-j', 'prog', 'list'], capture_output=True, text=True, check=True).stdout)
    runs = [(p.get('run_time_ns', 0), p.get('run_cnt', 0)) for p in programs if p.get('name', '').startswith('recorder_perf')]
    return max((time / count for time, count in runs if count), default=0)


def look_at(build, where):
    root, _, runtime = where.rpartition(':')
    command = ['chroot', root, runtime] if root else [runtime]
    is_node = pathlib.Path(runtime).name.startswith('node')
    with tempfile.TemporaryDirectory() as directory:
        name = 'stacks.js' if is_node else 'work.py'
        program = f'{root}/tmp/{name}' if root else f'{directory}/{name}'
        shutil.copy(ROOT / 'tests' / 'programs' / name, program)
        inside = program.removeprefix(root)
        version = subprocess.run([*command, '--version'], capture_output=True, text=True, check=True).stdout.split()[-1]
        known = {from_turn(stack, is_node) for stack in
                 json.loads(subprocess.run([*command, inside, 'trace'], capture_output=True, text=True, check=True).stdout)}
        begun = {stack[:i] for stack in known for i in range(len(stack))}
        begun |= {from_turn(stack[:i], True) for stack in known for i in range(1, len(stack) + 1) if is_node}
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
    stacks = collections.Counter(functions_of(sample, inside, is_node) for sample in samples)
    stacks.pop(None, None)
    agree = sum(n for stack, n in stacks.items() if stack in known or stack in begun) / sum(stacks.values())
    complete = sum(s.outcome == COMPLETE for s in samples) / len(samples)
    named = sum(any(frame.told for frame in s.frames) for s in samples) / len(samples)
    return f'| {"node" if is_node else "CPython"} {version.removeprefix("v")} | {len(samples)} | {100 * complete:.1f} | {100 * named:.1f} | {100 * agree:.1f} | {nanoseconds / 1000:.1f} |'


def main():
    build, *runtimes = sys.argv[1:]
    before = STATISTICS.read_text()
    STATISTICS.write_text('1')
    try:
        print('| runtime | samples | complete, % | with functions, % | agree, % | a sample, µs |\n|---|---|---|---|---|---|')
        for where in runtimes:
            print(look_at(os.path.realpath(build), where), flush=True)
    finally:
        STATISTICS.write_text(before)


if __name__ == '__main__':
    main()
