/* SPDX-License-Identifier: BSD-2-Clause */
/* What a walk has to know of each architecture: registers of a signal's context, and instructions that make
 * and undo frames. */
#include <string.h>
#include <ucontext.h>

#include "libcapture/inside/capture-walk-private.h"

#if defined(__x86_64__)

void capture_registers_read(struct capture_registers *ret, const void *ucontext)
{
  const greg_t *registers = ((const ucontext_t *)ucontext)->uc_mcontext.gregs;

  *ret = (struct capture_registers){.ip = (uint64_t)registers[REG_RIP],
                                    .sp = (uint64_t)registers[REG_RSP],
                                    .fp = (uint64_t)registers[REG_RBP]};
}

enum capture_walk_edge capture_walk_look(const struct capture_walk_text *text, uint64_t ip)
{
  static const uint8_t endbr64[] = {0xf3, 0x0f, 0x1e, 0xfa};
  static const uint8_t rep_ret[] = {0xf3, 0xc3};
  static const uint8_t moves[][3] = {{0x48, 0x89, 0xe5}, {0x48, 0x8b, 0xec}}; /* mov %rsp, %rbp */
  const uint8_t *code = (const uint8_t *)(uintptr_t)ip;

  if (!capture_walk_is_text(text, ip, sizeof endbr64))
    return CAPTURE_WALK_INSIDE;
  if (memcmp(code, moves[0], sizeof moves[0]) == 0 || memcmp(code, moves[1], sizeof moves[1]) == 0)
    return CAPTURE_WALK_BELOW_TOP;
  /* push %rbp; ret; ret $n */
  if (code[0] == 0x55 || code[0] == 0xc3 || code[0] == 0xc2 || memcmp(code, rep_ret, sizeof rep_ret) == 0 ||
      memcmp(code, endbr64, sizeof endbr64) == 0)
    return CAPTURE_WALK_AT_TOP;
  return CAPTURE_WALK_INSIDE;
}

#elif defined(__aarch64__)

void capture_registers_read(struct capture_registers *ret, const void *ucontext)
{
  const mcontext_t *registers = &((const ucontext_t *)ucontext)->uc_mcontext;

  *ret = (struct capture_registers){
      .ip = registers->pc, .sp = registers->sp, .fp = registers->regs[29], .lr = registers->regs[30]};
}

enum capture_walk_edge capture_walk_look(const struct capture_walk_text *text, uint64_t ip)
{
  /* Up to and with the instruction that sets x29, and from the one on that follows its last restoration. */
  static const struct {
    uint32_t mask, value;
  } edges[] = {
      {0xffffffff, 0xd503233f}, /* paciasp */
      {0xffffffff, 0xd503237f}, /* pacibsp */
      {0xffffff3f, 0xd503241f}, /* bti */
      {0xffc07fff, 0xa9807bfd}, /* stp x29, x30, [sp, #n]! */
      {0xffc07fff, 0xa9007bfd}, /* stp x29, x30, [sp, #n] */
      {0xffc003ff, 0x910003fd}, /* add x29, sp, #n */
      {0xffffffff, 0xd50323bf}, /* autiasp */
      {0xffffffff, 0xd65f03c0}, /* ret */
      {0xfffffbff, 0xd65f0bff}, /* retaa, retab */
  };
  uint32_t instruction;

  if (ip % 4 != 0 || !capture_walk_is_text(text, ip, sizeof instruction))
    return CAPTURE_WALK_INSIDE;
  memcpy(&instruction, (const void *)(uintptr_t)ip, sizeof instruction);
  for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
    if ((instruction & edges[i].mask) == edges[i].value)
      return CAPTURE_WALK_IN_LINK;
  }
  return CAPTURE_WALK_INSIDE;
}

#elif defined(__riscv) && __riscv_xlen == 64

void capture_registers_read(struct capture_registers *ret, const void *ucontext)
{
  const mcontext_t *registers = &((const ucontext_t *)ucontext)->uc_mcontext;

  *ret = (struct capture_registers){.ip = registers->__gregs[REG_PC],
                                    .sp = registers->__gregs[REG_SP],
                                    .fp = registers->__gregs[REG_S0],
                                    .lr = registers->__gregs[REG_RA]};
}

enum { RA = 1, SP = 2, S0 = 8, S1 = 9, S2 = 18, S11 = 27 };

static bool is_saved(uint32_t reg)
{
  return reg == S1 || (reg >= S2 && reg <= S11);
}

/* Functions push ra, s0 and what else they save through sp, then set s0; and restore them in that order. */
static bool is_edge_store(uint32_t reg)
{
  return reg == RA || reg == S0 || is_saved(reg);
}

static bool is_edge_16(uint16_t code)
{
  if ((code & 0xe003) == 0xe002) /* c.sdsp */
    return is_edge_store(code >> 2 & 31);
  if ((code & 0xe003) == 0x6002) /* c.ldsp */
    return is_saved(code >> 7 & 31);
  if ((code & 0xef83) == 0x6101 || (code & 0xef83) == 0x0101) /* c.addi16sp, c.addi of sp */
    return true;
  return (code != 0 && (code & 0xe01f) == 0x0000) || code == 0x8082; /* c.addi4spn of s0, ret */
}

static bool is_edge_32(uint32_t code)
{
  uint32_t base = code >> 15 & 31;

  if ((code & 0x707f) == 0x3023) /* sd */
    return base == SP && is_edge_store(code >> 20 & 31);
  if ((code & 0x707f) == 0x3003) /* ld */
    return base == SP && is_saved(code >> 7 & 31);
  return (code & 0xfffff) == 0x10113 || (code & 0xfffff) == 0x10413 || code == 0x8067; /* addi sp, s0; ret */
}

enum capture_walk_edge capture_walk_look(const struct capture_walk_text *text, uint64_t ip)
{
  uint32_t code;
  bool is_edge;

  if (ip % 2 != 0 || !capture_walk_is_text(text, ip, sizeof code))
    return CAPTURE_WALK_INSIDE;
  memcpy(&code, (const void *)(uintptr_t)ip, sizeof code);
  is_edge = (code & 3) == 3 ? is_edge_32(code) : is_edge_16((uint16_t)code);
  return is_edge ? CAPTURE_WALK_IN_LINK : CAPTURE_WALK_INSIDE;
}

#else

void capture_registers_read(struct capture_registers *ret, const void *ucontext)
{
  (void)ucontext;
  *ret = (struct capture_registers){0};
}

enum capture_walk_edge capture_walk_look(const struct capture_walk_text *text, uint64_t ip)
{
  (void)text;
  (void)ip;
  return CAPTURE_WALK_INSIDE;
}

#endif
