#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What recording costs: `capturectl record -a` beside `perf record -a -g` over the same compilation, in turns with none.

usage: bench-record.py [ROUNDS [LEVEL]]     (root; perf, gcc, npm)
LEVEL: how much the compiler optimises, 1 when not said. Machines change their speed from one half minute to the next, so many rounds of
short compilations (25 0) judge the compilation's time closer than few of long ones.

Both follow frame pointers, record until the compilation has ended and name nothing at the end. Processor time is that of the recording processes alone:
recorder and collector here, perf there.
"""
import os
import signal
import statistics
import subprocess
import sys
import time

from compiler_run import CAPTURECTL, WORK, fetch_sqlite, interval, measure, samples_of

FREQUENCY = '4999'
CAPTURE, PERF_DATA = WORK / 'cost.capture', WORK / 'cost.perf.data'
RECORDERS = {
    'none': None,
    'capturectl': (CAPTURECTL, 'record', '-q', '--no-names', '--unwind', 'fp', '-a', '-F', FREQUENCY, '-o', CAPTURE),
    'perf': ('perf', 'record', '-q', '-N', '-B', '-a', '-g', '-F', FREQUENCY, '-o', PERF_DATA),
}


def compile_once(source, level):
    """Seconds that it took, and seconds of processor time."""
    return measure('gcc', f'-O{level}', '-c', source, '-o', WORK / 'sqlite3.o')[:2]


def compile_under(recorder, source, level):
    """What compile_once says, and seconds of processor time of the recorder."""
    if recorder is None:
        return *compile_once(source, level), 0
    child = subprocess.Popen([str(word) for word in recorder], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    compiled = compile_once(source, level)
    child.send_signal(signal.SIGTERM)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return *compiled, usage.ru_utime + usage.ru_stime


def perf_samples():
    lines = subprocess.run(['perf', 'script', '-G', '-F', 'pid', '-i', PERF_DATA], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    return lines.count(b'\n')


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    level = sys.argv[2] if len(sys.argv) > 2 else '1'
    source = fetch_sqlite()
    results = {name: [] for name in RECORDERS}
    for number in range(rounds):
        # Each in each place of a round: what comes first has a cooler processor.
        names = list(RECORDERS)[number % 3:] + list(RECORDERS)[:number % 3]
        for name in names:
            took, worked, cpu = compile_under(RECORDERS[name], source, level)
            count = {'none': lambda: 0, 'capturectl': lambda: samples_of(CAPTURE), 'perf': perf_samples}[name]()
            results[name].append((took, worked, cpu, count))
            print(f'round {number + 1}, {name:10}  compiled in {took:.3f} s and {worked:.3f} s of processor time, {cpu:.3f} s recording, '
                  f'{count} samples', flush=True)
    report(results, rounds)


def report(results, rounds):
    print(f'medians of {rounds} rounds at {FREQUENCY} Hz on {os.cpu_count()} processors, load average {os.getloadavg()[0]:.1f}:')
    each = {name: statistics.median(cpu / count * 1e6 for *_, cpu, count in runs if count) for name, runs in results.items() if name != 'none'}
    for name in each:
        print(f'{name:10}  {each[name]:.2f} µs a sample')
    print(f'capturectl ÷ perf: {each["capturectl"] / each["perf"]:.2f} in processor time a sample')
    for column, what in enumerate(('elapsed time', 'processor time')):
        middle = {name: statistics.median(run[column] for run in runs) for name, runs in results.items()}
        best = {name: min(run[column] for run in runs) for name, runs in results.items()}
        pairs = sorted(ours[column] / theirs[column] for ours, theirs in zip(results['capturectl'], results['perf']))
        mean, low, high = interval(pairs)
        print(f'the compilation\'s {what}: {middle["none"]:.3f} s, under capturectl {middle["capturectl"]:.3f}, under perf {middle["perf"]:.3f}; '
              f'capturectl ÷ perf {middle["capturectl"] / middle["perf"]:.3f} of medians, {best["capturectl"] / best["perf"]:.3f} of the fastest, '
              f'{statistics.median(pairs):.3f} of rounds (from {pairs[0]:.3f} to {pairs[-1]:.3f}; mean {mean:.3f}, with 95 % from {low:.3f} to '
              f'{high:.3f}); wanted: at most 1')


if __name__ == '__main__':
    main()
