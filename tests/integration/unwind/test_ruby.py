# SPDX-License-Identifier: GPL-3.0-or-later
"""Ruby's functions among the native ones: each stack is one that Ruby itself says the program can have."""
import collections
import itertools
import json
import os
import shutil
import unittest

from recordings import Load, record_program, record_well
from support import SOURCE, TestCase, run

PROGRAM = SOURCE / 'tests' / 'programs' / 'stacks.rb'
# Others may be named here: each is tried.
RUBIES = os.environ.get('CAPTURE_RUBIES', '').split() or [shutil.which('ruby')]


def from_turn(stack):
    """Without what the program is in while it works; of a fiber there is nothing of it."""
    outer = [i for i, (name, _file, _line) in enumerate(stack) if name in ('<main>', 'block in <main>')]
    return tuple(stack[outer[-1] + 1 if outer else 0:])


def functions_of(sample):
    """(name, file, line) from the outermost to the innermost, without those of Ruby itself; None when it is elsewhere."""
    functions = [frame.told for frame in reversed(sample.frames) if frame.told and not frame.told.file.startswith('<internal:')]
    return from_turn([(function.name, function.file, function.executed) for function in functions]) or None


def without_line(stack):
    return stack[:-1] + ((*stack[-1][:2], 0), )


class Ruby(TestCase):
    def test_stacks(self):
        for ruby in RUBIES:
            with self.subTest(ruby=ruby):
                traced = json.loads(run(ruby, PROGRAM, 'trace').stdout)
                known = {from_turn(tuple(map(tuple, stack))) for stack in traced} - {()}
                # The innermost may be at a line where it calls a C function, which is no place of the program's then.
                can_be = {without_line(stack[:i + 1]) for stack in known for i in range(len(stack))}
                load = record_well(lambda times: record_program([ruby, PROGRAM, '1000'], self.directory / 'ruby.capture', 2 * times), enough=600, judged=Load.since_functions)
                working = itertools.dropwhile(lambda stack: not stack or stack[0][0] != 'turn', map(functions_of, load.since_functions()))
                stacks = collections.Counter(working)
                total, elsewhere = sum(stacks.values()), stacks.pop(None, 0)
                self.assertGreater(total, 500)
                self.assertLess(elsewhere, 0.02 * total)
                # In the instant in which C code calls a function of Ruby, the function is there and its native frame is not.
                wrong = {stack: n for stack, n in stacks.items() if without_line(stack) not in can_be}
                self.assertLessEqual(sum(wrong.values()), 1 + 0.001 * total, wrong)
                whole = sum(n for stack, n in stacks.items() if stack in known)
                self.assertGreater(whole, 0.9 * total, {stack: n for stack, n in stacks.items() if stack not in known})
                self.assertGreater(len(set(stacks) & known), 20)


if __name__ == '__main__':
    unittest.main()
