#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and inlined functions of many addresses: ours beside llvm-symbolizer in one batch, perf script --inline and addr2line.

bench-places.py [--addresses N] [--rounds N] [--perf N] [--addr2line] [FILE…]

FILE is an ELF file with code and debug information, of this build's capture-viewer when none is given. All of it is processor time, of all
processes that are started for it. Beside these, one pass over the sections that are read (of every byte, one after the other), and the
same addresses by the way that a capture is named: through the elf-reader, and from the store the second time.

perf has addr2line look up each address. That takes minutes for all of them where a file is large. So both are asked about N alone (2000 when
not said; 0: not at all), and so are we beside them; addr2line is asked about all only when that is wanted. Of a kernel perf 6.1 does not end:
it waits for addr2line for ever.
"""
import argparse
import ctypes
import os
import pathlib
import random
import re
import resource
import statistics
import struct
import subprocess
import tempfile

from compiler_run import BUILD

DWARF_LINES = BUILD / 'tests' / 'unit' / 'dwarf' / 'dwarf-lines'
PLACE_OFFSETS = BUILD / 'tests' / 'unit' / 'profile' / 'place-offsets'
ELF_READER = BUILD / 'helpers' / 'elf-reader' / 'capture-elf-reader'
ONE_PASS = BUILD / 'bench' / 'one-pass'
READ = 'info|abbrev|line|str|line_str|ranges|rnglists|addr|str_offsets'
PR_SET_CHILD_SUBREAPER = 36
USER, CHAIN_OF_USER = 2, 2**64 - 512  # for perf: a program's


def readelf(*arguments):
    return subprocess.run(['readelf', *arguments], check=True, capture_output=True, text=True).stdout


def segments_of(path):
    """(offset, address, size) of what is executable."""
    return [tuple(int(each, 16) for each in found)
            for found in re.findall(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R?W? ?E', readelf('-lW', path))]


def choose(path, n):
    """Addresses in the file's code, in any order."""
    sections = [(int(address, 16), int(size, 16)) for address, size in
                re.findall(r' PROGBITS +(\w+) \w+ (\w+) \w+ +\w*X\w* ', readelf('-SW', path))]
    segments = segments_of(path)
    sections = [each for each in sections if any(start <= each[0] < start + size for _offset, start, size in segments)]
    chosen = random.Random(path.name)
    picked = chosen.choices(sections, [size for _, size in sections], k=n)
    return [start + chosen.randrange(size) for start, size in picked]


def sections_of(path):
    """The bytes that are read, as OFFSET:SIZE."""
    found = re.findall(rf' \.debug_(?:{READ}) +PROGBITS +\w+ (\w+) (\w+)', readelf('-SW', path))
    return [f'{int(offset, 16)}:{int(size, 16)}' for offset, size in found]


def record(kind, misc, body):
    return struct.pack('<IHH', kind, misc, 8 + len(body)) + body


def padded(text):
    return text + bytes(8 - len(text) % 8)


def mappings_of(path):
    status = path.stat()
    return b''.join(record(10, USER, struct.pack('<IIQQQIIQQII', 100, 100, address & ~4095, (size + 8191) & ~4095, offset & ~4095,
                                                 os.major(status.st_dev), os.minor(status.st_dev), status.st_ino, 0, 5, 2)
                           + padded(str(path).encode())) for offset, address, size in segments_of(path))


def write_perf_data(output, path, addresses):
    """One sample an address, with a call chain of this address, in the file as it is linked."""
    attr = struct.pack('<IIQQQQQ', 1, 112, 0, 1000, 1 | 2 | 4 | 32, 0, 1 << 8 | 1 << 9 | 1 << 23).ljust(112, b'\0') + bytes(16)
    data = record(3, USER, struct.pack('<II', 100, 100) + b'program\0') + mappings_of(path)
    data += b''.join(record(9, USER, struct.pack('<QIIQQQQ', address, 100, 100, i + 1, 2, CHAIN_OF_USER, address))
                     for i, address in enumerate(addresses))
    header = struct.pack('<8sQQQQQQQQ', b'PERFILE2', 104, len(attr), 104, len(attr), 104 + len(attr), len(data), 0, 0)
    output.write_bytes(header.ljust(104, b'\0') + attr + data)


def lines(numbers):
    return ''.join(f'{number:#x}\n' for number in numbers).encode()


def offsets_of(path, addresses):
    segments = segments_of(path)
    return sorted({address - start + offset for address in addresses for offset, start, size in segments
                   if start <= address < start + size})


def measure(command, asked, environment):
    """Seconds of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=asked, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True, env={**os.environ, **environment})
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def memory_of(command, asked):
    """Anonymous memory at most, in MB: what is mapped of the file is not counted."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    process.stdin.write(asked)
    process.stdin.close()
    most = 0
    while process.poll() is None:
        found = re.search(r'RssAnon:\s+(\d+)', pathlib.Path(f'/proc/{process.pid}/status').read_text())
        most = max(most, int(found[1]) if found else 0)
    return most / 1000


def rounds_of(commands, n):
    """{name: [seconds]}, in turns, as others may use the processors too."""
    times = {name: [] for name in commands}
    for _ in range(n):
        for name, how in commands.items():
            times[name].append(measure(*how))
    return times


def tell(times, beside):
    for name, all_times in times.items():
        ratio = statistics.median(theirs / own for theirs, own in zip(all_times, times[beside]))
        print(f'  {name:38} {statistics.median(all_times):8.3f} s  {ratio:8.2f} times {beside}', flush=True)


def known(path, asked):
    """Addresses that have a line: at others perf 6.1 waits for addr2line for ever."""
    text = subprocess.run([DWARF_LINES, path], input=asked, check=True, capture_output=True).stdout.decode(errors='replace')
    return [int(found, 16) for found in re.findall(r'^(0x\w+)\n[^?\n].*\n[^?\n].*:[1-9]\d*$', text, re.MULTILINE)]


def compare_with_perf(path, addresses, perf_data, store):
    asked, offsets = lines(addresses), lines(offsets_of(path, addresses))
    commands = {'ours': ([DWARF_LINES, path], asked, {}), 'ours, from the store': ([PLACE_OFFSETS, '--keep', path], offsets, store),
                'addr2line': (['addr2line', '-a', '-i', '-f', '-e', path], asked, {})}
    if addresses[0] < 1 << 63:
        write_perf_data(perf_data, path, addresses)
        commands['perf script --inline'] = ['perf', 'script', '-f', '--inline', '-F', 'ip,sym,srcline', '-i', perf_data], b'', {}
    print(f'{path.name}: {len(addresses)} of them')
    tell(rounds_of(commands, 1), 'ours')


def compare(path, options, directory):
    addresses = choose(path, options.addresses)
    asked, offsets = lines(addresses), lines(offsets_of(path, addresses))
    sections = sections_of(path)
    store = {'CAPTURE_ELF_READER': str(ELF_READER), 'XDG_CACHE_HOME': str(directory / 'cache')}
    commands = {'ours': ([DWARF_LINES, path], asked, {}),
                'one pass': ([ONE_PASS, path, *sections], b'', {}),
                'llvm-symbolizer': (['llvm-symbolizer', '--inlines', f'--obj={path}'], asked, {}),
                'ours, named as a capture is': ([PLACE_OFFSETS, path], offsets, store),
                'ours, from the store': ([PLACE_OFFSETS, '--keep', path], offsets, store)}
    if options.addr2line:
        commands['addr2line'] = (['addr2line', '-a', '-i', '-f', '-e', path], asked, {})
    measure(*commands['ours, from the store'])
    size = sum(int(each.split(':')[1]) for each in sections)
    print(f'{path.name}: {len(addresses)} addresses, {size / 1e6:.0f} MB of debugging information are read; '
          f'{memory_of([DWARF_LINES, path], asked):.0f} MB of memory')
    tell(rounds_of(commands, options.rounds), 'ours')
    if options.perf:
        compare_with_perf(path, known(path, asked)[:options.perf], directory / 'perf.data', store)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--addresses', type=int, default=50_000)
    parser.add_argument('--rounds', type=int, default=5)
    parser.add_argument('--perf', type=int, default=2000)
    parser.add_argument('--addr2line', action='store_true')
    parser.add_argument('files', nargs='*', type=pathlib.Path, default=[BUILD / 'viewer' / 'capture-viewer'])
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)  # perf leaves its addr2line behind
    for path in options.files:
        with tempfile.TemporaryDirectory() as directory:
            compare(path.resolve(), options, pathlib.Path(directory))


if __name__ == '__main__':
    main()
