# SPDX-License-Identifier: GPL-3.0-or-later
"""The names that an elf-reader gives to file offsets, beside those that profile/ gives to the same ones, and beside nm.

The recorder names what its caller cannot read, so that nobody sees by a function's name who found it: both follow one
rule, in two implementations. (Of several names of equal rank for the same code profile/ takes the longest as a person
reads it, the other as it stands; that is rare, and nothing else may differ.) profile/ may know more, from a file of debugging information; so files that have one are
compared as they are without it."""
import collections
import glob
import os
import pathlib
import random
import re
import shutil
import unittest

from support import BUILD, CAPTURECTL, TestCase, run

NAME_OFFSETS = BUILD / 'tests' / 'unit' / 'profile' / 'name-offsets'
DUMP_NAMES = BUILD / 'tests' / 'unit' / 'unwind' / 'dump-names'
OFFSETS = 3000
STRIPPED = ('/lib*/*-linux-gnu/libc.so.6', '/lib*/*-linux-gnu/libm.so.6', '/lib*/*-linux-gnu/libmvec.so.1', '/lib64/ld-linux-*.so.2',
            '/lib*/*-linux-gnu/libresolv.so.2', '/lib*/*-linux-gnu/libnss_compat.so.2')
# Assembly that is aligned behind the beginning of its unwind information, or has it in pieces.
BEGINS_EARLIER = '_dl_tlsdesc_(undefweak|dynamic(_fxsave|_xsavec?)?)|(__)?clone3'

# Mangled names, weak ones, aliases, names with underscores, constructors that are one function.
SOURCE_CXX = r'''
#include <map>
#include <string>
#include <vector>
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
template <typename T> struct Box : Shape { T side; Box(T s) : side(s) {} double area() const override { return side * side; } };
namespace deep { namespace er { int __reserved(int i) { return i * 2; } int plain(int i) { return __reserved(i) + 1; } } }
extern "C" int __alias_target(int i) { return i + 7; }
extern "C" int alias_target(int i) __attribute__((alias("__alias_target")));
int main(int n, char **v) {
  std::map<std::string, std::vector<int>> m;
  for (int i = 0; i < n; i++) m[v[i]].push_back(deep::er::plain(i) + alias_target(i));
  Box<int> a(n); Box<double> b(n * 0.5);
  const Shape *s[] = {&a, &b};
  return (int)(s[0]->area() + s[1]->area()) + (int)m.size();
}
'''


def executable_ranges(binary):
    text = run('readelf', '-lW', binary).stdout
    return [(int(m[1], 16), int(m[2], 16)) for m in re.finditer(r'LOAD +(0x\w+) 0x\w+ 0x\w+ (0x\w+) 0x\w+ R E', text)]


def executable_address(binary):
    """Where the only executable segment is mapped."""
    address, = re.findall(r'LOAD +0x\w+ (0x\w+) 0x\w+ 0x\w+ 0x\w+ R E', run('readelf', '-lW', binary).stdout)
    return int(address, 16)


def ask(tool, binary, offsets):
    """{offset: name} as one of the two says."""
    said = run(tool, binary, stdin=''.join(f'{offset:x}\n' for offset in offsets).encode()).stdout.splitlines()
    return {int(line.split(' ', 1)[0], 16): line.split(' ', 1)[1] if ' ' in line else None for line in said}


def differ_by_length_alone(binary, theirs, ours):
    """Whether both are names of equal rank for the same code, theirs the longest as a person reads it, ours as it stands."""
    symbols = {line.split()[-1].split('@')[0]: line.split()[:-1] for table in ((), ('-D',))
               for line in run('nm', *table, '-S', '--defined-only', binary).stdout.splitlines()}
    read = {name: len(run('c++filt', name).stdout.strip()) for name in (theirs, ours)}
    return symbols[theirs] == symbols[ours] and len(theirs) <= len(ours) and read[theirs] >= read[ours]


class Names(TestCase):
    def without_debug_file(self, binary):
        """A copy that has nothing by which its debugging information could be found."""
        copy = self.directory / 'copy'
        shutil.copy(os.path.realpath(binary), copy)
        run('objcopy', '--remove-section', '.note.gnu.build-id', '--remove-section', '.gnu_debuglink', copy)
        return copy

    def compare(self, binary, least=500):
        binary = self.without_debug_file(binary)
        choose = random.Random(str(least))
        ranges = [(start, length) for start, length in executable_ranges(binary) if length]
        offsets = sorted({start + choose.randrange(length) for start, length in ranges for _ in range(OFFSETS // len(ranges))})
        theirs, ours = ask(NAME_OFFSETS, binary, offsets), ask(DUMP_NAMES, binary, offsets)
        self.assertEqual(sorted(ours), offsets)
        different = {(theirs[offset], ours[offset]) for offset in offsets if theirs[offset] != ours[offset]}
        self.assertEqual([pair for pair in different if None in pair or not differ_by_length_alone(binary, *pair)], [])
        self.assertGreater(sum(name is not None for name in ours.values()), least)

    def test_program_with_symbols(self):
        self.compare(CAPTURECTL)

    def test_libc(self):
        self.compare('/lib/x86_64-linux-gnu/libc.so.6')

    def test_libcrypto(self):
        self.compare('/usr/lib/x86_64-linux-gnu/libcrypto.so.3')

    def test_libstdcxx(self):
        self.compare('/usr/lib/x86_64-linux-gnu/libstdc++.so.6')

    def test_libgio(self):
        self.compare('/usr/lib/x86_64-linux-gnu/libgio-2.0.so.0')

    def test_git(self):
        self.compare('/usr/bin/git', 1)

    def test_python(self):
        self.compare('/usr/bin/python3', 100)

    def test_cxx(self):
        (self.directory / 'p.cc').write_text(SOURCE_CXX)
        program = self.directory / 'p'
        for options in (['-O0'], ['-O2'], ['-O2', '-static']):
            run('g++', *options, '-o', program, self.directory / 'p.cc')
            self.compare(program, 20)

    def test_mini_debug_info(self):
        program = self.directory / 'p'
        (self.directory / 'p.cc').write_text(SOURCE_CXX)
        run('g++', '-O1', '-o', program, self.directory / 'p.cc')
        run('sh', '-ec', 'objcopy -S --wildcard --keep-symbol="*" p mini; xz mini; strip p; objcopy --add-section .gnu_debugdata=mini.xz p',
            cwd=self.directory)
        self.compare(program, 20)

    def compare_stripped(self, binary, least):
        """Where the unwind information says that a function begins, a symbol says so before the file is stripped."""
        stripped, starts = self.directory / 'stripped', collections.defaultdict(set)
        run('strip', '-o', stripped, binary)
        for words in map(str.split, run('nm', '-S', '--defined-only', binary).stdout.splitlines()):
            if len(words) == 4:  # a symbol without a size reaches into what follows
                starts[words[3]].add(int(words[0], 16))
        choose = random.Random(str(least))
        offsets = sorted({start + choose.randrange(length) for start, length in executable_ranges(binary) for _ in range(OFFSETS)})
        named, grouped = ask(DUMP_NAMES, binary, offsets), ask(DUMP_NAMES, stripped, offsets)
        groups = {offset: int(name[3:], 16) for offset, name in grouped.items() if name and name.startswith('fn@') and named[offset] in starts}
        self.assertGreater(len(groups), least)
        self.assertEqual([(hex(offset), named[offset], hex(start)) for offset, start in groups.items()
                          if start not in starts[named[offset]]], [])
        lost = {named[offset] for offset in offsets if named[offset] in starts and not grouped[offset]}
        self.assertEqual(lost, set())

    def test_stripped(self):
        self.compare_stripped(CAPTURECTL, 2000)

    def test_stripped_cxx(self):
        (self.directory / 'p.cc').write_text(SOURCE_CXX)
        for number, options in enumerate((['-O0'], ['-O2'], ['-O3', '-static'])):
            program = self.directory / f'p{number}'
            run('g++', *options, '-o', program, self.directory / 'p.cc')
            self.compare_stripped(program, 500)

    def test_debug_packages(self):
        """What glibc's debug files name and its stripped ones do not is grouped as they have it."""
        compared = 0
        for binary in sorted({os.path.realpath(path) for name in STRIPPED for path in glob.glob(name)}):
            build_id = re.search(r'Build ID: (..)(\w+)', run('readelf', '-n', binary).stdout)
            debug = f'/usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug'
            if not os.path.exists(debug):
                continue
            symbols = [(int(words[1], 16), int(words[2], 0), words[7]) for words in map(str.split, run('readelf', '-sW', debug).stdout.splitlines())
                       if len(words) > 7 and words[3] in ('FUNC', 'IFUNC', 'NOTYPE') and words[6] != 'UND']
            (start, length), address = *executable_ranges(binary), executable_address(binary)
            functions = {first + size // 2 for first, size, _ in symbols if size and address <= first < address + length}
            names = ask(DUMP_NAMES, binary, sorted({at - address + start for at in functions}))
            for at in sorted(functions):
                name, holding = names[at - address + start], {symbol for first, size, symbol in symbols if first <= at < first + size}
                self.assertTrue(name, f'{binary}: {at:x} has no name, and is in {holding}')
                if name.startswith('fn@') and not any(re.fullmatch(BEGINS_EARLIER, symbol) for symbol in holding):
                    compared += 1
                    self.assertIn(int(name[3:], 16), {first for first, size, _ in symbols if first <= at < first + size}, f'{binary}: {at:x} of {holding}')
        if not compared:
            self.skipTest('the debug package of glibc is not installed')
        self.assertGreater(compared, 1000)

    def test_beside_nm(self):
        """Every function's first byte is named by a symbol that stands there."""
        functions = collections.defaultdict(set)
        text = run('readelf', '-lW', CAPTURECTL).stdout
        segments = [[int(number, 16) for number in m.groups()] for m in re.finditer(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)', text)]
        for line in run('nm', '-S', '--defined-only', CAPTURECTL).stdout.splitlines():
            words = line.split()
            if len(words) == 4 and words[2] in 'TtWwi':
                address = int(words[0], 16)
                for offset, start, length in segments:
                    if start <= address < start + length:
                        functions[address - start + offset].add(words[3])
        named = ask(DUMP_NAMES, CAPTURECTL, sorted(functions))
        self.assertGreater(len(named), 500)
        self.assertEqual([(hex(offset), named[offset]) for offset in named if named[offset] not in functions[offset]], [])


if __name__ == '__main__':
    unittest.main()
