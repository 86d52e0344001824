/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-known-private.h"

#include <stdlib.h>
#include <string.h>

const struct unwind_rule unwind_known_called = {
    .cfa = UNWIND_CFA_SP,
    .cfa_offset = 8,
    .ra_at = -1,
    .saved = UNWIND_SAVED(UNWIND_SAVED_SAME, UNWIND_SAVED_SAME, UNWIND_SAVED_AT_CFA)};

const struct unwind_rule unwind_known_root = {
    .cfa = UNWIND_CFA_SP,
    .cfa_offset = 8,
    .saved = UNWIND_SAVED(UNWIND_SAVED_UNDEFINED, UNWIND_SAVED_UNDEFINED, UNWIND_SAVED_UNDEFINED)};

struct finder {
  const struct unwind_range *ranges;
  uint32_t n_ranges;
  struct unwind_known *known;
  uint32_t n;
};

/* The executable range around an address; an empty one without. */
static struct unwind_range range_around(const struct finder *finder, uint64_t address)
{
  for (uint32_t i = 0; i < finder->n_ranges; i++) {
    if (address >= finder->ranges[i].start && address < finder->ranges[i].end)
      return finder->ranges[i];
  }
  return (struct unwind_range){0};
}

static void known_add(struct finder *finder, uint64_t start, uint64_t end, struct unwind_rule rule)
{
  if (end > start)
    finder->known[finder->n++] = (struct unwind_known){{start, end}, unwind_state_from_rule(rule)};
}

static void add_entry(struct finder *finder, uint64_t entry)
{
  struct unwind_range range = range_around(finder, entry);

  if (range.end > entry)
    known_add(finder, entry, range.end - entry < UNWIND_ENTRY_MAX ? range.end : entry + UNWIND_ENTRY_MAX,
              unwind_known_root);
}

/* On x86-64 crti.S makes room of 8 bytes, what follows calls functions, and crtn.S gives the room back. */
static void add_linkers(struct finder *finder, const struct unwind_elf *elf, const char *name)
{
  static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa}, room[] = {0x48, 0x83, 0xec, 0x08},
                       back[] = {0x48, 0x83, 0xc4, 0x08, 0xc3};
  struct unwind_rule rule = unwind_known_called, inner = rule;
  struct unwind_range range;
  struct unwind_bytes code;
  Elf64_Shdr section;
  size_t body = sizeof room;

  if (!unwind_elf_find_section(elf, name, &section) || !unwind_elf_section_bytes(elf, &section, &code))
    return;
  range = range_around(finder, section.sh_addr);
  if (code.size >= sizeof landing && memcmp(code.bytes, landing, sizeof landing) == 0)
    body += sizeof landing;
  if (code.size > range.end - section.sh_addr || range.end == 0 || code.size < body + sizeof back ||
      memcmp(code.bytes + body - sizeof room, room, sizeof room) != 0 ||
      memcmp(code.bytes + code.size - sizeof back, back, sizeof back) != 0)
    return;
  inner.cfa_offset = 16;
  known_add(finder, section.sh_addr, section.sh_addr + body, rule);
  known_add(finder, section.sh_addr + body, section.sh_addr + code.size - 1, inner);
  known_add(finder, section.sh_addr + code.size - 1, section.sh_addr + code.size, rule);
}

/* Of what was found, that which is executable. */
static void add_all(struct finder *finder, const struct unwind_elf *elf,
                    uint32_t (*find)(const struct unwind_elf *elf, struct unwind_known *ret))
{
  struct unwind_known found[UNWIND_KNOWN_AARCH64];
  uint32_t n = find(elf, found);

  for (uint32_t i = 0; i < n; i++) {
    if (found[i].range.end > found[i].range.start &&
        found[i].range.end <= range_around(finder, found[i].range.start).end)
      finder->known[finder->n++] = found[i];
  }
}

static int known_compare(const void *a, const void *b)
{
  const struct unwind_known *x = a, *y = b;

  return x->range.start < y->range.start ? -1 : x->range.start > y->range.start;
}

/* Puts what was found among the n places there, which ascend as it does: of two that begin together it is the
 * second. A Go program has so many that all of them are not sorted once more. */
static uint32_t known_merge(struct unwind_known *known, uint32_t n, const struct unwind_known *found,
                            uint32_t n_found)
{
  uint32_t all = n + n_found;

  for (uint32_t at = all; n_found > 0; at--) {
    bool is_behind = n > 0 && known[n - 1].range.start > found[n_found - 1].range.start;

    known[at - 1] = is_behind ? known[--n] : found[--n_found];
  }
  return all;
}

/* Of two that overlap the first stays, up to where the second begins. */
static uint32_t known_part(struct unwind_known *known, uint32_t n)
{
  uint32_t kept = 0;

  for (uint32_t i = 0; i < n; i++) {
    if (kept > 0 && known[kept - 1].range.start == known[i].range.start)
      continue;
    if (kept > 0 && known[kept - 1].range.end > known[i].range.start)
      known[kept - 1].range.end = known[i].range.start;
    known[kept++] = known[i];
  }
  return kept;
}

uint32_t unwind_known_find(const struct unwind_elf *elf, const struct unwind_machine *machine,
                           const struct unwind_range *ranges, uint32_t n_ranges, struct unwind_known *ret,
                           uint32_t n)
{
  struct unwind_known found[UNWIND_KNOWN_MAX];
  struct finder finder = {.ranges = ranges, .n_ranges = n_ranges, .known = found};

  if (elf->entry != 0)
    add_entry(&finder, elf->entry);
  if (machine->elf == EM_X86_64) {
    add_linkers(&finder, elf, ".init");
    add_linkers(&finder, elf, ".fini");
    add_all(&finder, elf, unwind_known_find_crtstuff);
    add_all(&finder, elf, unwind_known_find_coroutine);
  } else {
    add_all(&finder, elf, unwind_known_find_aarch64);
  }
  qsort(found, finder.n, sizeof *found, known_compare);
  return known_part(ret, known_merge(ret, n, found, finder.n));
}
