# SPDX-License-Identifier: GPL-3.0-or-later
"""The same perf.data in perf and here: counts and chains are equal, and where they are not, a table says why."""
import collections
import functools
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import unittest

import perf_oracle as oracle
from capture_decoder import Capture
from recordings import wait_until
from support import CAPTURECTL, DATA, TestCase, capturectl, run

# How many of the samples may be explained away.
EXPLAINED_AT_MOST = 0.005

# Why the innermost place of a sample may differ from perf's, and how such a sample is recognised.
EXPLANATIONS = {
    'perf drops a chain with an address above its contexts, which broken frame pointers lead to; we keep it':
        lambda ours, perf: perf.binary is None,
    'perf 6.1 counts the stubs of a PLT from its first entry, also where that is no stub, and is one off':
        lambda ours, perf: is_stub(perf) and is_stub(ours),
    "perf names the file that stands at the path, also when a process of another root (a container's) has mapped another one":
        lambda ours, perf: ours.other_file and not ours.symbol and ours.binary == perf.binary,
    'memory that belongs to no file: perf calls it by the map of a just-in-time compiler that might be there':
        lambda ours, perf: perf.binary.startswith('/tmp/perf-') and not perf.symbol and ours.binary == '[unknown]',
    'perf 6.1 now and then loses the map of a kernel whose build-id came with it (--buildid-mmap)':
        lambda ours, perf: perf.binary == '[unknown]' and ours.binary == '[kernel.kallsyms]',
}


def symbols_in(path):
    """The addresses of the names in a file's symbol tables; those of .dynsym without their versions, as perf reads them."""
    names, dynamic = {}, False
    for line in run('readelf', '-sW', path, status=None).stdout.splitlines():
        if line.startswith('Symbol table'):
            dynamic = '.dynsym' in line
        elif len(line.split()) >= 8:
            name = line.split()[7]
            names[name.split('@')[0] if dynamic else name] = line.split()[1]
    return names


@functools.lru_cache(None)
def symbols_of(path):
    """Those of a binary and of its debug file."""
    build_id = re.search('Build ID: ([0-9a-f]+)', run('readelf', '-n', path, status=None).stdout)
    debug = build_id and f'/usr/lib/debug/.build-id/{build_id[1][:2]}/{build_id[1][2:]}.debug'
    return symbols_in(path) | (symbols_in(debug) if debug else {})


def is_known_here(path, symbol):
    return symbol.endswith('@plt') or symbol in symbols_of(path)


def are_names_of_one(path, one, other):
    if path == '[vdso]':
        return {one, other} == {one, f'__vdso_{one}'}
    names = symbols_of(path)
    return one in names and names[one] == names.get(other)


def is_stub(leaf):
    return (leaf.symbol or '').endswith('@plt')


def explain(ours, perf):
    """The reason for a difference, or None."""
    return next((reason for reason, applies in EXPLANATIONS.items() if applies(ours, perf)), None)


def differs(ours, perf):
    """Of several names of one function we show the one that people know, and perf another: that is no difference."""
    if perf.binary is None or ours.binary != perf.binary:
        return True
    return perf.symbol is not None and ours.symbol != perf.symbol and not are_names_of_one(ours.binary, ours.symbol, perf.symbol)


class Oracle:
    """Compares cls.path in both; subclasses set it in make()."""

    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp(prefix='capture-test-'))
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.path = cls.make()
        cls.file = cls.directory / 'imported.capture'
        cls.said = capturectl('import', cls.path, '-o', cls.file)
        cls.capture = Capture(cls.file)

    @classmethod
    @functools.lru_cache(None)
    def leaves(cls):
        ours = oracle.imported_leaves(cls.capture)
        return ours, oracle.with_names(oracle.scripted_leaves(cls.path), ours)

    def is_compared(self, ours, perf):
        """Whether both can know the names in that process."""
        return True

    def test_every_chain_is_equal_address_by_address(self):
        ours = oracle.imported_samples(self.capture)
        perf = oracle.with_names(oracle.dumped_samples(self.path), ours)
        self.assertGreater(len(perf), 0)
        self.assertEqual(len(ours), len(perf))
        for ours_sample, perf_sample in zip(ours, perf):
            self.assertEqual(ours_sample, perf_sample)

    def test_samples_of_each_command_and_event_are_equal(self):
        ours, perf = self.leaves()
        for field in ('command', 'event'):
            self.assertEqual(oracle.count(ours, field), oracle.count(perf, field))

    def test_samples_of_each_binary_and_symbol_are_equal_or_explained(self):
        ours, perf = self.leaves()
        self.assertEqual(len(ours), len(perf))
        explained = 0
        for ours_leaf, perf_leaf in zip(ours, perf):
            if self.is_compared(ours_leaf, perf_leaf) and differs(ours_leaf, perf_leaf):
                self.assertIsNotNone(explain(ours_leaf, perf_leaf), f'{ours_leaf} here, {perf_leaf} in perf')
                explained += 1
        self.assertLessEqual(explained, EXPLAINED_AT_MOST * len(perf))

    def test_the_report_counts_every_named_function_as_its_samples_do(self):
        report = json.loads(capturectl('report', '--json', self.file).stdout)
        rows, leaves = collections.Counter(), collections.Counter()
        files = oracle.files_by_path(self.capture)
        for row in report['rows']:
            rows[files.get(row['binary'], row['binary']), row['name']] += row['self']
        for sample in self.capture.samples():
            frame = sample.frames[0]
            inlined = self.capture.place_of(frame, False)[:-1]
            name = inlined[0].name if inlined else self.capture.function_of(frame, False)
            if name:
                path = '[kernel]' if frame.kind == oracle.KERNEL_SPACE else frame.owner['path']
                leaves[files.get(path, path), name] += 1
        self.assertEqual(report['samples'], len(self.leaves()[0]))
        self.assertEqual(rows.total(), report['samples'])
        self.assertEqual({key: (rows[key], leaves[key]) for key in leaves if rows[key] != leaves[key]}, {})


class PipelineTest(Oracle, unittest.TestCase):
    """Many short processes, recorded under another kernel."""

    @classmethod
    def make(cls):
        return DATA / 'pipeline.perf.data'

    def is_compared(self, ours, perf):
        """perf 7.2 names another kernel's functions by the kernel that runs, which has others in their places."""
        return not (ours.other_file and not ours.symbol and ours.binary == perf.binary == '[kernel.kallsyms]')


class FramePointersTest(Oracle, unittest.TestCase):
    @classmethod
    def make(cls):
        return DATA / 'chain-fp.perf.data'


class CompilerTest(Oracle, unittest.TestCase):
    """Recorded now, of everything on the machine: here perf names the kernel."""

    @classmethod
    def make(cls):
        path, source = cls.directory / 'perf.data', cls.directory / 'hello.c'
        # Long enough that a share of its samples is a number of them.
        source.write_text('#include <stdio.h>\n#include <stdlib.h>\n' + ''.join(
            f'int f{i}(int n) {{ for (int k = rand(); n > {i}; n--) k = printf("%d %d", k * {i}, n); return n; }}\n' for i in range(150)))
        oracle.record('-F', '9999', '-a', '-g', '-o', path, '--', 'sh', '-c', f'echo $$ >{cls.directory}/pid; exec "$@"', 'sh',
                      'gcc', '-O2', '-c', source, '-o', cls.directory / 'hello.o')
        return path

    def is_compared(self, ours, perf):
        """Others may have another root, a container's, where perf finds other files than those here. It names a file once for all
        processes: in a chroot perhaps in the mount namespace of one outside, with a debug file that only stands there."""
        if perf.symbol and ours.binary.startswith('/') and not is_known_here(ours.binary, perf.symbol):
            return False
        return ours.pid in self.own_processes()

    @classmethod
    @functools.lru_cache(None)
    def own_processes(cls):
        own = {0, int((cls.directory / 'pid').read_text())}
        for record in cls.capture.records:
            if record.word == 'fork' and record.fields['parent_pid'] in own - {0}:
                own.add(record.fields['pid'])
        return own

    def test_perf_names_the_kernel_here(self):
        _, perf = self.leaves()
        self.assertTrue(any(leaf.binary == '[kernel.kallsyms]' and leaf.symbol for leaf in perf))


class FormsTest(TestCase):
    """Other forms of the file: each recorded now, and equal in both."""

    def record(self, *options):
        source, path = self.directory / 'hello.c', self.directory / 'perf.data'
        source.write_text('int main(void) { return 0; }\n')
        how_often = () if '-c' in options else ('-F', '4999')
        piped = oracle.record('-g', *how_often, *options, '--', 'gcc', '-O2', '-c', source, '-o',
                              self.directory / 'hello.o')
        if piped:
            path.write_bytes(piped)
        return path

    def compare(self, path):
        file = self.directory / 'imported.capture'
        capturectl('import', path, '-o', file)
        capture = Capture(file)
        ours, samples = oracle.imported_leaves(capture), oracle.imported_samples(capture)
        perf = oracle.with_names(oracle.scripted_leaves(path), ours)
        self.assertGreater(len(perf), 0)
        self.assertEqual(samples, oracle.with_names(oracle.dumped_samples(path), samples))
        self.assertEqual(oracle.count(ours, 'command', 'event'), oracle.count(perf, 'command', 'event'))
        for ours_leaf, perf_leaf in zip(ours, perf):
            if differs(ours_leaf, perf_leaf):
                self.assertIsNotNone(explain(ours_leaf, perf_leaf), f'{ours_leaf} here, {perf_leaf} in perf')
        return ours

    def test_compressed_records(self):
        self.compare(self.record('-z', '-o', self.directory / 'perf.data'))

    def test_a_pipe(self):
        self.compare(self.record('-o', '-'))

    def test_a_pipe_with_compressed_records(self):
        self.compare(self.record('-z', '-o', '-'))

    def test_build_ids_in_the_records_of_mappings(self):
        self.compare(self.record('--buildid-mmap', '-o', self.directory / 'perf.data'))

    def test_several_events(self):
        path = self.directory / 'perf.data'
        leaves = self.compare(self.record('-e', 'cpu-clock', '-e', 'page-faults', '-e', 'context-switches', '-o', path))
        self.assertEqual({leaf.event for leaf in leaves}, {'cpu-clock', 'page-faults', 'context-switches'})

    def test_tracepoints(self):
        path = self.directory / 'perf.data'
        leaves = self.compare(self.record('-a', '-e', 'sched:sched_switch', '-e', 'sched:sched_wakeup', '-o', path))
        self.assertEqual({leaf.event for leaf in leaves}, {'sched:sched_switch', 'sched:sched_wakeup'})

    def test_a_constant_period(self):
        self.compare(self.record('-e', 'page-faults', '-c', '1', '-o', self.directory / 'perf.data'))

    def test_a_killed_perf_without_anything_about_its_machine(self):
        """Neither build-ids nor the kernel's release: the files' inodes and the times must do. perf itself does
        not read such a file. Of the BPF programs that a recorder has loaded it says something without a time."""
        path = self.directory / 'perf.data'
        other = subprocess.Popen([CAPTURECTL, 'record', '-o', self.directory / 'other.capture', '--', 'sleep', '60'], stderr=subprocess.PIPE)
        self.addCleanup(other.communicate)
        self.addCleanup(other.terminate)
        self.assertIn(b'BPF', other.stderr.readline())
        perf = subprocess.Popen(['perf', 'record', '-q', '-N', '-m', '16', '-F', '4999', '-g', '-o', path, '--',
                                 'timeout', '--foreground', '30', 'sh', '-c', 'while :; do ls / >/dev/null; done'], start_new_session=True)
        self.addCleanup(perf.wait)
        self.addCleanup(os.killpg, perf.pid, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: path.exists() and path.stat().st_size > 1 << 18))
        perf.kill()
        perf.wait()
        file = self.directory / 'imported.capture'
        capturectl('import', path, '-o', file)
        leaves = oracle.imported_leaves(Capture(file))
        for kernel in False, True:
            self.assertTrue(any(leaf.symbol and (leaf.binary == '[kernel.kallsyms]') == kernel for leaf in leaves))

    def test_standard_input(self):
        path, file = self.record('-o', '-'), self.directory / 'piped.capture'
        capturectl('import', '-', '-o', file, stdin=path.read_bytes())
        self.assertEqual(oracle.imported_samples(Capture(file)), oracle.dumped_samples(path))


if __name__ == '__main__':
    unittest.main()
