/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-att-private.h"

#include <elf.h>
#include <string.h>

#include "code/code-att-operands-private.h"

#define PREFIX_REPEAT  0xf3
#define PREFIX_NOTRACK 0x3e

/* Names that objdump has another one for, or none. */
static const char *att_rename(const char *word)
{
  static const char *const names[][2] = {
      {"stosb", "stos"},      {"stosw", "stos"},    {"stosl", "stos"},   {"stosq", "stos"},
      {"lodsb", "lods"},      {"lodsw", "lods"},    {"lodsl", "lods"},   {"lodsq", "lods"},
      {"scasb", "scas"},      {"scasw", "scas"},    {"scasl", "scas"},   {"scasq", "scas"},
      {"wait", "fwait"},      {"pushfq", "pushf"},  {"pushfl", "pushf"}, {"popfq", "popf"},
      {"popfl", "popf"},      {"iretl", "iret"},    {"lretl", "lret"},   {"xlatb", "xlat"},
      {"fucompi", "fucomip"}, {"fcompi", "fcomip"}, {"salb", "shlb"},    {"salw", "shlw"},
      {"sall", "shll"},       {"salq", "shlq"},     {"pushal", "pusha"}, {"popal", "popa"},
  };

  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    if (strcmp(names[i][0], word) == 0)
      return names[i][1];
  return word;
}

/* Those whose operands have one size unless something says otherwise, in code of 64 bits or of 32. */
static bool att_has_usual_size(const struct code_machine *machine, char suffix)
{
  switch (machine->instruction->id) {
  case X86_INS_CALL:
  case X86_INS_JMP:
  case X86_INS_POP:
  case X86_INS_PUSH:
  case X86_INS_RET:
  case X86_INS_ENTER:
  case X86_INS_LEAVE:
    return suffix == (machine->machine == EM_X86_64 ? 'q' : 'l');
  case X86_INS_LCALL:
  case X86_INS_LJMP:
    return suffix == 'l';
  default:
    return false;
  }
}

static bool att_is_shift(unsigned int id)
{
  switch (id) {
  case X86_INS_SHL:
  case X86_INS_SHR:
  case X86_INS_SAL:
  case X86_INS_SAR:
  case X86_INS_ROL:
  case X86_INS_ROR:
  case X86_INS_RCL:
  case X86_INS_RCR:
    return true;
  default:
    return false;
  }
}

/* A register of vectors says nothing of how large what is in memory is. */
static bool att_is_general(x86_reg reg)
{
  return !(reg >= X86_REG_XMM0 && reg <= X86_REG_ZMM31) && !(reg >= X86_REG_ST0 && reg <= X86_REG_ST7) &&
         !(reg >= X86_REG_MM0 && reg <= X86_REG_MM7) && !(reg >= X86_REG_K0 && reg <= X86_REG_K7);
}

/* Whether a register says how large the operands are. That by which is shifted does not, unless it is itself
 * what is shifted. */
static bool att_register_says_size(const cs_insn *instruction)
{
  const cs_x86 *x86 = &instruction->detail->x86;
  bool shift = att_is_shift(instruction->id), memory = false, found = false;

  for (uint8_t i = 0; i < x86->op_count; i++) {
    const cs_x86_op *operand = &x86->operands[i];

    memory |= operand->type == X86_OP_MEM;
    found |= operand->type == X86_OP_REG && att_is_general(operand->reg);
  }
  return found && !(shift && memory);
}

/* How much of the word stays when a suffix that says nothing new is left out. */
static size_t att_measure(const struct code_machine *machine, const char *word)
{
  const cs_insn *instruction = machine->instruction;
  const char *base = instruction->id == X86_INS_SAL ? "shl" : cs_insn_name(machine->handle, instruction->id);
  size_t length = strlen(word), base_length = base ? strlen(base) : 0;

  if (length == 0 || length != base_length + 1 || strncmp(word, base, base_length) != 0 ||
      !strchr("bwlq", word[base_length]) || instruction->id == X86_INS_CRC32)
    return length;
  return att_register_says_size(instruction) || att_has_usual_size(machine, word[base_length]) ? base_length
                                                                                               : length;
}

static bool att_is_exchange_of_nothing(const cs_insn *instruction)
{
  return instruction->id == X86_INS_NOP && instruction->size == 2 && instruction->bytes[0] == 0x66 &&
         instruction->bytes[1] == 0x90;
}

static bool att_is_indirect(const cs_insn *instruction)
{
  return (instruction->id == X86_INS_JMP || instruction->id == X86_INS_CALL) && instruction->op_str[0] == '*';
}

/* Prefixes that Capstone 4 leaves out. */
static void att_put_prefixes(const cs_insn *instruction, struct code_line *line)
{
  if (strchr(instruction->mnemonic, ' '))
    return;
  if (instruction->id == X86_INS_RET && instruction->bytes[0] == PREFIX_REPEAT)
    code_line_put_word(line, "repz ");
  if (att_is_indirect(instruction) && instruction->bytes[0] == PREFIX_NOTRACK)
    code_line_put_word(line, "notrack ");
}

/* A move between general registers and those of vectors is movq when it moves all of 64 bits. */
static const char *att_choose(const struct code_machine *machine, const char *word)
{
  const char *base = cs_insn_name(machine->handle, machine->instruction->id);
  bool is_movd = strcmp(word, "movd") == 0 || strcmp(word, "vmovd") == 0;

  return is_movd && base && strchr(base, 'q') ? base : att_rename(word);
}

static bool att_is_string(const char *word)
{
  static const char *const words[] = {
      "stosb", "stosw", "stosl", "stosq", "lodsb", "lodsw", "lodsl", "lodsq", "scasb",
      "scasw", "scasl", "scasq", "movsb", "movsw", "movsl", "movsq", "cmpsb", "cmpsw",
      "cmpsl", "cmpsq", "insb",  "insw",  "insl",  "outsb", "outsw", "outsl",
  };

  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strcmp(words[i], word) == 0)
      return true;
  return false;
}

void code_att_write(const struct code_machine *machine, struct code_line *line)
{
  const cs_insn *instruction = machine->instruction;
  const char *space = strrchr(instruction->mnemonic, ' '), *last = space ? space + 1 : instruction->mnemonic;
  const char *word = att_choose(machine, last);

  if (att_is_exchange_of_nothing(instruction)) {
    code_line_put_word(line, "xchg %ax,%ax");
    return;
  }
  att_put_prefixes(instruction, line);
  code_line_put_text(line, instruction->mnemonic, (size_t)(last - instruction->mnemonic));
  code_line_put_text(line, word, att_measure(machine, word));
  code_att_operands_write(machine, att_is_string(last), line);
}
