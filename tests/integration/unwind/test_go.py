# SPDX-License-Identifier: GPL-3.0-or-later
"""Go programs, also stripped ones: their tables against readelf's reading of .debug_frame, their names, their stacks."""
import collections
import json
import os
import random
import re
import unittest

from support import BUILD, SOURCE, TestCase, capturectl, run
from unwind_oracle import flatten, read_fdes

from test_unwind_tables import at_each_boundary, loaded, read_table

LINES = BUILD / 'tests' / 'unit' / 'dwarf' / 'dwarf-lines'
NAMES = BUILD / 'tests' / 'unit' / 'unwind' / 'dump-names'
ROOT = 'sp+8 same same undefined'
SWITCH = 'fp-elsewhere+16 c-16 same c-8'

# Whose rule is another one than .debug_frame says, which knows neither roots nor changes of the stack.
ROOTS = {'runtime.goexit', 'runtime.mstart', 'runtime.rt0_go', 'runtime.mcall', '_rt0_amd64_linux', 'runtime.morestack_noctxt'}
SWITCHES = {'gogo', 'runtime.asmcgocall', 'runtime.callCgoMmap', 'runtime.callCgoMunmap', 'runtime.callCgoSigaction', 'runtime.cgocallback',
            'runtime.clone', 'runtime.morestack', 'runtime.nanotime1', 'runtime.sigfwd', 'runtime.switchToCrashStack0', 'runtime.systemstack',
            'runtime.vgetrandom1', 'runtime.walltime', 'time.now'}


def build(directory, name, *options):
    """The program of tests/programs/work.go."""
    path = directory / name
    run('go', 'build', *options, '-o', path, SOURCE / 'tests' / 'programs' / 'work.go', cwd=directory,
        env={**os.environ, 'HOME': str(directory), 'GOCACHE': str(directory / 'cache'), 'GOFLAGS': '-mod=mod', 'GO111MODULE': 'off'})
    return path


def functions_of(path):
    """{name: (address, size)} by nm, without the suffixes of calling conventions."""
    found = re.findall(r'^([0-9a-f]+) ([0-9a-f]+) [tT] (\S.*)$', run('nm', '-S', path).stdout, re.M)
    return {name.removesuffix('.abi0'): (int(address, 16), int(size, 16)) for address, size, name in found}


def offset_of(path, address):
    return next(address - start + offset for start, size, offset in loaded(path) if start <= address < start + size)


class Go(TestCase):
    def test_tables(self):
        for options in (), ('-buildmode=pie',):
            path = str(build(self.directory, f'program{len(options)}', *options))
            summary, ours = read_table(path)
            self.assertEqual((summary['valid'], summary['bad']), ('1', '0'))
            owners = sorted((address, address + size, name) for name, (address, size) in functions_of(path).items())
            unlike = collections.defaultdict(set)
            compared = 0
            for address, mine, other in at_each_boundary(ours, flatten(read_fdes(path, 'x86-64', '.debug_frame'))):
                owner = next((name for start, end, name in owners if start <= address < end), None)
                if owner is None or other.startswith('none'):
                    continue
                compared += 1
                if mine.split()[0] != other.split()[0] or mine.split()[3] != other.split()[3]:
                    unlike[mine].add(owner)
            self.assertGreater(compared, 3000)
            self.assertLessEqual(unlike.pop(ROOT), ROOTS)
            self.assertLessEqual(unlike.pop(SWITCH), SWITCHES)
            # The last one keeps its return address in a register, for a child uses its stack.
            known = {'runtime.sigreturn', 'runtime.sigreturn__sigaction', 'syscall.rawVforkSyscall'}
            self.assertEqual({rule: names for rule, names in unlike.items() if names - known}, {})

    def test_names_of_stripped(self):
        """Names come from what the runtime knows of its functions."""
        path, stripped = build(self.directory, 'program'), build(self.directory, 'stripped', '-ldflags=-s -w')
        functions = {name: place for name, place in functions_of(path).items() if name.startswith(('main.', 'runtime.', 'sync.'))}
        self.assertGreater(len(functions), 500)
        self.assertEqual(run('nm', stripped, status=None).stdout, '')
        places = sorted((offset_of(str(path), address), name) for name, (address, size) in functions.items() if size > 0)
        text = ''.join(f'{offset:x}\n' for offset, _name in places)
        found = [line.partition(' ')[2] for line in run(NAMES, stripped, stdin=text.encode()).stdout.splitlines()]
        self.assertEqual([(name, ours) for (_offset, name), ours in zip(places, found) if ours != name and not ours.startswith(name)], [])

    def places_of(self, path, addresses):
        """{address: [function, line, …]}, innermost first."""
        found = {}
        for line in run(LINES, path, stdin=''.join(f'{address:x}\n' for address in addresses).encode()).stdout.splitlines():
            if line.startswith('0x'):
                texts = found[int(line, 16)] = []
            else:
                texts.append(line)
        return found

    def test_lines_of_stripped(self):
        """They are those of DWARF in the program with it, inlined functions as well. What the compiler made itself has no good ones there."""
        path, stripped = build(self.directory, 'program'), build(self.directory, 'stripped', '-ldflags=-s -w')
        choose = random.Random(1)
        addresses = sorted({address + choose.randrange(size) for address, size in functions_of(path).values() if size > 0 for _ in range(3)})
        dwarf, ours = self.places_of(path, addresses), self.places_of(stripped, addresses)
        known = [address for address in addresses if 'autogenerated' not in str(ours.get(address)) and not dwarf[address][-1].startswith('??')]
        self.assertGreater(len(known), 0.9 * len(addresses))
        self.assertGreater(sum(len(dwarf[address]) > 2 for address in known), 300)
        self.assertEqual([(hex(address), dwarf[address], ours[address]) for address in known if dwarf[address] != ours[address]][:3], [])

    def check_stacks(self, path):
        capture = self.directory / f'{path.name}.capture'
        capturectl('record', '-q', '-o', capture, '--', path, '100')  # makes its table
        capturectl('record', '-q', '-F', '1999', '-o', capture, '--', path, '700')
        info = json.loads(capturectl('info', '--json', capture).stdout)
        stacks = collections.Counter()
        for line in capturectl('export', '--format', 'folded', capture).stdout.splitlines():
            names, _, count = line.rpartition(' ')
            stacks[tuple(name for name in names.split(';') if name.startswith('main.'))] += int(count)
        return info, stacks

    def test_stacks(self):
        known = re.compile(r'(main\.main(\.func1|\.gowrap1)?(;main\.worker(;main\.spin|(;main\.deep)+(;main\.spin)?|(;main\.grow)+)?)?)?'
                           r'|main\.worker(;main\.spin|(;main\.deep)+(;main\.spin)?|(;main\.grow)+)?')
        for options in (), ('-ldflags=-s -w',):
            with self.subTest(options=options):
                info, stacks = self.check_stacks(build(self.directory, f'program{len(options)}', *options))
                ended = info['user_stacks']
                self.assertGreater(ended['samples'], 300)
                self.assertGreaterEqual(ended['complete'], 0.99 * ended['samples'], ended)
                unlike = {names: n for names, n in stacks.items() if not known.fullmatch(';'.join(names))}
                self.assertLessEqual(sum(unlike.values()), ended['samples'] - ended['complete'], unlike)  # of these the rest is missing
                deep = [names for names in stacks if names.count('main.deep') > 1]
                whole = sum(stacks[names] for names in deep if names.count('main.deep') == 21 and 'main.worker' in names)
                self.assertGreater(sum(stacks[names] for names in deep), 100)
                self.assertGreater(whole, 0.97 * sum(stacks[names] for names in deep))


if __name__ == '__main__':
    unittest.main()
