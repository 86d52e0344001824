/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from what decodes, so that whoever is handed instructions links no decoder. */
#include "code/code-instructions.h"

static bool code_text_is_valid(const struct code_instructions *instructions,
                               const struct code_instruction *instruction, uint64_t head)
{
  const unsigned char *text;

  if (instruction->text < head || instruction->text > instructions->size || instruction->text_length == 0 ||
      instruction->text_length > CODE_TEXT_MAX ||
      instruction->text_length > instructions->size - instruction->text)
    return false;
  text = (const unsigned char *)instructions + instruction->text;
  for (uint32_t i = 0; i < instruction->text_length; i++)
    if (text[i] < ' ' || text[i] > '~')
      return false;
  return true;
}

static bool code_instruction_is_valid(const struct code_instruction *instruction)
{
  return instruction->size > 0 && instruction->size <= CODE_SIZE_MAX && instruction->kind <= CODE_RETURN &&
         (instruction->target == 0 || (instruction->kind >= CODE_JUMP && instruction->kind <= CODE_CALL));
}

bool code_instructions_are_valid(const void *memory, size_t size)
{
  const struct code_instructions *instructions = memory;
  const struct code_instruction *instruction;
  uint64_t head, at = 0;

  if (size < sizeof *instructions || instructions->magic != CODE_INSTRUCTIONS_MAGIC ||
      instructions->size != size || (instructions->flags & ~(uint32_t)CODE_UNKNOWN_MACHINE) != 0 ||
      instructions->length > CODE_BYTES_MAX || instructions->address > UINT64_MAX - instructions->length)
    return false;
  head = sizeof *instructions + instructions->n_instructions * (uint64_t)sizeof *instruction;
  if (head > size)
    return false;
  instruction = code_instructions_get(instructions);
  for (uint32_t i = 0; i < instructions->n_instructions; i++, instruction++) {
    if (instruction->address != instructions->address + at || !code_instruction_is_valid(instruction) ||
        !code_text_is_valid(instructions, instruction, head))
      return false;
    at += instruction->size;
    if (at > instructions->length)
      return false;
  }
  return at == instructions->length;
}
