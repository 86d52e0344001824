/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints machine code of an ELF file as the code-reader decodes it, for tests that compare it with other
 * programs: `dump-code FILE` reads one "ADDRESS OFFSET LENGTH" a line, hexadecimal, and answers "ADDRESS SIZE
 * KIND TARGET TEXT" for each instruction, separated by tabs. The file is believed. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "code/code-disassemble.h"

static void print(const struct code_instructions *instructions)
{
  static const char *const kinds[] = {"plain", "jump", "conditional", "call", "return"};
  const struct code_instruction *instruction = code_instructions_get(instructions);

  for (uint32_t i = 0; i < instructions->n_instructions; i++, instruction++)
    printf("%" PRIx64 "\t%u\t%s\t%" PRIx64 "\t%.*s\n", instruction->address, instruction->size,
           kinds[instruction->kind], instruction->target, (int)instruction->text_length,
           (const char *)instructions + instruction->text);
}

static int dump(const Elf64_Ehdr *elf, uint64_t address, uint64_t offset, uint64_t length)
{
  struct code_instructions *instructions;
  int result = code_disassemble((const char *)elf + offset, length, elf->e_machine, address, &instructions);

  if (result < 0) {
    fprintf(stderr, "dump-code: %s\n", strerror(-result));
    return result;
  }
  if (!code_instructions_are_valid(instructions, instructions->size))
    abort();
  print(instructions);
  free(instructions);
  return 0;
}

int main(int argc, char **argv)
{
  int fd = argc == 2 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;
  uint64_t address, offset, length;
  struct stat status;
  int result = 0;

  if (fd < 0 || fstat(fd, &status) < 0)
    return 2;
  void *elf = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (elf == MAP_FAILED)
    return 2;
  while (result == 0 && scanf("%" SCNx64 " %" SCNx64 " %" SCNx64, &address, &offset, &length) == 3)
    result = dump(elf, address, offset, length);
  return result < 0 ? 1 : 0;
}
