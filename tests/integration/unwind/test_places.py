# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines and inlined functions of file offsets, found the way a capture is named, beside what addr2line says.

addr2line reads no split units, and of those of DWARF 5 it takes one file for another. So DWARF 4 is held against it,
and whatever else has the same code against that."""
import os
import re
import shutil
import time
import unittest

from support import BUILD, TestCase, environment, run

PLACE_OFFSETS = BUILD / 'tests' / 'unit' / 'profile' / 'place-offsets'
ELF_READER = BUILD / 'helpers' / 'elf-reader' / 'capture-elf-reader'
LOST, LEFT = '4', '5'  # enum capture_places_outcome
STEP = 3
UNITS = 70  # more than fit in one request

SOURCE = r'''
#include <algorithm>
#include <map>
#include <string>
#include <vector>
namespace deep {
template <typename T> static inline T square(T a) { return a * a; }
static inline int sum(const std::vector<int> &v) { int s = 0; for (int i : v) s += square(i); return s; }
}
__attribute__((noinline)) int work(std::vector<int> &v) {
  std::sort(v.begin(), v.end());
  return deep::sum(v);
}
int main(int n, char **a) {
  std::map<std::string, std::vector<int>> m;
  for (int i = 0; i < n; i++) m[a[i]].push_back(i);
  int s = 0;
  for (auto &p : m) s += work(p.second);
  return s;
}
'''
OTHER = SOURCE.replace('deep', 'other').replace('a * a', 'a * a * a')
PART = 'static inline int inner(int n) {\n  return n * n + %d;\n}\nint part%d(int n) {\n  return inner(n) / 3;\n}\n'


def code_of(program):
    """(offset, address, size) of the executable segment."""
    found = re.search(r'LOAD +(0x\w+) (0x\w+) 0x\w+ (0x\w+) 0x\w+ R E', run('readelf', '-lW', program).stdout)
    return [int(each, 16) for each in found.groups()]


def read(text):
    """[(offset or address, its frames: [function, file:line])]; none where nothing is known."""
    places = []
    for line in text.splitlines():
        if re.fullmatch('(0x)?[0-9a-f]+', line):
            places.append((int(line, 16), []))
        else:
            places[-1][1].append(line)
    return [(at, tidy(frames)) for at, frames in places]


def tidy(lines):
    def place(text):
        path, _colon, line = re.sub(r' \(discriminator \d+\)', '', text).rpartition(':')
        return f'{os.path.normpath(path)}:{line.replace("?", "0")}'

    return list(zip(lines[::2], map(place, lines[1::2])))


class Places(TestCase):
    def setUp(self):
        super().setUp()
        self.cache = self.directory / 'cache'
        self.environment = environment(CAPTURE_ELF_READER=str(ELF_READER), XDG_CACHE_HOME=str(self.cache))

    def build(self, name, *options, source=SOURCE):
        """Of whatever name, it is compiled from p.cc."""
        path = self.directory / 'p.cc'
        path.write_text(source)
        run('g++', '-O2', *(options or ('-g', '-gdwarf-4')), '-o', self.directory / name, path, cwd=self.directory)
        return self.directory / name

    def ask(self, *programs, offsets=None, options=(), started=True, outcome=None):
        """Places by program, one after the other in one list."""
        if offsets is None:
            offset, _address, size = code_of(programs[0])
            offsets = range(offset, offset + size, STEP)
        result = run(PLACE_OFFSETS, *options, *programs, stdin=''.join(f'{each:x}\n' for each in offsets).encode(),
                     env=self.environment)
        reader, _colon, outcomes = result.stderr.partition(', outcomes: ')
        self.assertEqual(reader, f'elf-reader: {"started" if started else "none"}')
        self.assertEqual(outcomes.split(), list(outcome or '0' * len(programs)))
        return read(result.stdout)

    def assert_like_plain(self, program, **how):
        """As the program of the same code whose DWARF is all in it."""
        found = self.ask(program, **how)
        self.assertEqual(found, self.ask(self.build('p')))
        return found

    def test_addr2line(self):
        program = self.build('p', '-g', '-gdwarf-4', '-no-pie')
        offset, address, size = code_of(program)
        self.assertNotEqual(offset, address)
        addresses = ''.join(f'{address + at:x}\n' for at in range(0, size, STEP)).encode()
        theirs = read(run('addr2line', '-a', '-i', '-f', '-C', '-e', program, stdin=addresses).stdout)
        ours = self.ask(program)
        self.assertEqual([at - offset for at, _frames in ours], [at - address for at, _frames in theirs])
        different, inlined, mistaken = [], 0, 0
        for (at, frames), (_address, expected) in zip(ours, theirs):
            inlined += len(frames) > 1
            # Where DWARF has no function addr2line says the symbol's.
            nameless = frames and frames[-1][0] == '??' and frames[-1][1:] == expected[-1][1:] and frames[:-1] == expected[:-1]
            nothing = not frames and len(expected) == 1 and expected[0][1].endswith(':0')
            # Now and then it says that of the innermost function, too.
            if frames and frames != expected and frames[1:] == expected[1:] and expected[0] == (expected[-1][0], frames[0][1]):
                mistaken += 1
                continue
            if frames != expected and not nameless and not nothing:
                different.append((hex(at), frames, expected))
        self.assertEqual(different, [])
        self.assertGreater(inlined, 500)
        self.assertLess(mistaken, len(ours) / 20)

    def test_dwarf_5(self):
        self.assert_like_plain(self.build('p5', '-g', '-gdwarf-5'))

    def test_compressed(self):
        self.assert_like_plain(self.build('z', '-g', '-gdwarf-4', '-gz=zlib'))

    def test_split(self):
        for version in ('4', '5'):
            program = self.build(f's{version}', f'-gdwarf-{version}', '-gsplit-dwarf')
            found = self.assert_like_plain(program)
            dwo, = self.directory.glob(f's{version}-*.dwo')
            if version == '4':  # of others dwp dies; newer binutils have none
                run(shutil.which('dwp') or 'llvm-dwp', '-e', program, '-o', self.directory / 'package')
            dwo.unlink()
            lines = self.ask(program)
            self.assertNotEqual(lines, found)
            self.assertTrue(any(frames for _at, frames in lines))
        (self.directory / 'package').rename(self.directory / 's4.dwp')
        self.assert_like_plain(self.directory / 's4')

    def test_many_split_units(self):
        names = []
        for i in range(UNITS):
            (self.directory / f'part{i}.c').write_text(PART % (i, i))
            names.append(f'part{i}.c')
        (self.directory / 'main.c').write_text('int main(void) { return 0; }\n')
        run('gcc', '-O2', '-gdwarf-4', '-gsplit-dwarf', '-o', 'many', 'main.c', *names, cwd=self.directory, timeout=600)
        run('gcc', '-O2', '-gdwarf-4', '-o', 'plain', 'main.c', *names, cwd=self.directory, timeout=600)
        found = self.ask(self.directory / 'many')
        self.assertEqual(found, self.ask(self.directory / 'plain'))
        functions = {function for _at, frames in found for function, _line in frames}
        self.assertEqual({f'part{i}' for i in range(UNITS)} - functions, set())
        self.assertIn('inner', functions)

    def test_debug_file(self):
        program = self.build('d', '-g', '-gdwarf-4')
        run('objcopy', '--only-keep-debug', program, f'{program}.debug')
        run('strip', program)
        self.assertFalse(any(frames for _at, frames in self.ask(program, started=False)))
        run('objcopy', f'--add-gnu-debuglink={program}.debug', program)
        self.assert_like_plain(program)

    @unittest.skipUnless(shutil.which('dwz'), 'dwz is not installed')
    def test_alternate(self):
        programs = [self.build('d', '-g', '-gdwarf-4'), self.build('q', '-g', '-gdwarf-4', source=OTHER)]
        run('dwz', '-m', self.directory / 'common', *programs, cwd=self.directory)
        self.assertIn('.gnu_debugaltlink', run('readelf', '-SW', programs[0]).stdout)
        found = self.assert_like_plain(programs[0])
        (self.directory / 'common').rename(self.directory / 'elsewhere')
        self.assertNotEqual(self.ask(programs[0]), found)
        run('dwz', '-m', self.directory / 'common', self.build('r', source=OTHER + '//'), self.build('t', source=OTHER + '///'))
        self.assertNotEqual(self.ask(programs[0]), found)  # of another build

    def test_not_there(self):
        self.environment['CAPTURE_ELF_READER'] = '/nonexistent'
        self.assertFalse(any(frames for _at, frames in self.ask(self.build('p'), started=False)))

    def test_store(self):
        program = self.build('p')
        offset, _address, size = code_of(program)
        all_offsets = range(offset, offset + size, STEP)
        some = all_offsets[len(all_offsets) // 2:]
        wanted = self.ask(program)
        self.ask(program, offsets=some, options=['--keep'])
        self.assertEqual(self.ask(program, options=['--keep'], offsets=all_offsets), wanted)
        self.assertEqual(self.ask(program, options=['--keep'], offsets=all_offsets, started=False), wanted)
        self.assertEqual(self.ask(program, options=['--keep'], offsets=some, started=False),
                         [(at, frames) for at, frames in wanted if at in some])
        os.utime(program, (1, 1))
        self.assertEqual(self.ask(program, options=['--keep'], offsets=all_offsets), wanted)
        self.assertEqual(self.ask(program, options=['--keep'], offsets=all_offsets, started=False), wanted)

    def test_store_of_what_is_missing(self):
        """What a file was missing for is not remembered as unknown."""
        program = self.build('s', '-gdwarf-4', '-gsplit-dwarf')
        dwo, = self.directory.glob('*.dwo')
        dwo.rename(self.directory / 'elsewhere')
        self.ask(program, options=['--keep'])
        (self.directory / 'elsewhere').rename(dwo)
        self.assert_like_plain(program, options=['--keep'])
        self.ask(program, options=['--keep'], started=False)

    def use_proxy(self):
        proxy = self.directory / 'proxy'
        proxy.mkdir()
        shutil.copy(os.path.join(os.path.dirname(__file__), 'elf_reader_proxy.py'), proxy / 'elf-reader')
        (proxy / 'elf-reader').chmod(0o755)
        (proxy / 'real').symlink_to(ELF_READER)
        self.environment['CAPTURE_ELF_READER'] = str(proxy / 'elf-reader')
        return proxy / 'pids'

    def worded(self, program, word):
        copy = self.directory / word
        copy.write_bytes(program.read_bytes() + word.encode())
        return copy

    def test_hostile_file(self):
        """A file that an elf-reader dies of, or lies about, costs its own places."""
        program = self.build('p')
        offset, _address, size = code_of(program)
        pids = self.use_proxy()
        words = ('DEADLY!!', 'UNSEALED', 'GARBAGE!')
        programs = [each for word in words for each in (program, self.worded(program, word))] + [program, program]
        offsets = range(offset, offset + size, STEP)
        found = self.ask(*programs, offsets=offsets, outcome=''.join('0' if each == program else LOST for each in programs))
        n = len(offsets)
        parts = [[frames for _at, frames in found[i * n:(i + 1) * n]] for i in range(len(programs))]
        self.assertTrue(any(parts[0]))
        for part, each in zip(parts, programs):
            self.assertEqual(part, parts[0] if each == program else [[]] * n)
        self.assertEqual(len(pids.read_text().split()), len(words) + 1)

    def test_cancelled(self):
        program = self.worded(self.build('p'), 'HANGS!!!')
        pids = self.use_proxy()
        begin = time.monotonic()
        found = self.ask(program, options=['--cancel=1500'], outcome=LEFT)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertFalse(any(frames for _at, frames in found))
        pid, = pids.read_text().split()
        self.assertFalse(os.path.exists(f'/proc/{pid}'))


if __name__ == '__main__':
    unittest.main()
