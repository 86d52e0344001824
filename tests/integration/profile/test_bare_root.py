# SPDX-License-Identifier: GPL-3.0-or-later
"""A capture is opened where nothing of what was recorded is: in a root that holds capturectl, the reader of machine code, what these two
need to run, and the capture. It must say what it says here, but for the text of source files, which captures do not take along."""
import json
import os
import pathlib
import re
import tempfile
import unittest

from support import CAPTURECTL, CODE_READER, OWN_MOUNTS, TestCase, capturectl, environment, run, unmount

# In a namespace of users only all of /proc can be mounted.
OWN_USERS, BIND = ((), '--bind') if os.geteuid() == 0 else (('unshare', '--user', '--map-root-user'), '--rbind')

HEADER = '''template <unsigned factor>
static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
  for (int i = 0; i < 24; i++)
    x = x * factor + (x >> 7);
  return x;
}
'''

SOURCE = r'''#include <cstdlib>
#include <vector>
#include "mix.h"

static inline unsigned twice(unsigned x)
{
  return mix<31>(x) + mix<33>(x + 1);
}

__attribute__((noinline)) unsigned work(std::vector<unsigned> &values)
{
  unsigned sum = 0;
  for (unsigned &value : values)
    sum += value = twice(value);
  return sum;
}

__attribute__((noinline)) unsigned repeat(unsigned depth, std::vector<unsigned> &values)
{
  return depth == 0 ? work(values) : repeat(depth - 1, values) + depth;
}

int main(int argc, char **argv)
{
  std::vector<unsigned> values(100000);
  unsigned sum = 0;
  for (int i = 0; i < std::atoi(argv[1]); i++)
    sum += repeat(3, values);
  return sum == 1;
}
'''

REPORTS = (), ('--no-inline',), ('--by', 'line'), ('--by', 'file'), ('--tree',)
WORK = 'work(std::vector<unsigned int, std::allocator<unsigned int> >&)'
FUNCTIONS = WORK, 'repeat', 'main', 'twice', 'mix<31>'


def files_to_run(*programs):
    """They and the libraries that they are linked with, as paths."""
    return {*map(str, programs), *re.findall(r'(/\S+) \(0x', run('ldd', *programs).stdout)}


class BareRoot(TestCase):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        place = tempfile.TemporaryDirectory(prefix='capture-test-')
        cls.addClassCleanup(place.cleanup)
        directory = pathlib.Path(place.name)
        cls.root, cls.sources, cls.path = directory / 'root', directory / 'src', directory / 'program.capture'
        cls.addClassCleanup(unmount, cls.root / 'proc')
        (cls.root / 'proc').mkdir(parents=True)
        cls.sources.mkdir()
        (cls.sources / 'mix.h').write_text(HEADER)
        (cls.sources / 'program.cc').write_text(SOURCE)
        run('g++', '-O2', '-g', '-o', directory / 'program', cls.sources / 'program.cc')
        recorded = directory / 'recorded.capture'  # and named afterwards: at its end there may be too little time for the lines of libc
        capturectl('record', '-q', '-F', '1999', '--no-names', '-o', recorded, '--', directory / 'program', '60')
        capturectl('check', '--recover', cls.path, recorded)
        run('cp', '--parents', '--dereference', cls.path, *files_to_run(CAPTURECTL, CODE_READER), cls.root)

    def capturectl_there(self, *arguments):
        """Its output, in the bare root."""
        script = f'mount {BIND} /proc "$1/proc" && exec chroot "$@"'
        result = run(*OWN_USERS, *OWN_MOUNTS, 'sh', '-c', script, 'sh', self.root, CAPTURECTL, *arguments,
                     env=environment(XDG_CACHE_HOME='/cache', HOME='/', DEBUGINFOD_URLS=''))
        return result.stdout

    def says(self, *arguments):
        """What it says here and there."""
        here, there = capturectl(*arguments).stdout, self.capturectl_there(*arguments)
        return json.loads(here), json.loads(there)

    def test_reports(self):
        for options in REPORTS:
            with self.subTest(options):
                here, there = self.says('report', '--json', *options, self.path)
                self.assertEqual(there, here)
        names = {row['name'] for row in json.loads(self.capturectl_there('report', '--json', self.path))['rows']}
        self.assertLessEqual({WORK, 'twice', 'mix<31>'}, names)
        lines = {row['name'] for row in json.loads(self.capturectl_there('report', '--json', '--by', 'line', self.path))['rows']}
        self.assertIn(f'mix.h:{HEADER.splitlines().index("    x = x * factor + (x >> 7);") + 1}', lines)

    def test_functions(self):
        for function in FUNCTIONS:
            with self.subTest(function):
                here, there = self.says('annotate', '--json', '--source', '--code', function, self.path)
                self.compare(here, there)

    def compare(self, here, there):
        """All but the text, and the names of functions that are called without having been sampled, which the file alone has."""
        for file, file_here in zip(there['files'], here['files']):
            self.assertEqual((file['found'], file['reason'], {line['text'] for line in file['lines']}), (False, 'missing', {None}))
            file.update({name: file_here[name] for name in ('found', 'reason', 'read_from', 'origin', 'changed', 'newer', 'too_short')})
            for line, line_here in zip(file['lines'], file_here['lines']):
                line['text'] = line_here['text']
        parts = [zip(part['instructions'], part_here['instructions']) for part, part_here in zip(there['code']['parts'], here['code']['parts'])]
        for instruction, instruction_here in (pair for part in parts for pair in part):
            if instruction['target'] is None:
                instruction['target'] = instruction_here['target']
        self.assertEqual(there, here)
        self.assertTrue(all(part['status'] == 'decoded' and part['instructions'] for part in there['code']['parts']))

    def test_text(self):
        told = self.capturectl_there('annotate', '--source', '--code', 'mix<31>', self.path)
        self.assertIn(f'There is no file “{self.sources}/mix.h” here', told)
        self.assertNotIn('x * factor', told)


if __name__ == '__main__':
    unittest.main()
