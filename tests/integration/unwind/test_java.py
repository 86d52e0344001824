# SPDX-License-Identifier: GPL-3.0-or-later
"""HotSpot's methods among the native functions: each stack is one that the program says it can have, whoever compiles it."""
import collections
import os
import subprocess
import unittest

from recordings import Load, record_well
from support import SOURCE, TestCase, capturectl, run

# Others may be named here: each is tried.
JAVAS = os.environ.get('CAPTURE_JAVAS', 'java').split()
COMPLETE = 1
# Else it says where a thread is that was interrupted in compiled code by the next place where that may stop.
COMPILED = '-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints'


def functions_of(sample):
    """(name, line) from the outermost to the innermost, from the program's turn() on; None when it is elsewhere. Without the methods that
    lambdas are made of, which Java does not tell of."""
    functions = [(frame.told.name, frame.told.executed) for frame in reversed(sample.frames) if frame.told and '$$Lambda' not in frame.told.name]
    turns = [i for i, (name, _line) in enumerate(functions) if name == 'Stacks.turn']
    return tuple(functions[turns[0]:]) if turns else None


def calls(stack):
    """The stack, without the line of its innermost function."""
    return (*stack[:-1], stack[-1][0])


class Java(TestCase):
    def setUp(self):
        super().setUp()
        run('javac', '--release', '11', '-d', self.directory, SOURCE / 'tests' / 'programs' / 'Stacks.java')

    def record(self, java, options, times):
        capture = self.directory / 'java.capture'
        program = subprocess.Popen([java, *options, '-cp', self.directory, 'Stacks'], stdout=subprocess.PIPE)
        program.stdout.readline()
        try:
            capturectl('record', '-q', '-F', '999', '--duration', str(2 * times), '-p', str(program.pid), '-o', capture)
        finally:
            program.kill()
            program.wait()
            program.stdout.close()
        return Load(capture)

    def known(self, java):
        """What the program says: stacks, each of names and lines."""
        stacks = set()
        for line in run(java, '-cp', self.directory, 'Stacks', 'trace').stdout.splitlines():
            words = line.split()
            stacks.add(tuple(zip(words[::2], map(int, words[1::2]))))
        return stacks

    def look_at(self, java, options):
        known = set(map(calls, self.known(java)))
        own = {name for stack in known for name in (*(name for name, _line in stack[:-1]), stack[-1])}
        load = record_well(lambda times: self.record(java, options, times), enough=600, judged=Load.since_functions)
        samples = load.since_functions()
        complete = sum(sample.outcome & 127 == COMPLETE for sample in samples)
        stacks = collections.Counter(filter(None, map(functions_of, samples)))
        total = sum(stacks.values())
        self.assertGreater(total, 300)
        self.assertGreater(complete, 0.99 * len(samples) - len(samples) ** 0.5, collections.Counter(sample.outcome for sample in samples))
        unknown = collections.Counter()
        for stack, n in stacks.items():
            while len(stack) > 1 and stack[-1][0] not in own:  # what of Java's own it calls
                stack = stack[:-1]
            if calls(stack) not in known:
                unknown[stack] += n
        self.assertLess(sum(unknown.values()), 0.005 * total, unknown.most_common(5))
        self.assertGreater(len(set(map(calls, stacks)) & known), 3)
        lineless = sum(n for stack, n in stacks.items() if any(name in own and line == 0 for name, line in stack))
        self.assertLess(lineless, 0.02 * total)

    def test_stacks(self):
        for java in JAVAS:
            for options in COMPILED, ('-Xint',), ('-XX:TieredStopAtLevel=1',):
                with self.subTest(java=java, options=options):
                    self.look_at(java, options)


if __name__ == '__main__':
    unittest.main()
