# SPDX-License-Identifier: GPL-3.0-or-later
"""CPython's functions among the native ones: each stack is one that the interpreter says the program can have."""
import collections
import json
import os
import shutil
import subprocess
import unittest

from recordings import Load, record_well, wait_until
from support import SOURCE, TestCase, capturectl, run

BINARY = 1
PROGRAM = SOURCE / 'tests' / 'programs' / 'work.py'
# Others may be named here: each interpreter is tried.
PYTHONS = os.environ.get('CAPTURE_PYTHONS', '').split() or [os.path.realpath(shutil.which('python3', path='/usr/bin:/bin'))]


def functions_of(sample):
    """(name, line) from the outermost to the innermost, from the program's turn() on; None when it is elsewhere."""
    functions = [(frame.told.name, frame.told.executed) for frame in reversed(sample.frames) if frame.told]
    turns = [i for i, (name, _line) in enumerate(functions) if name == 'turn']
    return tuple(functions[turns[0]:]) if turns else None


def is_of_python(frame):
    return frame.kind == BINARY and os.path.basename(frame.owner['path']).startswith(('python', 'libpython'))


class Python(TestCase):
    def record(self, python, times, *options):
        capture = self.directory / 'python.capture'
        program = subprocess.Popen([python, PROGRAM, '1000'])
        wait_until(lambda: len(os.listdir(f'/proc/{program.pid}/task')) == 3)
        try:
            capturectl('record', '-q', *options, '-F', '999', '--duration', str(2 * times), '-p', str(program.pid), '-o', capture)
        finally:
            program.kill()
            program.wait()
        return Load(capture)

    def test_stacks(self):
        for python in PYTHONS:
            with self.subTest(python=python):
                known = {tuple(map(tuple, stack)) for stack in json.loads(run(python, PROGRAM, 'trace').stdout)}
                begun = {stack[:i] for stack in known for i in range(len(stack))}  # whose innermost function is not there yet
                load = record_well(lambda times: self.record(python, times), enough=600, judged=Load.since_functions)
                stacks = collections.Counter(map(functions_of, load.since_functions()))
                total, elsewhere = sum(stacks.values()), stacks.pop(None, 0)
                self.assertGreater(total, 500)
                self.assertLess(elsewhere, 0.02 * total)
                unknown = {stack: n for stack, n in stacks.items() if stack not in known and stack not in begun}
                self.assertLess(sum(unknown.values()), 0.005 * total, unknown)
                whole = sum(n for stack, n in stacks.items() if stack in known)
                self.assertGreater(whole, 0.98 * total)
                self.assertGreater(len(set(stacks) & known), 20)

    def test_interpreter_is_kept(self):
        """Its own frame stands beneath the functions that it runs."""
        samples = record_well(lambda times: self.record(PYTHONS[0], times, '--interpreter'), enough=600, judged=Load.since_functions).since_functions()
        beneath = sum(any(is_of_python(callee) and frame.told for callee, frame in zip(sample.frames, sample.frames[1:])) for sample in samples)
        innermost = sum(sample.frames[0].told is not None for sample in samples)
        self.assertGreater(beneath, 0.98 * len(samples))
        self.assertLess(innermost, 0.01 * len(samples))


if __name__ == '__main__':
    unittest.main()
