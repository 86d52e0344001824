# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions, files and lines of random addresses, beside what llvm-symbolizer and addr2line say of each.

FULL=1 takes 20,000 addresses of each program in place of a few; FULL=FILE[:FILE…] does so for these files with debug information, too.
$LLVM_SYMBOLIZER is asked, else llvm-symbolizer-19, else llvm-symbolizer."""
import os
import pathlib
import random
import re
import shutil
import struct
import unittest

from support import BUILD, TestCase, environment, run

DWARF_LINES = BUILD / 'tests' / 'unit' / 'dwarf' / 'dwarf-lines'
FULL = os.environ.get('FULL')
ADDRESSES = 20_000 if FULL else 1500
SYMBOLIZER = os.environ.get('LLVM_SYMBOLIZER') or shutil.which('llvm-symbolizer-19') or 'llvm-symbolizer'
LEAST = 0.5
LARGE = 100_000_000
ET_REL = 1
SHT_PROGBITS, SHT_SYMTAB, SHT_DYNSYM = 1, 2, 11
OTHER_MACHINE = 'aarch64-linux-gnu-'
LINKED, APART = 0xffffffff80000000, 0x1000000  # where the linker is told to put an object's code
NOTHING = [('??', '??:0')]

SOURCES = {
    'p.c': r'''
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct pair { int a, b; };
static inline int square(int a) { return a * a; }
static inline __attribute__((always_inline)) int mix(struct pair *p) { return square(p->a) ^ square(p->b + 3); }
static int compare(const void *a, const void *b) { return mix((struct pair *)a) - mix((struct pair *)b); }
__attribute__((noinline)) static int rare(int n) { if (__builtin_expect(n > 1000, 0)) { fprintf(stderr, "%d\n", n); abort(); } return square(n); }
__attribute__((noinline)) int work(struct pair *p, int n)
{
  int sum = 0;
  qsort(p, n, sizeof *p, compare);
  for (int i = 0; i < n; i++)
    sum += i % 3 ? mix(&p[i]) : rare(p[i].a);
  return sum;
}
int main(int n, char **v)
{
  struct pair p[64] = {{0}};
  for (int i = 0; i < 64; i++)
    p[i] = (struct pair){square(i) % 37, (int)strlen(v[i % n])};
  return work(p, 64) & 1;
}
''',
    'module.c': r'''
#include "module.h"
static __attribute__((noinline, cold)) int rare(int a) { return total -= square(a) % 17; }
__attribute__((noinline)) int work(const int *p, int n)
{
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += i % 3 ? mix(p[i]) : mix(sum) ^ square(i);
  return __builtin_expect(sum > 1000, 0) ? rare(sum) : sum;
}
__attribute__((section(".init.text"))) int begin(int a) { return total = mix(a) + other(a); }
__attribute__((section(".exit.text"))) int end(int a) { return total - square(a); }
''',
    'other.c': r'''
#include "module.h"
int total;
int other(int a) { return elsewhere(mix(a)) + mix(total); }
__attribute__((section(".init.text"))) int begin_other(int a) { return total += square(a); }
''',
    'module.h': r'''
extern int total, elsewhere(int), other(int);
static inline __attribute__((always_inline)) int square(int a) { return a * a + (a >> 3); }
static inline __attribute__((always_inline)) int mix(int a)
{
  int b = square(a);
  return b ^ square(b + 3);
}
''',
    'p.cc': r'''
#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>
namespace deep {
template <typename T> static inline T square(T a) { return a * a; }
template <typename T, typename F> static inline T fold(const std::vector<T> &v, T s, F f) { for (const T &i : v) s = f(s, i); return s; }
struct Shape { virtual ~Shape() {} virtual double area() const = 0; };
template <typename T> struct Box : Shape { T side; Box(T s) : side(s) {} double area() const override { return square(side); } };
}
__attribute__((noinline)) int work(std::vector<int> &v) {
  std::sort(v.begin(), v.end(), [](int a, int b) { return deep::square(a) < deep::square(b); });
  return deep::fold(v, 0, [](int s, int i) { return s + deep::square(i); });
}
int main(int n, char **a) {
  std::map<std::string, std::vector<int>> m;
  std::vector<std::unique_ptr<deep::Shape>> shapes;
  for (int i = 0; i < n; i++) {
    m[a[i]].push_back(i);
    shapes.emplace_back(n % 2 ? static_cast<deep::Shape *>(new deep::Box<int>(i)) : new deep::Box<double>(i));
  }
  double s = 0;
  for (auto &p : m) s += work(p.second);
  for (auto &p : shapes) s += p->area();
  return s > 3;
}
''',
    'p.rs': r'''
use std::collections::{BTreeMap, HashMap};
#[inline(always)]
fn square(a: u64) -> u64 { a.wrapping_mul(a) ^ (a >> 3) }
fn fold<I: Iterator<Item = u64>>(i: I) -> u64 { i.map(square).filter(|x| x % 3 != 0).fold(0, |s, x| s.wrapping_add(x)) }
#[inline(never)]
fn work(v: &mut Vec<u64>) -> u64 { v.sort_by_key(|x| square(*x)); fold(v.iter().copied()) }
fn main() {
    let mut m: HashMap<String, Vec<u64>> = HashMap::new();
    let mut b: BTreeMap<u64, String> = BTreeMap::new();
    for (i, a) in std::env::args().enumerate() {
        m.entry(a.clone()).or_default().push(i as u64);
        b.insert(square(i as u64), format!("{a:?} {i:>5}"));
    }
    let s: u64 = m.values_mut().map(work).sum();
    println!("{s} {b:?}");
}
''',
    'p.go': r'''
package main

import (
	"fmt"
	"os"
	"sort"
)

func square(a int) int { return a*a ^ a>>3 }

func work(v []int) int {
	sort.Slice(v, func(i, j int) bool { return square(v[i]) < square(v[j]) })
	s := 0
	for _, x := range v {
		s += square(x)
	}
	return s
}

func main() {
	m := map[string][]int{}
	for i, a := range os.Args {
		m[a] = append(m[a], i)
	}
	for k, v := range m {
		fmt.Println(k, work(v))
	}
}
''',
}


def doubles_directory(ours, theirs):
    """binutils, and llvm-symbolizer before 19, put the unit's directory before directory 0 of DWARF 5, which is that directory."""
    def is_doubled(mine, their):
        return their.endswith('/' + mine) and mine.startswith(their[:-len(mine)])

    return len(ours) == len(theirs) and all(mine == their or mine[0] == their[0] and is_doubled(mine[1], their[1]) for mine, their in zip(ours, theirs))


def bfd_knows_no_inlines(ours, theirs):
    """binutils 2.40 finds no ranges by index, which clang writes for DWARF 5, and so no inlined function that has several."""
    return len(theirs) < len(ours) and theirs[0][1] == ours[0][1] and theirs[-1][0] == ours[-1][0]


def bfd_takes_another_file(ours, theirs):
    """binutils 2.40 now and then takes the file or directory of DWARF 5 that stands before the right one. Only files may differ."""
    def lines(frames):
        return [(function, place.rpartition(':')[2]) for function, place in frames]

    return lines(ours) == lines(theirs)


def bfd_goes_on_behind_units(ours, theirs):
    """binutils does not ask whether a unit says that it has the address: padding behind a function gets the line of its end."""
    return ours == NOTHING and len(theirs) == 1 and theirs[0][0] == '??'


def bfd_knows_no_go(_ours, theirs):
    """binutils 2.47 finds none of the units that Go 1.25 and newer write in DWARF 5; llvm-symbolizer does, and is asked as strictly as ever."""
    return theirs == NOTHING


# Who is right where the oracles and we disagree: we are, for the reason that each rule says; a rule counts only for the programs that
# name it here. Everything else is equal, frame by frame.
LLVM_RULES = {'package': [doubles_directory]}
BFD_RULES = {'package': [doubles_directory, bfd_takes_another_file, bfd_goes_on_behind_units], 'clangxx': [bfd_knows_no_inlines, bfd_takes_another_file],
             'go5': [bfd_knows_no_go]}


def sections_of(path):
    text = run('readelf', '-SW', path).stdout
    return [(int(start, 16), int(size, 16)) for start, size in re.findall(r' (?:PROGBITS|NOBITS) +(\w+) \w+ (\w+) \w+ +AX ', text)]


def choose(path):
    sections, chosen = sections_of(path), random.Random(ADDRESSES)
    picked = chosen.choices(sections, [size for _start, size in sections], k=ADDRESSES)
    return sorted({start + chosen.randrange(size) for start, size in picked})


def code_sections_of(path):
    """[(number, name, size)]"""
    text = run('readelf', '-SW', path).stdout
    return [(int(number), name, int(size, 16)) for number, name, size in
            re.findall(r'\[ *(\d+)\] (\S+) +(?:PROGBITS|NOBITS) +\w+ \w+ (\w+) \w+ +AX ', text) if int(size, 16)]


def is_object(path):
    return struct.unpack_from('<H', path.read_bytes()[:64], 16)[0] == ET_REL


def hide_symbols(path):
    """In place. Both oracles have names from symbols where there are some, be they of the innermost function or not: foo.constprop.0."""
    image = bytearray(path.read_bytes())
    at, = struct.unpack_from('<Q', image, 40)
    size, n = struct.unpack_from('<HH', image, 58)
    for header in range(at, at + size * n, size):
        if struct.unpack_from('<I', image, header + 4)[0] in (SHT_SYMTAB, SHT_DYNSYM):
            struct.pack_into('<I', image, header + 4, SHT_PROGBITS)
    path.write_bytes(image)


def read(text):
    """{address: its frames: [(function, file:line)]}, from the innermost on; of an address that was asked for twice, what was said last."""
    places, lines = {}, []
    for line in text.splitlines():
        if re.fullmatch('0x[0-9a-f]+', line):
            lines = places[int(line, 16)] = []
        elif line:
            lines.append(line)
    return {address: list(zip(lines[::2], map(tidy, lines[1::2]))) for address, lines in places.items()}


def tidy(place):
    path, _colon, line = re.sub(r' \(discriminator \d+\)', '', place).rpartition(':')
    return f'{os.path.normpath(path)}:{line.replace("?", "0")}'


class Lines(TestCase):
    def build(self, source, *command, name='p'):
        (self.directory / source).write_text(SOURCES[source])
        run(*command, '-o', name, source, cwd=self.directory, timeout=600, env=environment(GOCACHE=str(self.directory / 'cache')))
        return self.directory / name

    def copy_for_oracles(self, path, tools=''):
        copy = self.directory / f'{path.name}-without-symbols'  # where it finds what lies beside it
        run(f'{tools}objcopy', '--decompress-debug-sections', path, copy, timeout=600)
        hide_symbols(copy)
        return copy

    def compare(self, path, *options, row='', llvm=True, bfd=True, least=LEAST):
        """What each says of random addresses, of which `least` are known, with inlined functions among them."""
        addresses = choose(path)
        asked = ''.join(f'{address:#x}\n' for address in addresses).encode()
        ours = read(run(DWARF_LINES, path, *options, stdin=asked, timeout=600).stdout)
        self.assertEqual(sorted(ours), addresses)
        copy = self.copy_for_oracles(path)
        package = [f'--dwp={options[1]}'] if options[:1] == ('--package',) else []
        self.ask_oracles(ours, copy, package, row, llvm, bfd)
        known = [frames for frames in ours.values() if frames != NOTHING]
        self.assertGreater(len(known), least * len(addresses))
        if least == LEAST:
            self.assertTrue(any(len(frames) > 1 for frames in known))

    def ask_oracles(self, ours, copy, package=(), row='', llvm=True, bfd=True, tools=''):
        asked = ''.join(f'{address:#x}\n' for address in ours).encode()
        if llvm:
            self.judge(ours, read(run(SYMBOLIZER, '-a', '--output-style=GNU', '--no-demangle', '--inlines', '--functions=linkage', *package,
                                      f'--obj={copy}', stdin=asked, timeout=900).stdout), LLVM_RULES.get(row, []))
        if bfd:
            # In Go's programs binutils 2.44 may not find the first address that it is asked for, but does when asked again.
            again = asked + asked.partition(b'\n')[0]
            self.judge(ours, read(run(f'{tools}addr2line', '-a', '-i', '-f', '-e', copy, stdin=again, timeout=900).stdout), BFD_RULES.get(row, []))

    def link(self, path, tools):
        """Puts each section of code where link_address() says. What is not there, or too far away, is no matter."""
        script, linked = self.directory / 'script', self.directory / 'linked'
        script.write_text('SECTIONS {\n' + ''.join(f'  {name} {LINKED + number * APART:#x} : {{ *({name}) }}\n'
                                                   for number, name, _size in code_sections_of(path)) + '}\n')
        run(f'{tools}ld', '--noinhibit-exec', '--unresolved-symbols=ignore-all', '--no-warnings', '-T', script, '-o', linked, path, timeout=600)
        return linked

    def compare_object(self, path, tools='', row='', bfd=True, least=LEAST):
        """Of what no linker has placed: as of the same code where one has."""
        sections, chosen = code_sections_of(path), random.Random(ADDRESSES)
        picked = chosen.choices(sections, [size for _number, _name, size in sections], k=ADDRESSES)
        addresses = {number << 32 | offset: LINKED + number * APART + offset
                     for number, offset in ((number, chosen.randrange(size)) for number, _name, size in picked)}
        asked = ''.join(f'{address:#x}\n' for address in addresses).encode()
        ours = {addresses[address]: frames for address, frames in read(run(DWARF_LINES, path, stdin=asked, timeout=600).stdout).items()}
        self.ask_oracles(ours, self.copy_for_oracles(self.link(path, tools), tools), row=row, bfd=bfd, tools=tools)
        known = [frames for frames in ours.values() if frames != NOTHING]
        self.assertGreater(len(known), least * len(addresses))
        if least == LEAST:
            self.assertEqual({number for number, _name, _size in picked},
                             {(address - LINKED) // APART for address, frames in ours.items() if frames != NOTHING})
            self.assertTrue(any(len(frames) > 2 for frames in known))

    def judge(self, ours, theirs, rules):
        self.assertEqual(theirs.keys(), ours.keys())
        self.assertEqual([(hex(address), frames, theirs[address]) for address, frames in ours.items()
                          if frames != theirs[address] and not any(rule(frames, theirs[address]) for rule in rules)], [])

    def test_c(self):
        self.compare(self.build('p.c', 'gcc', '-O2', '-g'))

    def test_cxx(self):
        self.compare(self.build('p.cc', 'g++', '-O2', '-g'))

    def test_cxx_lto(self):
        self.compare(self.build('p.cc', 'g++', '-O3', '-gdwarf-4', '-flto=1'))

    def test_clangxx(self):
        self.compare(self.build('p.cc', 'clang++', '-O2', '-gdwarf-5'), row='clangxx')

    def test_clangxx_older(self):
        program = self.build('p.cc', 'clang++', '-O3', '-gdwarf-4')
        self.compare(program)
        run('objcopy', '--only-keep-debug', '--compress-debug-sections', program, f'{program}.debug')
        self.compare(program.with_suffix('.debug'))

    def test_rust(self):
        if shutil.which('rustc'):  # no package of the tests has it
            self.compare(self.build('p.rs', 'rustc', '-O', '-g'))

    def test_go(self):
        program = self.build('p.go', 'go', 'build')
        self.compare(program, row='go5' if '.debug_addr' in run('readelf', '-SW', program).stdout else '')

    def test_split(self):
        """addr2line does not follow it."""
        for command in ('g++', '-gdwarf-4'), ('clang++', '-gdwarf-5'):
            program = self.build('p.cc', *command, '-O2', '-gsplit-dwarf')
            dwo, = self.directory.glob('*.dwo')
            self.compare(program, '--dwo', dwo, bfd=False)
            run('llvm-dwp', dwo, '-o', self.directory / 'package')
            dwo.unlink()
            self.compare(program, '--package', self.directory / 'package', bfd=False)

    def test_dwz(self):
        """llvm-symbolizer does not follow it into another file."""
        program = self.build('p.cc', 'g++', '-O2', '-g')
        shutil.copy(program, self.directory / 'q')
        run('dwz', program)
        self.compare(program)
        run('dwz', '-m', 'common', 'p', 'q', cwd=self.directory)
        self.compare(self.directory / 'q', '--alternate', self.directory / 'common', llvm=False)

    def build_object(self, compiler, *options, tools=''):
        for name in 'module.c', 'module.h', 'other.c':
            (self.directory / name).write_text(SOURCES[name])
        for name in 'module', 'other':
            run(compiler, '-c', '-O2', '-ffreestanding', '-fno-pic', *options, f'{name}.c', cwd=self.directory)
        run(f'{tools}ld', '-r', '-o', 'module.ko', 'module.o', 'other.o', cwd=self.directory)
        return self.directory / 'module.ko'

    def test_object(self):
        """As a module of the kernel is."""
        for options in ('-g',), ('-gdwarf-4',), ('-g', '-gz'):
            with self.subTest(options):
                path = self.build_object('gcc', '-mcmodel=kernel', *options)
                self.compare_object(path)
        self.compare_object(self.build_object('clang', '-mcmodel=kernel', '-gdwarf-5'), row='clangxx')
        path = self.build_object('gcc', '-mcmodel=kernel', '-g')
        run('objcopy', '--only-keep-debug', path, f'{path}.debug')
        asked = ''.join(f'{number << 32 | at:#x}\n' for number, _name, size in code_sections_of(path) for at in range(size)).encode()
        self.assertEqual(run(DWARF_LINES, f'{path}.debug', stdin=asked).stdout, run(DWARF_LINES, path, stdin=asked).stdout)

    @unittest.skipUnless(shutil.which(f'{OTHER_MACHINE}gcc'), 'needs another compiler')
    def test_object_of_another_machine(self):
        self.compare_object(self.build_object(f'{OTHER_MACHINE}gcc', '-g', tools=OTHER_MACHINE), tools=OTHER_MACHINE)

    def test_debug_package(self):
        """Of glibc, in the debug files that a distribution made."""
        libc = next(path for path in ('/lib/x86_64-linux-gnu/libc.so.6', '/lib64/libc.so.6') if os.path.exists(path))
        build_id = re.search(r'Build ID: (..)(\w+)', run('readelf', '-n', libc).stdout)
        debug = f'/usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug'
        if not os.path.exists(debug):
            self.skipTest('the debug package of glibc is not installed')
        for path in [debug, *(FULL.split(':') if FULL and FULL != '1' else [])]:
            with self.subTest(path):  # of a kernel addr2line takes hours
                compare = self.compare_object if is_object(pathlib.Path(path)) else self.compare
                compare(pathlib.Path(path), row='package', bfd=os.path.getsize(path) < LARGE, least=LEAST if path == debug else 0)


if __name__ == '__main__':
    unittest.main()
