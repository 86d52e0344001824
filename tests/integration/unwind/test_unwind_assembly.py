# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read from code that nothing describes: against descriptions, where there are some, and in assembly whose stack is known.

UNWIND_FILES=FILE:FILE… in the environment names files to compare instead of the usual ones.
"""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from support import BUILD, run

TOOLS = BUILD / 'tests' / 'unit' / 'unwind'
LIBRARIES = pathlib.Path('/usr/lib/x86_64-linux-gnu')

# Of the instructions that were read, so many may contradict the descriptions. It is these that are wrong: libcrypto's SHA1 of several
# buffers does not say where rbp is.
WRONG_DESCRIPTIONS = {'libcrypto.so.3': 0.004}
# Likewise in functions whose description does not say that they move rsp, as their own instructions show: mpn_mul_1 and its like, and
# stpncpy's neighbours; AES-XTS and RSA with AVX-512 of OpenSSL 3.5.
MISDESCRIBED = {'libc.so.6': 0.001, 'libcrypto.so.3': 0.013}
# Likewise, where the reader is wrong: behind a call of abort(), whose name it does not know, stands what other ways lead to, and GCC 16
# saves registers on one way that it does not on others.
BEHIND_ABORT = {'libglib-2.0.so.0': 0.00002}
USUAL = ('libc.so.6', 'libcrypto.so.3', 'libstdc++.so.6', 'libm.so.6', 'libglib-2.0.so.0')
PROGRAMS = ('git', 'perf')

SOURCE = r'''
    .intel_syntax noprefix
    .text
    .globl main
    .type main, @function
    .p2align 4
plain:
    push rbp
    push rbx
plain_pushed:
    sub rsp, 40
plain_body:
    mov ebp, edi
    xor ebx, ebx
    test edi, edi
    je plain_end
    mov ebx, [rsp + 8]
plain_end:
    add rsp, 40
    pop rbx
    pop rbp
plain_level:
    ret

    .p2align 4
realigned:
    cmp rdi, 4
    jne realigned_slow
    ret
realigned_slow:
    push rbp
    mov rbp, rsp
realigned_frame:
    and rsp, -16
    call plain
    mov rsp, rbp
    pop rbp
realigned_level:
    ret

    .p2align 4
vectors:
    push rbp
    mov rax, rsp
    sub rsp, 8
    and rsp, -32
    mov [rsp], rax
    mov rbp, rsp
    lea rsp, [rbp - 256]
vectors_body:
    vpaddd ymm0, ymm1, [rbp - 64]
    vpternlogd zmm16, zmm1, zmm2, 255
    mov rsp, rbp
    pop rsp
vectors_popped:
    pop rbp
    ret

    .p2align 4
switch:
    push rbx
    sub rsp, 16
    movsxd rax, dword ptr [rsi + 4 * rdi]
    add rax, rsi
    jmp rax
switch_case:
    mov rbx, [rsp]
    jmp switch_end
switch_other:
    xor ebx, ebx
switch_end:
    add rsp, 16
    pop rbx
    ret

    .p2align 4
tables:
    sub rsp, 24
    cmp edi, 4
    ja tables_other
    movsxd rax, dword ptr [rsi + 4 * rdi]
    add rax, rsi
    jmp rax
tables_other:
    mov [rsp + 16], rbx
tables_saved:
    movsxd rbx, dword ptr [rdx + 4 * rdi]
    add rbx, rdx
    jmp rbx
tables_case:
    add rsp, 24
    ret

    .p2align 4
throws:
    push rbx
    call plain
throws_caught:
    endbr64
    pop rbx
    ret

    .p2align 4
    nop
no_root:
    test edi, edi
    xor ebp, ebp
no_root_zeroed:
    call plain
    hlt

    .p2align 4
root:
    xor ebp, ebp
root_zeroed:
    call plain
    hlt

    .p2align 4
thread:
    mov eax, 56
    syscall
    test eax, eax
    jnz thread_parent
    xor ebp, ebp
thread_root:
    pop rdi
    call r9
    mov edi, eax
    mov eax, 60
    syscall
    hlt
thread_parent:
    ret

    .p2align 4
unbalanced:
    push rbx
unbalanced_body:
    nop
    ret

    .p2align 4
moves_its_return:
    test rdi, rdi
    jne moves_its_return_slow
    ret
moves_its_return_slow:
    push rcx
    push rdi
    push qword ptr [rsp + 16]
moves_its_return_pushed:
    mov r10, [r13 + 200]
    mov [rsp + 24], r10
moves_its_return_moved:
    jmp returns_elsewhere
    .p2align 6, 0xcc
returns_elsewhere:
    push rbp
    mov rbp, rsp
    and rsp, -16
    call rbx
returns_elsewhere_called:
    mov rcx, [rbp + 8]
    mov rbp, [rbp]
    lea rsp, [r15 + 8]
    push rcx
    ret

    .p2align 4
data:
    .byte 0x0e, 0x16, 0x1e, 0x06, 0x27, 0x2f, 0x37, 0x3f, 0x0e, 0x16, 0x1e, 0x06, 0x27, 0x2f, 0x37, 0x3f
last:
    sub rsp, 8
last_body:
    lea rax, [rsp + rdi]
    add rsp, 8
    ret

    .p2align 4
before_its_function:
    xor ebp, ebp
    call plain
    ud2
has_part_before:
    endbr64
    push rbp
    push rbx
    sub rsp, 8
has_part_before_body:
    test edi, edi
    je before_its_function
    add rsp, 8
    pop rbx
    pop rbp
    ret

    .p2align 4
    .cfi_startproc
main:
    xor eax, eax
    ret
    .cfi_endproc
has_part_elsewhere:
    push rbx
has_part_elsewhere_body:
    mov rbx, [rdi + 1000]
    test rbx, rbx
    je main
    mov [rdi + 1000], rsi
    pop rbx
    ret
    .section .note.GNU-stack
'''

# What is known at each label; None: nothing.
EXPECTED = {
    'plain': 'sp+8 same same c-8', 'plain_pushed': 'sp+24 c-16 c-24 c-8', 'plain_body': 'sp+64 c-16 c-24 c-8',
    'plain_end': 'sp+64 c-16 c-24 c-8', 'plain_level': 'sp+8 same same c-8',
    'realigned': 'sp+8 same same c-8', 'realigned_slow': 'sp+8 same same c-8', 'realigned_frame': 'fp+16 c-16 same c-8',
    'realigned_level': 'sp+8 same same c-8',
    'vectors_body': 'fp-deref+0+16 c-16 same c-8', 'vectors_popped': 'sp+16 c-16 same c-8',
    'switch_case': 'sp+32 same c-16 c-8', 'switch_other': 'sp+32 same c-16 c-8', 'switch_end': 'sp+32 same c-16 c-8',
    'tables_other': 'sp+32 same same c-8', 'tables_saved': 'sp+32 same c-16 c-8', 'tables_case': 'sp+32 same undefined c-8',
    'no_root_zeroed': None, 'root_zeroed': 'sp+8 undefined undefined undefined', 'throws_caught': 'sp+16 undefined undefined c-8',
    'thread': 'sp+8 same same c-8', 'thread_root': 'sp+8 undefined undefined undefined', 'thread_parent': 'sp+8 same same c-8',
    'moves_its_return': 'sp+8 same same c-8', 'moves_its_return_pushed': 'sp+32 same same c-8', 'moves_its_return_moved': None,
    'returns_elsewhere_called': None,
    'before_its_function': 'sp+32 c-16 c-24 c-8', 'has_part_before_body': 'sp+32 c-16 c-24 c-8',
    'has_part_elsewhere_body': 'sp+16 same c-16 c-8',
    'unbalanced_body': None, 'data': None, 'last_body': 'sp+16 same same c-8',
}


def read_words(line):
    words = line.split()
    return dict(zip(words[2::2], map(int, words[3::2])))


class UnwindAssembly(unittest.TestCase):
    def compare(self, judge, *options):
        """Of each file the counts, and what compare-code printed, go to judge(counts, name, printed)."""
        usual = [*(LIBRARIES / name for name in USUAL), *map(shutil.which, PROGRAMS)]
        for path in os.environ['UNWIND_FILES'].split(':') if 'UNWIND_FILES' in os.environ else usual:
            printed = run(TOOLS / 'compare-code', *options, path).stdout
            with self.subTest(path=str(path)):
                judge(read_words(printed.splitlines()[0]), pathlib.Path(path).name, printed)

    def test_functions(self):
        """Where a function begins is told. Each contradiction is the description's fault, but for what is said above."""
        def judge(counts, name, printed):
            wrong = WRONG_DESCRIPTIONS.get(name, 0) + BEHIND_ABORT.get(name, 0)
            self.assertLessEqual(counts['different'], wrong * counts['read'], printed)
            self.assertLessEqual(counts['misdescribed'], MISDESCRIBED.get(name, 0) * counts['read'], printed)
            self.assertGreater(counts['read'], 0.75 * counts['described'], printed)
        self.compare(judge, '--functions')

    def test_sections(self):
        """Where functions begin is found out, in code of compilers, which is the worst case: its functions have parts elsewhere, and jump
        by tables; hand-written ones seldom do."""
        def judge(counts, _name, printed):
            self.assertLessEqual(counts['different'], 0.015 * counts['read'], printed)
            self.assertGreater(counts['read'], 0.7 * counts['described'], printed)
        self.compare(judge)

    def test_lengths(self):
        """Of instructions, as objdump sees them."""
        for name in ('libc.so.6', 'libm.so.6'):
            output = run('objdump', '-d', '--insn-width=16', '-j', '.text', LIBRARIES / name).stdout
            instructions = {text.replace(' ', '') for text in re.findall(r'^ *[0-9a-f]+:\t((?:[0-9a-f]{2} )+) *\t', output, re.M)}
            # A wait is an instruction of its own, whatever objdump makes of it.
            instructions = sorted(text for text in instructions if not text.startswith('9b'))
            done = subprocess.run([TOOLS / 'compare-code', '--lengths'], input='\n'.join(instructions), capture_output=True, text=True, check=True)
            lengths = done.stdout.split()
            self.assertGreater(len(instructions), 20000)
            self.assertEqual([text for text, length in zip(instructions, lengths) if len(text) != 2 * int(length)], [])

    def test_assembly(self):
        with tempfile.TemporaryDirectory(prefix='capture-unwind-') as directory:
            source, program = (pathlib.Path(directory) / name for name in ('a.s', 'program'))
            source.write_text(SOURCE)
            run('gcc', '-nostartfiles', '-Wl,-e,main', '-o', program, source)
            labels = {name: int(address, 16) for address, name in re.findall(r'^([0-9a-f]+) t (\w+)$', run('nm', program).stdout, re.M)}
            run('strip', program)  # nobody needs their names
            rows = [line.split() for line in run(TOOLS / 'dump-table', program).stdout.splitlines()[1:]]
        for label, expected in EXPECTED.items():
            address = labels[label]
            row = max((row for row in rows if int(row[0], 16) <= address), key=lambda row: int(row[0], 16))
            found = None if row[1] == 'none+0' else ' '.join(row[1:5])
            self.assertEqual(found, expected, label)
            if expected:
                self.assertEqual(int(row[5]) & 128, 128, label)


if __name__ == '__main__':
    unittest.main()
