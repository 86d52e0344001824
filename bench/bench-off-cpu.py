#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What recording time off the CPU costs a program that does nothing but switch: two processes that hand a byte to and fro
(`perf bench sched pipe`), in turns alone, under `capturectl record --off-cpu` and under `perf sched record` with stacks.

usage: bench-off-cpu.py [ROUNDS]     (root; perf)
"""
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

BUILD = pathlib.Path(os.environ.get('CAPTURE_BUILDDIR', pathlib.Path(__file__).resolve().parents[1] / 'build'))
CAPTURECTL = BUILD / 'capturectl' / 'capturectl'
LOOPS = 100000


def microseconds(*command):
    """What one hand-over takes."""
    done = subprocess.run([*map(str, command), 'perf', 'bench', 'sched', 'pipe', '-l', str(LOOPS)], capture_output=True, text=True)
    found = re.search(r'([\d.]+) usecs/op', done.stdout + done.stderr)
    if not found:
        sys.exit(done.stdout + done.stderr)
    return float(found[1])


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as directory:
        capture, data = f'{directory}/a.capture', f'{directory}/perf.data'
        record = (CAPTURECTL, 'record', '-q', '--no-names', '-o', capture)
        ways = {
            'alone': (),
            'capturectl, every switch': (*record, '-e', 'off-cpu', '--'),
            'capturectl, --off-cpu=1ms': (*record, '-e', 'off-cpu', '--off-cpu=1ms', '--'),
            'capturectl, every switch, no user stacks': (*record, '-e', 'off-cpu', '--unwind', 'none', '--'),
            'perf record -g -e sched:sched_switch': ('perf', 'record', '-q', '-N', '-B', '-o', data, '-g', '-e', 'sched:sched_switch', '--'),
            'perf sched record -g': ('perf', 'sched', 'record', '-q', '-N', '-B', '-o', data, '-g', '--'),
        }
        times = {name: [] for name in ways}
        sizes = {}
        for _ in range(rounds):
            for name, command in ways.items():
                times[name].append(microseconds(*command))
                path = capture if 'capturectl' in name else data
                sizes[name] = os.path.getsize(path) if command else 0
        alone = statistics.median(times['alone'])
        print(f'{LOOPS} hand-overs, medians of {rounds} rounds, load average {os.getloadavg()[0]:.1f}:')
        for name, values in times.items():
            middle = statistics.median(values)
            print(f'{name:42} {middle:7.2f} µs each (fastest {min(values):.2f}), {middle - alone:6.2f} µs more, {sizes[name] / 1e6:8.1f} MB')


if __name__ == '__main__':
    main()
