# SPDX-License-Identifier: GPL-3.0-or-later
"""Machine code as text beside what objdump says, function by function.

Instructions must begin and end where objdump's do, for all functions; jumps and calls must be known as such and go
where objdump says. On x86 the texts must be the same too, on aarch64 the mnemonics, but for what DIFFERENCES explains.
"""
import bisect
import collections
import os
import re
import shutil
import unittest

from support import BUILD, SOURCE, TestCase, run

DUMP_CODE = BUILD / 'tests/unit/code/dump-code'
FUNCTIONS = 8000  # of one file

# By machine: what objdump says, what we say (each a match for the whole text, or on aarch64 for the mnemonic), and why.
DIFFERENCES = {
    'x86': [
        (r'(data16 )*(cs )?nop[wl] .*', r'nop[wl] .*', 'padding: objdump lists its prefixes as words of their own'),
        (r'[vk]\w+ .*|rdpkru|wrpkru', r'\.byte 0x(62|c4|c5|0f),.*', 'newer than Capstone 4, which lacks most of AVX-512'),
        (r'xchg (%\w+),(%\w+)', r'xchg (%\w+),(%\w+)', 'either order is the same'),
        (r'xabort .*', r'xabort .*', 'Capstone 4 extends the sign of what has none'),
    ],
    'aarch64': [
        (r'mov', r'movz|movn|orr|ins|umov|dup', 'an alias that Capstone 4 does not prefer'),
        (r'[su]xtl2?', r'[su]shll2?', 'an alias that Capstone 5 does not prefer: the shift is by 0'),
        (r'b\.cs', r'b\.hs', 'the same condition'),
        (r'b\.cc', r'b\.lo', 'the same condition'),
        (r'dc|ic|at|tlbi', r'sys', 'an alias that Capstone 4 does not know'),
        (r'gcs\w+', r'sysl?', 'likewise: of guarded control stacks'),
        (r'chkfeat', r'hint', 'likewise'),
        (r'\w+', r'\.word', 'newer than Capstone 4: SVE and memory tags'),
        (r'\.inst|udf', r'\.word', 'no instruction'),
    ],
}
# What mnemonics are; all others are plain.
KINDS = {
    'x86': {'jump': r'l?jmp', 'conditional': r'j\w+|loop\w*|xbegin', 'call': 'l?call', 'return': r'l?ret|iretq?|sysretq?'},
    'aarch64': {'jump': r'br?', 'conditional': r'b\.\w+|cbn?z|tbn?z', 'call': 'blr?', 'return': 'e?ret'},
}
# What reads at %rsi or writes at %rdi by itself.
STRING = re.compile(r'(rep\w* )?(movs|cmps|lods|stos|scas|ins|outs)[bwlq]? ')
# What is left of a function that has data in it: prefixes without an instruction, and what is none.
NO_CODE = re.compile(r'(rex(\.\w+)?|data16|addr32|lock|repn?z|[c-gs]s|\(bad\)|.*\(bad\).*|\.byte .*)')


def machine_of(path):
    machine = re.search(r'Machine: +(.*)', run('readelf', '-hW', path).stdout)[1]
    return 'aarch64' if 'AArch64' in machine else 'x86'


def library(name):
    """Where the dynamic linker finds it."""
    found = re.search(rf'{re.escape(name)} \(libc6,(?:x86-64|AArch64)\S*\) => (\S+)', run(shutil.which('ldconfig') or '/sbin/ldconfig', '-p').stdout)
    return os.path.realpath(found[1])


def debug_file(path):
    build_id = re.search('Build ID: (..)(.*)', run('readelf', '-nW', path).stdout)
    return f'/usr/lib/debug/.build-id/{build_id[1]}/{build_id[2]}.debug' if build_id else ''


def functions_of(path):
    """(address, file offset, size) of those in .text, as they are not in one another, of its debug file too."""
    number, address, offset = re.search(r'\[ *(\d+)\] \.text +\S+ +(\w+) (\w+)', run('readelf', '-SW', path).stdout).groups()
    sizes = collections.defaultdict(int)
    for words in map(str.split, run('readelf', '-sW', *filter(os.path.exists, (path, debug_file(path)))).stdout.splitlines()):
        if len(words) > 7 and words[3] in ('FUNC', 'IFUNC') and words[6] == number:
            sizes[int(words[1], 16)] = max(sizes[int(words[1], 16)], int(words[2], 0))
    functions, end = [], 0
    for start in sorted(sizes):
        if start >= end and sizes[start]:
            functions.append((start, start - int(address, 16) + int(offset, 16), sizes[start]))
            end = start + sizes[start]
    return functions[:FUNCTIONS]


def read_objdump(path, program='objdump'):
    """{address: text}: without comments, names of addresses and columns. As older ones write them: shifts by 1 without that 1, where the
    instruction has none, and string instructions with segments, which binutils 2.47 leaves out because they are 0 in 64-bit code."""
    texts = {}
    for line in run(program, '-d', '--no-show-raw-insn', '-j', '.text', path, timeout=600).stdout.splitlines():
        found = re.match(r' *([0-9a-f]+):\t(.*)', line)
        if found:
            text = re.sub(r'<[^>]*>', '', re.split(r'\s#\s|//', found[2])[0])
            text = re.sub(r'^((?:sa|sh|ro|rc)[lr][bwlq]?) \$1,', r'\1 ', ' '.join(text.split()))
            if STRING.match(text):
                text = re.sub(r'(?<!:)\(%[re]si\)', r'%ds:\g<0>', re.sub(r'(?<!:)\(%[re]di\)', r'%es:\g<0>', text))
            texts[int(found[1], 16)] = text
    return texts


def read_ours(path, functions):
    """{address: (size, kind, target, text)}"""
    asked = ''.join(f'{address:x} {offset:x} {size:x}\n' for address, offset, size in functions)
    lines = [line.split('\t') for line in run(DUMP_CODE, path, stdin=asked.encode(), timeout=600).stdout.splitlines()]
    return {int(address, 16): (int(size), kind, int(target, 16), text) for address, size, kind, target, text in lines}


def mnemonic(text):
    return text.split()[0] if text else ''


class Code(TestCase):
    def is_explained(self, machine, theirs, ours):
        for i, (their, our, _why) in enumerate(DIFFERENCES[machine]):
            if re.fullmatch(their, theirs) and re.fullmatch(our, ours):
                self.used[machine, i] += 1
                return True
        return False

    def check_flow(self, machine, address, theirs, ours):
        """The kind, and where a direct one goes."""
        name = mnemonic(re.sub('^((bnd|notrack|repz) )*', '', theirs))
        expected = next((kind for kind, names in KINDS[machine].items() if re.fullmatch(names, name)), 'plain')
        self.assertEqual(ours[1], expected, (hex(address), theirs))
        if ours[1] in ('jump', 'conditional', 'call'):
            direct = re.search(r'[ ,]([0-9a-f]+)$', theirs)
            self.assertEqual(ours[2], int(direct[1], 16) if direct else 0, (hex(address), theirs))

    def compare(self, path, program='objdump'):
        """The counts: functions, those with data in them, instructions, texts that differ with a reason."""
        machine, functions = machine_of(path), functions_of(path)
        theirs, ours = read_objdump(path, program), read_ours(path, functions)
        addresses, counts, wrong = sorted(theirs), collections.Counter(functions=len(functions)), []
        self.used = collections.Counter()
        for start, _offset, size in functions:
            inside = addresses[bisect.bisect_left(addresses, start):bisect.bisect_left(addresses, start + size)]
            if any(NO_CODE.fullmatch(theirs[at]) for at in inside):
                counts['with data'] += 1
                continue
            ends = inside[1:] + [start + size]
            self.assertEqual([(at, ours[at][0]) for at in range(start, start + size) if at in ours],
                             [(at, end - at) for at, end in zip(inside, ends)], f'{path}: the function at {start:x}')
            for at in inside:
                counts['instructions'] += 1
                self.check_flow(machine, at, theirs[at], ours[at])
                pair = theirs[at], ours[at][3]
                if machine == 'aarch64':
                    pair = tuple(map(mnemonic, pair))
                if pair[0] != pair[1]:
                    counts['different'] += 1
                    if not self.is_explained(machine, *pair):
                        wrong.append((hex(at), *pair))
        print(f'# {os.path.basename(path)}: {dict(counts)}', dict(self.used))
        self.assertEqual(wrong, [])
        self.assertLess(counts['with data'], 2 + counts['functions'] / 100)
        return counts

    def test_libc(self):
        self.assertGreater(self.compare(library('libc.so.6'))['instructions'], 50000)

    def test_libcrypto(self):
        self.assertGreater(self.compare(library('libcrypto.so.3'))['instructions'], 50000)

    def test_own_program(self):
        self.assertGreater(self.compare(DUMP_CODE)['instructions'], 100)

    @unittest.skipUnless(shutil.which('aarch64-linux-gnu-gcc'), 'no cross compiler')
    def test_aarch64(self):
        program = self.directory / 'program'
        run('aarch64-linux-gnu-gcc', '-O2', '-static', '-mbranch-protection=standard', '-o', program,
            SOURCE / 'tests/programs/many-kinds.c', '-lm')
        self.assertGreater(self.compare(program, 'aarch64-linux-gnu-objdump')['instructions'], 20000)


if __name__ == '__main__':
    unittest.main()
