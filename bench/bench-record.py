#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What recording costs: `capturectl record -a` beside `perf record -a -g` over the same compilation, in turns with none.

usage: bench-record.py [ROUNDS]     (root; perf, gcc, npm)

Both follow frame pointers, record until the compilation has ended and name nothing at the end. Processor time is that of the recording processes alone:
recorder and collector here, perf there.
"""
import os
import signal
import statistics
import subprocess
import sys
import time

from compiler_run import CAPTURECTL, WORK, fetch_sqlite, measure, samples_of

FREQUENCY = '4999'
CAPTURE, PERF_DATA = WORK / 'cost.capture', WORK / 'cost.perf.data'
RECORDERS = {
    'none': None,
    'capturectl': (CAPTURECTL, 'record', '-q', '--no-names', '--unwind', 'fp', '-a', '-F', FREQUENCY, '-o', CAPTURE),
    'perf': ('perf', 'record', '-q', '-N', '-B', '-a', '-g', '-F', FREQUENCY, '-o', PERF_DATA),
}


def compile_under(recorder, source):
    """Seconds that the compilation took, and seconds of processor time of the recorder."""
    if recorder is None:
        return measure('gcc', '-O1', '-c', source, '-o', WORK / 'sqlite3.o')[0], 0
    child = subprocess.Popen([str(word) for word in recorder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    took = measure('gcc', '-O1', '-c', source, '-o', WORK / 'sqlite3.o')[0]
    child.send_signal(signal.SIGTERM)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return took, usage.ru_utime + usage.ru_stime


def perf_samples():
    lines = subprocess.run(['perf', 'script', '-G', '-F', 'pid', '-i', PERF_DATA], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return lines.count(b'\n')


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    source = fetch_sqlite()
    results = {name: [] for name in RECORDERS}
    for number in range(rounds):
        for name, recorder in RECORDERS.items():
            took, cpu = compile_under(recorder, source)
            count = {'none': lambda: 0, 'capturectl': lambda: samples_of(CAPTURE), 'perf': perf_samples}[name]()
            results[name].append((took, cpu, count))
            print(f'round {number + 1}, {name:10}  compiled in {took:.3f} s, {cpu:.3f} s recording, {count} samples', flush=True)
    took = {name: statistics.median(took for took, _, _ in runs) for name, runs in results.items()}
    each = {name: statistics.median(cpu / count * 1e6 for _, cpu, count in runs if count) for name, runs in results.items() if name != 'none'}
    print(f'medians of {rounds} rounds at {FREQUENCY} Hz on {os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}:')
    for name in each:
        print(f'{name:10}  {each[name]:.2f} µs a sample; the compilation takes {took[name] / took["none"]:.3f} times as long')
    print(f'capturectl ÷ perf: {each["capturectl"] / each["perf"]:.2f} in processor time a sample, {took["capturectl"] / took["perf"]:.3f} '
          'in the time of the compilation (wanted: at most 1)')


if __name__ == '__main__':
    main()
