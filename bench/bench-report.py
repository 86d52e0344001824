#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`capturectl report --tree` beside `perf report` on the same samples, and what a changed filter costs.

bench-report.py [--perf-data FILE] [--rounds N]

Without FILE a system-wide recording of a compiler run is made: gcc -O1 -c of the sqlite3.c in npm's better-sqlite3 package,
which takes root, perf, gcc and npm. Both programs run in turns, so that neither has the machine to itself.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tarfile
import time

SOURCE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get('CAPTURE_BUILDDIR', SOURCE / 'build'))
CAPTURECTL = BUILD / 'capturectl' / 'capturectl'
WORK = BUILD / 'bench' / 'report'


def record(path):
    """Records the compiler run with perf."""
    WORK.mkdir(parents=True, exist_ok=True)
    subprocess.run(['npm', 'pack', 'better-sqlite3'], cwd=WORK, check=True, stdout=subprocess.DEVNULL)
    with tarfile.open(next(WORK.glob('better-sqlite3-*.tgz'))) as package:
        source = next(member for member in package if member.name.endswith('/sqlite3.c'))
        (WORK / 'sqlite3.c').write_bytes(package.extractfile(source).read())
    subprocess.run(['perf', 'record', '-q', '-F', '20000', '-a', '-g', '-o', path, '--',
                    'gcc', '-O1', '-c', WORK / 'sqlite3.c', '-o', WORK / 'sqlite3.o'], check=True)


def measure(*command):
    """Runs it to its end: seconds, seconds of CPU, peak memory in MiB."""
    begin = time.monotonic()
    with open(os.devnull, 'wb') as null:
        child = subprocess.Popen([str(word) for word in command], stdin=null, stdout=null, stderr=null)
        _, status, usage = os.wait4(child.pid, 0)
    elapsed = time.monotonic() - begin
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f'{command} failed with status {child.returncode}.')
    return elapsed, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def alternate(rounds, commands):
    """{name: [(elapsed, cpu, memory)…]}, the first round of each, which warms caches, left out."""
    results = {name: [] for name in commands}
    for number in range(rounds + 1):
        for name, command in commands.items():
            result = measure(*command)
            if number > 0:
                results[name].append(result)
    return results


def show(name, results):
    elapsed, cpu, memory = (statistics.median(column) for column in zip(*results))
    print(f'{name:34} {elapsed * 1000:9.1f} ms  {cpu * 1000:9.1f} ms CPU  {memory:7.1f} MiB   '
          f'(fastest {min(result[0] for result in results) * 1000:.1f} ms)')
    return elapsed, cpu, memory


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--perf-data', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    perf_data = options.perf_data or WORK / 'compiler.perf.data'
    if not perf_data.exists():
        record(perf_data)
    capture = WORK / 'compiler.capture'
    subprocess.run([CAPTURECTL, 'import', perf_data, '-o', capture], check=True, stdout=subprocess.DEVNULL)
    info = json.loads(subprocess.run([CAPTURECTL, 'info', '--json', capture], check=True, stdout=subprocess.PIPE).stdout)
    print(f'{info["samples"]} samples; perf.data {perf_data.stat().st_size / 1e6:.1f} MB, capture '
          f'{capture.stat().st_size / 1e6:.1f} MB, uncompressed {info["uncompressed_size"] / 1e6:.1f} MB; '
          f'load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n')
    results = alternate(options.rounds, {
        'import': [CAPTURECTL, 'import', perf_data, '-o', capture],
        'ours': [CAPTURECTL, 'report', '--tree', capture],
        'perf': ['perf', 'report', '--stdio', '--no-inline', '--no-children', '-g', 'caller', '-i', perf_data]})
    ours = show('capturectl report --tree', results['ours'])
    perf = show('perf report -g caller', results['perf'])
    both = show('capturectl import', results['import'])
    bound = 1.5 * info['uncompressed_size'] / 2**20 + 64
    print(f'\nperf ÷ report --tree           {perf[0] / ours[0]:6.1f} in time, {perf[1] / ours[1]:.1f} in CPU time (wanted: 20)')
    print(f'perf ÷ (import + report)       {perf[0] / (both[0] + ours[0]):6.1f} in time (wanted: 1)')
    print(f'peak memory of report          {ours[2]:6.1f} MiB (wanted: at most {bound:.1f})\n')
    steps = json.loads(subprocess.run([BUILD / 'bench' / 'bench-report', capture, str(4 * options.rounds)], check=True,
                                      stdout=subprocess.PIPE).stdout)
    print(f'{steps["samples"]:.0f} samples, {steps["nodes"]:.0f} nodes, {steps["frames"]:.0f} frames; best of '
          f'{4 * options.rounds}:')
    load = steps['load_us']
    for name, text in (('load_us', 'load'), ('count_us', 'count all'), ('tree_us', 'tree at 0.5 %'), ('rows_us', 'flat list'),
                       ('time_range_us', 'count half of the time'), ('time_range_tree_us', '  its tree'),
                       ('thread_us', 'count the busiest thread'), ('thread_tree_us', '  its tree')):
        print(f'  {text:26} {steps[name] / 1000:8.2f} ms {100 * steps[name] / load:7.1f} % of the load')
    read, count = steps['read_column_us'], steps['sample_pass_us']
    print(f'\nsample column, {steps["column_bytes"] / 1e6:.1f} MB: reading it {read / 1000:.2f} ms '
          f'({steps["column_bytes"] / read / 1000:.1f} GB/s); counting its samples {count / 1000:.2f} ms '
          f'({steps["column_bytes"] / count / 1000:.1f} GB/s, {1000 * count / steps["samples"]:.2f} ns a sample): '
          f'{count / read:.1f} times the limit')


if __name__ == '__main__':
    main()
