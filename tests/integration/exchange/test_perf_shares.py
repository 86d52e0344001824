# SPDX-License-Identifier: GPL-3.0-or-later
"""The same program recorded by perf and by us: its functions take the same shares of the samples."""
import collections
import math
import shutil
import unittest

from perf_oracle import Capture, record
from support import DATA, TestCase, capturectl

FREQUENCY = '4999'
USER = 2
TOP = 20
# Two recordings are two runs. What differs between runs beyond chance (which pages are in memory, how the processor
# is shared) is allowed for by one percentage point; chance by five standard errors, of at most 2 × 2 × 20 looks.
ALLOWED = 0.01
STANDARD_ERRORS = 5

QUERY = '''
with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 600000)
select count(*), sum(length(hex(n * 7919))), max(substr(n * 31 || 'x', 2)) from numbers;
'''
PYTHON = '''
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps
print(max(collatz(n) for n in range(1, 80000)))
'''
FUNCTION = '''
int f{0}(int *a, int n) {{ int s = {0}; for (int i = 0; i < n; i++) {{ if (a[i] % {1}) s += a[i] * s; else s ^= a[i] << {2}; }}
  switch (s % 7) {{ case 0: return s; case 1: return -s; case 3: return s * {1}; default: return n; }} }}
'''


# Where a program's memory lies decides how fast it is: one function's share was 13 % in one run of twelve, 5 % in the
# others. So the addresses are the same ones in both, and runs that differ are made again: a share that is wrong here
# is wrong each time.
PAIRS = 3


class SharesTest(TestCase):
    def compare(self, *command):
        for left in reversed(range(PAIRS)):
            try:
                return self.compare_once('setarch', '--addr-no-randomize', *command)
            except self.failureException:
                if left == 0:
                    raise

    def compare_once(self, *command):
        perf_path, ours_path = self.directory / 'perf.data', self.directory / 'ours.capture'
        imported = self.directory / 'imported.capture'
        record('-e', 'cpu-clock', '-F', FREQUENCY, '-g', '-o', perf_path, '--', *command)
        capturectl('import', perf_path, '-o', imported)
        capturectl('record', '-q', '--interpreter', '-e', 'cpu-clock', '-F', FREQUENCY, '-o', ours_path, '--', *command)
        perf, ours = self.functions(imported), self.functions(ours_path)
        self.assertGreater(min(perf.total(), ours.total()), 1000)
        for function in {name for counts in (perf, ours) for name, _ in counts.most_common(TOP)}:
            self.assert_same_share(function, perf, ours)

    def functions(self, path):
        """User-space samples by binary and function; those without a name by their binary alone."""
        capture, counts = Capture(path), collections.Counter()
        for sample in capture.samples():
            if sample.mode == USER and sample.frames:
                frame = sample.frames[0]
                path = frame.owner.get('path') if frame.owner else None
                counts[path, capture.linkage_name_of(frame, False)] += 1
        return counts

    def assert_same_share(self, function, perf, ours):
        shares = perf[function] / perf.total(), ours[function] / ours.total()
        share = (perf[function] + ours[function]) / (perf.total() + ours.total())
        error = math.sqrt(share * (1 - share) * (1 / perf.total() + 1 / ours.total()))
        self.assertLessEqual(abs(shares[0] - shares[1]), ALLOWED + STANDARD_ERRORS * error,
                             f'{function}: {shares[0]:.4f} in perf, {shares[1]:.4f} here')

    def test_chain_fp(self):
        program = self.directory / 'chain-fp'
        shutil.copy(DATA / 'chain-fp', program)
        program.chmod(0o755)
        self.compare(program, '2')

    def test_sqlite3(self):
        script = self.directory / 'query.sql'
        script.write_text(QUERY)
        self.compare('sqlite3', ':memory:', f'.read {script}')

    def test_python3(self):
        script = self.directory / 'collatz.py'
        script.write_text(PYTHON)
        self.compare('/usr/bin/python3', script)

    def test_gcc(self):
        source = self.directory / 'functions.c'
        source.write_text(''.join(FUNCTION.format(n, n % 13 + 2, n % 5) for n in range(250)))
        self.compare('gcc', '-O1', '-c', source, '-o', self.directory / 'functions.o')


if __name__ == '__main__':
    unittest.main()
