# SPDX-License-Identifier: GPL-3.0-or-later
"""PHP's functions among the native ones: each stack is one that PHP itself says the program can have."""
import collections
import json
import os
import shutil
import unittest

from recordings import Load, record_program, record_well
from support import SOURCE, TestCase, run

PROGRAM = SOURCE / 'tests' / 'programs' / 'stacks.php'
# Others may be named here: each is tried.
PHPS = os.environ.get('CAPTURE_PHPS', '').split() or [shutil.which('php')]


def functions_of(sample):
    """(name, line) from turn() to the innermost; None when it is elsewhere."""
    functions = [(frame.told.name, frame.told.executed) for frame in reversed(sample.frames) if frame.told]
    turns = [i for i, (name, _line) in enumerate(functions) if name == 'turn']
    return tuple(functions[turns[0]:]) if turns else None


def callers(stack):
    """Of the innermost one not the line, and not at all where it is PHP's own."""
    return stack[:-1] if stack[-1][1] == 0 else stack[:-1] + ((stack[-1][0], 0), )


class Php(TestCase):
    def test_stacks(self):
        for php in PHPS:
            with self.subTest(php=php):
                known = {tuple(map(tuple, stack)) for stack in json.loads(run(php, PROGRAM, 'trace').stdout)}
                can_be = known | {form for stack in known for i in range(len(stack)) for form in (stack[:i], stack[:i] + ((stack[i][0], 0), ))}
                load = record_well(lambda times: record_program([php, PROGRAM, '1000'], self.directory / 'php.capture', 2 * times), enough=600, judged=Load.since_functions)
                stacks = collections.Counter(map(functions_of, load.since_functions()))
                total, elsewhere = sum(stacks.values()), stacks.pop(None, 0)
                self.assertGreater(total, 500)
                self.assertLess(elsewhere, 0.02 * total)
                self.assertEqual({stack for stack in stacks if callers(stack) not in can_be}, set())
                whole = sum(n for stack, n in stacks.items() if stack in known)
                self.assertGreater(whole, 0.9 * total, {stack: n for stack, n in stacks.items() if stack not in known})
                self.assertGreater(len(set(stacks) & known), 10)


if __name__ == '__main__':
    unittest.main()
