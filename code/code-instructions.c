/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-instructions.h"

const struct code_instruction *code_instructions_get(const struct code_instructions *instructions)
{
  return (const struct code_instruction *)(instructions + 1);
}

const struct code_instruction *code_instructions_find(const struct code_instructions *instructions,
                                                      uint64_t address)
{
  const struct code_instruction *instruction = code_instructions_get(instructions);
  uint32_t n = instructions->n_instructions;

  if (address < instructions->address || address - instructions->address >= instructions->length)
    return NULL;
  while (n > 1) {
    uint32_t half = n / 2;

    if (instruction[half].address <= address) {
      instruction += half;
      n -= half;
    } else {
      n = half;
    }
  }
  return instruction;
}
