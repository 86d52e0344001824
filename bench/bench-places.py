#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and inlined functions of many addresses: our decoder beside llvm-symbolizer in one batch and addr2line.

bench-places.py [--addresses N] [--rounds N] [--addr2line] [FILE…]

FILE is an ELF file with debug information, of this build's capture-viewer when none is given. Of a kernel with its debug information
addr2line takes minutes, so it runs only when it is asked for.
"""
import argparse
import pathlib
import random
import re
import resource
import statistics
import subprocess

from compiler_run import BUILD

DWARF_LINES = BUILD / 'tests' / 'unit' / 'dwarf' / 'dwarf-lines'


def choose(path, n):
    """Addresses in the file's code, in any order, as text."""
    text = subprocess.run(['readelf', '-SW', path], check=True, capture_output=True, text=True).stdout
    sections = [(int(address, 16), int(size, 16)) for address, size in
                re.findall(r' (?:PROGBITS|NOBITS) +(\w+) \w+ (\w+) \w+ +AX ', text)]
    chosen = random.Random(str(path))
    picked = chosen.choices(sections, [size for _, size in sections], k=n)
    return ''.join(f'{start + chosen.randrange(size):#x}\n' for start, size in picked).encode()


def measure(command, addresses):
    """Seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=addresses, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--addresses', type=int, default=50_000)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--addr2line', action='store_true')
    parser.add_argument('files', nargs='*', type=pathlib.Path, default=[BUILD / 'viewer' / 'capture-viewer'])
    options = parser.parse_args()
    for path in options.files:
        addresses = choose(path, options.addresses)
        commands = {'ours': [DWARF_LINES, path], 'llvm-symbolizer': ['llvm-symbolizer', '--inlines', f'--obj={path}']}
        if options.addr2line:
            commands['addr2line'] = ['addr2line', '-a', '-i', '-f', '-e', path]
        times = {name: [] for name in commands}
        for _ in range(options.rounds):
            for name, command in commands.items():
                times[name].append(measure(command, addresses))
        print(f'{path.name}, {path.stat().st_size / 1e6:.0f} MB, {options.addresses} addresses:')
        for name, all_times in times.items():
            ratio = statistics.median(theirs / own for theirs, own in zip(all_times, times['ours']))
            print(f'  {name:18} {statistics.median(all_times):8.2f} s of processor time, {ratio:6.1f} times ours')


if __name__ == '__main__':
    main()
