/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-disassemble.h"

#include <stdlib.h>

#include "code/code-disassemble.h"
#include "code/code-range.h"
#include "helpers/elf-reader/elf-reader-file.h"

static int elf_reader_find_code(const void *file, size_t size, uint32_t flags,
                                const struct elf_reader_code *code, struct code_range *ret)
{
  if ((flags & ELF_READER_BYTES) == 0)
    return code_range_find(file, size, code->offset, code->length, ret);
  ret->machine = (uint16_t)code->machine;
  ret->address = code->address;
  return code_range_cut(file, size, code->offset, code->length, ret);
}

int elf_reader_disassemble(const void *file, size_t size, uint32_t flags, const struct elf_reader_code *code,
                           uint64_t *ret_length)
{
  struct code_instructions *instructions;
  struct code_range range;
  int result = elf_reader_find_code(file, size, flags, code, &range);
  if (result == 0)
    result = code_disassemble(range.bytes, range.size, range.machine, range.address, &instructions);
  if (result < 0)
    return result;
  *ret_length = instructions->size;
  result = elf_reader_file_seal(instructions, instructions->size);
  free(instructions);
  return result;
}
