# SPDX-License-Identifier: GPL-3.0-or-later
"""Stacks of real programs without frame pointers: almost all of them complete, and no fewer than perf finds from 32 KiB of stack."""
import os
import pathlib
import re
import unittest
from unittest import mock

import perf_oracle as oracle
import stacks
from recordings import SANITISED, record_well
from stacks import COMPLETE, Judge, Stacks
from support import DATA, TestCase, capturectl, run

_FRAME = re.compile(r'^\s+[0-9a-f]+ (.*)$')

SQL = '''WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 1000000)
SELECT sum(n * n % 7), count(DISTINCT n % 1000), max(printf('%08d', n)) FROM numbers'''

PYTHON = '''
import json, re, time
end = time.monotonic() + 1
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)
while time.monotonic() < end:
    text = json.dumps([{"n": n, "name": f"item {n * 7919 % 997}"} for n in range(300)], indent=1)
    sorted(json.loads(text), key=lambda item: item["name"] * 2)
    re.sub(r"\\\\d+", lambda match: match[0] * 2, text)
    depth(15)
'''

CPLUSPLUS = '#include <algorithm>\n#include <iostream>\n#include <map>\n#include <regex>\n' + ''.join(
    f'std::map<int, std::string> f{i}(const std::string &s) {{ std::regex r("a{i}+"); std::map<int, std::string> m; '
    f'm[{i}] = std::regex_replace(s, r, "x"); return m; }}\n' for i in range(3))

# Functions that take a compiler a while.
C = 'int sink;\n' + ''.join(
    f'int f{i}(int a, int b) {{ int v[16]; for (int i = 0; i < 16; i++) v[i] = a * i + b;\n'
    f'  for (int i = 0; i < 1000; i++) {{ if (v[i % 16] > {i}) v[(i + 3) % 16] ^= v[i % 16] << {i % 5}; else v[i % 16] += sink; }}\n'
    f'  switch (a % 7) {{ case 0: return v[0]; case 1: return v[1] + b; case 2: sink += v[2]; case 3: return v[3]; default: return sink; }} }}\n'
    for i in range(250))


def complete_share_of_perf(path):
    """Of the samples of a perf.data with user stacks, how many perf unwinds to their root; and how many there are."""
    complete, count, names = 0, 0, []
    for line in run('perf', 'script', '-i', path, '-F', 'ip,sym,comm', '--no-inline', '--no-demangle', timeout=600).stdout.splitlines() + ['']:
        match = _FRAME.match(line)
        if match:
            names.append(match[1])
        elif not line.strip() and names:
            # _start has no name in a program that was stripped.
            complete += names[-1] in stacks.ROOTS or '__libc_start_main' in ''.join(names[-2:-1])
            count, names = count + 1, []
    return complete / max(count, 1), count


class ProgramsTest(TestCase, Judge):
    def write(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return path

    def setUp(self):
        """A cache of its own, so that the first recording has none."""
        super().setUp()
        patch = mock.patch.dict(os.environ, {'XDG_CACHE_HOME': str(self.directory / 'cache')})
        patch.start()
        self.addCleanup(patch.stop)

    def check(self, *command, options=('--no-names',), guesses=False):
        """Records it here, before any table is made and when all are kept, and with perf. With guesses: it has code without tables."""
        for tables in 'new', 'kept':
            path = self.directory / f'{tables}.capture'
            found = record_well(lambda times: Stacks(path, *command, options=('-F', '1499', *options)))
            with self.subTest(tables=tables):
                self.assertEqual(found.info['unwind'], 'bpf')
                self.check_complete(found, guesses=guesses)
        if not SANITISED:  # of the recorder, which is no other for perf
            self.compare(found.info['user_stacks'], command)
        return found

    def compare(self, judged, command):
        """Perf's share of complete stacks is known up to one sample of its own."""
        oracle.record('-F', '299', '--call-graph', 'dwarf,32768', '-o', self.directory / 'perf.data', '--', *command)
        perfs, count = complete_share_of_perf(self.directory / 'perf.data')
        self.assertGreater(count, 30)
        ours = judged['complete'] / judged['samples']
        self.assertGreaterEqual(ours, perfs - 1 / count, f'{perfs} in perf; {judged}')

    def test_sqlite(self):
        self.check('sqlite3', ':memory:', SQL)

    def test_xz(self):
        plain = self.directory / 'plain'
        compiler = run('gcc', '-print-prog-name=cc1').stdout.strip()
        plain.write_bytes(pathlib.Path(compiler).read_bytes()[:3000000])
        self.check('xz', '-k', '-f', '-T1', plain)

    def test_python(self):
        self.check('/usr/bin/python3', '-c', PYTHON)

    def test_git(self):
        repository = self.directory / 'repository'
        run('git', 'init', '-q', repository)
        stream, text = [], [f'line {i} of a text\n' for i in range(3000)]
        for commit in range(400):
            for line in range(commit % 7, 3000, 97):
                text[line] = f'line {line} was changed by {commit}\n'
            content = ''.join(text)
            stream.append(f'commit refs/heads/main\ncommitter A <a@example.org> {1700000000 + commit} +0000\ndata 7\nChange\n\n'
                          f'M 100644 inline text\ndata {len(content)}\n{content}\n')
        run('git', '-C', repository, 'fast-import', '--quiet', stdin=''.join(stream).encode())
        self.check('git', '--no-pager', '-C', repository, 'log', '-p', '--histogram', 'main', '--')

    def test_gcc(self):
        self.check('gcc', '-O1', '-c', self.write('a.c', C), '-o', self.directory / 'a.o')

    def test_clang(self):
        self.check('clang', '-O1', '-c', self.write('a.c', C), '-o', self.directory / 'a.o')

    def test_cplusplus(self):
        self.check('g++', '-O1', '-c', self.write('a.cc', CPLUSPLUS), '-o', self.directory / 'a.o')

    def test_node(self):
        self.check('node', stacks.PROGRAMS / 'work.js', 1500, guesses=True)

    def test_java(self):
        run('javac', '-d', self.directory, stacks.PROGRAMS / 'Work.java')
        self.check('java', '-XX:+PreserveFramePointer', '-cp', self.directory, 'Work', 1500, guesses=True)

    def test_rust(self):
        for i in range(120):
            self.write(f'text-{i}', ''.join(f'{i} {n * 7919 % 9973} some words and more\n' for n in range(60000)))
        self.check('rg', '-c', '-j2', r'(\w+) (\d+)7\d* some|w.rds an[dc]', self.directory)

    @unittest.skipUnless(os.uname().machine == 'x86_64', 'instructions of x86-64')
    def test_trampolines(self):
        """Their instructions say where they return to; not in copies of stacks, which have no code."""
        program = stacks.build(self.directory, program='trampolines', source='trampolines.c')
        path = self.directory / 'trampolines.capture'
        record_well(lambda times: Stacks(path, program, 100, options=('-F', '1499')))
        found = record_well(lambda times: Stacks(path, program, 2000 * times, options=('-F', '1499')), 300)
        judged = found.info['user_stacks']
        self.assertGreaterEqual(judged['complete'], 0.97 * judged['samples'], judged)
        self.assertLess(judged['by_frame_pointers'], 0.01 * judged['samples'], judged)
        chains = [[name for name in found.names(sample) if name in ('call', 'called', 'main')]
                  for sample in found.with_user_stack() if sample.outcome == COMPLETE]
        whole = ['main', *['call', 'called'] * 13]
        self.assertEqual([chain for chain in chains if chain[::-1] != whole[:len(chain)]][:3], [])
        self.assertGreater(sum(len(chain) == len(whole) for chain in chains), 0.9 * len(chains))

    def test_chain(self):
        """Each stack is one of those that this program can have."""
        chain = stacks.build(self.directory, program='chain', source=DATA / 'chain.c')
        found = self.check(chain, 1, options=())
        # qsort is looked up when it is first called.
        in_main = (r'(leaf (<libc\.so\.6> )+|(<libc\.so\.6> )*|(<ld-linux-x86-64\.so\.2> )+|qsort@plt )sorter (deep ){21}|(deep ){1,21}|(<\S+> |\S+@plt )*')
        known = re.compile(rf'({in_main})main <libc\.so\.6> <libc\.so\.6> _start '
                           r'|(<libc\.so\.6> |<ld-linux-x86-64\.so\.2> )*_start '  # entering, leaving
                           r'|(\S+ )*<ld-linux-x86-64\.so\.2> ')  # beginning
        chains = [' '.join(found.names(sample)) + ' ' for sample in found.with_user_stack() if sample.outcome == COMPLETE]
        self.assertEqual([chain for chain in chains if not known.fullmatch(chain)], [])
        self.assertGreater(sum('leaf ' in chain for chain in chains), 0.5 * len(chains))


if __name__ == '__main__':
    unittest.main()
