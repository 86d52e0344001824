#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What sampling from inside costs a program in LuaJIT, 1000 times a second, and what linking the library costs anybody. Processor
time of the same work in one process, without and with, in turns.

usage: luajit.py [PAIRS]
"""
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'tests' / 'integration'))
import examples  # noqa: E402
from support import SOURCE, run  # noqa: E402

BENCH = SOURCE / 'bench'


def build(directory):
    env = examples.install(directory)
    flags = run('pkg-config', '--cflags', '--libs', 'capture-1', 'luajit', env=env).stdout.split()
    example = SOURCE / 'examples' / 'luajit'
    run('gcc', '-O2', '-g', '-fno-omit-frame-pointer', '-I', example, '-o', directory / 'pairs', BENCH / 'luajit-pairs.c',
        example / 'samples.c', example / 'traces.c', *flags, env=env)
    return env


def interval(ratios):
    """What 19 of 20 medians of such ratios lie between."""
    medians = sorted(statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(2000))
    return medians[50], medians[-51]


def tell_pairs(directory, env, way, pairs):
    said = subprocess.run([directory / 'pairs', BENCH / 'luajit.lua', str(pairs), way], env=env, capture_output=True, text=True, check=True)
    rows = [tuple(map(int, line.split())) for line in said.stdout.splitlines()]
    ratios = [sampled / alone - 1 for alone, sampled, _ in rows]
    low, high = interval(ratios)
    print(f'{way:8} {pairs} pairs of {statistics.median(alone for alone, _, _ in rows) / 1e6:.0f} ms: '
          f'{statistics.median(ratios):+.2%} (median; 95 % interval {low:+.2%} to {high:+.2%}; '
          f'fastest against fastest {min(s for _, s, _ in rows) / min(a for a, _, _ in rows) - 1:+.2%}), capture {rows[-1][2]} bytes')


def tell_size(directory):
    library, = directory.rglob('libcapture-1.so.1')
    text, data, bss = run('size', library).stdout.splitlines()[1].split()[:3]
    print(f'libcapture-1.so: text {int(text) / 1024:.1f} KiB, data {data}, bss {bss} bytes')


def main():
    pairs = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    with tempfile.TemporaryDirectory() as name:
        directory = pathlib.Path(name)
        env = build(directory)
        print(f'load average {os.getloadavg()[0]:.1f}')
        for way in 'signal', 'cpu', 'wall', 'hook':
            tell_pairs(directory, env, way, pairs)
        tell_size(directory)


if __name__ == '__main__':
    main()
