#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""`capturectl report --tree` beside `perf report` on the same samples, and what a changed filter costs.

bench-report.py [--perf-data FILE] [--rounds N]

Without FILE a system-wide recording of a compiler run is made, which takes root, perf, gcc and npm.
"""
import argparse
import json
import os
import pathlib
import subprocess

from compiler_run import BUILD, CAPTURECTL, WORK, alternate, medians, perf_data


def show(name, results):
    elapsed, cpu, memory = medians(results)
    print(f'{name:34} {elapsed * 1000:9.1f} ms  {cpu * 1000:9.1f} ms CPU  {memory:7.1f} MiB   '
          f'(fastest {min(result[0] for result in results) * 1000:.1f} ms)')
    return elapsed, cpu, memory


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--perf-data', type=pathlib.Path)
    parser.add_argument('--rounds', type=int, default=5)
    options = parser.parse_args()
    WORK.mkdir(parents=True, exist_ok=True)
    recording = options.perf_data or perf_data()
    capture = WORK / 'compiler.capture'
    subprocess.run([CAPTURECTL, 'import', recording, '-o', capture], check=True, stdout=subprocess.DEVNULL)
    info = json.loads(subprocess.run([CAPTURECTL, 'info', '--json', capture], check=True, stdout=subprocess.PIPE).stdout)
    print(f'{info["samples"]} samples; perf.data {recording.stat().st_size / 1e6:.1f} MB, capture '
          f'{capture.stat().st_size / 1e6:.1f} MB, uncompressed {info["uncompressed_size"] / 1e6:.1f} MB; '
          f'load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors\n')
    results = alternate(options.rounds, {
        'import': [CAPTURECTL, 'import', recording, '-o', capture],
        'ours': [CAPTURECTL, 'report', '--tree', capture],
        'perf': ['perf', 'report', '--stdio', '--no-inline', '--no-children', '-g', 'caller', '-i', recording]})
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
                       ('time_range_rows_us', '  its flat list'),
                       ('thread_us', 'count the busiest thread'), ('thread_tree_us', '  its tree'),
                       ('thread_rows_us', '  its flat list')):
        print(f'  {text:26} {steps[name] / 1000:8.2f} ms {100 * steps[name] / load:7.1f} % of the load')
    read, count = steps['read_column_us'], steps['sample_pass_us']
    print(f'\nsample column, {steps["column_bytes"] / 1e6:.1f} MB: reading it {read / 1000:.2f} ms '
          f'({steps["column_bytes"] / read / 1000:.1f} GB/s); counting its samples {count / 1000:.2f} ms '
          f'({steps["column_bytes"] / count / 1000:.1f} GB/s, {1000 * count / steps["samples"]:.2f} ns a sample): '
          f'{count / read:.1f} times the limit')


if __name__ == '__main__':
    main()
