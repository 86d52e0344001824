/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code of a file. */
#ifndef ELF_READER_DISASSEMBLE_H
#define ELF_READER_DISASSEMBLE_H

#include <stddef.h>

#include "helpers/elf-reader-protocol.h"

/* The descriptor of the instructions in a part of `size` bytes, or -errno. */
int elf_reader_disassemble(const void *file, size_t size, uint32_t flags, const struct elf_reader_code *code,
                           uint64_t *ret_length);

#endif
