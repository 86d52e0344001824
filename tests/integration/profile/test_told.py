# SPDX-License-Identifier: GPL-3.0-or-later
"""What programs tell of themselves, in captures made byte by byte: what report, export and info make of it."""
import json
import struct
import sys

from support import SOURCE, TestCase, capturectl, environment, run

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from builder import Builder, code, fixed, listed, mark, record, sample, string  # noqa: E402
from capture_decoder import container  # noqa: E402

RECORDER, SAMPLER, BASE, BIG = 1, 2, 0x7f00_0000_1000, (1 << 64) - 1
PERF_MAP = 2


def stream(number, kind, pid, name):
    return record(64, struct.pack('<IIiI', number, kind, pid, len(name)) + name + b'\0')


def counts(time, *values):
    return record(39, struct.pack('<Q', time) + b''.join(struct.pack('<IId', number, 0, value) for number, value in values), len(values))


def log(time, thread, severity, domain, text):
    return record(40, struct.pack('<QIIII', time, thread, severity, domain, len(text)) + text + b'\0')


def process_and_thread(pid, name, time, event):
    """Strings 1 and 2, a process, a thread, an event and a space of addresses in the process, each with number 1."""
    return b''.join([string(1, name), string(2, event), fixed(7, 'IiIIIIQ', 1, pid, 0, 0, 1, 0, time), fixed(9, 'IIiIQ', 1, 1, pid, 1, time),
                     fixed(10, 'IIIIIIQQQQQ', 1, 2, 1, 0, 1, 0, 0, 0, 0, 1_000_000, 0), fixed(2, 'IIIIQ', 1, 3, 1, 0, BASE >> 32 << 32)])


def stacks(*leaves):
    """A frame and a node for each offset, each a stack of its own."""
    return listed(3, 1, 0, 'II', [(1, (BASE & 0xffffffff) + offset) for offset in leaves]) + b''.join(
        listed(4, number, 1, 'I', [(number,)]) for number in range(1, len(leaves) + 1))


def told():
    """A runtime seen from outside (samples in code at four times) and from inside (identifiers, code, marks, counters)."""
    builder = Builder()
    builder.part(container.META, stream(RECORDER, 1, 1, b'recorder') + stream(SAMPLER, 2, 500, b'luajit'), stream=0, epoch=0)
    builder.part(container.DICTIONARY, process_and_thread(500, b'runtime', 0, b'cpu-clock') + stacks(0x10, 0x90), stream=RECORDER)
    builder.part(container.SAMPLES, b''.join(sample(t, 1, leaf) for t, leaf in ((50, 1), (150, 1), (160, 2), (250, 1), (350, 1))),
                 stream=RECORDER, event=1, entry_size=16, time_first=1_000_000_000, time_last=1_000_000_350, weight=1_000_000)
    at = 1_000_000_000
    builder.part(container.DICTIONARY, b''.join([
        process_and_thread(500, b'runtime', at + 10, b'cpu-time'), string(3, b'update'), string(4, b'game.lua'), string(5, b'draw'),
        string(6, b'frame'), string(7, b'memory'), string(8, b'heap'), string(9, b'B'), string(10, b'key'),
        string(12, b'clip'), string(13, b'shapes.lua'),
        fixed(12, 'IIII', 11, 3, 4, 12), fixed(2, 'IIIIQ', 2, 4, 1, 0, 0xe0000000 << 32),
        listed(3, 1, 0, 'II', [(2, 11), (2, 5)]), listed(4, 1, 2, 'I', [(1,), (2,)]),
        code(1, 3, BASE, 0x80, at + 100, 4, 12, [(0, 12, 0, 0), (0x10, 14, 0, 0)]), code(1, 5, BASE + 0x80, 0x80, at + 100, 4, 40, [(0, 70, 13, 12)]),
        code(1, 5, BASE, 0x40, at + 200, 4, 40, []), fixed(14, 'IIQQQ', 1, 0, BASE, 0x1000, at + 300),
        fixed(15, 'IIIIIIII', 1, 1, 7, 8, 0, 9, 0, 0)]), stream=SAMPLER)
    builder.part(container.SAMPLES, sample(20, 1, 2) * 3, stream=SAMPLER, event=1, entry_size=16, time_first=at, time_last=at + 20, weight=1_000_000)
    builder.part(container.RECORDS, b''.join([
        *(mark(at + 20 * n, 0, 1, 1, 6, 5) + mark(at + 20 * n + n, 0, 1, 2, 6, 5) for n in range(1, 21)), mark(at + 30, 0, 1, 0, 0, 10, b'x'),
        mark(at + 450, 0, 1, 1, 6, 3), counts(at + 30, (1, 5.0)), counts(at + 20, (1, 2.5)), counts(at + 40, (1, 4.0)),
        log(at + 60, 1, 4, 7, b'low')]), stream=SAMPLER, time_first=at + 20, time_last=at + 450)
    return builder


class Made(TestCase):
    def setUp(self):
        super().setUp()
        self.path = self.directory / 'told.capture'
        self.path.write_bytes(told().finish().bytes)

    def report(self, *options):
        return json.loads(capturectl('report', '--json', *options, self.path).stdout)

    def test_whole(self):
        self.assertIn('No problem was found.', capturectl('check', self.path).stdout)

    def test_functions_by_time(self):
        rows = {row['name']: row for row in self.report('-e', 'cpu-clock')['rows']}
        self.assertEqual({name: row['self'] for name, row in rows.items()}, {'update': 1, 'draw': 1, 'clip': 1, hex(BASE + 0x10): 2})
        self.assertEqual((rows['update']['binary'], rows['update']['file'], rows['update']['line'], rows['update']['told']),
                         ('[runtime]', 'game.lua', 12, True))
        self.assertEqual(rows[hex(BASE + 0x10)]['binary'], '[unknown]')

    def test_identifiers_are_the_same_functions(self):
        rows = {row['name']: row for row in self.report('-e', 'cpu-time')['rows']}
        self.assertEqual({name: (row['self'], row['total']) for name, row in rows.items()}, {'update': (0, 3), 'draw': (3, 3)})
        self.assertEqual(rows['update']['line'], 12)

    def test_one_process_and_events_of_their_own(self):
        report = self.report('--by', 'process')
        self.assertEqual([(event['name'], event['samples'], len(event['rows'])) for event in report['events']],
                         [('cpu-clock', 5, 1), ('cpu-time', 3, 1)])
        self.assertEqual({row['pid'] for event in report['events'] for row in event['rows']}, {500})
        self.assertEqual([(row['name'], row['self']) for row in self.report('--by', 'event')['rows']], [('cpu-clock', 5), ('cpu-time', 3)])

    def test_binary_is_a_filter(self):
        self.assertEqual(self.report('-e', 'cpu-clock', '--binary', '[runtime]')['samples'], 3)

    def test_marks(self):
        rows = self.report('--by', 'mark')['rows']
        self.assertEqual(rows, [
            {'category': 'frame', 'name': 'update', 'count': 1, 'spans': 1, 'unfinished': 1,
             **dict.fromkeys(('total_ns', 'median_ns', 'p95_ns', 'max_ns'), 5000 - 450)},
            {'category': 'frame', 'name': 'draw', 'count': 20, 'spans': 20, 'unfinished': 0,
             'total_ns': 210, 'median_ns': 10, 'p95_ns': 19, 'max_ns': 20},
            {'category': None, 'name': 'key', 'count': 1, 'spans': 0, 'unfinished': 0,
             **dict.fromkeys(('total_ns', 'median_ns', 'p95_ns', 'max_ns'))}])

    def test_marks_as_text(self):
        lines = capturectl('report', '--by', 'mark', self.path).stdout.splitlines()
        self.assertEqual([line.split() for line in lines if 'draw' in line], [['20', '210', 'ns', '10', 'ns', '19', 'ns', '20', 'ns', 'frame:', 'draw']])
        self.assertTrue(any(line.endswith('frame: update (1 not ended)') for line in lines))
        self.assertEqual([line.split() for line in lines if 'key' in line], [['1', 'key']])

    def test_marks_are_filtered(self):
        self.assertEqual([(row['name'], row['count']) for row in self.report('--by', 'mark', '--time', ',0.0000001')['rows']], [('draw', 4), ('key', 1)])
        self.assertEqual(len(self.report('--by', 'mark', '--process', '500')['rows']), 3)
        for option in (('-e', 'cpu-clock'), ('--binary', '[runtime]')):
            self.assertIn('choose samples', capturectl('report', '--by', 'mark', *option, self.path, status=2).stderr)

    def test_no_marks(self):
        builder = Builder()
        builder.part(container.DICTIONARY, process_and_thread(1, b'a', 0, b'e'))
        self.path.write_bytes(builder.finish().bytes)
        self.assertIn('holds no marks', capturectl('report', '--by', 'mark', self.path, status=1).stderr)
        self.assertEqual(self.report('--by', 'mark')['rows'], [])

    def test_info(self):
        info = json.loads(capturectl('info', '--json', self.path).stdout)
        self.assertEqual((info['processes'], info['code'], info['marks'], info['binaries']), (1, 3, 22, 0))
        self.assertEqual(info['streams'], [
            {'name': 'recorder', 'kind': 'recorder', 'pid': 1, 'events': [{'name': 'cpu-clock', 'samples': 5}]},
            {'name': 'luajit', 'kind': 'sampler', 'pid': 500, 'events': [{'name': 'cpu-time', 'samples': 3}]}])
        self.assertEqual(info['counters'], [{'category': 'memory', 'name': 'heap', 'description': None, 'unit': 'B', 'pid': 500, 'totals': False,
                                             'values': 3, 'last': 4, 'min': 2.5, 'max': 5}])
        self.assertEqual(info['log'], [{'time_ns': 1_000_000_060, 'severity': 4, 'tid': 500, 'domain': 'memory', 'text': 'low'}])
        text = capturectl('info', self.path).stdout
        for words in ('luajit (500): 3 of cpu-time', '3 functions compiled at run time', '22, of 3 names',
                      'memory: heap: 4 B at last, from 2.5 B to 5 B, 3 values', 'memory: low'):
            self.assertIn(words, text)

    def test_exports(self):
        folded = self.directory / 'out'
        capturectl('export', '-f', 'folded', '-e', 'cpu-time', '-o', folded, self.path)
        self.assertEqual(folded.read_text(), 'update_[j];draw_[j] 3\n')
        capturectl('export', '-f', 'svg', '-e', 'cpu-time', '-o', folded, self.path)
        self.assertRegex(folded.read_text(), r'<svg class="j\d[^>]*>.*?update')
        capturectl('export', '-f', 'pprof', '-e', 'cpu-clock', '-o', folded, self.path)
        home = {'HOME': str(self.directory), 'GOCACHE': str(self.directory / 'go')}
        raw = run('go', 'tool', 'pprof', '-symbolize=none', '-raw', folded, env=environment(**home)).stdout
        self.assertRegex(raw, r'update game\.lua:14\b')
        # What was inlined is a line of its own, before that of the function that it was inlined into.
        self.assertRegex(raw, r'clip shapes\.lua:70\b.*\n +draw game\.lua:40\b')


class PerfMap(TestCase):
    """Code without times is believed only where nothing better is known."""

    def names(self):
        builder = told()
        builder.part(container.META, stream(3, 3, 500, b'/tmp/perf-500.map'), stream=0, epoch=0, sequence=1)
        builder.part(container.FOREIGN, f'{BASE:x} 100 stale\n'.encode(), stream=3, event=PERF_MAP, epoch=0)
        path = self.directory / 'map.capture'
        path.write_bytes(builder.finish().bytes)
        rows = json.loads(capturectl('report', '--json', '-e', 'cpu-clock', path).stdout)['rows']
        return {row['name']: row['self'] for row in rows}

    def test_order_of_sources(self):
        self.assertEqual(self.names(), {'stale': 1, 'update': 1, 'draw': 1, 'clip': 1, hex(BASE + 0x10): 1})


class Hostile(TestCase):
    """Code that cannot be: loaded all the same, within seconds, and nothing is named that was not there."""

    def load(self, records, samples=1000):
        builder = Builder()
        builder.part(container.DICTIONARY, process_and_thread(500, b'runtime', 0, b'cpu-clock') + string(3, b'code') + stacks(0x10))
        for begin in range(0, len(records), 20000):
            builder.part(container.DICTIONARY, b''.join(records[begin:begin + 20000]), sequence=1 + begin)
        builder.part(container.SAMPLES, b''.join(sample(n, 1, 1) for n in range(samples)), event=1, entry_size=16,
                     time_first=1000, time_last=1000 + samples, weight=1)
        path = self.directory / 'hostile.capture'
        path.write_bytes(builder.finish().bytes)
        return {row['name']: row['self'] for row in json.loads(capturectl('report', '--json', path, timeout=60).stdout)['rows']}

    def test_ranges_that_wrap(self):
        records = [code(1, 3, BASE, BIG, 1500, 0, 0, []), code(1, 3, BIG, BIG, 0, 0, 0, []), fixed(14, 'IIQQQ', 1, 0, BIG, 1, 0),
                   code(1, 3, 0, 0, 0, 0, 0, []), code(99, 3, 0, BIG, 0, 0, 0, []), fixed(14, 'IIQQQ', 0, 0, 0, BIG, 0)]
        self.assertEqual(self.load(records), {'code': 500, hex(BASE + 0x10): 500})

    def test_end_before_begin(self):
        records = [fixed(14, 'IIQQQ', 1, 0, BASE, 64, 500), code(1, 3, BASE, 64, 1200, 0, 0, []), fixed(14, 'IIQQQ', 1, 0, BASE, 64, 1300)]
        self.assertEqual(self.load(records), {'code': 100, hex(BASE + 0x10): 900})

    def test_everything_overlaps(self):
        count = 60000
        records = [code(1, 3, BASE - number, 2 * number + 0x20, 2000 - number % 900, 0, 0, []) for number in range(count)]
        self.assertEqual(self.load(records), {'code': 899, hex(BASE + 0x10): 101})

    def test_names_that_are_functions(self):
        records = [fixed(12, 'IIII', 4, 4, 5, 1), fixed(12, 'IIII', 5, 4, 4, 1), code(1, 4, BASE, 64, 0, 5, 1, [])]
        self.assertEqual(self.load(records), {'[unknown]': 1000})
        self.assertEqual(capturectl('check', self.directory / 'hostile.capture', status=None).status, 1)
