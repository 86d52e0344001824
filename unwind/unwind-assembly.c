/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-assembly-private.h"

#include <string.h>

#include "unwind/unwind-known-private.h"

#define WORD 8

/* Code of which no instruction is shorter on average. */
#define BYTES_A_ROW 4

/* Of one stretch. */
struct teller {
  struct unwind_rows *rows;
  uint64_t start; /* from the rows' base */
};

/* A section of functions: not of stubs, which linkers make, nor of pieces, as .init and .fini are. */
static bool is_of_functions(const struct unwind_elf *elf, const Elf64_Shdr *section,
                            const struct unwind_bytes *names)
{
  static const char text[] = ".text";
  const uint64_t flags = SHF_ALLOC | SHF_EXECINSTR;

  return section->sh_type == SHT_PROGBITS && (section->sh_flags & flags) == flags &&
         section->sh_size <= elf->size && section->sh_addr <= UINT64_MAX - section->sh_size &&
         section->sh_name < names->size && names->size - section->sh_name >= sizeof text &&
         memcmp(names->bytes + section->sh_name, text, sizeof text - 1) == 0;
}

/* Linkers put sections in ascending order. One that is not costs its rows. */
static void assembly_add_section(struct unwind_assembly *assembly, const Elf64_Shdr *section)
{
  uint32_t n = assembly->n_sections;

  if (n < UNWIND_ASSEMBLY_SECTIONS && (n == 0 || section->sh_addr >= assembly->sections[n - 1].end))
    assembly->sections[assembly->n_sections++] =
        (struct unwind_range){section->sh_addr, section->sh_addr + section->sh_size};
}

void unwind_assembly_open(struct unwind_assembly *ret, const struct unwind_elf *elf)
{
  struct unwind_bytes names;
  Elf64_Shdr section;

  *ret = (struct unwind_assembly){.elf = elf};
  if (elf->machine != EM_X86_64 || elf->in_memory || elf->names >= elf->n_sections)
    return;
  section = unwind_elf_section(elf, elf->names);
  if (!unwind_elf_section_bytes(elf, &section, &names))
    return;
  for (uint32_t i = 1; i < elf->n_sections; i++) {
    section = unwind_elf_section(elf, i);
    if (is_of_functions(elf, &section, &names))
      assembly_add_section(ret, &section);
  }
}

uint64_t unwind_assembly_rows(const struct unwind_assembly *assembly)
{
  uint64_t size = 0;

  for (uint32_t i = 0; i < assembly->n_sections; i++)
    size += assembly->sections[i].end - assembly->sections[i].start;
  return (size < assembly->elf->size ? size : assembly->elf->size) / BYTES_A_ROW;
}

static int32_t saved_at(const struct assembly_kept *kept, unsigned int *ret_how)
{
  int32_t at = kept->at / WORD;

  *ret_how = kept->at == 0 ? (kept->holds ? UNWIND_SAVED_SAME : UNWIND_SAVED_UNDEFINED) : UNWIND_SAVED_AT_CFA;
  if (at >= INT16_MIN)
    return at;
  *ret_how = UNWIND_SAVED_UNSUPPORTED;
  return 0;
}

/* Where the CFA is, by a register that is known to be an offset of it: by rbp where that is a frame pointer,
 * as compilers say it. */
static bool find_cfa(const struct assembly_state *state, struct unwind_rule *rule)
{
  if (state->fp.origin == ASSEMBLY_CFA) {
    rule->cfa = UNWIND_CFA_FP;
    rule->cfa_offset = -state->fp.offset;
  } else if (state->sp.origin == ASSEMBLY_CFA) {
    rule->cfa = UNWIND_CFA_SP;
    rule->cfa_offset = -state->sp.offset;
  } else if (state->base.origin == ASSEMBLY_CFA) {
    rule->cfa = UNWIND_CFA_BASE;
    rule->cfa_offset = -state->base.offset;
  }
  return rule->cfa != UNWIND_CFA_NONE;
}

/* Where it is stored what the CFA is an offset of. */
static bool find_cfa_stored(const struct assembly_state *state, struct unwind_rule *rule)
{
  bool by_fp = state->fp.origin == ASSEMBLY_ALIGNED;
  const struct assembly_value *from = by_fp ? &state->fp : &state->sp;

  if (state->slot.origin != ASSEMBLY_ALIGNED || from->origin != ASSEMBLY_ALIGNED ||
      -state->slot_holds > INT16_MAX)
    return false;
  rule->cfa = by_fp ? UNWIND_CFA_FP_DEREF : UNWIND_CFA_SP_DEREF;
  rule->cfa_offset = state->slot.offset - from->offset;
  rule->cfa_add = (int16_t)-state->slot_holds;
  return true;
}

struct unwind_rule unwind_assembly_rule(const struct assembly_state *state)
{
  struct unwind_rule rule = {.operand = UNWIND_OPERAND_BY_CODE, .ra_at = -1};
  unsigned int fp, base;

  if (state->is_root) {
    rule = unwind_known_root;
    rule.operand = UNWIND_OPERAND_BY_CODE;
    return rule;
  }
  if (!find_cfa(state, &rule) && !find_cfa_stored(state, &rule))
    return (struct unwind_rule){0};
  rule.fp_at = (int16_t)saved_at(&state->kept_fp, &fp);
  rule.base_at = (int16_t)saved_at(&state->kept_base, &base);
  rule.saved = UNWIND_SAVED(fp, base, UNWIND_SAVED_AT_CFA);
  return rule;
}

static void teller_tell(void *data, size_t at, const struct assembly_state *state)
{
  struct teller *teller = data;
  uint16_t number = 0;

  /* One is left for what ends the stretch. */
  if ((uint64_t)teller->rows->n + 2 < teller->rows->capacity && state)
    number = unwind_rules_number(&teller->rows->rules, unwind_state_from_rule(unwind_assembly_rule(state)));
  if (teller->rows->n < teller->rows->capacity)
    unwind_rows_add_rule(teller->rows, teller->start + at, number);
}

/* A stretch of a section. */
static void assembly_add_stretch(struct unwind_assembly *assembly, struct unwind_rows *rows, uint64_t start,
                                 uint64_t end)
{
  struct teller teller = {rows, start};
  struct unwind_bytes code = {0};

  if (unwind_elf_find_address(assembly->elf, rows->base + start, &code) && code.size > end - start)
    code.size = end - start;
  if (code.size < UNWIND_ASSEMBLY_MIN || assembly_is_padding(code.bytes, code.size))
    code.size = 0;
  if (code.size > ASSEMBLY_STRETCH_MAX)
    code.size = ASSEMBLY_STRETCH_MAX;
  if (code.size > 0)
    assembly_read(&assembly->room, code.bytes, code.size, rows->base + start, teller_tell, &teller);
  if (code.size < end - start)
    teller_tell(&teller, code.size, NULL);
}

void unwind_assembly_add(struct unwind_assembly *assembly, struct unwind_rows *rows, uint64_t start,
                         uint64_t end)
{
  struct teller teller = {rows, 0};
  uint64_t base = rows->base, at = start;

  for (uint32_t i = 0; i < assembly->n_sections; i++) {
    struct unwind_range section = assembly->sections[i];

    if (section.end <= base + at || section.start >= base + end)
      continue;
    uint64_t from = section.start > base + at ? section.start - base : at,
             until = section.end < base + end ? section.end - base : end;
    if (from > at)
      teller_tell(&teller, at, NULL);
    assembly_add_stretch(assembly, rows, from, until);
    at = until;
  }
  if (at < end)
    teller_tell(&teller, at, NULL);
}

void unwind_assembly_clear(struct unwind_assembly *assembly)
{
  assembly_room_clear(&assembly->room);
}
