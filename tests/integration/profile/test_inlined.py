# SPDX-License-Identifier: GPL-3.0-or-later
"""Inlined functions and lines of recorded programs, beside those of elfutils for the same addresses."""
import collections
import json
import os
import re
import unittest

from support import TestCase, capturectl, run

from capture_decoder import Capture

BINARY_SPACE = 1

SOURCE = r'''
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

static inline unsigned mix(unsigned x)
{
  for (int i = 0; i < 24; i++)
    x = x * 31 + (x >> 7);
  return x;
}

static inline unsigned twice(unsigned x)
{
  return mix(x) + mix(x + 1);
}

__attribute__((noinline)) static unsigned work(std::vector<unsigned> &values)
{
  unsigned sum = 0;
  for (unsigned &value : values) {
    value = twice(value);
    sum += value;
  }
  return sum;
}

int main(int argc, char **argv)
{
  std::vector<unsigned> values(100000);
  unsigned sum = 0;
  for (int i = 0; i < std::atoi(argv[1]); i++) {
    values[i] = i;
    sum += work(values);
    std::sort(values.begin(), values.end());
  }
  std::printf("%u\n", sum);
}
'''


def segments_of(binary):
    """[offset, address, length] of what is loaded."""
    text = run('readelf', '-lW', binary).stdout
    return [[int(number, 16) for number in m.groups()] for m in re.finditer(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)', text)]


def resolve(binary, offsets, mapped):
    """{offset: (function, file:line)} by eu-addr2line: of what was inlined innermost. (That of binutils 2.40 says of the first address
    of an inlined function that it is its caller's.)"""
    segments = segments_of(mapped)
    addresses = {offset: offset - start + address for offset in offsets for start, address, length in segments if start <= offset < start + length}
    lines = run('eu-addr2line', '-a', '-i', '-f', '-C', '-e', binary, *map(hex, addresses.values())).stdout.splitlines()
    found = {}
    for number, line in enumerate(lines):
        if re.fullmatch('0x[0-9a-f]+', line):
            function, place = lines[number + 1].split(' inlined at ')[0], os.path.basename(lines[number + 2]).split(':')
            found[int(line, 16)] = WORK if function == 'work' else function, ':'.join(place[:2])
    return {offset: found[address] for offset, address in addresses.items()}


WORK = 'work(std::vector<unsigned int, std::allocator<unsigned int> >&)'


class Inlined(TestCase):
    def build(self, *options):
        (self.directory / 'work.cc').write_text(SOURCE)
        program = self.directory / 'work'
        run('g++', '-O2', *options, '-o', program, 'work.cc', cwd=self.directory)
        return program

    def record(self, program):
        path = self.directory / 'work.capture'
        capturectl('record', '-q', '-F', '1999', '-o', path, '--', program, '60')
        return path

    def report(self, path, *options):
        return json.loads(capturectl('report', '--json', *options, path).stdout)

    def compare(self, program, debug=None):
        """Self counts by function and by line, of the samples taken in the program."""
        path = self.record(program)
        taken = collections.Counter(sample.frames[0].value for sample in Capture(path).samples()
                                    if sample.frames and sample.frames[0].kind == BINARY_SPACE and sample.frames[0].owner['path'] == str(program))
        self.assertGreater(sum(taken.values()), 200)
        functions, lines = collections.Counter(), collections.Counter()
        for offset, (function, line) in resolve(debug or program, taken, program).items():
            functions[function] += taken[offset]
            lines[line] += taken[offset]
        said = {row['name']: row['self'] for row in self.report(path)['rows'] if row['self'] and row['binary'] == str(program)}
        self.assertEqual(said, dict(functions))
        said = {row['name']: row['self'] for row in self.report(path, '--by', 'line')['rows'] if row['self'] and row['binary'] == str(program)}
        self.assertEqual(said, {line: count for line, count in lines.items() if not line.endswith(':0')})
        return path

    def test_program(self):
        path = self.compare(self.build('-g'))
        tree = self.report(path, '--tree')['tree']
        edges = self.edges(tree)
        self.assertEqual({edge: edges[edge] for edge in ((WORK, 'main'), ('twice', WORK), ('mix', 'twice'))},
                         {(WORK, 'main'): False, ('twice', WORK): True, ('mix', 'twice'): True})
        folded = {row['name'] for row in self.report(path, '--no-inline')['rows']}
        self.assertIn(WORK, folded)
        self.assertNotIn('mix', folded)
        for options in (), ('--no-inline',):
            self.assert_declared(path, *options)

    def assert_declared(self, path, *options):
        """Each function's file and line are those where it begins in the source, be it inlined or not."""
        rows = {row['name']: row for row in self.report(path, *options)['rows']}
        begins = {name: 1 + number for number, line in enumerate(SOURCE.splitlines())
                  for name, words in ((WORK, 'unsigned work('), ('main', 'int main('), ('mix', 'unsigned mix('), ('twice', 'unsigned twice(')) if words in line}
        for name in begins.keys() & rows.keys() | {WORK, 'main'}:
            self.assertEqual((rows[name]['file'], rows[name]['line']), (str(self.directory / 'work.cc'), begins[name]))

    def test_debug_file(self):
        program = self.build('-g')
        run('sh', '-ec', 'objcopy --only-keep-debug work work.debug; strip work; objcopy --add-gnu-debuglink=work.debug work', cwd=self.directory)
        self.compare(program, program.with_suffix('.debug'))

    def test_compressed(self):
        self.compare(self.build('-g', '-gz'))

    def test_older(self):
        self.compare(self.build('-gdwarf-4'))

    def test_split(self):
        """elfutils does not follow it: of the same code with all in one file it knows the same."""
        whole = self.build('-g').rename(self.directory / 'whole')
        self.compare(self.build('-g', '-gsplit-dwarf'), whole)

    def test_damaged(self):
        """What is lost of one file is told, and nothing else is lost."""
        program = self.build('-g')
        (self.directory / 'nothing').write_bytes(b'\xff' * 4096)
        run('objcopy', '--update-section', f'.debug_abbrev={self.directory}/nothing', program)
        path = self.directory / 'work.capture'
        capturectl('record', '-q', '-F', '1999', '-o', path, '--', program, '60')
        told = 'Lines and inlined functions of work are not all known: some of its debug information cannot be understood.'
        self.assertIn(told, capturectl('info', path).stdout)
        self.assertIn(told, capturectl('report', path).stdout)
        self.assertIn(WORK, {row['name'] for row in self.report(path)['rows']})

    def test_none(self):
        """Without debug information functions stay functions, and lines are theirs."""
        path = self.record(self.build())
        self.assertNotIn('file', next(row for row in self.report(path)['rows'] if row['name'] == WORK))
        self.assertIn(WORK, {row['name'] for row in self.report(path, '--by', 'line')['rows']})
        edges = self.edges(self.report(path, '--tree')['tree'], binary=path.with_name('work'))
        self.assertIn((WORK, 'main'), edges)
        self.assertNotIn(True, edges.values())

    def edges(self, node, found=None, binary=None):
        """{(function, caller): whether it is inlined}, of functions of one binary or of all."""
        found = {} if found is None else found
        for child in node['children']:
            if binary is None or child['binary'] == str(binary):
                found[child['name'], node['name']] = child.get('inlined', False)
            self.edges(child, found, binary)
        return found


if __name__ == '__main__':
    unittest.main()
