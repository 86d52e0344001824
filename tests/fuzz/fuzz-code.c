/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code, whatever it is: the first byte says of which machine, the second where it is in memory. The
 * instructions hold all of it, without gaps; and what another process says is instructions. */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "code/code-disassemble.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char sink;

static void read_all(const struct code_instructions *instructions)
{
  const struct code_instruction *instruction = code_instructions_get(instructions);

  for (uint32_t i = 0; i < instructions->n_instructions; i++, instruction++)
    for (uint32_t j = 0; j < instruction->text_length; j++)
      sink += ((const unsigned char *)instructions)[instruction->text + j];
  for (uint64_t at = 0; at < instructions->length; at++) {
    const struct code_instruction *found = code_instructions_find(instructions, instructions->address + at);

    if (!found || instructions->address + at < found->address ||
        instructions->address + at - found->address >= found->size)
      abort();
  }
}

static void decode(const void *bytes, size_t size, uint16_t machine, uint64_t address)
{
  struct code_instructions *instructions;

  if (code_disassemble(bytes, size, machine, address, &instructions) < 0)
    return;
  if (!code_instructions_are_valid(instructions, instructions->size) ||
      code_instructions_are_valid(instructions, instructions->size - 1) || instructions->length != size)
    abort();
  read_all(instructions);
  ((unsigned char *)instructions)[size * 7919 % instructions->size] ^= 0x10;
  if (code_instructions_are_valid(instructions, instructions->size))
    read_all(instructions);
  free(instructions);
}

static void read_answer(const uint8_t *data, size_t size)
{
  uint64_t *copy = malloc(size + sizeof *copy); /* aligned, as what was received is */

  memcpy(copy, data, size);
  if (code_instructions_are_valid(copy, size))
    read_all((const struct code_instructions *)copy);
  free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const uint16_t machines[] = {EM_X86_64, EM_AARCH64, EM_386, EM_ARM, EM_RISCV, EM_S390};

  if (size < 2)
    return 0;
  decode(data + 2, size - 2, machines[data[0] % (sizeof machines / sizeof machines[0])],
         data[1] < 128 ? data[1] * UINT64_C(0x1001) : UINT64_MAX - data[1] * UINT64_C(0x10));
  read_answer(data + 2, size - 2);
  return 0;
}
