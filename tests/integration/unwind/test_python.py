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

PROGRAM = SOURCE / 'tests' / 'programs' / 'work.py'
# Others may be named here: each interpreter is tried.
PYTHONS = os.environ.get('CAPTURE_PYTHONS', '').split() or [os.path.realpath(shutil.which('python3', path='/usr/bin:/bin'))]


def functions_of(sample):
    """(name, line) from the outermost to the innermost, from the program's turn() on; None when it is elsewhere."""
    functions = [(frame.told.name, frame.told.executed) for frame in reversed(sample.frames) if frame.told]
    turns = [i for i, (name, _line) in enumerate(functions) if name == 'turn']
    return tuple(functions[turns[0]:]) if turns else None


class Python(TestCase):
    def record(self, python, times):
        capture = self.directory / 'python.capture'
        program = subprocess.Popen([python, PROGRAM, '1000'])
        wait_until(lambda: len(os.listdir(f'/proc/{program.pid}/task')) == 3)
        try:
            capturectl('record', '-q', '-F', '999', '--duration', str(2 * times), '-p', str(program.pid), '-o', capture)
        finally:
            program.kill()
            program.wait()
        return Load(capture)

    def test_stacks(self):
        for python in PYTHONS:
            with self.subTest(python=python):
                known = {tuple(map(tuple, stack)) for stack in json.loads(run(python, PROGRAM, 'trace').stdout)}
                begun = {stack[:i] for stack in known for i in range(len(stack))}  # whose innermost function is not there yet
                load = record_well(lambda times: self.record(python, times), enough=500)
                stacks = collections.Counter(map(functions_of, load.with_user_stack()))
                total, elsewhere = sum(stacks.values()), stacks.pop(None, 0)
                self.assertGreater(total, 500)
                self.assertLess(elsewhere, 0.02 * total)
                unknown = {stack: n for stack, n in stacks.items() if stack not in known and stack not in begun}
                self.assertLess(sum(unknown.values()), 0.005 * total, unknown)
                whole = sum(n for stack, n in stacks.items() if stack in known)
                self.assertGreater(whole, 0.98 * total)
                self.assertGreater(len(set(stacks) & known), 20)


if __name__ == '__main__':
    unittest.main()
