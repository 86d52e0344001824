# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of unwind information against readelf's reading of the same files, at every address.

With UNWIND_FILES=all in the environment every ELF file under /usr/bin and /usr/lib is compiled and compared; that takes some
minutes. UNWIND_FILES=FILE:FILE… names files.
"""
import bisect
import functools
import os
import pathlib
import re
import shutil
import sys
import tempfile
import unittest

from support import BUILD, SOURCE, run
from unwind_oracle import GAP, flatten, read_fdes

DUMP = BUILD / 'tests' / 'unit' / 'unwind' / 'dump-table'
LIBRARIES = pathlib.Path('/usr/lib/x86_64-linux-gnu')
PLACES = ('/usr/bin', '/usr/lib')
BY_CODE = 128  # UNWIND_RULE_BY_CODE
LINK = 'sp+0 same same same'  # of aarch64: the caller is in the link register

# What is compared in any case: everything that was ever found to be special is in one of them. The largest ones are left to
# UNWIND_FILES=all.
USUAL = ('libc.so.6', 'ld-linux-x86-64.so.2', 'libcrypto.so.3', 'libgcrypt.so.20', 'libstdc++.so.6', 'libm.so.6', 'libgcc_s.so.1',
         'libglib-2.0.so.0', 'libpython3.11.so.1.0', 'libsqlite3.so.0')
USUAL_PROGRAMS = ('bash', 'git', 'perf', 'gdb', 'python3')
LARGE = ('libgtk-4.so.1', 'libLLVM-14.so.1')
LARGE_PROGRAMS = ('node',)

ERRORS = {8: 'no ELF file of a machine that is understood', 61: 'no unwind information'}


def header(path, start, size):
    """A number in the ELF header."""
    with open(path, 'rb') as file:
        return int.from_bytes(file.read(64)[start:start + size], 'little')


def is_relocatable(path):
    """Nothing maps such a file (ET_REL), so there is nothing to compile, though readelf shows what will become of it."""
    return header(path, 16, 2) == 1


def machine_of(path):
    return {62: 'x86-64', 183: 'aarch64'}.get(header(path, 18, 2))


def explain_entry(path, ours, theirs):
    """A program's first instruction that nothing describes (ld.so's _start): nobody called it, so it is a root."""
    return theirs == GAP and ours[1] == 'sp+8 same same undefined' and header(path, 24, 8) == ours[0]


@functools.lru_cache
def linkers_places(path):
    """Where .init and .fini are."""
    found = re.findall(r'\] \.(?:init|fini) +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)', run('readelf', '-SW', path).stdout)
    return [range(int(start, 16), int(start, 16) + int(size, 16)) for start, size in found]


def explain_linkers(path, ours, theirs):
    """.init and .fini, which linkers put together: a call out of them leaves 16 bytes to the return address."""
    return theirs == GAP and ours[1] in ('sp+8 same same c-8', 'sp+16 same same c-8') and any(
        ours[0] in place for place in linkers_places(path))


@functools.lru_cache
def loaded(path):
    """(address, size, offset) of what is mapped executable."""
    found = re.findall(r'^  LOAD +0x([0-9a-f]+) 0x([0-9a-f]+) 0x[0-9a-f]+ 0x([0-9a-f]+) 0x[0-9a-f]+ R E', run('readelf', '-lW', path).stdout, re.M)
    return [(int(address, 16), int(size, 16), int(offset, 16)) for offset, address, size in found]


def code_at(path, address, size):
    """The instructions there."""
    for start, length, offset in loaded(path):
        if start <= address < start + length:
            with open(path, 'rb') as file:
                file.seek(address - start + offset)
                return file.read(size)
    return b''


@functools.lru_cache
def first_destructor(path):
    """Where the first function is that a binary calls last: crtstuff.c's __do_global_dtors_aux, mostly."""
    match = re.search(r'\] \.fini_array +\w+ +[0-9a-f]+ ([0-9a-f]+) ([0-9a-f]+)', run('readelf', '-SW', path).stdout)
    if not match or int(match[2], 16) < 8:
        return None
    with open(path, 'rb') as file:
        file.seek(int(match[1], 16))
        return int.from_bytes(file.read(8), 'little')


def explain_crtstuff(path, ours, theirs):
    """GCC's crtstuff.c, which is in nearly every binary: what it does first and last. Only one of its functions has a frame."""
    place = first_destructor(path)
    return theirs == GAP and place is not None and place - 160 <= ours[0] < place + 96 and ours[1] in (
        'sp+8 same same c-8', 'sp+16 c-16 same c-8', 'fp+16 c-16 same c-8')


def explain_clone(path, ours, theirs):
    """Behind the system call of clone(): which stack it is depends on the thread."""
    return theirs == GAP and ours[1] == 'clone+8/0 same same c-8' and code_at(path, ours[0], 5) == b'\x0f\x05\x48\x85\xc0'


def explain_coroutine(path, ours, theirs):
    """A coroutine returns to the first byte of __start_context, which nobody calls; it is looked up minus one."""
    return theirs == GAP and ours[1] == 'sp+8 same same undefined' and code_at(path, ours[0] + 1, 7) == b'\x48\x89\xdc\x48\x8b\x3c\x24'


# Every disagreement has a name and an explanation; whatever is left over is a failure. What readelf writes as "u" also where
# nothing is said of a register needs none: the callee left it alone, and unwind_oracle.py reads it so.
EXPLAINED = (explain_entry, explain_linkers, explain_crtstuff, explain_clone, explain_coroutine)


def read_table(path):
    """The summary line as a dictionary, and the rows as (address, text). Of what was read from code no description says anything: it is a
    gap here, and looked at in test_unwind_assembly.py."""
    head, *lines = run(DUMP, path).stdout.splitlines()
    words = head.split()
    rows = []
    for line in lines:
        address, cfa, fp, base, ra, flags = line.split()
        fp, base = (('same' if saved == 'undefined' else saved) for saved in (fp, base))
        text = GAP if int(flags) & BY_CODE else f'{cfa} {fp} {base} {ra}'
        if not rows or rows[-1][1] != text:
            rows.append((int(address, 16), text))
    return dict(zip(words[2::2], words[3::2])), rows


def at_each_boundary(ours, theirs):
    """(address, our text, theirs) wherever one of two lists of rows begins anew."""
    mine = other = GAP
    tables = {False: dict(ours), True: dict(theirs)}
    for address in sorted({*tables[False], *tables[True]}):
        mine, other = tables[False].get(address, mine), tables[True].get(address, other)
        yield address, mine, other


def difference(path, ours, theirs):
    """The first places at which two lists of rows differ without a known reason, as text."""
    if ours == theirs:
        return ''
    places = [f'{address:x}: table {mine}, readelf {other}' for address, mine, other in at_each_boundary(ours, theirs)
              if mine != other and not any(explain(path, (address, mine), other) for explain in EXPLAINED)]
    return '\n'.join(places[:12])


def elf_files(*places):
    for place in places:
        for directory, _, names in os.walk(place):
            for name in names:
                path = os.path.join(directory, name)
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                with open(path, 'rb') as file:
                    if file.read(4) == b'\x7fELF':
                        yield path


class UnwindTables(unittest.TestCase):
    def compare(self, path):
        """Fails where a file's table and readelf disagree; returns the table's summary, None where there is nothing to compare."""
        summary, ours = read_table(path)
        if 'error' in summary:
            self.assertIn(int(summary['error']), ERRORS, path)
            if int(summary['error']) == 61 and not is_relocatable(path):
                self.assertFalse(read_fdes(str(path), machine_of(path)), f'{path} has unwind information, and no table')
            return None
        self.assertEqual(summary['valid'], '1', path)
        self.assertEqual(summary['bad'], '0', path)
        theirs = flatten(read_fdes(str(path), machine_of(path)))
        self.assertEqual(difference(str(path), ours, theirs), '', path)
        return summary

    def test_usual_files(self):
        for path in [*(LIBRARIES / name for name in USUAL), *(shutil.which(name) for name in USUAL_PROGRAMS)]:
            if path and os.path.exists(path):
                with self.subTest(path=str(path)):
                    self.assertIsNotNone(self.compare(os.path.realpath(path)))

    def test_many_files(self):
        """Those that UNWIND_FILES names; without it a sample of what is small in /usr/bin, always the same."""
        wanted = os.environ.get('UNWIND_FILES', '')
        if wanted == 'all':
            paths = list(elf_files(*PLACES))
            for name in (*(LIBRARIES / name for name in LARGE), *map(shutil.which, LARGE_PROGRAMS)):
                self.assertIn(os.path.realpath(name), paths)
        elif wanted:
            paths = wanted.split(':')
        else:
            paths = sorted(path for path in elf_files('/usr/bin') if os.path.getsize(path) < 300_000)[::20]
        compared = rows = 0
        for path in paths:
            with self.subTest(path=path):
                summary = self.compare(path)
                compared += summary is not None
                rows += int(summary['rows']) if summary else 0
        print(f'{len(paths)} files compiled, {compared} compared, {rows} rows', file=sys.stderr)
        self.assertGreaterEqual(compared, 300 if wanted == 'all' else 1)

    def test_size_of_rows(self):
        """At most 5 bytes a row, all told, where there are enough rows that the header does not count."""
        paths = [str(LIBRARIES / name) for name in USUAL if (LIBRARIES / name).exists()]
        for line in run(DUMP, '--sizes', *paths).stdout.splitlines():
            words = line.split()
            summary = dict(zip(words[2::2], words[3::2]))
            if int(summary['rows']) >= 5000:
                self.assertLessEqual(int(summary['size']), 5 * int(summary['rows']), line)

    def test_static_program(self):
        """A static C library, with and without section headers."""
        with tempfile.TemporaryDirectory(prefix='capture-unwind-') as directory:
            source, program, stripped = (pathlib.Path(directory) / name for name in ('a.c', 'program', 'stripped'))
            source.write_text('#include <stdio.h>\nint main(void) { return puts("") < 0; }\n')
            run('gcc', '-O2', '-static', '-o', program, source)
            self.compare(program)
            run('gcc', '-O2', '-static', '-Wl,--no-eh-frame-hdr', '-o', program, source)
            self.compare(program)
            _, rows = read_table(program)
            content = bytearray(program.read_bytes())
            content[40:48] = bytes(8)  # e_shoff
            content[60:64] = bytes(4)  # e_shnum, e_shstrndx
            stripped.write_bytes(content)
            # Without section headers nothing says where .init and .fini are.
            self.assertEqual(difference(str(program), rows, read_table(stripped)[1]), '')

    def test_threads_and_coroutines(self):
        """What the C library leaves out of its descriptions is known: twice behind the system call that begins a thread, and the
        root of a coroutine."""
        path = os.path.realpath(LIBRARIES / 'libc.so.6')
        rows = read_table(path)[1]
        for explain, count in (explain_clone, 2), (explain_coroutine, 1):
            self.assertEqual(sum(explain(path, row, GAP) for row in rows), count, explain.__name__)

    def test_beginning_and_end(self):
        """Of programs and libraries, built in each way: crtstuff.c's functions and what is on the stack at each of their instructions."""
        with tempfile.TemporaryDirectory(prefix='capture-unwind-') as directory:
            source, program = (pathlib.Path(directory) / name for name in ('a.c', 'program'))
            source.write_text('int main(void) { return 0; }\n')
            for options in ((), ('-static',), ('-static-pie',), ('-no-pie',), ('-shared', '-fPIC'), ('-fcf-protection=none',)):
                with self.subTest(options=options):
                    run('gcc', '-O2', *options, '-o', program, source)
                    # In static programs frame_dummy has other work to do, and is left alone.
                    self.check_beginning_and_end(program, 3 if options == ('-static',) else 4)

    def check_beginning_and_end(self, program, count):
        rows = read_table(program)[1]
        text = run('objdump', '-d', '--no-show-raw-insn', program).stdout
        functions = re.findall(r'^[0-9a-f]+ <((?:de)?register_tm_clones|__do_global_dtors_aux|frame_dummy)>:\n((?: .*\n)+)', text, re.M)
        self.assertEqual(len(functions), 4)
        for name, instructions in functions[:count]:
            rule = 'sp+8 same same c-8'
            for address, instruction in re.findall(r'^ +([0-9a-f]+):\t(.*?) *$', instructions, re.M):
                if 'nop' not in instruction:
                    at = rows[bisect.bisect(rows, (int(address, 16), '~')) - 1][1]
                    self.assertEqual(at, rule, f'{name} {address} {instruction}')
                rule = {'push   %rbp': 'sp+16 c-16 same c-8', 'mov    %rsp,%rbp': 'fp+16 c-16 same c-8',
                        'pop    %rbp': 'sp+8 same same c-8'}.get(instruction, rule)

    def test_aarch64(self):
        corpus = SOURCE / 'tests/fuzz/corpus/unwind-compile/aarch64'
        summary, ours = read_table(corpus)
        self.assertGreater(len(ours), 10)
        theirs = flatten(read_fdes(str(corpus), 'aarch64'))
        # Before it stands .plt, which nothing describes: two registers are pushed for the resolver.
        section = re.search(r'\] \.plt +\w+ +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+)', run('readelf', '-SW', corpus).stdout)
        plt, size = (int(word, 16) for word in section.groups())
        self.assertEqual(theirs[0], (plt + size, LINK))
        self.assertEqual(ours, [(plt, LINK), (plt + 8, 'sp+16 same same c-8'), (plt + 32, LINK), *theirs[1:]])
        flags = {line.split()[-1] for line in run(DUMP, corpus).stdout.splitlines()[1:]}
        self.assertIn('2', flags)  # signed return addresses

    def test_debug_frame(self):
        """What .eh_frame leaves out .debug_frame tells, compressed or not."""
        with tempfile.TemporaryDirectory(prefix='capture-unwind-') as directory:
            source, program = (pathlib.Path(directory) / name for name in ('a.c', 'program'))
            source.write_text('int twice(int (*f)(int), int n) { return f(n) + f(n + 1); }\nint main(void) { return 0; }\n')
            for option in ('-gz=none', '-gz=zlib'):
                run('gcc', '-O2', '-g', option, '-fno-asynchronous-unwind-tables', '-o', program, source)
                _, rows = read_table(program)
                known = dict(rows)
                for fde in read_fdes(str(program), section='.debug_frame'):
                    for address, text in fde.rows:
                        self.assertEqual(known.get(address), text, f'{option} {address:x}')
                self.assertGreater(len(read_fdes(str(program), section='.debug_frame')), 1)


if __name__ == '__main__':
    unittest.main()
