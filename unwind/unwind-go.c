/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-go-private.h"

#include <string.h>

#include "unwind/unwind-bytes-private.h"

#define MAGIC_1_18    0xfffffff0u
#define MAGIC_1_20    0xfffffff1u
#define NAME_MAX_SIZE 4096u

/* The head: magic, two zeros, the quantum, the size of a word; then words. */
#define WORDS_AT 8u
enum { N_FUNCTIONS, N_FILES, TEXT, NAMES, UNITS, FILES, DELTAS, FUNCTIONS, N_WORDS };

/* A function's description. From 1.20 on the line at which it begins stands before its kind and flags. */
#define NAME_FIELD   4u
#define DELTAS_FIELD 16u
#define KIND_1_18    36u
#define KIND_1_20    40u

static uint32_t go_u32(const struct unwind_go *go, uint64_t at)
{
  uint32_t value = 0;

  if (at <= go->table.size && go->table.size - at >= sizeof value)
    memcpy(&value, go->table.bytes + at, sizeof value);
  return value;
}

static uint64_t go_word(const struct unwind_go *go, uint32_t i)
{
  uint64_t value;

  memcpy(&value, go->table.bytes + WORDS_AT + i * sizeof value, sizeof value);
  return value;
}

/* In position-independent programs the loader writes the address of the text: what it would write. */
static uint64_t find_relocation(const struct unwind_elf *elf, uint64_t address)
{
  const uint32_t relative = elf->machine == EM_AARCH64 ? R_AARCH64_RELATIVE : R_X86_64_RELATIVE;
  struct unwind_bytes bytes;
  Elf64_Shdr section;
  Elf64_Rela relocation;

  if (!unwind_elf_find_section(elf, ".rela.dyn", &section) &&
      !unwind_elf_find_section(elf, ".rela", &section))
    return 0;
  if (!unwind_elf_section_bytes(elf, &section, &bytes))
    return 0;
  for (size_t at = 0; bytes.size - at >= sizeof relocation; at += sizeof relocation) {
    memcpy(&relocation, bytes.bytes + at, sizeof relocation);
    if (relocation.r_offset == address && ELF64_R_TYPE(relocation.r_info) == relative)
      return (uint64_t)relocation.r_addend;
  }
  return 0;
}

/* Newer linkers do not say it. Where no other linker had a hand in it the section begins with it: its first
 * function is at its beginning. */
static uint64_t find_text(const struct unwind_elf *elf)
{
  Elf64_Shdr section;

  return unwind_elf_find_section(elf, ".text", &section) ? section.sh_addr : 0;
}

static bool go_read_head(struct unwind_go *go, const struct unwind_elf *elf, uint64_t address)
{
  uint32_t magic;

  if (go->table.size < WORDS_AT + N_WORDS * sizeof(uint64_t))
    return false;
  memcpy(&magic, go->table.bytes, sizeof magic);
  if ((magic != MAGIC_1_18 && magic != MAGIC_1_20) || go->table.bytes[7] != sizeof(uint64_t))
    return false;
  go->flags = (magic == MAGIC_1_18 ? KIND_1_18 : KIND_1_20) + 1;
  go->quantum = go->table.bytes[6];
  go->text = go_word(go, TEXT);
  if (go->text == 0)
    go->text = find_relocation(elf, address + WORDS_AT + TEXT * sizeof(uint64_t));
  if (go->text == 0)
    go->text = find_text(elf);
  go->names = go_word(go, NAMES);
  go->deltas = go_word(go, DELTAS);
  go->functions = go_word(go, FUNCTIONS);
  if (go->functions > go->table.size || go->names > go->table.size || go->deltas > go->table.size ||
      go_word(go, N_FUNCTIONS) > (go->table.size - go->functions) / (2 * sizeof(uint32_t)))
    return false;
  go->n = (uint32_t)go_word(go, N_FUNCTIONS);
  return go->text != 0 && go->quantum != 0;
}

bool unwind_go_open(struct unwind_go *ret, const struct unwind_elf *elf)
{
  Elf64_Shdr section;

  if (!unwind_elf_find_section(elf, ".gopclntab", &section) &&
      !unwind_elf_find_section(elf, ".data.rel.ro.gopclntab", &section))
    return false;
  return unwind_elf_section_bytes(elf, &section, &ret->table) && go_read_head(ret, elf, section.sh_addr);
}

bool unwind_go_read(const struct unwind_go *go, uint32_t i, struct unwind_go_function *ret)
{
  uint64_t entry = go->functions + (uint64_t)i * 2 * sizeof(uint32_t), name, description;

  *ret = (struct unwind_go_function){.start = go->text + go_u32(go, entry),
                                     .end = go->text + go_u32(go, entry + 2 * sizeof(uint32_t))};
  description = go->functions + go_u32(go, entry + sizeof(uint32_t));
  if (ret->start >= ret->end || description + go->flags >= go->table.size)
    return false;
  ret->flags = go->table.bytes[description + go->flags] & (UNWIND_GO_TOP | UNWIND_GO_SWITCH);
  ret->deltas = go_u32(go, description + DELTAS_FIELD);
  name = go->names + go_u32(go, description + NAME_FIELD);
  if (name >= go->table.size)
    return false;
  ret->name = (const char *)go->table.bytes + name;
  ret->length = (uint32_t)strnlen(ret->name, go->table.size - name < NAME_MAX_SIZE ? go->table.size - name
                                                                                   : NAME_MAX_SIZE);
  return true;
}

void unwind_go_begin(const struct unwind_go *go, const struct unwind_go_function *function,
                     struct unwind_go_delta *ret)
{
  uint64_t at = go->deltas + function->deltas;

  *ret = (struct unwind_go_delta){.at = go->table.bytes + (at < go->table.size ? at : go->table.size),
                                  .end = function->start,
                                  .bytes = -1,
                                  .is_first = true};
}

bool unwind_go_next(const struct unwind_go *go, struct unwind_go_delta *delta)
{
  const uint8_t *end = go->table.bytes + go->table.size;
  uint64_t change, length;

  if (!unwind_read_uleb(&delta->at, end, &change) || (change == 0 && !delta->is_first) ||
      !unwind_read_uleb(&delta->at, end, &length) || length == 0 || length > UINT32_MAX ||
      change > UINT32_MAX)
    return false;
  delta->is_first = false;
  delta->bytes =
      (int32_t)((uint32_t)delta->bytes + ((uint32_t)(change >> 1) ^ (change & 1 ? UINT32_MAX : 0)));
  delta->start = delta->end;
  delta->end += length * go->quantum;
  return true;
}
