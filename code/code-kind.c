/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-kind-private.h"

#include <elf.h>
#include <string.h>

static bool kind_is_in(const cs_insn *instruction, uint8_t group)
{
  const cs_detail *detail = instruction->detail;

  for (uint8_t i = 0; i < detail->groups_count; i++)
    if (detail->groups[i] == group)
      return true;
  return false;
}

static bool kind_is_loop(const cs_insn *instruction)
{
  switch (instruction->id) {
  case X86_INS_LOOP:
  case X86_INS_LOOPE:
  case X86_INS_LOOPNE:
  case X86_INS_JCXZ:
  case X86_INS_JECXZ:
  case X86_INS_JRCXZ:
    return true;
  default:
    return false;
  }
}

static enum code_kind kind_of_x86(const cs_insn *instruction)
{
  switch (instruction->id) {
  case X86_INS_JMP:
  case X86_INS_LJMP:
    return CODE_JUMP;
  case X86_INS_CALL:
  case X86_INS_LCALL:
    return CODE_CALL;
  case X86_INS_RET:
  case X86_INS_RETF:
  case X86_INS_RETFQ:
  case X86_INS_IRET:
  case X86_INS_IRETD:
  case X86_INS_IRETQ:
  case X86_INS_SYSRET:
  case X86_INS_SYSEXIT:
    return CODE_RETURN;
  default:
    return kind_is_loop(instruction) || kind_is_in(instruction, CS_GRP_JUMP) ? CODE_CONDITIONAL_JUMP
                                                                             : CODE_PLAIN;
  }
}

/* Far ones have two numbers, a segment and an offset, and go where nobody knows. */
static uint64_t kind_target_of_x86(const cs_insn *instruction)
{
  const cs_x86 *x86 = &instruction->detail->x86;

  return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM ? (uint64_t)x86->operands[0].imm : 0;
}

static bool kind_starts(const cs_insn *instruction, const char *word)
{
  return strncmp(instruction->mnemonic, word, strlen(word)) == 0;
}

/* Those that check pointers have numbers in a newer Capstone only: braa, blraaz, retab, eretaa. */
static enum code_kind kind_of_checked_aarch64(const cs_insn *instruction)
{
  if (kind_starts(instruction, "bra"))
    return CODE_JUMP;
  if (kind_starts(instruction, "blra"))
    return CODE_CALL;
  return kind_starts(instruction, "reta") || kind_starts(instruction, "ereta") ? CODE_RETURN : CODE_PLAIN;
}

static enum code_kind kind_of_aarch64(const cs_insn *instruction)
{
  arm64_cc condition = instruction->detail->arm64.cc;

  switch (instruction->id) {
  case ARM64_INS_B:
    return condition == ARM64_CC_INVALID || condition == ARM64_CC_AL || condition == ARM64_CC_NV
               ? CODE_JUMP
               : CODE_CONDITIONAL_JUMP;
  case ARM64_INS_CBZ:
  case ARM64_INS_CBNZ:
  case ARM64_INS_TBZ:
  case ARM64_INS_TBNZ:
    return CODE_CONDITIONAL_JUMP;
  case ARM64_INS_BR:
    return CODE_JUMP;
  case ARM64_INS_BL:
  case ARM64_INS_BLR:
    return CODE_CALL;
  case ARM64_INS_RET:
  case ARM64_INS_ERET:
    return CODE_RETURN;
  default:
    return kind_of_checked_aarch64(instruction);
  }
}

static uint64_t kind_target_of_aarch64(const cs_insn *instruction)
{
  const cs_arm64 *arm64 = &instruction->detail->arm64;
  const cs_arm64_op *last = &arm64->operands[arm64->op_count - 1];

  return arm64->op_count > 0 && last->type == ARM64_OP_IMM ? (uint64_t)last->imm : 0;
}

/* Whether the program counter is among what is written: the first operand, or one of a list. */
static bool kind_writes_pc(const cs_insn *instruction)
{
  const cs_arm *arm = &instruction->detail->arm;
  bool list = instruction->id == ARM_INS_POP || instruction->id == ARM_INS_LDM ||
              instruction->id == ARM_INS_LDMDB || instruction->id == ARM_INS_LDMIB ||
              instruction->id == ARM_INS_LDMDA;

  for (uint8_t i = 0; i < (list ? arm->op_count : arm->op_count > 0); i++)
    if (arm->operands[i].type == ARM_OP_REG && arm->operands[i].reg == ARM_REG_PC &&
        (list || (arm->operands[i].access & CS_AC_WRITE)))
      return true;
  return false;
}

static bool kind_is_conditional(const cs_insn *instruction)
{
  arm_cc condition = instruction->detail->arm.cc;

  return condition != ARM_CC_INVALID && condition != ARM_CC_AL;
}

static enum code_kind kind_of_move_to_pc(const cs_insn *instruction)
{
  const cs_arm *arm = &instruction->detail->arm;

  if (!kind_writes_pc(instruction))
    return CODE_PLAIN;
  for (uint8_t i = 0; i < arm->op_count; i++)
    if ((arm->operands[i].type == ARM_OP_REG && arm->operands[i].reg == ARM_REG_LR) ||
        (arm->operands[i].type == ARM_OP_MEM && arm->operands[i].mem.base == ARM_REG_SP))
      return CODE_RETURN;
  if (instruction->id == ARM_INS_POP || (arm->op_count > 0 && arm->operands[0].reg == ARM_REG_SP))
    return CODE_RETURN;
  return CODE_JUMP;
}

static enum code_kind kind_of_arm(const cs_insn *instruction)
{
  const cs_arm *arm = &instruction->detail->arm;

  switch (instruction->id) {
  case ARM_INS_B:
    return kind_is_conditional(instruction) ? CODE_CONDITIONAL_JUMP : CODE_JUMP;
  case ARM_INS_CBZ:
  case ARM_INS_CBNZ:
    return CODE_CONDITIONAL_JUMP;
  case ARM_INS_BL:
  case ARM_INS_BLX:
    return CODE_CALL;
  case ARM_INS_BX:
  case ARM_INS_BXJ:
    return arm->op_count > 0 && arm->operands[0].reg == ARM_REG_LR ? CODE_RETURN : CODE_JUMP;
  case ARM_INS_TBB:
  case ARM_INS_TBH:
    return CODE_JUMP;
  default:
    return kind_of_move_to_pc(instruction);
  }
}

static uint64_t kind_target_of_arm(const cs_insn *instruction)
{
  const cs_arm *arm = &instruction->detail->arm;
  const cs_arm_op *last = &arm->operands[arm->op_count - 1];

  return arm->op_count > 0 && last->type == ARM_OP_IMM ? (uint32_t)last->imm : 0;
}

#if CS_API_MAJOR >= 5
/* By their texts: aliases such as "ret" have no numbers of their own. */
static enum code_kind kind_of_riscv(const cs_insn *instruction)
{
  bool compressed = kind_starts(instruction, "c.");
  const char *name = instruction->mnemonic + (compressed ? 2 : 0);

  if (strcmp(name, "ret") == 0 || strcmp(name, "mret") == 0 || strcmp(name, "sret") == 0)
    return CODE_RETURN;
  if (strcmp(name, "jr") == 0)
    return strcmp(instruction->op_str, "ra") == 0 ? CODE_RETURN : CODE_JUMP;
  if (strcmp(name, "j") == 0)
    return CODE_JUMP;
  if (strcmp(name, "jal") == 0 || strcmp(name, "jalr") == 0)
    return strncmp(instruction->op_str, "zero", 4) == 0 ? CODE_JUMP : CODE_CALL;
  return name[0] == 'b' && kind_is_in(instruction, CS_GRP_JUMP) ? CODE_CONDITIONAL_JUMP : CODE_PLAIN;
}

/* Numbers of jumps and branches count from the instruction; jalr's is none. */
static uint64_t kind_target_of_riscv(const cs_insn *instruction)
{
  const cs_riscv *riscv = &instruction->detail->riscv;
  const cs_riscv_op *last = &riscv->operands[riscv->op_count - 1];

  return riscv->op_count > 0 && last->type == RISCV_OP_IMM && !strstr(instruction->mnemonic, "jalr")
             ? instruction->address + (uint64_t)last->imm
             : 0;
}
#endif

static bool kind_has_target(const struct code_instruction *instruction)
{
  return instruction->kind >= CODE_JUMP && instruction->kind <= CODE_CALL;
}

void code_kind_find(const struct code_machine *machine, struct code_instruction *ret)
{
  static const struct {
    uint16_t machine;
    enum code_kind (*kind)(const cs_insn *instruction);
    uint64_t (*target)(const cs_insn *instruction);
    uint64_t mask; /* of addresses */
  } rows[] = {
    {EM_X86_64, kind_of_x86, kind_target_of_x86, UINT64_MAX},
    {EM_386, kind_of_x86, kind_target_of_x86, UINT32_MAX},
    {EM_AARCH64, kind_of_aarch64, kind_target_of_aarch64, UINT64_MAX},
    {EM_ARM, kind_of_arm, kind_target_of_arm, UINT32_MAX},
#if CS_API_MAJOR >= 5
    {EM_RISCV, kind_of_riscv, kind_target_of_riscv, UINT64_MAX},
#endif
  };

  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    if (rows[i].machine == machine->machine) {
      ret->kind = (uint8_t)rows[i].kind(machine->instruction);
      ret->target = kind_has_target(ret) ? rows[i].target(machine->instruction) & rows[i].mask : 0;
    }
}
