/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decodes machine code. Every byte is hostile, and costs its text at worst. Thread-safe.
 *
 * What is known depends on Capstone: version 4 lacks RISC-V, most of AVX-512, and SVE.
 */
#ifndef CODE_DISASSEMBLE_H
#define CODE_DISASSEMBLE_H

#include "code/code-instructions.h"

/* Decodes `size` bytes (at most CODE_BYTES_MAX) of a machine's (EM_…) code, which is at an address in memory.
 * On EM_ARM an odd address means Thumb code at the even one before it. What the decoder does not know is
 * CODE_UNKNOWN_MACHINE, not an error. On x86 the text is objdump's, in AT&T's syntax; elsewhere it is
 * Capstone's, which says "#0x10" where objdump says "#16". *ret is to be freed with free(). 0, or a
 * negative errno with *ret untouched: -EFBIG, -EINVAL (it would end behind the last address), -ENOMEM. */
int code_disassemble(const void *bytes, size_t size, uint16_t machine, uint64_t address,
                     struct code_instructions **ret);

#endif
