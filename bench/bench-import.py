#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Imports a perf.data of a large compilation: time beside `perf report`, and the bytes of the same samples.

usage: bench-import.py [PERF.DATA]     (without: records the compilation of sqlite3.c)
"""
import pathlib
import subprocess
import sys

from compiler_run import CAPTURECTL, WORK, alternate, medians, perf_data, samples_of

PERF_REPORT = ('perf', 'report', '--stdio', '--no-inline', '--no-children', '-g', 'caller', '-i')


def report(path):
    WORK.mkdir(parents=True, exist_ok=True)
    raw, bare, capture = (WORK / name for name in ('raw.capture', 'bare.capture', 'all.capture'))
    subprocess.run([CAPTURECTL, 'import', '--no-names', '--no-compress', path, '-o', raw], check=True)
    results = alternate(3, {'import --no-names': (CAPTURECTL, 'import', '--no-names', path, '-o', bare),
                            'import': (CAPTURECTL, 'import', path, '-o', capture),
                            'report --tree': (CAPTURECTL, 'report', '--tree', capture),
                            'perf report': (*PERF_REPORT, path)})
    samples, perf_bytes = samples_of(raw), path.stat().st_size
    print(f'{samples} samples, perf.data {perf_bytes} bytes, {perf_bytes / samples:.1f} a sample')
    for what, file, most in ('as it is  ', raw, 0.333), ('compressed', bare, 0.125):
        size = file.stat().st_size
        print(f'capture {what}  {size} bytes, {size / samples:.1f} a sample, {size / perf_bytes:.3f} of perf.data (at most {most})')
    times = {name: medians(result) for name, result in results.items()}
    for name, (took, cpu, _) in times.items():
        print(f'{name:19} {took:.3f} s, {cpu:.3f} s of processor time')
    print(f'import and report take {(times["import"][0] + times["report --tree"][0]) / times["perf report"][0]:.2f} of perf report alone')


if __name__ == '__main__':
    report(pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else perf_data())
