# SPDX-License-Identifier: GPL-3.0-or-later
"""The machine code of recorded functions: what captures take along of it, and what each instruction costs.

Instructions must be those of objdump, samples those that the second decoder finds at their addresses; also where the
binary is gone.
"""
import collections
import json
import os
import pathlib
import re
import struct
import sys
import unittest

from support import TestCase, capturectl, copy_programs, environment, run

from builder import Builder, fixed, listed, machine_code, record, string
from capture_decoder import Capture, container

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / 'unwind'))
import test_code  # noqa: E402

from test_decoder import BUILD_ID, DICTIONARY, META, SMALL  # noqa: E402

BINARY, KERNEL = 1, 2
CALLS = re.compile(r'(\w+ )*l?call')

# leaf() has a loop, a call of libc, and something inlined; twice() calls itself.
PROGRAM = r'''#include <stdlib.h>
#include <string.h>

volatile unsigned sink;

static inline __attribute__((always_inline)) unsigned mix(unsigned x)
{
  return x * 7 + 3;
}

static int compare(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

__attribute__((noinline)) void leaf(char *memory, unsigned n)
{
  for (unsigned i = 0; i < n; i++)
    sink = mix(sink) + (unsigned)memory[i % 64];
  memset(memory, (int)sink, 4096);
}

__attribute__((noinline)) unsigned twice(unsigned depth, char *memory)
{
  if (depth == 0)
    leaf(memory, 400000);
  else
    sink += twice(depth - 1, memory);
  return sink + depth;
}

int main(int argc, char **argv)
{
  static char memory[4096];
  static int numbers[5000];
  for (int i = 0; i < atoi(argv[1]); i++) {
    twice(3, memory);
    for (int k = 0; k < 5000; k++)
      numbers[k] = k * 7919 % 20011;
    qsort(numbers, 5000, sizeof *numbers, compare);
  }
}
'''


def objdump(path, start, length, *options):
    """[(address, text)], as test_code.read_objdump has texts."""
    lines = run('objdump', '-d', '--no-show-raw-insn', *options, f'--start-address={start:#x}', f'--stop-address={start + length:#x}', path).stdout
    found = re.findall(r'^ *([0-9a-f]+):\t(.*)', lines, re.M)
    return [(int(address, 16), ' '.join(re.sub(r'<[^>]*>', '', re.split(r'\s#\s|//', text)[0]).split())) for address, text in found]


class AnnotateCode(TestCase):
    def build(self):
        source, program = self.directory / 'program.c', self.directory / 'program'
        source.write_text(PROGRAM)
        run('gcc', '-O2', '-g', '-o', program, source)
        return program

    def record(self, *options, turns=150):
        program, path = self.build(), self.directory / 'program.capture'
        capturectl('record', '-q', '-F', '1999', '-o', path, *options, '--', program, str(turns))
        return program, path

    def annotate(self, path, function, *options, **how):
        return json.loads(capturectl('annotate', '--json', '--code', *options, function, path, **how).stdout)

    def part(self, shown):
        part, = shown['code']['parts']
        self.assertEqual((part['status'], part['missing']), ('decoded', None))
        return part

    def check_instructions(self, path, part, *options):
        """They are objdump's, but for what test_code explains."""
        theirs = objdump(path, int(part['address'], 16), part['length'], *options)
        ours = [(int(one['address'], 16), one['text']) for one in part['instructions']]
        self.assertEqual([address for address, _ in ours], [address for address, _ in theirs])
        machine = test_code.machine_of('/proc/self/exe')
        for (address, our), (_, their) in zip(ours, theirs):
            if machine == 'aarch64':
                our, their = test_code.mnemonic(our), test_code.mnemonic(their)
            explained = any(re.fullmatch(one, their) and re.fullmatch(other, our) for one, other, _why in test_code.DIFFERENCES[machine])
            self.assertTrue(our == their or explained, (hex(address), our, their))

    def costs(self, path, event, part, code):
        """{address of an instruction: [self, total]}, and the samples in the function and through it, from the recorded addresses."""
        starts = [int(one['address'], 16) for one in part['instructions']]
        ends = [start + one['size'] for start, one in zip(starts, part['instructions'])]
        instruction_at = {at: start for start, end in zip(starts, ends) for at in range(start, end)}
        costs, whole = collections.defaultdict(lambda: [0, 0]), [0, 0]
        capture = Capture(path)
        for sample in capture.samples():
            met = set()
            for depth, frame in enumerate(sample.frames if sample.event == event else []):
                is_caller = depth > 0 and not (sample.frames[depth - 1].kind == KERNEL and frame.kind != KERNEL)
                if capture.machine_code_of(frame, is_caller) != code:
                    continue
                at = instruction_at[frame.value - is_caller - code.start + code.address]
                costs[at][0] += depth == 0
                whole[0] += depth == 0
                met.add(at)
            for at in met:
                costs[at][1] += 1
            whole[1] += bool(met)
        return dict(costs), whole

    def code_of(self, path, name):
        """The copy of the function's code in the capture."""
        capture = Capture(path)
        found = {capture.machine_code_of(frame, depth > 0) for sample in capture.samples() for depth, frame in enumerate(sample.frames)
                 if capture.function_of(frame, depth > 0) == name}
        code, = found - {None}
        return code

    def check_costs(self, path, name, shown):
        part, code = self.part(shown), self.code_of(path, name)
        costs, whole = self.costs(path, shown['event'], part, code)
        said = {int(one['address'], 16): [one['self'], one['total']] for one in part['instructions'] if one['total']}
        self.assertEqual(said, costs)
        self.assertEqual([shown['code']['self'], shown['code']['total']], whole)
        self.assertEqual(shown['code']['self_elsewhere'], 0)
        self.assertEqual((int(part['address'], 16), part['length']), (code.address, len(code.bytes)))
        return part

    def test_without_the_binary(self):
        program, path = self.record()
        copy = program.rename(self.directory / 'elsewhere')
        leaf = self.check_costs(path, 'leaf', self.annotate(path, 'leaf'))
        self.check_instructions(copy, leaf)
        self.assertGreater(max(one['self'] for one in leaf['instructions']), 20)
        jumps = [one for one in leaf['instructions'] if one['kind'] == 'conditional-jump' and one['jump']]
        self.assertTrue(any(int(one['jump'], 16) < int(one['address'], 16) for one in jumps), 'the loop')
        self.assertTrue(any(one['inlined'] == ['mix'] and one['line'] == PROGRAM.splitlines().index('  return x * 7 + 3;') + 1
                            for one in leaf['instructions'] if one['self']))
        twice = self.check_costs(path, 'twice', self.annotate(path, 'twice'))
        self.check_instructions(copy, twice)
        calls = {one['target']: one['total'] for one in twice['instructions'] if one['kind'] in ('call', 'jump') and one['target'] and one['total']}
        if 'twice' in calls:  # where the compiler left a call
            self.assertLessEqual(calls['twice'], self.annotate(path, 'twice')['total'])
        shown = capturectl('annotate', '--code', '--source', 'leaf', path).stdout
        self.assertIn('program.c:8, inlined mix   return x * 7 + 3;', ' '.join(shown.split('\n')).replace('     return', '   return'))
        self.assertIn('the time may belong to the instruction before', shown)
        self.assertRegex(shown, r'\d+\.\d\d% >  *[0-9a-f]+ . \S')

    def test_libc(self):
        _program, path = self.record()
        library = test_code.library('libc.so.6')
        rows = json.loads(capturectl('report', '--json', path).stdout)['rows']
        name = max((row for row in rows if os.path.basename(row['binary']).startswith('libc')), key=lambda row: row['total'])['name']
        shown = self.annotate(path, name, '--binary', 'libc.so.6')
        if len(shown['code']['parts']) == 1:
            self.check_costs(path, name, shown)
        for part in shown['code']['parts']:
            self.check_instructions(library, part)
        main = self.part(self.annotate(path, 'main'))
        self.assertIn('qsort@plt', [one['target'] for one in main['instructions']], 'the binary is here')

    def test_how_much_is_stored(self):
        def stored(path):
            return [code for each in Capture(path).code.values() for code in each.values()]

        program, path = self.record('--code', '0')
        self.assertEqual(stored(path), [])
        self.assertEqual(self.part(self.annotate(path, 'leaf'))['binary'], str(program), 'the file that was recorded is here')
        hidden = program.rename(self.directory / 'elsewhere')
        part, = self.annotate(path, 'leaf')['code']['parts']
        self.assertEqual((part['status'], part['instructions']), ('no-file', []))
        said = capturectl('annotate', '--code', 'leaf', path).stdout
        self.assertIn('--code', said)
        self.assertIn(str(program), said)
        # another file by that name is not read
        (self.directory / 'program.c').write_text(PROGRAM.replace('* 7', '* 11'))
        run('gcc', '-O2', '-g', '-o', program, self.directory / 'program.c')
        self.assertEqual(self.annotate(path, 'leaf')['code']['parts'][0]['status'], 'no-file')
        hidden.rename(program)
        bound = self.directory / 'bound.capture'
        capturectl('record', '-q', '-F', '1999', '-o', bound, '--code', '1k', '--', program, '100')
        self.assertLessEqual(sum(len(code.bytes) for code in {code.start: code for code in stored(bound)}.values()), 1024)
        self.assertIsNotNone(self.code_of(bound, 'leaf'), 'what most samples were taken in comes first')

    @unittest.skipUnless(os.geteuid() == 0, 'needs another user')
    def test_of_files_that_cannot_be_read(self):
        """Nobody names what root recorded: of a program that only root may read there is no code, of libc there is."""
        program, path = self.record('--no-names')
        self.directory.chmod(0o755)
        path.chmod(0o644)
        program.chmod(0o700)
        for folder, mode in (('bin', 0o755), ('out', 0o777)):
            (self.directory / folder).mkdir()
            (self.directory / folder).chmod(mode)
        whole = self.directory / 'out' / 'whole.capture'
        run('setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', copy_programs(self.directory / 'bin'), 'check', '--recover', whole, path,
            env=environment(HOME=str(self.directory / 'out'), XDG_CACHE_HOME=str(self.directory / 'out')), status=None)
        paths = {key[0] for key, code in Capture(whole).code.items() if code and isinstance(key, tuple)}
        self.assertNotIn(str(program), paths)
        self.assertTrue(any('libc' in path for path in paths), paths)

    def test_without_a_reader(self):
        _program, path = self.record()
        part, = self.annotate(path, 'leaf', env=environment(CAPTURE_CODE_READER='/nonexistent'))['code']['parts']
        self.assertEqual((part['status'], part['instructions']), ('no-reader', []))
        self.assertIn('capture-code-reader', part['missing'])

    def test_kernel(self):
        """From /proc/kcore where there is one; else it is said what helps."""
        path = self.directory / 'kernel.capture'
        capturectl('record', '-q', '-F', '1999', '--kernel', '-o', path, '--', 'dd', 'if=/dev/zero', 'of=/dev/null', 'bs=1M', 'count=3000')
        rows = json.loads(capturectl('report', '--json', path).stdout)['rows']
        name = next(row['name'] for row in rows if row['binary'] == '[kernel]' and not row['name'].startswith('0x'))
        shown = self.annotate(path, name)
        if not os.path.exists('/proc/kcore'):
            self.assertEqual({part['status'] for part in shown['code']['parts']}, {'no-kernel'})
            self.assertIn('root', shown['code']['parts'][0]['missing'])
            return
        part, copy = self.check_costs(path, name, shown), self.directory / 'code'
        copy.write_bytes(self.code_of(path, name).bytes)
        self.check_instructions(copy, part, '-b', 'binary', '-m', 'i386:x86-64' if test_code.machine_of('/proc/self/exe') == 'x86' else 'aarch64',
                                f'--adjust-vma={part["address"]}')


class HostileCode(TestCase):
    """A capture whose code is not what it should be: main() is at 0x1040 to 0x1060 of its binary."""

    def capture(self, *code):
        names = [string(1, b'/usr/bin/demo'), string(2, b'main'), fixed(80, 'IIQQII20sI', 1, 1, 8 << 32 | 1, 77, 0, 20, BUILD_ID, 0),
                 listed(81, 1, 0, 'QQIIIIII', [(0x1040, 0x1060, 2, 0, 0, 0, 0, 0)])]
        builder = Builder()
        builder.part(container.META, META, stream=0, epoch=0)
        builder.part(container.DICTIONARY, DICTIONARY, flags=0)
        builder.part(container.SAMPLES, b''.join(SMALL), event=1, entry_size=16, time_first=1000, time_last=1 << 40, weight=200_040)
        builder.part(container.NAMES, b''.join(names + list(code)), stream=0)
        path = self.directory / 'hostile.capture'
        path.write_bytes(builder.finish().bytes)
        return path

    def part(self, *code):
        path = self.capture(*code)
        shown = json.loads(capturectl('annotate', '--json', '--code', '--all', 'main', path).stdout)
        capturectl('annotate', '--code', '--all', 'main', path)
        part, = shown['code']['parts']
        return part

    def check(self, *code):
        """How many problems are found."""
        return int(re.search(r'(\d+) problems', capturectl('check', self.capture(*code), status=1).stdout)[1])

    def test_whole(self):
        part = self.part(machine_code(1, 62, 0x1040, 0x2040, b'\x90' * 31 + b'\xc3'))
        self.assertEqual((part['status'], part['address'], len(part['instructions'])), ('decoded', '0x2040', 32))
        self.assertEqual([one['address'] for one in part['instructions'] if one['total']], ['0x204f'], 'a return address less one')

    def test_inside_of_more(self):
        part = self.part(machine_code(1, 62, 0x1000, 0x5000, b'\xcc' * 64 + b'\x90' * 64))
        self.assertEqual((part['address'], {one['text'] for one in part['instructions']}), ('0x5040', {'nop'}))

    def test_odd_machines(self):
        for machine in 0, 2, 0xffff, 0x1003e, 0xffffffff:
            with self.subTest(machine):
                part = self.part(machine_code(1, machine, 0x1040, 0x1040, bytes(range(32))))
                self.assertEqual(part['status'], 'decoded')
                self.assertTrue(all(one['text'].startswith('.byte ') for one in part['instructions']))

    def test_another_machine(self):
        part = self.part(machine_code(1, 183, 0x1040, 0x2040, bytes.fromhex('e0031f2a c0035fd6') * 4))
        self.assertEqual([(one['size'], one['text'], one['kind']) for one in part['instructions'][:2]], [(4, 'mov w0, wzr', 'plain'), (4, 'ret', 'return')])

    def test_what_makes_no_sense(self):
        whole = machine_code(1, 62, 0x1040, 0x1040, b'\x90' * 32)
        for name, code in (('overlap', [whole, machine_code(1, 62, 0x1050, 0, b'\xc3' * 32)]), ('short', [machine_code(1, 62, 0x1040, 0x1040, b'\x90')]),
                           ('empty', [machine_code(1, 62, 0x1040, 0, b'')]), ('end of everything', [machine_code(1, 62, 0x1040, (1 << 64) - 16, b'\x90' * 32)]),
                           ('longer than its record', [machine_code(1, 62, 0x1040, 0, b'\x90' * 32, length=1 << 31)]),
                           ('of nothing', [machine_code(9, 62, 0x1040, 0, b'\x90' * 32)]),
                           ('beyond', [machine_code(1, 62, (1 << 64) - 8, 0, b'\x90' * 32)]),
                           ('twice', [machine_code(1, 62, 0x1040, 0, b'\x90' * 8), machine_code(1, 62, 0x1040, 0, b'\x90' * 16)])):
            with self.subTest(name):
                self.assertEqual(self.part(*code)['status'], 'no-file')
        self.assertEqual(self.part(whole, whole)['status'], 'decoded')
        for code in machine_code(1, 62, 0x1040, 0, b''), machine_code(9, 62, 0x1040, 0, b'x'), machine_code(1, 62, (1 << 64) - 1, 0, b'xy'):
            self.assertGreater(self.check(code), self.check(whole))

    def test_large(self):
        """A record of nearly a window, and many of them."""
        part = self.part(machine_code(1, 62, 0x1040, 0x1040, b'\x90' * (1 << 20)), *(machine_code(1, 62, 0x200000 + i, 0, b'\xc3' * 16) for i in range(20000)))
        self.assertEqual(len(part['instructions']), 32)


if __name__ == '__main__':
    unittest.main()
