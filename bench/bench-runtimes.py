#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What recordings of language runtimes show: the table of docs/runtimes.md.

usage, as root: bench-runtimes.py [BUILD PROGRAM…]   as build /usr/bin/python3 /srv/trixie:python3.13 (in that root directory) /usr/bin/java node
BUILD may be capturectl itself.

complete: of the samples with a user stack. functions: have some of the language's. agree: from turn() on, of tests/programs/work.py, stacks.js,
stacks.php, stacks.rb or Stacks.java, their functions and lines are a stack that the runtime itself says the program can have, or the beginning of one.
Of Java's, JavaScript's, PHP's and Ruby's innermost function the line is not compared. a sample: of a sample's program in the kernel.
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
# Longer on slow machines: before a runtime's tables and its program are there, samples have no functions.
SECONDS = int(os.environ.get('SECONDS', '5'))
FREQUENCY = os.environ.get('FREQUENCY', '1999')


PROGRAMS = ROOT / 'tests' / 'programs'
JAVA_OPTIONS = ['-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints']


class Python:
    name = 'CPython'

    def __init__(self, command, directory, inside):
        shutil.copy(PROGRAMS / 'work.py', directory)
        self.version = output(*command, '--version').split()[1]
        self.known = {tuple(map(tuple, stack)) for stack in json.loads(output(*command, f'{inside}/work.py', 'trace'))}
        self.begun = {stack[:i] for stack in self.known for i in range(len(stack))}
        self.worker = [*command, f'{inside}/work.py', '1000']

    def functions_of(self, sample):
        return from_turn('turn', [(frame.told.name, frame.told.executed) for frame in reversed(sample.frames) if frame.told])


class Java:
    name, begun = 'HotSpot', ()

    def __init__(self, command, directory, inside):
        output('javac', '--release', '11', '-d', directory, PROGRAMS / 'Stacks.java')
        command = [*command, *JAVA_OPTIONS, '-cp', inside]
        self.version = output(*command, '--version').split()[1]
        words = [line.split() for line in output(*command, 'Stacks', 'trace').splitlines()]
        self.known = {self.calls(list(zip(line[::2], map(int, line[1::2])))) for line in words}
        self.own = {name for stack in self.known for name, _line in stack}
        self.worker = [*command, 'Stacks']

    def calls(self, stack):
        """Without the line of the innermost function."""
        return (*stack[:-1], (stack[-1][0], 0))

    def functions_of(self, sample):
        stack = from_turn('Stacks.turn', [(frame.told.name, frame.told.executed) for frame in reversed(sample.frames)
                                          if frame.told and frame.told.name in self.own])
        return self.calls(stack) if stack else None


class Node:
    name = 'node'

    def __init__(self, command, directory, inside):
        shutil.copy(PROGRAMS / 'stacks.js', directory)
        self.program = f'{inside}/stacks.js'
        self.version = output(*command, '--version').split()[-1].removeprefix('v')
        self.known = {self.calls(stack) for stack in json.loads(output(*command, self.program, 'trace'))}
        self.begun = {stack[:i] for stack in self.known for i in range(len(stack))}
        self.begun |= {self.calls(stack[:i]) for stack in self.known for i in range(1, len(stack) + 1)}
        self.worker = [*command, self.program, '1000']

    def calls(self, functions):
        """From turn() on, without the line of the innermost function; what runs after an await has none of it."""
        stack = from_turn('turn', functions) or functions
        stack = [(name or '(anonymous)', line) for name, line in stack]
        return (*stack[:-1], (stack[-1][0], 0)) if stack else None

    def functions_of(self, sample):
        return self.calls([(frame.told.name, frame.told.executed) for frame in reversed(sample.frames)
                           if frame.told and frame.told.file == self.program and frame.told.name != 'run'])


class Php:
    name = 'PHP'

    def __init__(self, command, directory, inside):
        shutil.copy(PROGRAMS / 'stacks.php', directory)
        program = f'{inside}/stacks.php'
        self.version = output(*command, '--version').split()[1]
        self.known = {tuple(map(tuple, stack)) for stack in json.loads(output(*command, program, 'trace'))}
        self.begun = {self.calls(stack[:i]) for stack in self.known for i in range(1, len(stack) + 1)} | {stack[:-1] for stack in self.known}
        self.worker = [*command, program, '1000']

    def calls(self, stack):
        """Without the line of the innermost function, and without that where it is PHP's own."""
        return stack[:-1] if stack[-1][1] == 0 else (*stack[:-1], (stack[-1][0], 0))

    def functions_of(self, sample):
        stack = from_turn('turn', [(frame.told.name, frame.told.executed) for frame in reversed(sample.frames) if frame.told])
        return self.calls(stack) if stack else None


class Ruby:
    name = 'Ruby'

    def __init__(self, command, directory, inside):
        shutil.copy(PROGRAMS / 'stacks.rb', directory)
        program, loaded = f'{inside}/stacks.rb', f'{inside}/loaded.rb'
        self.version = output(*command, '--version').split()[1]
        self.known = {self.calls([(name, line) for name, _file, line in stack]) for stack in json.loads(output(*command, program, 'trace', loaded))} - {None}
        self.begun = {self.calls(stack[:i]) for stack in self.known for i in range(1, len(stack) + 1)}
        self.worker = [*command, program, '1000', loaded]

    def calls(self, functions):
        """From turn() on, without the line of the innermost function; what runs in a fiber has none of it."""
        stack = from_turn('turn', functions) or tuple(each for each in functions if not each[0].endswith('<main>'))
        return (*stack[:-1], (stack[-1][0], 0)) if stack else None

    def functions_of(self, sample):
        return self.calls([(frame.told.name, frame.told.executed) for frame in reversed(sample.frames)
                           if frame.told and not frame.told.file.startswith('<internal:')])


def output(*command):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stdout


def from_turn(turn, functions):
    turns = [i for i, (name, _line) in enumerate(functions) if name == turn]
    return tuple(functions[turns[0]:]) if turns else None


KINDS = (('java', Java), ('node', Node), ('php', Php), ('python', Python), ('ruby', Ruby))


def cost():
    """Nanoseconds a run of the recorder's program, now."""
    programs = json.loads(subprocess.run(['bpftool', '-j', 'prog', 'list'], capture_output=True, text=True, check=True).stdout)
    runs = [(p.get('run_time_ns', 0), p.get('run_cnt', 0)) for p in programs if p.get('name', '').startswith('recorder_perf')]
    return max((time / count for time, count in runs if count), default=0)


def look_at(capturectl, where):
    root, _, program = where.rpartition(':')
    command = ['chroot', root, program] if root else [program]
    with tempfile.TemporaryDirectory(dir=f'{root}/tmp') as directory:
        kind = next((kind for word, kind in KINDS if pathlib.Path(program).name.startswith(word)))
        runtime = kind(command, directory, directory.removeprefix(root))
        worker = subprocess.Popen(runtime.worker, stdout=subprocess.DEVNULL)
        time.sleep(1.5)
        capture = f'{directory}/work.capture'
        recording = subprocess.Popen([capturectl, 'record', '-q', '-F', FREQUENCY, '--no-names', '--duration', str(SECONDS),
                                      '-p', str(worker.pid), '-o', capture])
        time.sleep(SECONDS - 0.5)
        nanoseconds = cost()
        recording.wait()
        worker.kill()
        worker.wait()
        samples = [s for s in Capture(capture).samples() if s.outcome not in (NO_USER_STACK, NO_STACK)]
    stacks = collections.Counter(map(runtime.functions_of, samples))
    stacks.pop(None, None)
    agree = sum(n for stack, n in stacks.items() if stack in runtime.known or stack in runtime.begun) / sum(stacks.values())
    complete = sum(s.outcome == COMPLETE for s in samples) / len(samples)
    named = sum(any(frame.told for frame in s.frames) for s in samples) / len(samples)
    return (f'| {runtime.name} {runtime.version} | {len(samples)} | {100 * complete:.1f} | {100 * named:.1f} | {100 * agree:.1f} | '
            f'{nanoseconds / 1000:.1f} |')


def main():
    build, *programs = sys.argv[1:] or [os.environ.get('CAPTURE_BUILDDIR', ROOT / 'build')]
    programs = programs or [path for path in map(shutil.which, ('/usr/bin/python3', 'node', 'java', 'php', 'ruby')) if path]
    build = os.path.realpath(build)
    capturectl = build if os.path.isfile(build) else f'{build}/capturectl/capturectl'
    before = STATISTICS.read_text()
    STATISTICS.write_text('1')
    try:
        print('| runtime | samples | complete, % | with functions, % | agree, % | a sample, µs |\n|---|---|---|---|---|---|')
        for where in programs:
            print(look_at(capturectl, where), flush=True)
    finally:
        STATISTICS.write_text(before)


if __name__ == '__main__':
    main()
