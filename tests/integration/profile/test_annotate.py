# SPDX-License-Identifier: GPL-3.0-or-later
"""The source of recorded functions: costs of lines, where their text comes from, and what is said when it is not there."""
import collections
import json
import os
import re
import unittest

from support import SOURCE, TestCase, capturectl, run

from capture_decoder import Capture

BINARY_SPACE = 1

SPIN = '''extern volatile unsigned sink;

static inline __attribute__((always_inline)) void spin(unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    sink = sink * 7 + i;
}
'''

# split() spins a few turns in one line and twenty times as many in another; alone() is the only function of its file.
PROGRAM = r'''#include <cstdlib>
#include "spin.h"

volatile unsigned sink;
void alone(unsigned n);
void split(unsigned n, int unused);

__attribute__((noinline)) void split(unsigned n)
{
  spin(n);

  // far from what costs something



	// until here: a tab begins this line

  spin(20 * n);
  alone(10 * n);
  sink = n;
}

int main(int argc, char **argv)
{
  for (int i = 0; i < std::atoi(argv[1]); i++) {
    split(20000);
    split(20000, 0);
  }
}
'''

ALONE = r'''extern volatile unsigned sink;

void alone(unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    if (i % 2)
      sink = sink * 3 + i;
    else
      sink = sink / 3 + i;
}
'''

LIBRARY = r'''extern volatile unsigned sink;

void split(unsigned n, int unused)
{
  for (unsigned i = 0; i < 5 * n; i++)
    sink = sink * 3 + i;
}
'''


def find_frames(program, offsets):
    """{offset: [(function, place), …]} by eu-addr2line, innermost first."""
    segments = [[int(number, 16) for number in found.groups()]
                for found in re.finditer(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+)', run('readelf', '-lW', program).stdout)]
    addresses = {offset - start + address: offset for offset in offsets for start, address, length in segments
                 if start <= offset < start + length}
    found = {}
    lines = run('eu-addr2line', '-a', '-i', '-f', '-C', '-e', program, *map(hex, addresses)).stdout.splitlines()
    for line in lines:
        if re.fullmatch('0x[0-9a-f]+', line):
            texts = found[addresses[int(line, 16)]] = []
        else:
            texts.append(line.split(' inlined at ')[0])
    return {offset: list(zip(texts[::2], texts[1::2])) for offset, texts in found.items()}


class Annotate(TestCase):
    def setUp(self):
        super().setUp()
        self.source = self.directory / 'src'
        self.source.mkdir()
        for name, text in (('spin.h', SPIN), ('program.cc', PROGRAM), ('alone.cc', ALONE), ('library.cc', LIBRARY)):
            (self.source / name).write_text(text)

    def build(self, *options):
        library, program = self.directory / 'libsplit.so', self.directory / 'program'
        run('g++', '-O2', *options, '-fPIC', '-shared', '-o', library, self.source / 'library.cc')
        run('g++', '-O2', *options, '-rdynamic', '-o', program, self.source / 'program.cc', self.source / 'alone.cc', library,
            f'-Wl,-rpath,{self.directory}')
        return program

    def record(self, *options):
        path = self.directory / 'program.capture'
        capturectl('record', '-q', '-F', '1999', '-o', path, '--', self.build(*options), '300')
        return path

    def annotate(self, path, function, *options):
        return json.loads(capturectl('annotate', '--json', *options, function, path).stdout)

    def rows(self, path, *options):
        rows = json.loads(capturectl('report', '--json', *options, path).stdout)['rows']
        return {(row['name'], os.path.basename(row['binary'])): row for row in rows}

    def lines(self, shown, name):
        """{line: line}, of one file."""
        return {line['line']: line for file in shown['files'] if os.path.basename(file['path']) == name for line in file['lines']}

    def number(self, text, source=PROGRAM):
        return source.splitlines().index(text) + 1

    def test_costs(self):
        path = self.record('-g')
        shown = self.annotate(path, 'split(unsigned int)')
        self.assertEqual((shown['function'], shown['binary'], shown['others']), ('split(unsigned int)', str(self.directory / 'program'), []))
        lines = self.lines(shown, 'program.cc')
        first, second = (lines[self.number(text)] for text in ('  spin(n);', '  spin(20 * n);'))
        self.assertGreater(first['self'] + second['self'], 100)
        self.assertLess(first['self'], second['self'])
        for line in first, second:
            self.assertEqual([(inlined['name'], inlined['self'], inlined['total']) for inlined in line['inlined']],
                             [('spin', line['self'], line['total'])])
            self.assertIn('spin(', line['text'])
        called = lines[self.number('  alone(10 * n);')]
        self.assertGreater(called['total'], called['self'])
        self.check_sums(path, shown)
        spin = self.annotate(path, 'spin')
        self.assertEqual(spin['self'], first['self'] + second['self'])
        self.assertEqual(set(self.lines(spin, 'spin.h')) - {3, 5, 6, 7}, set())
        self.assertEqual(sum(line['self'] for line in self.lines(spin, 'spin.h').values()), spin['self'])
        main = self.annotate(path, 'main')
        self.assertEqual(self.lines(main, 'program.cc')[self.number('    split(20000);')]['total'],
                         self.called(path, 'main', 'split(unsigned int)'))

    def called(self, path, caller, function):
        """Samples of a function whose stacks show who called it: a table that comes late cuts the first ones off."""
        stacks = (line.rpartition(' ') for line in capturectl('export', '-f', 'folded', path).stdout.splitlines())
        return sum(int(count) for stack, _, count in stacks if f'{caller};{function}' in stack)

    def check_sums(self, path, shown):
        """Of a function that is inlined nowhere: what it takes itself and what was inlined into it."""
        row = self.rows(path, '--no-inline')[shown['function'], os.path.basename(shown['binary'])]
        self.assertEqual((shown['self'], shown['total']), (row['self'], row['total']))
        known = sum(line['self'] for file in shown['files'] for line in file['lines'])
        self.assertEqual(known + shown['without_line']['self'], row['self'])
        self.assertEqual(sum(line['self_weight'] for file in shown['files'] for line in file['lines']) + shown['without_line']['self_weight'],
                         row['self_weight'])

    def test_elfutils_agrees(self):
        """Which line of a function a sample was taken in, or in what was inlined there."""
        path = self.record('-g')
        program = self.directory / 'program'
        taken = collections.Counter(sample.frames[0].value for sample in Capture(path).samples() if sample.frames and
                                    sample.frames[0].kind == BINARY_SPACE and sample.frames[0].owner['path'] == str(program))
        expected = collections.Counter()
        for offset, frames in find_frames(program, taken).items():
            for function, place in frames:
                if function == 'split(unsigned int)':
                    expected[int(place.split(':')[1])] += taken[offset]
                    break
        lines = self.lines(self.annotate(path, 'split(unsigned int)'), 'program.cc')
        self.assertGreater(sum(expected.values()), 100)
        self.assertEqual({number: line['self'] for number, line in lines.items() if line['self']}, dict(expected))

    def test_lines_of_the_report(self):
        """Of the only function of its file they are the report's."""
        path = self.record('-g')
        rows = {name.partition(':')[2]: row for (name, _binary), row in self.rows(path, '--by', 'line').items() if name.startswith('alone.cc:')}
        shown = self.annotate(path, 'alone')
        lines = self.lines(shown, 'alone.cc')
        self.assertGreater(len(lines), 1)
        for cost in 'self', 'total', 'self_weight', 'total_weight':
            self.assertEqual({str(number): line[cost] for number, line in lines.items()}, {number: row[cost] for number, row in rows.items()})
        self.check_sums(path, shown)

    def test_text(self):
        path = self.record('-g')
        text = capturectl('annotate', 'split(unsigned int)', path).stdout
        self.assertRegex(text, r'(?m)^Capture   .*\nCommand   (.*\n)+Samples   \d+ of ')
        self.assertRegex(text, r'(?m)^Function  split\(unsigned int\)  \(program\)$')
        self.assertIn(f'\n{self.source}/program.cc\n    Self   Total   Line  Source\n', text)
        hot = self.number('  spin(20 * n);')
        self.assertRegex(text, rf'(?m)^ +\d+\.\d\d% +\d+\.\d\d% > +{hot}    spin\(20 \* n\);\n +\d+\.\d\d% +\d+\.\d\d%           inlined spin$')
        self.assertEqual(len(re.findall('%.* > ', text)), 1)
        shown = [int(number) for number in re.findall(r'(?m)^(?:[ .%\d]{16})  +(\d+)(?:  .*)?$', text.replace(' >', '  '))]
        self.assertEqual(shown, sorted(set(shown)))
        self.assertNotIn(self.number('  // far from what costs something') + 2, shown)
        self.assertIn(' …\n', text)
        self.assertIn('          // until here: a tab begins this line\n', text)
        whole = capturectl('annotate', '--all', 'split(unsigned int)', path).stdout
        self.assertNotIn(' …\n', whole)
        for line in PROGRAM.splitlines()[self.number('__attribute__((noinline)) void split(unsigned n)') - 1:hot]:
            self.assertIn(line.expandtabs(8).rstrip() + '\n', whole)
        lines = self.lines(self.annotate(path, 'split(unsigned int)', '--all'), 'program.cc')
        self.assertEqual(sorted(lines), list(range(self.number('__attribute__((noinline)) void split(unsigned n)'), max(lines) + 1)))
        self.assertEqual(lines[self.number('  // far from what costs something')]['self'], 0)
        self.assertEqual(lines[self.number('\t// until here: a tab begins this line')]['text'], '\t// until here: a tab begins this line')

    def test_several_of_one_name(self):
        path = self.record('-g')
        shown = self.annotate(path, 'split')
        self.assertEqual(shown['function'], 'split(unsigned int)')
        [other] = shown['others']
        self.assertEqual((other['function'], other['binary']), ('split(unsigned int, int)', str(self.directory / 'libsplit.so')))
        self.assertGreater(other['total'], 0)
        text = capturectl('annotate', 'split', path).stdout
        self.assertRegex(text, r'“split” this is the one with most samples; --binary or a whole name chooses another:\n'
                               r'  split\(unsigned int, int\)  \(libsplit.so\), \d+ samples?\n')
        chosen = self.annotate(path, 'split', '--binary', 'libsplit.so')
        self.assertEqual((chosen['function'], chosen['others'], chosen['total']), (other['function'], [], other['total']))
        self.assertEqual(set(self.lines(chosen, 'library.cc')) - {5, 6}, set())
        self.assertIn('in “libc.so.6”; others have', capturectl('annotate', '--binary', 'libc.so.6', 'split', path, status=1).stderr)
        self.assertEqual(capturectl('annotate', 'nothing', path, status=1).stderr,
                         'capturectl annotate: No sample leads through a function “nothing”.\n')

    def test_filters(self):
        path = self.record('-g')
        event = self.annotate(path, 'alone')['event']
        for options in (('--time', '20%,60%'), ('-e', event), ('--process', 'program'), ('--thread', 'program', '--time', '20%,')):
            shown, row = self.annotate(path, 'alone', *options), self.rows(path, *options)['alone(unsigned int)', 'program']
            self.assertEqual((shown['event'], shown['self'], shown['total']), (event, row['self'], row['total']))
            self.assertEqual(sum(line['self'] for line in self.lines(shown, 'alone.cc').values()), row['self'])
        dropped = ('--transform', 'drop-function:alone')
        self.assertIn('No sample leads', capturectl('annotate', *dropped, 'alone', path, status=1).stderr)
        split = self.lines(self.annotate(path, 'split(unsigned int)', *dropped), 'program.cc')
        self.assertLessEqual(split.get(self.number('  alone(10 * n);'), {'total': 0})['total'], 2)
        self.assertIn('There is no event', capturectl('annotate', '-e', 'nothing', 'alone', path, status=1).stderr)
        self.assertIn('focus-function', capturectl('annotate', '--transform', 'help').stdout)

    def test_without_text(self):
        path = self.record('-g')
        there = self.annotate(path, 'alone')
        elsewhere = self.directory / 'elsewhere'
        self.source.rename(elsewhere)
        [file] = self.annotate(path, 'alone')['files']
        self.assertEqual((file['path'], file['found'], file['read_from'], file['reason']), (f'{self.source}/alone.cc', False, None, 'missing'))
        self.assertEqual({line['text'] for line in file['lines']}, {None})
        self.assertEqual([(line['line'], line['self'], line['total']) for line in file['lines']],
                         [(line['line'], line['self'], line['total']) for line in there['files'][0]['lines']])
        text = capturectl('annotate', 'alone', path).stdout
        self.assertIn(f'There is no file “{self.source}/alone.cc” here: --map FROM=TO says where its folder is.\n', text)
        self.assertEqual(len(re.findall(r'(?m)^ +[\d.]+% +[\d.]+% [ >] +\d+$', text)), len(file['lines']))
        mapped = self.annotate(path, 'alone', '--map', '/nothing=/else', '--map', f'{self.source}={elsewhere}')
        self.assertEqual(mapped['files'][0]['read_from'], str(elsewhere / 'alone.cc'))
        self.assertEqual(mapped['files'][0]['lines'], there['files'][0]['lines'])
        text = capturectl('annotate', '--map', f'{self.source}/={elsewhere}', 'alone', path).stdout
        self.assertIn(f'Read from “{elsewhere}/alone.cc”.\n', text)
        self.source.mkdir()
        os.mkfifo(self.source / 'alone.cc')
        self.assertEqual(self.annotate(path, 'alone')['files'][0]['reason'], 'not-regular')
        self.assertIn('not a regular file', capturectl('annotate', 'alone', path).stdout)

    def test_other_text(self):
        """What was changed since is told, and may not do anything to a terminal."""
        path = self.record('-g')
        [file] = self.annotate(path, 'alone')['files']
        self.assertEqual((file['origin'], file['newer'], file['changed'], file['too_short']), ('file', False, False, False))
        (self.source / 'alone.cc').write_text('one\n\x1b[31mtwo\0\xff\n')
        self.assertTrue(self.annotate(path, 'alone')['files'][0]['changed'])
        program = (self.directory / 'program').stat().st_mtime_ns
        os.utime(self.source / 'alone.cc', ns=(program + 1, program + 1))
        [file] = self.annotate(path, 'alone')['files']
        self.assertEqual((file['found'], file['newer'], file['changed'], file['too_short']), (True, True, False, True))
        text = capturectl('annotate', '--all', 'alone', path).stdout
        self.assertRegex(text, r'\nThis is another version: it has 2 lines, and line \d+ was sampled\.\n')
        (self.source / 'alone.cc').write_bytes(b'\x1b[31m\xff\x00\n' * 12)
        text = capturectl('annotate', 'alone', path).stdout
        self.assertIn('The file was changed after the program was built', text)
        self.assertNotIn('\x1b', text)
        self.assertIn('\ufffd[31m\ufffd\ufffd\n', text)

    def test_without_debug_information(self):
        path = self.record()
        shown = self.annotate(path, 'alone')
        self.assertEqual(shown['files'], [])
        self.assertEqual(shown['without_line']['self'], shown['self'])
        self.assertGreater(shown['self'], 0)
        self.assertRegex(capturectl('annotate', 'alone', path).stdout,
                         r'\nNo line of this function of “.*/program” is known: build that with -g, or install .*\.\n$')
        collapsed = capturectl('annotate', '--transform', 'collapse-binary:program', 'program', path).stdout
        self.assertIn('A transform made this function of others', collapsed)

    def test_documented(self):
        """Every member is on the page."""
        path = self.record('-g')
        documented = set(re.findall('`([a-z_]+)`', (SOURCE / 'docs' / 'annotate-json.md').read_text()))

        def members(value):
            if isinstance(value, dict):
                return set(value).union(*map(members, value.values()))
            return set().union(*map(members, value)) if isinstance(value, list) else set()
        self.assertEqual(members(self.annotate(path, 'split')) - documented, set())


if __name__ == '__main__':
    unittest.main()
