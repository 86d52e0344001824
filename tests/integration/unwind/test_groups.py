# SPDX-License-Identifier: GPL-3.0-or-later
"""Nameless code is grouped into the functions that were there before a file was stripped.

Random addresses of real stripped libraries: each one's group is held against the unwind information as readelf prints it, and against the
symbols of a debug file, or of the file itself before it is stripped. FULL=DIR[:DIR…] takes every ELF file below these in place of a few;
debug files are looked for below DIR/debug too."""
import bisect
import collections
import os
import random
import re
import shutil
import subprocess
import unittest

from support import BUILD, TestCase, run

DUMP_NAMES = BUILD / 'tests' / 'unit' / 'unwind' / 'dump-names'
NAME_OFFSETS = BUILD / 'tests' / 'unit' / 'profile' / 'name-offsets'
ADDRESSES = 200
# Of packages that the build or the tests need; those that are there are compared.
LIBRARIES = ('libc.so.6', 'libm.so.6', 'libstdc++.so.6', 'libgcc_s.so.1', 'libglib-2.0.so.0', 'libgtk-4.so.1', 'liblzma.so.5', 'libzstd.so.1',
             'libcrypto.so.3', 'libsqlite3.so.0', 'libcapstone.so.4', 'libpython3.11.so.1.0')
# Where a group begins at no symbol: the unwind information is right about what it describes, and the symbols about what was written.
EXPLAINED = {
    r'libjsvml\.so': 'assembly; the unwind information begins behind the first instruction, endbr64',
    r'_rust\.abi3\.so': 'assembly of OpenSSL; a function has several pieces of unwind information',
    r'libc\.so\.6': 'assembly; the unwind information begins a byte before clone3 or __restore_rt, for those who look up a return address - 1',
}
MACHINES = {b'\x02\x01\x3e': '', b'\x02\x01\xb7': 'aarch64-linux-gnu-'}  # 64 bits, little-endian, number; others keep single addresses

PROGRAM = r'''
#include <stdio.h>
#include <stdlib.h>
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static int work(int *v, int n) { int s = 0; qsort(v, n, sizeof *v, compare); for (int i = 0; i < n; i++) s += v[i] * i; return s; }
int main(int n, char **a) { int v[8] = {n, 3, 1}; printf("%d %s\n", work(v, 8), a[0]); }
'''
# Behind a label in assembly.
MORE = ''.join(f'static __attribute__((noinline)) int hidden{i}(int n) {{ return n * {i + 3} / (n + {i}); }} '
               f'int (*shown{i})(int) = hidden{i};\n' for i in range(20))


class Elf:
    """What readelf says of a file."""

    def __init__(self, path):
        self.path = path
        headers = said('readelf', '-lSW', path)
        self.segments = [[int(number, 16) for number in found.groups()]
                         for found in re.finditer(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R?W? ?E', headers)]
        self.code = [(found[1], int(found[2], 16), int(found[3], 16))
                     for found in re.finditer(r'\] (\S+) +PROGBITS +(\w+) \w+ (\w+) \w+ +\w*X\w* ', headers)]
        self.has_symbols = ' SYMTAB ' in headers
        build_id = re.search(r'Build ID: (\w\w)(\w+)', said('readelf', '-n', path))
        self.build_id = f'{build_id[1]}/{build_id[2]}.debug' if build_id else None

    def frames(self):
        """(start, end) of what the unwind information describes, in order."""
        found = re.findall(r' FDE .*pc=(\w+)\.\.(\w+)', said('readelf', '-wNf', self.path))
        return sorted({(int(start, 16), int(end, 16)) for start, end in found if start != end})

    def offset(self, address):
        return next((address - start + offset for offset, start, length in self.segments if start <= address < start + length), None)

    def choose(self):
        """Random addresses of its code, stubs of the linker aside."""
        sections = [(start, size) for name, start, size in self.code if not name.startswith('.plt') and self.offset(start) is not None and size]
        chosen = random.Random(os.path.basename(self.path))
        picked = chosen.choices(sections, [size for _start, size in sections], k=ADDRESSES) if sections else []
        return sorted({start + chosen.randrange(size) for start, size in picked})


class Symbols:
    """The symbols of code by address."""

    def __init__(self, *tables):
        self.starts = collections.defaultdict(set)
        self.extents = set()
        self.names = collections.defaultdict(set)
        for words in map(str.split, ''.join(tables).splitlines()):
            if len(words) > 7 and words[3] in ('FUNC', 'IFUNC', 'NOTYPE') and words[6].isdigit():
                start, size = int(words[1], 16), int(words[2], 0)
                self.starts[words[7].split('@')[0]].add(start)
                self.names[start].add(words[7].split('@')[0])
                self.extents.add((start, start + size))
        self.extents = sorted(self.extents)
        self.longest = max((end - start for start, end in self.extents), default=0)

    def holding(self, address):
        """Where those begin that hold an address."""
        at, found = bisect.bisect_right(self.extents, (address, float('inf'))), []
        while at > 0 and self.extents[at - 1][0] >= address - self.longest:
            at -= 1
            start, end = self.extents[at]
            if address < end:
                found.append(start)
        return found


def said(*command, **how):
    return subprocess.run([*map(str, command)], capture_output=True, text=True, errors='replace', check=False, **how).stdout


def ask(elf, addresses, tool=DUMP_NAMES):
    """{address: name or None}"""
    offsets = {elf.offset(address): address for address in addresses}
    done = subprocess.run([tool, elf.path], input=''.join(f'{offset:x}\n' for offset in sorted(offsets)), capture_output=True, text=True,
                          errors='replace', check=False)
    if done.returncode:
        raise ValueError('not understood')
    return {offsets[int(line.split(' ', 1)[0], 16)]: line.split(' ', 1)[1] if ' ' in line else None for line in done.stdout.splitlines()}


def judge(address, name, frames, own, before):
    """What is wrong with a name, or None: frames by readelf, the file's own symbols, and those that it had before."""
    holding = before.holding(address) if before else []
    at = bisect.bisect_right(frames, (address, float('inf'))) - 1
    frame = frames[at] if at >= 0 and address < frames[at][1] else None
    if name is None:
        return 'not grouped' if frame else None
    if name.startswith('fn@'):
        start = int(name[3:], 16)
        if not frame or frame[0] != start:
            return f'not the frame {frame and hex(frame[0])}'
        if holding and start not in holding:
            return f'not the function {[*map(hex, holding)]}'
        return None
    if holding and not any(name in before.names[start] for start in holding):
        return f'not {[before.names[start] for start in holding]}'
    starts = [start for start in own.starts.get(name, ()) if start <= address]
    if starts and frame and max(starts) < frame[0] and max(starts) not in own.holding(address):
        return f'the symbol at {max(starts):x} does not reach behind {frame[0]:x}'
    return None


class Groups(TestCase):
    def debug_file(self, elf, directories):
        found = (f'{directory}/.build-id/{elf.build_id}' for directory in directories if elf.build_id)
        return next((path for path in found if os.path.exists(path)), None)

    def compare(self, path, directories=('/usr/lib/debug',)):
        """Faults as text, and how many addresses were grouped."""
        elf = Elf(path)
        before = None
        if elf.has_symbols:
            before = Symbols(said('readelf', '-sW', path))
            run(f'{MACHINES[machine(path)]}strip', '-o', self.directory / 'stripped', path)
            elf = Elf(self.directory / 'stripped')
        elif debug := self.debug_file(elf, directories):
            before = Symbols(said('readelf', '-sW', debug))
        addresses = elf.choose()
        names = ask(elf, addresses)
        own, frames = Symbols(said('readelf', '--dyn-syms', '-W', elf.path)), elf.frames()
        explained = any(re.match(pattern, os.path.basename(path)) for pattern in EXPLAINED)
        faults = [(hex(address), name, fault) for address, name in names.items() if (fault := judge(address, name, frames, own, before))
                  and not (explained and 'not the function' in fault)]
        kinds = collections.Counter('alone' if name is None else 'grouped' if name.startswith('fn@') else 'named' for name in names.values())
        kinds['beside symbols'] = kinds['grouped'] if before else 0
        return faults, kinds

    def test_libraries(self):
        directories = os.environ.get('FULL')
        count, faulty = collections.Counter(), {}
        for path in below(directories.split(':')) if directories else some():
            faults, kinds = self.compare(path, ('/usr/lib/debug', *(f'{each}/debug' for each in (directories or '').split(':'))))
            count += collections.Counter(kinds, files=1)
            if faults:
                faulty[path] = faults
        print('#', dict(count))
        self.assertEqual(faulty, {})
        self.assertGreater(count['grouped'], ADDRESSES)

    def test_exported_without_size(self):
        """What follows it is not called by its name, whoever names it."""
        (self.directory / 'p.c').write_text(PROGRAM + 'asm(".text\\n.globl labelled\\nlabelled: nop; ret");\n' + MORE)
        run('gcc', '-O2', '-shared', '-fPIC', '-o', 'p', 'p.c', cwd=self.directory)
        faults, kinds = self.compare(self.directory / 'p')
        self.assertEqual(faults, [])
        self.assertGreater(kinds['beside symbols'], ADDRESSES / 4)
        self.assertGreater(kinds['named'], 0)
        elf = Elf(self.directory / 'stripped')
        addresses = {start + at for _name, start, size in elf.code for at in range(size)}
        names = ask(elf, addresses)
        self.assertEqual(ask(elf, addresses, NAME_OFFSETS), names)
        self.assertIn('labelled', names.values())

    def test_debugging_information_beside(self):
        """What is left out in reading a file that has some changes nothing."""
        (self.directory / 'p.c').write_text(PROGRAM)
        for options in [], ['-gz']:
            run('gcc', '-O2', '-g', *options, '-o', 'p', 'p.c', cwd=self.directory)
            run('strip', '-s', '--keep-section=.debug_*', 'p', cwd=self.directory)
            elf = Elf(self.directory / 'p')
            self.assertIn('.debug_info', said('readelf', '-SW', elf.path))
            names = ask(elf, elf.choose(), NAME_OFFSETS)
            self.assertEqual(names, ask(elf, names.keys()))
            self.assertTrue(any(name and name.startswith('fn@') for name in names.values()))

    @unittest.skipUnless(shutil.which('aarch64-linux-gnu-gcc'), 'there is no compiler for aarch64')
    def test_aarch64(self):
        (self.directory / 'p.c').write_text(PROGRAM)
        run('aarch64-linux-gnu-gcc', '-O2', '-static', '-o', 'p', 'p.c', cwd=self.directory)
        faults, kinds = self.compare(self.directory / 'p')
        self.assertEqual(faults, [])
        self.assertGreater(kinds['beside symbols'], ADDRESSES / 2)


def some():
    for name in LIBRARIES:
        yield from (os.path.realpath(path) for path in (f'/usr/lib/x86_64-linux-gnu/{name}', f'/usr/lib64/{name}') if os.path.exists(path))


def below(directories):
    for path in sorted(os.path.join(folder, name) for each in directories for folder, _folders, names in os.walk(each) for name in names):
        if os.path.isfile(path) and not os.path.islink(path) and machine(path) in MACHINES:
            yield path


def machine(path):
    """Of a linked ELF file: its class, byte order and machine; else None."""
    with open(path, 'rb') as file:
        head = file.read(20)
    return head[4:6] + head[18:19] if head[:4] == b'\x7fELF' and len(head) == 20 and head[16] in (2, 3) else None


if __name__ == '__main__':
    unittest.main()
