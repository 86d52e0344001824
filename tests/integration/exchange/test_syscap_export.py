# SPDX-License-Identifier: GPL-3.0-or-later
"""The .syscap files that are written, read by Sysprof's own library: the same samples, functions, marks and counters."""
import collections
import itertools
import pathlib
import re
import sys
import tempfile
import unittest

from support import CAPTURECTL, DATA, SOURCE, TestCase, capturectl, run
from syscap import Syscap
from test_syscap import JIT, fold


class SyscapExportTest(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        place = tempfile.TemporaryDirectory(prefix='capture-test-')
        cls.addClassCleanup(place.cleanup)
        cls.reader = pathlib.Path(place.name) / 'fold-syscap'
        cls.is_old = run('pkg-config', 'sysprof-4', status=None).status == 0
        library, source = ('sysprof-4', 'fold-syscap.c') if cls.is_old else ('sysprof-6', 'fold-syscap-6.c')
        flags = run('pkg-config', '--cflags', '--libs', library, 'gobject-2.0').stdout.split()
        run('cc', '-o', cls.reader, SOURCE / 'tests' / 'programs' / source, *flags)

    def convert(self, capture, *options):
        """The lines that Sysprof's library reads in the export of a capture, by their first word."""
        output = self.directory / 'out.syscap'
        capturectl('export', capture, '--format', 'syscap', '-o', output, *options)
        lines = collections.defaultdict(list)
        for line in run(self.reader, output).stdout.splitlines():
            word, rest = line.split(' ', 1)
            lines[word].append(rest)
        return lines

    def stacks(self, lines):
        """As fold()."""
        stacks = collections.Counter()
        for line in lines['sample']:
            names = line.split('\t')[1:]
            stacks[tuple(name.replace(';', ':') for name in reversed(names)) or ('[no stack]',)] += 1
        return stacks

    def shown(self, stacks):
        """Stacks as Sysprof's library has them. Since Sysprof 45 a function that calls itself is there once. Of neighbours with different
        names the first has none: it is a place in a file or in the kernel, or left out where there is neither."""
        if self.is_old:
            return stacks
        shown = collections.Counter()
        for stack, count in stacks.items():
            names = (re.sub(r'^In File (?:.*/)?(.*\+0x)', r'\1', name) for name in stack if not re.fullmatch(r'(?:In Kernel\+)?0x[0-9a-f]+', name))
            shown[tuple(name for name, _ in itertools.groupby(names))] += count
        return shown

    def expect_stacks(self, lines, expected):
        self.assertEqual(self.shown(self.stacks(lines)), self.shown(expected))

    def take(self, path, *options):
        output = self.directory / 'in.capture'
        capturectl('import', path, '-o', output, *options)
        return output

    def record(self):
        """A capture of a program with native and kernel functions that have names; one program, for Sysprof's table of names does
        not tell apart what a process executed one after the other."""
        capture = self.directory / 'recorded.capture'
        run(CAPTURECTL, 'record', '-q', '-F', 1999, '-o', capture, '--',
            sys.executable, '-c', 'for i in range(200): open("/proc/self/maps").read(), sorted(map(str, range(20000)))')
        named = {name for stack in fold(capture) for name in stack}
        self.assertTrue(any(name.startswith('PyObject_') for name in named) and any('vfs_' in name for name in named), named)
        return capture

    def test_functions_without_addresses(self):
        capture = self.take(DATA / 'gjs.syscap')
        lines = self.convert(capture)
        self.assertEqual(len(lines['sample']), 201)
        self.expect_stacks(lines, fold(capture))

    def test_native_and_kernel_functions(self):
        capture = self.record()
        self.expect_stacks(self.convert(capture), fold(capture))

    def test_functions_without_names(self):
        capture = self.take(DATA / 'chain-fp.perf.data')
        lines = self.convert(capture)
        self.assertGreater(len(lines['sample']), 100)
        self.expect_stacks(lines, fold(capture))

    def test_many_processes(self):
        capture = self.take(DATA / 'pipeline.perf.data')
        lines = self.convert(capture)
        self.expect_stacks(lines, fold(capture))
        self.assertGreater(len({line.split()[0] for line in lines['sample']}), 10)

    def test_a_filter(self):
        capture = self.take(DATA / 'pipeline.perf.data')
        pids = collections.Counter(line.split()[0] for line in self.convert(capture)['sample'])
        pid, count = pids.most_common(1)[0]
        lines = self.convert(capture, '--process', pid)
        self.assertEqual([line.split()[0] for line in lines['sample']], [pid] * count)

    def test_what_programs_told(self):
        file = Syscap(begin=10).jitmap({JIT | 1: 'function'}).sample([JIT | 1], time=20, pid=100, tid=101)
        file.counters((7, 'heap', 'size', 'of the heap', False), (8, 'heap', 'share', 'in use', True))
        file.values({7: 4096, 8: 0.25}, time=30).values({7: 8192}, time=40)
        file.mark('gc', 'minor', 'because', 5, time=31).mark('gc', 'major', '', 0, time=35)
        file.log(16, 'Gjs', 'careful', time=33)
        path = self.directory / 'told.syscap'
        path.write_bytes(file.content)
        lines = self.convert(self.take(path))
        self.assertEqual(lines['sample'], ['100 101\tfunction'])
        self.assertEqual(lines['mark'], ['31 5 gc\tminor\tbecause', '35 0 gc\tmajor\t'])
        self.assertEqual(lines['log'], ['33 16 Gjs\tcareful'])
        names = {line.split()[0]: line.split(' ', 2)[2] for line in lines['counter']}
        self.assertEqual(sorted(names.values()), ['heap\tshare\tin use', 'heap\tsize\tof the heap'])
        values = {(int(time), names[number].split('\t')[1], float(value))
                  for time, number, value in (line.split() for line in lines['value'])}
        self.assertEqual(values, {(30, 'size', 4096.0), (30, 'share', 0.25), (40, 'size', 8192.0)})

    def test_allocations(self):
        """With their sizes, and those that were given back again; where that is asked for itself, samples are all that there is."""
        file = Syscap().jitmap({JIT | 1: 'taker', JIT | 2: 'giver'})
        file.allocation(0x5000, 640, [JIT | 2, JIT | 1], time=2, tid=101).allocation(0x6000, 60, [JIT | 1], time=3)
        file.allocation(0x5000, 0, [JIT | 2], time=4).allocation(0x7000, 10, [JIT | 1], time=5)
        path = self.directory / 'memory.syscap'
        path.write_bytes(file.content)
        capture = self.take(path)
        lines = self.convert(capture, '--event', 'allocations')
        self.assertEqual(lines['allocation'], ['2 101 0x5000 640\tgiver\ttaker', '3 100 0x6000 60\ttaker', '4 100 0x5000 0\tgiver',
                                               '5 100 0x7000 10\ttaker'])
        self.assertEqual((lines['sample'], lines['memory']), ([], ['2']))
        lines = self.convert(capture, '--event', 'frees')
        self.assertEqual((self.stacks(lines), lines['allocation'], lines['memory']), ({('giver',): 1}, [], ['0']))

    def test_long_texts_and_stacks_fit_their_frames(self):
        file = Syscap().jitmap({JIT | 1: 'n' * 3000, JIT | 2: 'short', JIT | 3: 'other'})
        file.mark('g' * 24, 'm' * 40, 'x' * 60000, 1)
        file.sample([JIT | 2, JIT | 3] * 4000 + [JIT | 1, JIT | 3] * 50)
        path = self.directory / 'long.syscap'
        path.write_bytes(file.content)
        lines = self.convert(self.take(path))
        self.expect_stacks(lines, {('other', 'n' * 3000) * 50 + ('other', 'short') * 4000: 1})
        self.assertTrue(lines['mark'][0].split(' ', 2)[2].startswith('g' * 23 + '\t' + 'm' * 39 + '\txxx'))

    def named(self, capture):
        """Its stacks without the offsets of functions that have no name: Sysprof's table of names knows no difference between
        neighbouring addresses that were returned to and that were not."""
        stacks = collections.Counter()
        for stack, count in fold(capture).items():
            stacks[tuple(re.sub(r'\+0x[0-9a-f]+$', '', name) for name in stack)] += count
        return stacks

    def test_the_way_there_and_back(self):
        """The names travel in the file."""
        capture = self.record()
        output, again = self.directory / 'out.syscap', self.directory / 'again.capture'
        capturectl('export', capture, '--format', 'syscap', '-o', output)
        capturectl('import', output, '-o', again, '--no-names')
        here, there = self.named(capture), self.named(again)
        self.assertEqual((here - there, there - here), ({}, {}))  # a whole Counter is too long to be shown

    def test_a_format_that_is_not_known(self):
        done = capturectl('export', self.take(DATA / 'gjs.syscap'), '--format', 'syscaps', status=2)
        self.assertIn('syscap', done.stderr)


if __name__ == '__main__':
    unittest.main()
