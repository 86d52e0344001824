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
    outer = [i for i, (name, _file, _line) in enumerate(stack) if name in ('<main>', 'block in <main>', 'block (2 levels) in <main>')]
    return tuple(stack[outer[-1] + 1 if outer else 0:])


def functions_of(sample):
    """(name, file, line) from the outermost to the innermost, without those of Ruby itself; None when it is elsewhere."""
    functions = [frame.told for frame in reversed(sample.frames) if frame.told and not frame.told.file.startswith('<internal:')]
    return from_turn([(function.name, function.file, function.executed) for function in functions]) or None


def without_line(stack):
    return stack[:-1] + ((*stack[-1][:2], 0), )


def between(sample, outer, inner):
    """How many native frames there are between the innermost such pair of functions, one of which calls the other; None: no such pair."""
    native, within = 0, False
    for frame in sample.frames:
        if not frame.told:
            native += 1
        elif within and frame.told.name == outer:
            return native
        else:
            within, native = frame.told.name == inner, 0
    return None


class Ruby(TestCase):
    def test_stacks(self):
        for ruby in RUBIES:
            with self.subTest(ruby=ruby):
                loaded = self.directory / 'loaded.rb'
                traced = json.loads(run(ruby, PROGRAM, 'trace', loaded).stdout)
                known = {from_turn(tuple(map(tuple, stack))) for stack in traced} - {()}
                # The innermost may be at a line where it calls a C function, which is no place of the program's then.
                can_be = {without_line(stack[:i + 1]) for stack in known for i in range(len(stack))}
                load = record_well(lambda times: record_program([ruby, PROGRAM, '1000', loaded], self.directory / 'ruby.capture', 2 * times), enough=1500, judged=Load.since_functions)
                samples = list(itertools.dropwhile(lambda sample: (functions_of(sample) or ((None, ), ))[0][0] != 'turn', load.since_functions()))
                own = collections.Counter(sample.pid for sample in samples).most_common(1)[0][0]
                stacks = collections.Counter(functions_of(sample) for sample in samples if sample.pid == own)
                total, elsewhere = sum(stacks.values()), stacks.pop(None, 0)
                self.assertGreater(total, 500)
                self.assertLess(elsewhere, 0.02 * total)
                # In the instant in which C code calls a function of Ruby, the function is there and its native frame is not.
                wrong = {stack: n for stack, n in stacks.items() if without_line(stack) not in can_be}
                self.assertLessEqual(sum(wrong.values()), 1 + 0.001 * total, wrong)
                whole = sum(n for stack, n in stacks.items() if stack in known)
                self.assertGreater(whole, 0.9 * total, {stack: n for stack, n in stacks.items() if stack not in known})
                self.assertGreater(len(set(stacks) & known), 20)
                self.assert_each_kind_of_thread(samples, own, known)
                self.assert_order(samples)

    def assert_each_kind_of_thread(self, samples, own, known):
        """The process's first one, others (which are one for the kernel: Ruby uses it again), and what a fork has left, from when
        the new process was looked at."""
        kinds, looked_at = collections.defaultdict(list), set()
        for sample in samples:
            looked_at.update([sample.pid] if functions_of(sample) else [])
            if sample.pid in looked_at:
                kinds['forked' if sample.pid != own else 'first' if sample.tid == sample.pid else 'other'].append(functions_of(sample) in known)
        for kind in 'first', 'other', 'forked':
            self.assertGreater(len(kinds[kind]), 50, kind)
            self.assertGreater(sum(kinds[kind]), 0.85 * len(kinds[kind]), kind)

    def assert_order(self, samples):
        """Array#map is written in C and stands between the block and who called it; who calls a function of Ruby's does so directly."""
        for outer, inner, is_direct in ('turn', 'block in turn', False), ('deep', 'leaf', True):
            there = [n for n in (between(sample, outer, inner) for sample in samples) if n is not None]
            self.assertGreater(len(there), 20)
            self.assertGreater(sum((n == 0) == is_direct for n in there), 0.95 * len(there), (outer, inner, collections.Counter(there)))


if __name__ == '__main__':
    unittest.main()
