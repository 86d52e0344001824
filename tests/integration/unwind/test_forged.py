# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that forges what walkers of languages read: it loses its own functions at most, and nobody else's come to anything."""
import collections
import pathlib
import subprocess
import unicodedata
import unittest

from recordings import Load, record_well, wait_until
from support import SOURCE, TestCase, capturectl, run

import test_python

COMPLETE = 1
PROCESS = 3  # the space of addresses in no binary
DEPTH = 24
A_SECOND = 20000  # so many functions are named
NO_NAME = '(not named)'
HONEST = ['function_' + chr(ord('0') + i) for i in range(DEPTH)]


class FramesTest(TestCase):
    """Frames of languages come from their walkers alone; what a program has on its stack stands for none."""

    def check(self, how):
        program, capture = self.directory / 'frames', self.directory / 'frames.capture'
        run('gcc', '-O1', '-D_GNU_SOURCE', '-fno-omit-frame-pointer', '-o', program, SOURCE / 'tests' / 'programs' / 'forged-frames.c')
        for way in 'auto', 'fp', 'dwarf':
            running = subprocess.Popen([program, how])
            try:
                load = record_well(lambda times: self.record(running, way, times, capture), enough=500)
            finally:
                running.kill()
                running.wait()
            names = collections.Counter(frame.told.name for sample in load.samples for frame in sample.frames if frame.told)
            self.assertEqual(names, {}, way)
            places = {frame.address for sample in load.samples for frame in sample.frames if frame.kind == PROCESS}
            self.assertEqual([place for place in places if place >> 63], [], way)

    @staticmethod
    def record(running, way, times, capture):
        capturectl('record', '-q', '-F', '999', f'--unwind={way}', '--duration', str(times), '-p', str(running.pid), '-o', capture)
        return Load(capture)

    def test_return_address(self):
        self.check('return')

    def test_interrupted(self):
        self.check('signal')


class ForgedTest(TestCase):
    def setUp(self):
        super().setUp()
        self.program = self.directory / 'forged'
        run('gcc', '-O1', '-rdynamic', '-pthread', '-o', self.program, SOURCE / 'tests' / 'programs' / 'forged-python.c')

    def record(self, how, frequency, times):
        """It, beside a real one."""
        capture = self.directory / 'forged.capture'
        programs = [subprocess.Popen(command) for command in ([self.program, how], [test_python.PYTHONS[0], test_python.PROGRAM, '1000'])]
        self.pid = programs[0].pid
        targets = ','.join(str(program.pid) for program in programs)
        try:
            wait_until(lambda: len(list(pathlib.Path(f'/proc/{programs[1].pid}/task').iterdir())) == 3)
            capturectl('record', '-q', '-F', str(frequency), '--duration', str(2 * times), '-p', targets, '-o', capture)
        finally:
            for program in programs:
                program.kill()
                program.wait()
        return Load(capture)

    def in_fullest_second(self, load):
        """Its samples in the second that has most of them, as the recorder's limits count seconds."""
        seconds = collections.defaultdict(list)
        for sample in load.since_functions():
            if sample.pid == self.pid:
                seconds[sample.time >> 30].append(sample)
        return max(seconds.values(), key=len, default=[])

    def look_at(self, how, frequency=999, enough=600, judged=Load.since_functions):
        """The functions of each of its samples, outermost first; all that holds however it lies was looked at."""
        load = record_well(lambda times: self.record(how, frequency, times), enough, judged=judged)
        samples = load.since_functions()
        forged = [sample for sample in samples if sample.pid == self.pid]
        complete = sum(sample.outcome & 127 == COMPLETE for sample in forged)
        self.assertGreater(complete, 0.98 * len(forged), collections.Counter(sample.outcome for sample in forged))
        told = {frame.told for sample in forged for frame in sample.frames if frame.told}
        for function in told:
            self.assertLessEqual(max(len(function.name), len(function.file or '')), 1024)
            self.assertEqual([c for c in function.name + (function.file or '') if unicodedata.category(c) in ('Cc', 'Cs')], [], function)
        others = {frame.told for sample in samples if sample.pid != self.pid for frame in sample.frames if frame.told}
        self.assertEqual({function for function in others if function.file == 'forged.py' or function.name in HONEST}, set())
        self.assertEqual({function for function in told if function.file == str(test_python.PROGRAM)}, set())
        named = [frame.told.name != NO_NAME for sample in samples if sample.pid != self.pid for frame in sample.frames if frame.told]
        self.assertGreater(len(named), 500)
        if how != 'many':  # more than are named in a second, of both together
            self.assertGreater(sum(named), 0.98 * len(named))
        return [[frame.told.name for frame in reversed(sample.frames) if frame.told] for sample in forged], load

    def test_honest(self):
        functions, _load = self.look_at('honest')
        self.assertGreater(functions.count(HONEST), 0.98 * len(functions))

    def test_cycles(self):
        self.look_at('cycles')

    def test_wild_pointers(self):
        functions, _load = self.look_at('wild')
        self.assertGreater(sum(len(each) < DEPTH for each in functions), 0.98 * len(functions))

    def test_lengths(self):
        self.look_at('lengths')

    def test_controls(self):
        functions, _load = self.look_at('controls')
        self.assertTrue(all(name.startswith('a�[31m') for each in functions for name in each), functions[:3])

    def test_a_million_functions(self):
        """More than are named in a second, which takes a tenth of a processor, at least in one of them."""
        functions, load = self.look_at('many', 9999, 1.2 * A_SECOND / DEPTH, self.in_fullest_second)
        self.assertIn(NO_NAME, {name for each in functions for name in each})
        messages = [message['text'] for message in load.capture.messages]
        self.assertTrue(any(b'frames of languages have no name' in message for message in messages), messages)

    def test_random(self):
        self.look_at('random')


if __name__ == '__main__':
    unittest.main()
