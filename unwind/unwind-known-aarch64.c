/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What linkers put together on aarch64 and nothing describes: .plt, which programs are often in, .init and
 * .fini. */
#include "unwind/unwind-known-private.h"

#include <string.h>

enum instruction {
  PUSH_PLT = 0xa9bf7bf0,   /* stp x16, x30, [sp, #-16]! */
  PUSH_FRAME = 0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
  POP_FRAME = 0xa8c17bfd   /* ldp x29, x30, [sp], #16 */
};

/* The stub that calls the resolver is the first, and the only one that moves the stack pointer. */
#define PLT_FIRST 32

/* Landing pads and signatures of return addresses stand before and behind what is looked for. */
#define AROUND 3

struct code {
  uint64_t start;
  struct unwind_bytes bytes;
};

static bool find_code(const struct unwind_elf *elf, const char *name, struct code *ret)
{
  Elf64_Shdr section;

  if (!unwind_elf_find_section(elf, name, &section) ||
      !unwind_elf_section_bytes(elf, &section, &ret->bytes) || ret->bytes.size % 4 != 0)
    return false;
  ret->start = section.sh_addr;
  return ret->bytes.size >= 4;
}

static bool is_at(const struct code *code, size_t at, enum instruction instruction)
{
  uint32_t word;

  if (code->bytes.size - 4 < at)
    return false;
  memcpy(&word, code->bytes.bytes + at, sizeof word);
  return word == (uint32_t)instruction;
}

/* Behind that instruction among the first ones; 0: it is not there. */
static size_t find_behind(const struct code *code, enum instruction instruction)
{
  for (size_t at = 0; at < 4 * AROUND; at += 4) {
    if (is_at(code, at, instruction))
      return at + 4;
  }
  return 0;
}

/* Likewise among the last ones. */
static size_t find_last_behind(const struct code *code, enum instruction instruction)
{
  size_t size = code->bytes.size;

  for (size_t back = 4; back <= 4 * AROUND && back <= size; back += 4) {
    if (is_at(code, size - back, instruction))
      return size - back + 4;
  }
  return 0;
}

/* The return address is in the link register, but from `pushed` up to `popped` on the stack. */
static uint32_t known_aarch64_divide(const struct code *code, size_t pushed, size_t popped, int16_t fp_at,
                                     struct unwind_known *ret)
{
  static const struct unwind_rule link = {.cfa = UNWIND_CFA_SP};
  struct unwind_rule stack = {.cfa = UNWIND_CFA_SP,
                              .cfa_offset = 16,
                              .fp_at = fp_at,
                              .ra_at = -1,
                              .saved = UNWIND_SAVED(fp_at != 0 ? UNWIND_SAVED_AT_CFA : UNWIND_SAVED_SAME,
                                                    UNWIND_SAVED_SAME, UNWIND_SAVED_AT_CFA)};
  size_t size = code->bytes.size;

  ret[0] = (struct unwind_known){{code->start, code->start + pushed}, unwind_state_from_rule(link)};
  ret[1] = (struct unwind_known){{code->start + pushed, code->start + popped}, unwind_state_from_rule(stack)};
  ret[2] = (struct unwind_known){{code->start + popped, code->start + size}, unwind_state_from_rule(link)};
  return 3;
}

static uint32_t find_plt(const struct unwind_elf *elf, struct unwind_known *ret)
{
  struct code code;

  if (!find_code(elf, ".plt", &code))
    return 0;
  size_t pushed = find_behind(&code, PUSH_PLT);
  bool has_first = pushed != 0 && code.bytes.size >= PLT_FIRST; /* static programs have none */
  return known_aarch64_divide(&code, has_first ? pushed : 0, has_first ? PLT_FIRST : 0, 0, ret);
}

static uint32_t find_linkers(const struct unwind_elf *elf, const char *name, struct unwind_known *ret)
{
  struct code code;

  if (!find_code(elf, name, &code))
    return 0;
  size_t pushed = find_behind(&code, PUSH_FRAME), popped = find_last_behind(&code, POP_FRAME);
  return pushed != 0 && popped > pushed ? known_aarch64_divide(&code, pushed, popped, -2, ret) : 0;
}

uint32_t unwind_known_find_aarch64(const struct unwind_elf *elf, struct unwind_known *ret)
{
  uint32_t n = find_plt(elf, ret);

  n += find_linkers(elf, ".init", ret + n);
  return n + find_linkers(elf, ".fini", ret + n);
}
