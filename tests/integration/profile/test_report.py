# SPDX-License-Identifier: GPL-3.0-or-later
"""`capturectl report` against counting the samples of the second decoder one by one."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from support import CAPTURECTL, DATA, SOURCE, TestCase, capturectl, environment

sys.path.insert(0, str(SOURCE / 'tests' / 'decoder'))
from builder import Builder, fixed, listed, sample, string  # noqa: E402
from capture_decoder import Capture, container  # noqa: E402

BINARY, KERNEL = 1, 2


def function_names(capture, frames):
    """The functions of a sample's stack, outermost first, as report names them."""
    names = []
    for number, frame in enumerate(frames):
        # The first user frame below the kernel was interrupted, not called from.
        is_caller = number > 0 and (frame.kind == KERNEL) == (frames[number - 1].kind == KERNEL)
        names += [inlined.name for inlined in capture.place_of(frame, is_caller)[:-1]]
        name = capture.function_of(frame, is_caller)
        if name is None and frame.kind == BINARY:
            name = f'{os.path.basename(frame.owner["path"])}+{frame.value:#x}'
        names.append(name if name is not None else f'{frame.value:#x}')
    return names[::-1]


class Counted:
    """Self, total and call paths, by name alone, of the samples that are wanted."""

    def __init__(self, capture, wanted=lambda sample: True):
        self.own, self.total, self.paths = (collections.Counter() for _ in range(3))
        self.samples = 0
        for each in capture.samples():
            if not wanted(each):
                continue
            names = function_names(capture, each.frames) or ['[unknown]']
            self.samples += 1
            self.own[names[-1]] += 1
            self.total.update(set(names))
            if each.frames:
                self.paths.update(tuple(names[:depth]) for depth in range(1, len(names) + 1))


def by_name(rows, member):
    counts = collections.Counter()
    for row in rows:
        counts[row['name']] += row[member]
    return +counts


def tree_paths(node, path=()):
    """Yields (path of names, node) of a tree's nodes below the root."""
    for child in node['children']:
        yield path + (child['name'],), child
        yield from tree_paths(child, path + (child['name'],))


class Imported(TestCase):
    """Views of captures that another program recorded."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix='capture-test-')
        cls.addClassCleanup(directory.cleanup)
        cls.imported = pathlib.Path(directory.name)

    def load(self, name):
        """Imported by the first test that asks."""
        path = self.imported / f'{name}.capture'
        if not path.exists():
            capturectl('import', DATA / f'{name}.perf.data', '-o', path)
        return path, Capture(path)

    def report(self, path, *options):
        return json.loads(capturectl('report', path, '--json', *options).stdout)

    def check_rows(self, report, counted):
        self.assertEqual(report['samples'], counted.samples)
        self.assertEqual(by_name(report['rows'], 'self'), counted.own)
        self.assertEqual(sum(row['self'] for row in report['rows']), counted.samples)
        # A name may stand in two binaries, which both may be in one stack.
        for name, total in by_name(report['rows'], 'total').items():
            self.assertGreaterEqual(total, counted.total[name], name)
        unique = [name for name, rows in collections.Counter(row['name'] for row in report['rows']).items() if rows == 1]
        totals = by_name(report['rows'], 'total')
        self.assertGreater(len(unique), 5)
        for name in unique:
            self.assertEqual(totals[name], counted.total[name], name)

    def test_functions(self):
        for name in ('pipeline', 'chain-fp'):
            with self.subTest(name=name):
                path, capture = self.load(name)
                report = self.report(path)
                self.check_rows(report, Counted(capture))
                self.assertEqual(report['lost'], capture.lost())
                self.assertGreater(report['duration_ns'], 0)
                self.assertEqual(len(report['events']), 1)
                self.assertEqual(report['events'][0]['samples'], report['samples'])

    def test_filters(self):
        path, capture = self.load('pipeline')
        times = [each.time for each in capture.samples()]
        pid, number = collections.Counter(each.pid for each in capture.samples()).most_common(1)[0]
        report = self.report(path, '--process', str(pid))
        self.assertEqual(report['samples'], number)
        self.check_rows(report, Counted(capture, lambda each: each.pid == pid))
        begin = capture.file.header.time
        first, end = begin + 1_000_000_000, begin + 2_500_000_000
        report = self.report(path, '--time', '1,2.5')
        self.check_rows(report, Counted(capture, lambda each: first <= each.time < end))
        self.assertLess(report['samples'], len(times))
        report = self.report(path, '--binary', 'gzip')
        inside = Counted(capture, lambda each: each.frames and each.frames[0].kind == BINARY and
                         os.path.basename(each.frames[0].owner['path']) == 'gzip')
        self.check_rows(report, inside)

    def test_tree(self):
        path, capture = self.load('chain-fp')
        counted = Counted(capture)
        tree = self.report(path, '--tree', '--limit', '0')['tree']
        self.assertEqual(tree['total'], counted.samples)
        self.assertEqual(collections.Counter({names: node['total'] for names, node in tree_paths(tree)}), counted.paths)
        heavy = self.report(path, '--tree', '--limit', '20')['tree']
        self.assertEqual({names: node['total'] for names, node in tree_paths(heavy)},
                         {names: count for names, count in counted.paths.items() if count >= 0.2 * counted.samples})

    def test_bottom_up(self):
        path, capture = self.load('chain-fp')
        expected = collections.Counter()
        for each in capture.samples():
            names = function_names(capture, each.frames)[::-1]
            expected.update(tuple(names[:depth]) for depth in range(1, len(names) + 1))
        tree = self.report(path, '--bottom-up', '--limit', '0')['tree']
        self.assertEqual(collections.Counter({names: node['total'] for names, node in tree_paths(tree)}), expected)
        text = capturectl('report', path, '--bottom-up').stdout
        heaviest = max((names[0] for names in expected if len(names) == 1), key=lambda name: expected[name,])
        first = text[text.index('bottom-up'):].splitlines()[2]
        self.assertIn(f' {heaviest}  (', first)

    def test_callers_and_callees(self):
        path, capture = self.load('chain-fp')
        counted = Counted(capture)
        name = counted.own.most_common(1)[0][0]
        callers = self.report(path, '--callers', name, '--limit', '0')['tree']
        self.assertEqual((callers['name'], callers['total']), (name, counted.total[name]))
        expected = collections.Counter()
        for each in capture.samples():
            names = function_names(capture, each.frames)
            if name in names:
                above = names[:names.index(name)][::-1]
                expected.update(tuple(above[:depth]) for depth in range(1, len(above) + 1))
        self.assertEqual(collections.Counter({names: node['total'] for names, node in tree_paths(callers)}), expected)
        outer = counted.paths.most_common(1)[0][0][0]
        callees = self.report(path, '--callees', outer, '--limit', '0')['tree']
        self.assertEqual((callees['name'], callees['total']), (outer, counted.total[outer]))
        missing = capturectl('report', path, '--callers', 'no_such_function', status=1)
        self.assertIn('no_such_function', missing.stderr)
        self.assertEqual(missing.stdout, '')

    def test_by_others(self):
        path, capture = self.load('pipeline')
        samples = list(capture.samples())
        rows = self.report(path, '--by', 'thread')['rows']
        counts = collections.Counter()
        for row in rows:
            counts[row['tid'], row['name']] += row['self']
        self.assertEqual(counts, collections.Counter((each.tid, each.command) for each in samples))
        rows = self.report(path, '--by', 'process')['rows']
        counts = collections.Counter()
        for row in rows:
            counts[row['pid']] += row['total']
        self.assertEqual(counts, collections.Counter(each.pid for each in samples))
        rows = self.report(path, '--by', 'binary')['rows']
        kernel = sum(bool(each.frames) and each.frames[0].kind == KERNEL for each in samples)
        self.assertEqual({row['name']: row['self'] for row in rows}['[kernel]'], kernel)
        rows = self.report(path, '--by', 'event')['rows']
        self.assertEqual([row['self'] for row in rows], [len(samples)])

    def test_names_are_looked_up_when_none_are_stored(self):
        path, _ = self.load('pipeline')
        bare = self.directory / 'bare.capture'
        capturectl('import', '--no-names', DATA / 'pipeline.perf.data', '-o', bare)
        self.assertEqual(Capture(bare).names, {})
        self.assertEqual(by_name(self.report(bare)['rows'], 'total'), by_name(self.report(path)['rows'], 'total'))

    def test_text(self):
        path, capture = self.load('chain-fp')
        counted = Counted(capture)
        flat = capturectl('report', path).stdout
        name, count = counted.own.most_common(1)[0]
        row = next(line for line in flat.splitlines() if line.split()[5:6] == [name])
        share, own, total_share, total = row.split()[:4]
        self.assertEqual((int(own), int(total)), (count, counted.total[name]))
        self.assertAlmostEqual(float(share.rstrip('%')), 100 * count / counted.samples, delta=0.006)
        self.assertAlmostEqual(float(total_share.rstrip('%')), 100 * counted.total[name] / counted.samples, delta=0.006)
        tree = capturectl('report', path, '--tree').stdout
        self.assertRegex(tree, rf'(?m)^ 100\.00% +{counted.samples} +[0-9.]+%  all$')
        self.assertIn('└─ ', tree)
        plain = capturectl('report', path, '--tree', env=environment(CHARSET='US-ASCII')).stdout
        self.assertIn('`- ', plain)
        self.assertNotIn('└', plain)

    def test_tree_is_of_functions_only(self):
        path, _ = self.load('chain-fp')
        self.assertIn('--by', capturectl('report', '--tree', '--by', 'thread', path, status=2).stderr)

    def test_list_leaves_out_what_hardly_occurs(self):
        path, capture = self.load('pipeline')
        text, rows = capturectl('report', path).stdout, self.report(path)['rows']
        enough = 0.0005 * Counted(capture).samples
        few = [row for row in rows if row['total'] < enough]
        self.assertRegex(text, rf'(?m)^{len(few)} rows below the limit are left out; --limit=0 shows all\.$')
        self.assertNotIn('left out', capturectl('report', '--limit', 0, path).stdout)

    def test_reader_that_goes_away(self):
        path, _ = self.load('pipeline')
        done = subprocess.run(f'"{CAPTURECTL}" report "{path}" --limit 0 | head -1', shell=True, env=environment(),
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(len(done.stdout.splitlines()), 1)


class Made(TestCase):
    """What no ordinary recording has."""

    def write(self, builder):
        path = self.directory / 'made.capture'
        path.write_bytes(builder.finish().bytes)
        return path

    def dictionary(self, *events):
        """Three nodes over one another of one function that calls itself, at three addresses."""
        names = b''.join(string(10 + number, name) for number, name in enumerate(events))
        return b''.join([
            string(1, b'/bin/demo'), names, fixed(2, 'IIIIQ', 1, 1, 1, 0, 0),
            listed(3, 1, 0, 'II', [(1, 0x1008), (1, 0x1010), (1, 0x1018)]), listed(4, 1, 3, 'I', [(1,), (2,), (3,)]),
            fixed(6, 'IIQQQQQiI20sI', 1, 1, 1, 2, 0, 0x400000, 0x500000, 10, 0, bytes(20), 0),
            fixed(7, 'IiIIIIQ', 1, 10, 0, 0, 1, 0, 0), fixed(9, 'IIiIQ', 1, 1, 10, 1, 0)] +
            [fixed(10, 'IIIIIIQQQQQ', 1 + number, 10 + number, 1, 0, 1, 0, number, 0, 0, 0, 1000)
             for number in range(len(events))])

    def names(self):
        return b''.join([string(1, b'/bin/demo'), string(2, b'again\x1b[31m'),
                         fixed(80, 'IIQQII20sI', 1, 1, 1, 2, 0, 0, bytes(20), 0),
                         listed(81, 1, 0, 'QQIIIIII', [(0x1000, 0x1100, 2, 0, 0, 0, 0, 0)])])

    def make(self, counts):
        """A capture with an event for each count, of as many samples in the innermost call."""
        builder = Builder()
        builder.part(container.DICTIONARY, self.dictionary(*(b'event%d' % number for number in range(len(counts)))))
        for number, count in enumerate(counts):
            builder.part(container.SAMPLES, b''.join(sample(1000 * n, 1, 3) for n in range(count)), event=1 + number,
                         entry_size=16, time_first=2_000_000_000, time_last=2_000_000_000 + 1000 * count, weight=10)
        builder.part(container.NAMES, self.names(), stream=0)
        return self.write(builder)

    def test_recursion_counts_once(self):
        path = self.make([4])
        report = json.loads(capturectl('report', path, '--json', '--tree').stdout)
        row, = report['rows']
        self.assertEqual((row['self'], row['total'], row['self_weight']), (4, 4, 40))
        self.assertEqual([node['total'] for _, node in tree_paths(report['tree'])], [4, 4, 4])
        self.assertEqual([node['self'] for _, node in tree_paths(report['tree'])], [0, 0, 4])

    def test_events_are_never_summed(self):
        path = self.make([4, 7])
        report = json.loads(capturectl('report', path, '--json').stdout)
        self.assertEqual(report['samples'], 4)
        self.assertEqual([(event['name'], event['samples'], event['weight'], event['rows'][0]['self'])
                          for event in report['events']], [('event0', 4, 40, 4), ('event1', 7, 70, 7)])
        chosen = json.loads(capturectl('report', path, '--json', '-e', 'event1').stdout)
        self.assertEqual((chosen['samples'], len(chosen['events'])), (7, 1))
        text = capturectl('report', path).stdout
        self.assertEqual(re.findall(r'(\d+) of (event\d)', text), [('4', 'event0'), ('7', 'event1')])

    def test_names_cannot_move_the_cursor(self):
        path = self.make([4])
        for options in ((), ('--tree',)):
            self.assertNotIn('\x1b', capturectl('report', path, *options).stdout)
        self.assertEqual(json.loads(capturectl('report', path, '--json').stdout)['rows'][0]['name'], 'again\x1b[31m')

    def test_bomb(self):
        """Windows that each claim to unpack to 16 MiB: told, not believed."""
        builder = Builder()
        builder.part(container.DICTIONARY, self.dictionary(b'event0'))
        for number in range(20):
            builder.part(container.SAMPLES, bytes(16 << 20), sequence=number, event=1, entry_size=16, flags=container.CLOSED | container.ZSTD,
                         time_first=2_000_000_000, time_last=2_000_000_000)
        path = self.write(builder)
        self.assertLess(path.stat().st_size, 1 << 20)
        done = capturectl('report', path, '--json')
        self.assertIn('left out', done.stderr)
        self.assertLessEqual(16 * json.loads(done.stdout)['samples'], 64 * path.stat().st_size + (64 << 20))
        path.unlink()  # as text it has 20 million lines

    def test_no_samples(self):
        builder = Builder()
        builder.part(container.DICTIONARY, self.dictionary(b'event0'))
        path = self.write(builder)
        self.assertEqual(json.loads(capturectl('report', path, '--json').stdout)['samples'], 0)
        capturectl('report', path)
        capturectl('report', path, '--tree')

    def test_wrong_usage(self):
        path = self.make([1])
        for options in (('--by', 'colour'), ('--callers', 'a', '--callees', 'b'), ('--bottom-up', '--callers', 'a'),
                        ('--bottom-up', '--by', 'thread')):
            done = capturectl('report', path, *options, status=2)
            self.assertEqual((done.stdout, len(done.stderr.splitlines()) > 0), ('', True))
        capturectl('report', self.directory / 'absent.capture', status=1)


if __name__ == '__main__':
    import unittest
    unittest.main()
