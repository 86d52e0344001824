# SPDX-License-Identifier: GPL-3.0-or-later
"""JavaScript's functions among the native ones: each stack is one that V8 itself says the program can have."""
import collections
import json
import os
import shutil
import subprocess
import unittest

from recordings import Load, record_well, wait_until
from support import SOURCE, TestCase, capturectl, run

PROGRAM = SOURCE / 'tests' / 'programs' / 'stacks.js'
# Others may be named here: each node is tried.
NODES = os.environ.get('CAPTURE_NODES', '').split() or [shutil.which('node') or shutil.which('nodejs')]


def whole(functions):
    """From turn() on, if that called them; of the innermost one, which may be anywhere, without the line."""
    functions = [(name or '(anonymous)', line) for name, line in functions]
    begin = next((i for i, (name, _line) in enumerate(functions) if name == 'turn'), 0)
    return tuple(functions[begin:-1] + [(functions[-1][0], 0)]) if functions else None


def functions_of(sample):
    """(name, line) from the outermost to the innermost; None when it is in none of the program's."""
    told = [frame.told for frame in reversed(sample.frames) if frame.told and frame.told.file == str(PROGRAM)]
    return whole([(function.name, function.executed) for function in told if function.name != 'run'])


class Node(TestCase):
    def record(self, node, times):
        capture = self.directory / 'node.capture'
        program = subprocess.Popen([node, PROGRAM, '1000'])
        wait_until(lambda: len(os.listdir(f'/proc/{program.pid}/task')) > 10)
        try:
            capturectl('record', '-q', '--no-names', '-F', '999', '--duration', str(2 * times), '-p', str(program.pid), '-o', capture)
        finally:
            program.kill()
            program.wait()
        return Load(capture)

    def test_stacks(self):
        for node in NODES:
            with self.subTest(node=node):
                known = {whole(stack) for stack in json.loads(run(node, PROGRAM, 'trace').stdout)}
                begun = {stack[:i] + ((stack[i][0], 0), ) for stack in known for i in range(len(stack))}  # not in the innermost yet
                load = record_well(lambda times: self.record(node, times), enough=600, judged=Load.since_functions)
                stacks = collections.Counter(map(functions_of, load.since_functions()))
                total = sum(stacks.values()) - stacks.pop(None, 0)
                self.assertGreater(total, 400)
                unknown = {stack: n for stack, n in stacks.items() if stack not in known and stack not in begun}
                self.assertLess(sum(unknown.values()), 0.01 * total, unknown)
                self.assertGreater(sum(n for stack, n in stacks.items() if stack in known), 0.5 * total)
                self.assertGreater(len(set(stacks) & known), 0.8 * len(known))


if __name__ == '__main__':
    unittest.main()
