# SPDX-License-Identifier: GPL-3.0-or-later
"""`--transform` against the same transform made in plain Python of the folded stacks without it."""
import collections
import json
import pathlib
import random
import re
import shutil
import sys
import tempfile

from support import DATA, SOURCE, TestCase, capturectl
from transforms import FUNCTION, PATH, Stacks, read_folded, write_what

# What recurses, directly and through others, in C and in what is interpreted; and libz, whose names no other
# binary has: python, libc and ld.so share some.
RECURSIVE = '''
import json, re, zlib
def walk(n): return [walk(n - 1), walk(n - 2)] if n > 1 else n
for i in range(6): json.loads(json.dumps(walk(17))); re.sub(r'[0-9]+', lambda m: m.group() * 2, str(walk(14)))
zlib.compress(json.dumps(walk(18)).encode() * 20, 9)
'''


def fold_name(row):
    """A function as folded stacks write it."""
    name = re.sub(r'[\x00-\x1f\x7f]', ' ', row['name'].replace(';', ':'))
    return name + ('_[k]' if row.get('kernel') else '_[j]' if row.get('told') else '')


class Transforms:
    """The tests of one capture, made by make()."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-'))
        cls.addClassCleanup(shutil.rmtree, cls.shared, ignore_errors=True)
        cls.capture = cls.shared / 'made.capture'
        cls.make()
        rows = json.loads(capturectl('report', '--json', cls.capture).stdout)['rows']
        cls.stacks = Stacks(cls.fold(), {fold_name(row): row['binary'] for row in rows})
        # By name, two functions of one name are one; so only names that one function has are transformed.
        names = collections.Counter(map(fold_name, rows))
        longer = {name.partition('(')[0] for name in names if '(' in name}
        cls.unique = {name for name, count in names.items() if count == 1 and name not in longer and name != '[unknown]'}
        cls.doubtful = {row['binary'] for row in rows if names[fold_name(row)] > 1} | {'[unknown]'}
        cls.random = random.Random(6)

    @classmethod
    def fold(cls, *options):
        return read_folded(capturectl('export', '-f', 'folded', *options, cls.capture).stdout)

    @classmethod
    def options(cls, steps):
        return [option for kind, what in steps for option in ('--transform', f'{kind}:{write_what(what)}')]

    def check(self, *steps):
        """Returns the stacks after the steps."""
        stacks = self.stacks
        for step in steps:
            stacks = stacks.transformed(*step)
        self.assertEqual(self.fold(*self.options(steps)), stacks.counts, steps)
        return stacks

    def functions(self, stacks, n):
        """Those with most samples, and some others."""
        totals = collections.Counter()
        for path, count in stacks.counts.items():
            totals.update(dict.fromkeys(self.unique.intersection(path), count))
        names = [name for name, _ in totals.most_common()]
        return names[:n] + self.random.sample(names[n:], min(n, len(names[n:])))

    def recursive(self, n):
        found = collections.Counter()
        for path, count in self.stacks.counts.items():
            found.update({name: count for name, times in collections.Counter(path).items() if times > 1 and name in self.unique})
        return [name for name, _ in found.most_common(n)]

    def paths(self, stacks, n, inverted=False):
        """The beginnings of some stacks, of different lengths."""
        found = []
        for path, _ in self.random.sample(stacks.counts.most_common(), min(n, len(stacks.counts))):
            path = path[::-1] if inverted else path
            usable = next((number for number, name in enumerate(path) if name not in self.unique), len(path))
            if usable:
                found.append(path[:self.random.randint(1, usable)])
        return found

    def choose(self, stacks, kind):
        if kind in FUNCTION:
            return self.functions(stacks, 4)
        if kind == 'collapse-binary':
            return self.whole_binaries(stacks)
        return self.paths(stacks, 4, kind == 'focus-path-inverted')

    def whole_binaries(self, stacks):
        """Those whose functions' names are theirs alone."""
        # A kernel module has a name of its own, but is a part of the kernel.
        kernel = {binary for name, binary in stacks.binaries.items() if name.endswith('_[k]')}
        paths = collections.Counter(binary for name, binary in stacks.binaries.items() if name in self.unique)
        return [path for path, _ in paths.most_common() if path not in self.doubtful | kernel][:4]

    def test_functions(self):
        for kind in FUNCTION:
            for name in self.functions(self.stacks, 3):
                self.check((kind, name))

    def test_recursive_functions(self):
        names = self.recursive(4)
        self.assertTrue(names)
        for name in names:
            for kind in FUNCTION:
                self.check((kind, name))
            self.check(('collapse-direct-recursion', name), ('collapse-recursion', name), ('merge-function', name))

    def test_paths(self):
        for kind in PATH:
            for path in self.paths(self.stacks, 6, kind == 'focus-path-inverted'):
                self.check((kind, path))

    def test_binaries(self):
        binaries = self.whole_binaries(self.stacks)
        self.assertTrue(binaries)
        for binary in binaries:
            self.check(('collapse-binary', binary))
            self.check(('collapse-binary', binary), ('collapse-binary', binary))

    def test_several_in_a_row(self):
        kinds = [*FUNCTION, *PATH, 'collapse-binary']
        for _ in range(12):
            steps, stacks = [], self.stacks
            for _ in range(self.random.randint(2, 5)):
                kind = self.random.choice(kinds)
                candidates = self.choose(stacks, kind)
                if candidates:
                    steps.append((kind, self.random.choice(candidates)))
                    stacks = stacks.transformed(*steps[-1])
            self.check(*steps)

    def test_nothing_is_left(self):
        name = self.functions(self.stacks, 1)[0]
        self.assertEqual(self.check(('focus-function', name), ('drop-function', name)).counts, {})
        options = self.options([('focus-function', name), ('drop-function', name)])
        report = json.loads(capturectl('report', '--json', *options, self.capture).stdout)
        self.assertEqual((report['samples'], report['rows']), (0, []))
        for form in 'svg', 'pprof', 'syscap':
            capturectl('export', '-f', form, '-o', self.directory / 'out', *options, self.capture)

    def steps(self):
        """Several that leave much."""
        binary = self.whole_binaries(self.stacks)[0]
        steps = [('collapse-binary', binary)]
        return steps + [('merge-function', name) for name in self.functions(self.stacks.transformed(*steps[0]), 2)[-2:]]

    def test_report(self):
        steps = self.steps()
        stacks = self.check(*steps)
        report = json.loads(capturectl('report', '--json', '--tree', '--limit', '0', *self.options(steps), self.capture).stdout)
        own, total, paths = (collections.Counter() for _ in range(3))
        for path, count in stacks.counts.items():
            own[path[-1] if path else '[unknown]'] += count
            total.update(dict.fromkeys(path or ('[unknown]',), count))
            paths[path] += count
        rows = collections.defaultdict(lambda: [0, 0])
        for row in report['rows']:
            rows[fold_name(row)][0] += row['self']
            rows[fold_name(row)][1] = max(rows[fold_name(row)][1], row['total'])
        self.assertEqual({name: values[0] for name, values in rows.items() if values[0]}, own)
        self.assertEqual({name: values[1] for name, values in rows.items() if name in self.unique},
                         {name: count for name, count in total.items() if name in self.unique})
        found, below = collections.Counter(), [((), report['tree'])]
        while below:
            path, node = below.pop()
            found[path] += node['self']
            below += [(path + (fold_name(child),), child) for child in node['children']]
        self.assertEqual(+found, paths)

    def test_dropped_samples_belong_to_no_thread(self):
        name = self.functions(self.stacks, 1)[0]
        left = self.check(('drop-function', name)).counts.total()
        for by in 'thread', 'process':
            rows = json.loads(capturectl('report', '--json', '--by', by, '--transform', f'drop-function:{name}', self.capture).stdout)
            self.assertEqual(sum(row['self'] for row in rows['rows']), left)
            self.assertEqual(rows['samples'], left)

    def test_filters_come_first(self):
        rows = json.loads(capturectl('report', '--json', '--by', 'thread', self.capture).stdout)['rows']
        thread = ('--thread', str(rows[0]['tid']))
        steps = self.steps()
        stacks = Stacks(self.fold(*thread), self.stacks.binaries)
        for step in steps:
            stacks = stacks.transformed(*step)
        self.assertEqual(self.fold(*thread, *self.options(steps)), stacks.counts)


class Pipeline(Transforms, TestCase):
    @classmethod
    def make(cls):
        capturectl('import', DATA / 'pipeline.perf.data', '-o', cls.capture)

    def test_syscap(self):
        """What Sysprof would read has the same stacks, by name."""
        steps = self.steps()
        again, out = self.directory / 'again.capture', self.directory / 'out.syscap'
        capturectl('export', '-f', 'syscap', *self.options(steps), '-o', out, self.capture)
        capturectl('import', out, '-o', again)
        bare = collections.Counter()
        for path, count in self.check(*steps).counts.items():
            bare[tuple(re.sub(r'_\[[kj]\]$', '', name) for name in path)] += count
        found = collections.Counter()
        for path, count in read_folded(capturectl('export', '-f', 'folded', again).stdout).items():
            found[tuple(re.sub(r'_\[[kj]\]$', '', name) for name in path)] += count
        self.assertEqual(found, bare)

    def test_kernel(self):
        stacks = self.stacks.counts
        expected = collections.Counter()
        for path, count in stacks.items():
            inner = [name for name in path if not name.endswith('_[k]')]
            self.assertEqual(list(path[:len(inner)]), inner)
            expected[tuple(inner) + (('[kernel]_[k]',) if len(inner) < len(path) else ())] += count
        self.assertEqual(self.fold('--transform', 'collapse-binary:[kernel]'), expected)

    def test_every_kind_is_in_the_manual(self):
        manual = (SOURCE / 'docs' / 'man' / 'capturectl.1').read_text()
        kinds = set(re.findall(r'^\.It Cm ([a-z-]+) : Ns Ar', manual, re.MULTILINE))
        self.assertEqual(kinds, {*FUNCTION, *PATH, 'collapse-binary'})
        for verb in 'report', 'export':
            self.assertEqual(set(capturectl(verb, '--transform', 'help').stdout.split()), kinds)

    def test_mistakes(self):
        for transform, status, words in (
                ('merge-function', 2, 'not understood'), ('merge-function:', 2, 'not understood'), ('merge:main', 2, 'no transform “merge”'),
                ('merge-function:no_such', 1, 'no function “no_such”'), ('collapse-binary:no_such', 1, 'no binary “no_such”'),
                ('focus-path:no_such;main', 1, 'ends before “no_such”')):
            for verb in ('report',), ('export', '-f', 'folded'):
                self.assertIn(words, capturectl(*verb, '--transform', transform, self.capture, status=status).stderr)
        self.assertIn('changes their stacks', capturectl('report', '--by', 'mark', '--transform', 'merge-function:main', self.capture, status=2).stderr)


class Scripts(Transforms, TestCase):
    """JavaScript: functions that a program told of."""

    @classmethod
    def make(cls):
        capturectl('import', DATA / 'gjs.syscap', '-o', cls.capture)


class Recording(Transforms, TestCase):
    @classmethod
    def make(cls):
        capturectl('record', '-F', '2000', '-o', cls.capture, '--', sys.executable, '-c', RECURSIVE)


del Transforms
