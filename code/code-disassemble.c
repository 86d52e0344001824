/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-disassemble.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "code/code-aarch64-private.h"
#include "code/code-att-private.h"
#include "code/code-builder-private.h"
#include "code/code-kind-private.h"
#include "code/code-length-private.h"
#include "code/code-machine-private.h"

#define UNKNOWN_UNIT 4

/* What is left of the code. */
struct disassembly {
  const uint8_t *at;
  size_t left;
  uint64_t address;
  struct code_builder builder;
};

static int disassembly_add(struct disassembly *disassembly, struct code_instruction *instruction, size_t size,
                           const struct code_line *line)
{
  instruction->address = disassembly->address;
  instruction->size = (uint8_t)size;
  disassembly->at += size;
  disassembly->left -= size;
  disassembly->address += size;
  return code_builder_add(&disassembly->builder, instruction, line);
}

static int disassembly_add_bytes(struct disassembly *disassembly, size_t size)
{
  struct code_instruction instruction = {0};
  struct code_line line;

  line.length = 0;
  code_line_put_bytes(&line, disassembly->at, size);
  return disassembly_add(disassembly, &instruction, size, &line);
}

static uint32_t disassembly_read_unit(const uint8_t *at, size_t size)
{
  uint32_t number = 0;

  for (size_t i = size; i > 0; i--)
    number = number << 8 | at[i - 1];
  return number;
}

static int disassembly_add_unit(struct disassembly *disassembly, size_t size)
{
  struct code_instruction instruction = {0};
  struct code_line line;
  uint32_t number = disassembly_read_unit(disassembly->at, size);

  line.length = 0;
  code_line_put_word(&line, size == 4 ? ".word 0x" : ".short 0x");
  code_line_put_digits(&line, number, 2 * (unsigned int)size);
  return disassembly_add(disassembly, &instruction, size, &line);
}

static int disassembly_add_bad(struct disassembly *disassembly)
{
  struct code_instruction instruction = {0};
  struct code_line line;

  line.length = 0;
  code_line_put_word(&line, "(bad)");
  return disassembly_add(disassembly, &instruction, 1, &line);
}

static int disassembly_add_aarch64(struct disassembly *disassembly)
{
  struct code_instruction instruction = {0};
  enum code_kind kind;
  struct code_line line;

  line.length = 0;
  if (!code_aarch64_decode(disassembly_read_unit(disassembly->at, 4), &line, &kind))
    return disassembly_add_unit(disassembly, 4);
  instruction.kind = (uint8_t)kind;
  return disassembly_add(disassembly, &instruction, 4, &line);
}

/* What Capstone knows nothing about. */
static int disassembly_add_unknown(struct disassembly *disassembly, const struct code_machine *machine)
{
  size_t size = machine->unit;

  if (machine->is_x86) {
    size = machine->machine == EM_X86_64 ? code_length_find(disassembly->at, disassembly->left) : 0;
    return size > 0 ? disassembly_add_bytes(disassembly, size) : disassembly_add_bad(disassembly);
  }
  if (disassembly->left < size)
    return disassembly_add_bytes(disassembly, disassembly->left);
  if (machine->machine == EM_AARCH64)
    return disassembly_add_aarch64(disassembly);
#if CS_API_MAJOR >= 5
  if (machine->machine == EM_RISCV && (disassembly->at[0] & 3) == 3 && disassembly->left >= 4)
    size = 4;
#endif
  return disassembly_add_unit(disassembly, size);
}

static void disassembly_write(const struct code_machine *machine, struct code_line *line)
{
  const cs_insn *instruction = machine->instruction;
  const char *hint = machine->machine == EM_AARCH64
                         ? code_aarch64_name_hint(disassembly_read_unit(instruction->bytes, 4))
                         : NULL;

  line->length = 0;
  if (machine->is_x86) {
    code_att_write(machine, line);
    return;
  }
  if (hint) {
    code_line_put_word(line, hint);
    return;
  }
  code_line_put_word(line, instruction->mnemonic);
  if (instruction->op_str[0] != '\0') {
    code_line_put(line, ' ');
    code_line_put_word(line, instruction->op_str);
  }
}

static bool disassembly_decode(const struct disassembly *disassembly, const struct code_machine *machine)
{
  const uint8_t *at = disassembly->at;
  size_t left = disassembly->left;
  uint64_t address = disassembly->address;

  return cs_disasm_iter(machine->handle, &at, &left, &address, machine->instruction) &&
         machine->instruction->size > 0 && machine->instruction->size <= disassembly->left &&
         machine->instruction->size <= CODE_SIZE_MAX;
}

static int disassembly_add_next(struct disassembly *disassembly, const struct code_machine *machine)
{
  struct code_instruction instruction = {0};
  struct code_line line;

  if (!disassembly_decode(disassembly, machine))
    return disassembly_add_unknown(disassembly, machine);
  code_kind_find(machine, &instruction);
  disassembly_write(machine, &line);
  if (line.length == 0)
    return disassembly_add_unknown(disassembly, machine);
  return disassembly_add(disassembly, &instruction, machine->instruction->size, &line);
}

static int disassembly_run(struct disassembly *disassembly, uint16_t number, bool thumb, uint32_t *flags)
{
  struct code_machine machine = {0};
  int result = code_machine_open(&machine, number, thumb);

  if (result == 0) {
    while (disassembly->left > 0 && result == 0)
      result = disassembly_add_next(disassembly, &machine);
    code_machine_close(&machine);
    return result;
  }
  if (result != -ENOTSUP)
    return result;
  *flags |= CODE_UNKNOWN_MACHINE;
  for (result = 0; disassembly->left > 0 && result == 0;)
    result = disassembly_add_bytes(disassembly,
                                   disassembly->left < UNKNOWN_UNIT ? disassembly->left : UNKNOWN_UNIT);
  return result;
}

int code_disassemble(const void *bytes, size_t size, uint16_t machine, uint64_t address,
                     struct code_instructions **ret)
{
  bool thumb = machine == EM_ARM && (address & 1);
  struct code_instructions head = {.magic = CODE_INSTRUCTIONS_MAGIC,
                                   .machine = machine,
                                   .address = address - thumb,
                                   .length = (uint32_t)size};
  struct disassembly disassembly = {.at = bytes, .left = size, .address = head.address};
  int result;

  if (size > CODE_BYTES_MAX)
    return -EFBIG;
  if (head.address > UINT64_MAX - size)
    return -EINVAL;
  result = disassembly_run(&disassembly, machine, thumb, &head.flags);
  if (result == 0)
    result = code_builder_finish(&disassembly.builder, &head, ret);
  code_builder_clear(&disassembly.builder);
  return result;
}
