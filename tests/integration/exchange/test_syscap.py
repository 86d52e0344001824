# SPDX-License-Identifier: GPL-3.0-or-later
"""What .syscap files hold arrives in captures: as Sysprof reads them, in either byte order, however damaged."""
import collections
import json
import re
import unittest

from support import DATA, TestCase, capturectl
from syscap import Syscap, read_calls

JIT = 0xE0 << 56


def fold(output, event=None):
    """The folded stacks of a capture, as they were recorded: (names from the outermost on) → count; without the marks behind names."""
    done = capturectl('export', output, '--format', 'folded', '--no-inline', *(['--event', event] if event else []))
    stacks = collections.Counter()
    for line in done.stdout.splitlines():
        stack, count = line.rsplit(' ', 1)
        stacks[tuple(re.sub(r'_\[[jk]\]$', '', name) for name in stack.split(';'))] += int(count)
    return stacks


def make_tree(stacks):
    """(names from the root on, self, total) of each call; a function that calls itself is one call, as in Sysprof."""
    own, total = collections.Counter(), collections.Counter()
    for stack, count in stacks.items():
        once = tuple(name for i, name in enumerate(stack) if i == 0 or name != stack[i - 1])
        own[once] += count
        for depth in range(len(once)):
            total[once[:depth + 1]] += count
    return {(path, own[path], total[path]) for path in total}


class SyscapTest(TestCase):
    def take(self, content, name='in.syscap'):
        """Imports these bytes; the capture's path and what was warned of."""
        path, output = self.directory / name, self.directory / 'out.capture'
        path.write_bytes(content)
        done = capturectl('import', path, '-o', output, '--no-names')
        capturectl('check', output)
        return output, done.stderr

    def test_gjs_as_sysprof_reads_it(self):
        output, warnings = self.take((DATA / 'gjs.syscap').read_bytes())
        self.assertEqual(warnings, '')
        expected = set()
        for path, own, total in read_calls((DATA / 'gjs.sysprof-cat.txt').read_text()):
            # Sysprof's first two are all processes and the process.
            if len(path) > 2:
                expected.add((tuple(name.removeprefix('In File ') for name in path[2:]), own, total))
        self.assertEqual(len(expected), 5)
        self.assertEqual(make_tree(fold(output)), expected)

    def test_both_byte_orders_say_the_same(self):
        captures = {}
        for order in '<>':
            file = Syscap(order).process('/usr/bin/interpreter --fast script').jitmap({JIT | 1: 'outer', JIT | 2: 'inner'})
            file.map(0x1000, 0x2000, 0x500, '/usr/lib/libexample.so', build_id='0123456789abcdef0123')
            file.sample([JIT | 2, JIT | 1, 0x1010], time=1_000_100, tid=101, cpu=3)
            file.sample([JIT | 1, 0x1010], time=1_000_200)
            file.trace(True, [JIT | 2], time=1_000_300).trace(False, [JIT | 2], time=1_000_310)
            file.allocation(0x5000, 640, [JIT | 2], time=1_000_400).allocation(0x5000, 0, [JIT | 1], time=1_000_500)
            output, warnings = self.take(file.content)
            self.assertEqual(warnings, '')
            captures[order] = {event: fold(output, event) for event in
                               ('samples', 'function entries', 'function exits', 'allocations', 'frees')}
        self.assertEqual(captures['<'], captures['>'])
        self.assertEqual(captures['<']['samples'], {('libexample.so+0x510', 'outer', 'inner'): 1, ('libexample.so+0x510', 'outer'): 1})
        self.assertEqual(captures['<']['function entries'], {('inner',): 1})
        self.assertEqual(captures['<']['function exits'], {('inner',): 1})
        self.assertEqual(captures['<']['allocations'], {('inner',): 640})
        self.assertEqual(captures['<']['frees'], {('outer',): 640})

    def test_allocations_are_weighed(self):
        file = Syscap().jitmap({JIT | 1: 'taker', JIT | 2: 'giver'})
        file.allocation(0x5000, 640, [JIT | 1], time=2).allocation(0x6000, 60, [JIT | 1], time=3)
        file.allocation(0x5000, 0, [JIT | 2], time=4)
        output, _ = self.take(file.content)
        for event, weight in (('allocations', 700), ('frees', 640)):
            report = json.loads(capturectl('report', output, '--json', '--event', event).stdout)
            found = next(item for item in report['events'] if item['name'] == event)
            self.assertEqual((found['unit'], found['weight']), ('bytes', weight), found)

    def test_names_come_after_their_samples(self):
        file = Syscap().sample([JIT | 1], time=5).jitmap({JIT | 1: 'late'}, time=9)
        output, _ = self.take(file.content)
        self.assertEqual(fold(output), {('late',): 1})

    def test_names_belong_to_processes(self):
        file = Syscap().jitmap({JIT | 1: 'one'}, pid=1).jitmap({JIT | 1: 'two'}, pid=2)
        file.sample([JIT | 1], pid=1).sample([JIT | 1], pid=2)
        output, _ = self.take(file.content)
        self.assertEqual(fold(output), {('one',): 1, ('two',): 1})

    def test_kernel_and_user_stacks(self):
        kernel, user = (1 << 64) - 128, (1 << 64) - 512
        file = Syscap().map(0x1000, 0x2000, 0, '/usr/bin/example')
        file.sample([kernel, 0xffffffff81000010, 0xffffffff81000020, user, 0x1010], cpu=0)
        output, _ = self.take(file.content)
        self.assertEqual(fold(output), {('example+0x10', '0xffffffff81000020', '0xffffffff81000010'): 1})

    def test_children_have_their_parents_mappings(self):
        file = Syscap().process('parent', time=1).map(0x1000, 0x2000, 0, '/usr/bin/example', time=2)
        file.fork(200, time=3).sample([0x1010], pid=200, time=4).exit(pid=200, time=5)
        output, _ = self.take(file.content)
        self.assertEqual(fold(output), {('example+0x10',): 1})
        self.assertIn('parent', capturectl('report', output, '--by', 'process').stdout)

    def test_what_is_not_known_is_passed_over(self):
        file = Syscap().frame(1).frame(17, b'\1\0\2\0hi').frame(99, b'?' * 100).file_chunk('/proc/cpuinfo', b'processor: 0')
        file.jitmap({JIT | 1: 'known'}).sample([JIT | 1])
        output, warnings = self.take(file.content)
        self.assertEqual(warnings, '')
        self.assertEqual(fold(output), {('known',): 1})

    def test_symbols_that_the_file_brings(self):
        for order in '<>':
            file = Syscap(order).map(0x1000, 0x2000, 0x500, '/usr/lib/libexample.so')
            file.sample([0x1010, 0x1020, 0x1400]).sample([0xffffffff81000010, 0x1030])
            names = b'\0one\0two\0core\0'
            entries = ((0x1010, 0x1010, 1), (0x1020, 0x1030, 5), (0xffffffff81000010, 0xffffffff81000010, 9), (0x5000, 0x6000, 1))
            base = 32 * (len(entries) + 1)
            symbols = b''.join(file.pack('QQIIII', first, last, 100, base + name, 0, 0) for first, last, name in entries)
            symbols += bytes(32) + names
            for at in range(0, len(symbols), 100):
                file.file_chunk('__symbols__', symbols[at:at + 100])
            output, warnings = self.take(file.content)
            self.assertEqual(warnings, '')
            self.assertEqual(fold(output), {('libexample.so+0x900', 'two', 'one'): 1, ('two', 'core'): 1})

    def test_facts_are_kept(self):
        file = Syscap().metadata('local-profiler', '[profiler]\nspawn=true').overlay('/var/lib/app', '/app', pid=12)
        output, _ = self.take(file.content)
        dump = capturectl('dump', output).stdout
        for word in ('sysprof.local-profiler', 'spawn=true', 'sysprof.overlay.12 /app', '/var/lib/app'):
            self.assertIn(word, dump)

    def test_a_file_that_was_cut_off(self):
        whole = (DATA / 'gjs.syscap').read_bytes()
        output, warnings = self.take(whole[:-5003])
        self.assertIn('in.syscap', warnings)
        self.assertEqual(warnings.count('\n'), 1, warnings)
        count = sum(fold(output).values())
        self.assertTrue(0 < count < 201, count)

    def test_a_pipe(self):
        output = self.directory / 'out.capture'
        capturectl('import', '-', '-o', output, stdin=(DATA / 'gjs.syscap').read_bytes())
        self.assertEqual(sum(fold(output).values()), 201)

    def test_a_header_without_sense(self):
        path = self.directory / 'bad.syscap'
        path.write_bytes(b'\x5e\x97\xca\xfd' + bytes(300))
        done = capturectl('import', path, status=1, cwd=self.directory)
        self.assertIn('bad.syscap', done.stderr)
        self.assertEqual(list(self.directory.iterdir()), [path])


if __name__ == '__main__':
    unittest.main()
