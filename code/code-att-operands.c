/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-att-operands-private.h"

#include <ctype.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

/* Capstone's text, and how far it was read. */
struct att_operands {
  const cs_insn *instruction;
  const char *at;
  struct code_line *line;
  uint64_t addresses; /* mask */
  bool string;
  bool target;       /* a number alone is an address */
  bool in_memory;    /* between ( and ) */
  bool after_number; /* what was written last is a number */
  unsigned int commas;
};

static uint64_t operands_mask(const struct att_operands *operands)
{
  const cs_x86 *x86 = &operands->instruction->detail->x86;
  uint8_t size = 0;

  for (uint8_t i = 0; i < x86->op_count; i++)
    if (x86->operands[i].type == X86_OP_IMM)
      size = x86->operands[i].size;
  return size == 0 || size >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * size) - 1;
}

static void operands_put_hex(struct att_operands *operands, uint64_t number)
{
  code_line_put_word(operands->line, "0x");
  code_line_put_number(operands->line, number);
}

/* A displacement has a sign where it is added to a register. */
static void operands_put_displacement(struct att_operands *operands, uint64_t number, bool negative)
{
  if (negative && *operands->at == '(') {
    code_line_put(operands->line, '-');
    operands_put_hex(operands, number);
  } else {
    operands_put_hex(operands, (negative ? -number : number) & operands->addresses);
  }
  operands->after_number = true;
}

static void operands_put_number(struct att_operands *operands, bool immediate)
{
  bool negative = *operands->at == '-';
  char *end;
  uint64_t number;

  operands->at += negative;
  number = strtoull(operands->at, &end, strncmp(operands->at, "0x", 2) == 0 ? 16 : 10);
  operands->at = end > operands->at ? end : operands->at + 1;
  if (immediate)
    operands_put_hex(operands, negative ? -number & operands_mask(operands) : number);
  else if (operands->in_memory)
    code_line_put_number(operands->line, number);
  else if (operands->target)
    code_line_put_number(operands->line, number & operands->addresses);
  else
    operands_put_displacement(operands, number, negative);
}

static bool operands_is_port(const struct att_operands *operands, const char *name, size_t length)
{
  unsigned int id = operands->instruction->id;

  return length == 3 && strncmp(name, "%dx", 3) == 0 &&
         (id == X86_INS_IN || id == X86_INS_OUT || id == X86_INS_INSB || id == X86_INS_INSW ||
          id == X86_INS_INSD || id == X86_INS_OUTSB || id == X86_INS_OUTSW || id == X86_INS_OUTSD);
}

/* Only these have an index that is a register of vectors. Capstone 4 also finds some in comparisons. */
static bool operands_gather(const struct att_operands *operands)
{
  const char *name = operands->instruction->mnemonic;

  return strstr(name, "gather") || strstr(name, "scatter");
}

/* The general register of the same number. */
static const char *operands_find_general(const char *name)
{
  static const char *const names[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
                                      "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
  unsigned long number = strtoul(name + 4, NULL, 10);

  return number < sizeof names / sizeof names[0] ? names[number] : NULL;
}

static bool operands_is_vector(const char *name)
{
  return strncmp(name, "%xmm", 4) == 0 || strncmp(name, "%ymm", 4) == 0 || strncmp(name, "%zmm", 4) == 0;
}

static bool operands_put_index(struct att_operands *operands, const char *name)
{
  const char *general = NULL;

  if (operands->in_memory && operands_is_vector(name) && !operands_gather(operands))
    general = operands_find_general(name);
  if (!general)
    return false;
  code_line_put(operands->line, '%');
  code_line_put_word(operands->line, general);
  return true;
}

static void operands_put_register(struct att_operands *operands)
{
  const char *name = operands->at;
  size_t length = 1;

  while (isalnum((unsigned char)name[length]))
    length++;
  if (strncmp(name, "%st(0)", 6) == 0) {
    code_line_put_word(operands->line, strchr(operands->instruction->op_str, ',') ? "%st" : "%st(0)");
    length = 6;
  } else if (strncmp(name, "%st(", 4) == 0) {
    length = name[4] != '\0' && name[5] != '\0' ? 6 : length;
    code_line_put_text(operands->line, name, length);
  } else if (operands_is_port(operands, name, length)) {
    code_line_put_word(operands->line, "(%dx)");
  } else if (!operands_put_index(operands, name)) {
    code_line_put_text(operands->line, name, length);
  }
  operands->at += length;
}

/* A displacement that is there though it is 0, and the segments that a string instruction has. */
static void operands_begin_memory(struct att_operands *operands)
{
  bool segment = operands->at > operands->instruction->op_str && operands->at[-1] == ':';

  if (operands->string && !segment)
    code_line_put_word(
        operands->line,
        strncmp(operands->at, "(%rsi", 5) == 0 || strncmp(operands->at, "(%esi", 5) == 0 ? "%ds:" : "%es:");
  else if (!operands->after_number && operands->instruction->detail->x86.encoding.disp_size > 0)
    code_line_put_word(operands->line, "0x0");
  operands->in_memory = true;
  operands->commas = 0;
}

/* A scale of 1 is said. */
static void operands_end_memory(struct att_operands *operands)
{
  if (operands->in_memory && operands->commas == 1)
    code_line_put_word(operands->line, ",1");
  operands->in_memory = false;
}

/* What is in braces stays as it is: masks, broadcasts, rounding. */
static void operands_put_braces(struct att_operands *operands)
{
  const char *end = strchr(operands->at, '}');
  size_t length = end ? (size_t)(end - operands->at) + 1 : strlen(operands->at);

  code_line_put_text(operands->line, operands->at, length);
  operands->at += length;
}

static void operands_put_other(struct att_operands *operands)
{
  switch (*operands->at) {
  case ' ':
    break;
  case '(':
    operands_begin_memory(operands);
    code_line_put(operands->line, '(');
    break;
  case ')':
    operands_end_memory(operands);
    code_line_put(operands->line, ')');
    break;
  default:
    operands->commas += *operands->at == ',';
    code_line_put(operands->line, *operands->at);
  }
  operands->at++;
}

static void operands_put_next(struct att_operands *operands)
{
  bool is_number = isdigit((unsigned char)*operands->at) || *operands->at == '-';

  if (is_number) {
    operands_put_number(operands, false);
    return;
  }
  if (*operands->at == '$') {
    code_line_put(operands->line, *operands->at++);
    operands_put_number(operands, true);
  } else if (*operands->at == '%') {
    operands_put_register(operands);
  } else if (*operands->at == '{') {
    operands_put_braces(operands);
  } else {
    operands_put_other(operands);
  }
  operands->after_number = false;
}

/* What is shifted by one has no number in objdump when the instruction has none. */
static bool operands_begin_with_one(const cs_insn *instruction)
{
  uint8_t opcode = instruction->detail->x86.opcode[0];

  return (opcode == 0xd0 || opcode == 0xd1) && strncmp(instruction->op_str, "$1, ", 4) == 0;
}

/* Of two registers of the x87's stack Capstone leaves out the top: arithmetic and comparisons have it last,
 * those that pop have it first. */
static bool operands_lack_top(const cs_insn *instruction)
{
  return strncmp(instruction->op_str, "%st", 3) == 0 && !strchr(instruction->op_str, ',');
}

static bool operands_lack_first_top(const cs_insn *instruction)
{
  return operands_lack_top(instruction) && instruction->bytes[0] == 0xde;
}

static bool operands_lack_last_top(const cs_insn *instruction)
{
  uint8_t opcode = instruction->bytes[0], modrm = instruction->bytes[1];

  if (!operands_lack_top(instruction))
    return false;
  return (opcode == 0xd8 && (modrm < 0xd0 || modrm > 0xdf)) ||
         ((opcode == 0xdb || opcode == 0xdf) && modrm >= 0xe8 && modrm <= 0xf7);
}

static bool operands_is_jump(const cs_insn *instruction)
{
  const cs_x86 *x86 = &instruction->detail->x86;

  return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM && instruction->op_str[0] != '$';
}

void code_att_operands_write(const struct code_machine *machine, bool string, struct code_line *line)
{
  const cs_insn *instruction = machine->instruction;
  struct att_operands operands = {.instruction = instruction,
                                  .at = instruction->op_str,
                                  .line = line,
                                  .addresses = machine->machine == EM_X86_64 ? UINT64_MAX : UINT32_MAX,
                                  .string = string,
                                  .target = operands_is_jump(instruction)};

  if (instruction->id == X86_INS_XLATB)
    operands.at = "%ds:(%rbx)";
  if (operands_begin_with_one(instruction))
    operands.at += 4;
  if (*operands.at != '\0')
    code_line_put(line, ' ');
  if (operands_lack_first_top(instruction))
    code_line_put_word(line, "%st,");
  while (*operands.at != '\0')
    operands_put_next(&operands);
  if (operands_lack_last_top(instruction))
    code_line_put_word(line, ",%st");
}
