/* SPDX-License-Identifier: BSD-2-Clause */
/* The walker's searches: from an address to its mapping and to the rule in force there. Part of walk.h, which
 * includes it. */
#ifndef WALK_SEARCH_H
#define WALK_SEARCH_H

#ifndef WALK_H
#error "include unwind/walk/walk.h"
#endif

WALK_INLINE uint64_t walk_area_u64(const uint8_t *area, uint64_t size, uint64_t offset)
{
  return *(const uint64_t *)(const void *)(area + (offset & (size - 1) & ~7ull));
}

WALK_INLINE uint32_t walk_area_u32(const uint8_t *area, uint64_t size, uint64_t offset)
{
  return *(const uint32_t *)(const void *)(area + (offset & (size - 1) & ~3ull));
}

/* A row is read as one word. */
#ifdef __BYTE_ORDER__
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "walk.h reads pairs of 16-bit fields as one word");
#endif
_Static_assert(sizeof(struct unwind_row) == 4, "walk.h reads a row as one word");
_Static_assert(sizeof(struct unwind_rule) == 16, "walk.h reads a rule as two words");

#define WALK_TABLE_FIELD(field) walk_area_u32(area, size, at + __builtin_offsetof(struct unwind_table, field))

/* Reads the head of the mapping's table. */
WALK_INLINE void walk_load_table(struct walk *walk, const uint8_t *area, uint64_t size)
{
  uint32_t at = walk->mapping.table;
  walk->table.base = walk_area_u64(area, size, at + __builtin_offsetof(struct unwind_table, base));
  walk->table.bucket_shift = WALK_TABLE_FIELD(bucket_shift) & 31;
  walk->table.n_buckets = WALK_TABLE_FIELD(n_buckets);
  walk->table.n_rows = WALK_TABLE_FIELD(n_rows);
  walk->table.n_rules = WALK_TABLE_FIELD(n_rules);
  walk->table.buckets = at + WALK_TABLE_FIELD(buckets_at);
  walk->table.rows = at + WALK_TABLE_FIELD(rows_at);
  walk->table.rules = at + WALK_TABLE_FIELD(rules_at);
}

/* Searches have no branch that depends on what they read: nothing to mispredict, and nothing for the verifier
 * to try both ways. All ones when a > b and their difference is less than 2^63, else 0; opaque, so that no
 * compiler makes a branch of it. */
WALK_INLINE uint64_t walk_is_above(uint64_t a, uint64_t b)
{
  uint64_t above = (uint64_t)((int64_t)(b - a) >> 63);
  __asm__("" : "+r"(above));
  return above;
}

/* The last of the process's mappings that does not begin above the address; the first if there is none. One
 * in the kernel's half begins above all addresses that are searched for, and is too far for walk_is_above. */
WALK_INLINE uint64_t walk_search_mappings(const struct walk *walk, const uint8_t *area, uint64_t size,
                                          uint64_t address)
{
  uint64_t at = walk->process.mappings;
  uint64_t n = walk->process.n_mappings;
  for (uint32_t i = 0; i < 13 && n > 1; i++) {
    uint64_t half = n / 2;
    uint64_t start = walk_area_u64(area, size, at + half * sizeof(struct walk_mapping));
    at += half * sizeof(struct walk_mapping) &
          ~(walk_is_above(start, address) | (uint64_t)((int64_t)start >> 63));
    n -= half;
  }
  return at;
}

/* Whether an executable mapping holds the address; it is walk->mapping then. */
WALK_FUNCTION int walk_find_mapping(struct walk *walk, uint64_t address)
{
  if (!walk)
    return 0;
  if (address - walk->mapping.start < walk->mapping.end - walk->mapping.start)
    return 1;
  const uint8_t *area = WALK_AREA(walk);
  if (!area || walk->process.n_mappings == 0)
    return 0;
  uint64_t size = WALK_AREA_SIZE(walk);
  uint64_t at = walk_search_mappings(walk, area, size, address);
  uint64_t start = walk_area_u64(area, size, at + __builtin_offsetof(struct walk_mapping, start));
  uint64_t end = walk_area_u64(area, size, at + __builtin_offsetof(struct walk_mapping, end));
  if (address < start || address >= end)
    return 0;
  walk->mapping.start = start;
  walk->mapping.end = end;
  walk->mapping.bias = walk_area_u64(area, size, at + __builtin_offsetof(struct walk_mapping, bias));
  walk->mapping.table = walk_area_u32(area, size, at + __builtin_offsetof(struct walk_mapping, table));
  walk->mapping.kind = walk_area_u32(area, size, at + __builtin_offsetof(struct walk_mapping, kind));
  if (walk->mapping.kind == WALK_MAPPING_TABLE)
    walk_load_table(walk, area, size);
  return 1;
}

/* The last of the n rows from `first` on that does not begin above `low`; the one before them if there is
 * none. */
WALK_INLINE uint64_t walk_search_rows(const uint8_t *area, uint64_t size, uint32_t rows, uint64_t first,
                                      uint64_t n, uint64_t low)
{
  if (n == 0)
    return first - 1;
  for (uint32_t i = 0; i < 17 && n > 1; i++) {
    uint64_t half = n / 2;
    uint64_t begin = walk_area_u32(area, size, rows + (first + half) * sizeof(struct unwind_row)) & 0xffff;
    first += half & ~walk_is_above(begin, low);
    n -= half;
  }
  return first +
         walk_is_above(walk_area_u32(area, size, rows + first * sizeof(struct unwind_row)) & 0xffff, low);
}

/* Whether the mapping's table has a rule for the address; it is walk->rule then. */
WALK_INLINE int walk_find_rule(struct walk *walk, uint64_t address)
{
  const uint8_t *area = WALK_AREA(walk);
  if (!area)
    return 0;
  uint64_t size = WALK_AREA_SIZE(walk);
  uint64_t offset = address - walk->mapping.bias - walk->table.base;
  uint32_t shift = walk->table.bucket_shift & 31;
  uint64_t bucket = offset >> shift;
  if (bucket >= walk->table.n_buckets)
    return 0;
  uint32_t first = walk_area_u32(area, size, walk->table.buckets + bucket * 4);
  uint32_t end = walk_area_u32(area, size, walk->table.buckets + bucket * 4 + 4);
  uint64_t row = walk_search_rows(area, size, walk->table.rows, first, end - first, offset & 0xffff);
  if (row >= walk->table.n_rows)
    return 0;
  uint32_t rule = walk_area_u32(area, size, walk->table.rows + row * sizeof(struct unwind_row)) >> 16;
  if (rule >= walk->table.n_rules)
    return 0;
  walk->rule_words[0] = walk_area_u64(area, size, walk->table.rules + rule * sizeof(struct unwind_rule));
  walk->rule_words[1] = walk_area_u64(area, size, walk->table.rules + rule * sizeof(struct unwind_rule) + 8);
  return walk->rule.cfa != UNWIND_CFA_NONE;
}

/* Whether a program can have code there. */
WALK_INLINE int walk_is_code(uint64_t address)
{
  return address >= WALK_ADDRESS_MIN && address < WALK_ADDRESS_MAX;
}

/* What to say of an address that is in no mapping. */
WALK_INLINE int walk_unmapped(const struct walk *walk, uint64_t address)
{
  if (!walk_is_code(address) || (walk->process.flags & WALK_PROCESS_FRAME_POINTERS) != 0)
    return WALK_NO_TABLE;
  return WALK_MISSED;
}

/* Not ends: the frame is to be left by its frame pointer; it lies among what the mapping's table describes,
 * but is not described itself. */
#define WALK_BY_FRAME_POINTER 128
#define WALK_NO_RULE          129
/* Beside either: its instructions were looked at before, and say nothing. */
#define WALK_LOOKED 2

/* Looks for the rule in force at an address: 0 and it is walk->rule, WALK_BY_FRAME_POINTER, WALK_NO_RULE, or
 * an enum walk_end. */
WALK_FUNCTION int walk_search(struct walk *walk, uint64_t address)
{
  if (!walk)
    return WALK_UNSUPPORTED;
  if (!walk_find_mapping(walk, address)) {
    uint32_t needed =
        WALK_PROCESS_FRAME_POINTERS | ((walk->flags & WALK_KNOWN_GENERAL) != 0 ? WALK_PROCESS_CERTAIN : 0);
    if ((walk->process.flags & needed) == needed)
      return WALK_BY_FRAME_POINTER;
    return walk_is_code(address) ? WALK_MISSED : WALK_NO_TABLE;
  }
  if (walk->mapping.kind == WALK_MAPPING_FRAME_POINTERS)
    return WALK_BY_FRAME_POINTER;
  if (walk->mapping.kind != WALK_MAPPING_TABLE)
    return WALK_MISSED;
  return walk_find_rule(walk, address) ? 0 : WALK_NO_RULE;
}

WALK_INLINE void walk_remember(struct walk *walk, uint64_t address, uint64_t low, uint64_t high)
{
  struct walk_memo *memo = WALK_MEMO(walk, address);
  if (!memo)
    return;
  memo->address = address;
  memo->serial = walk->process.serial;
  memo->rule_words[0] = low;
  memo->rule_words[1] = high;
}

/* Like walk_search, but remembers rules, and has WALK_LOOKED beside what walk_remember_nothing was told. */
WALK_INLINE int walk_find(struct walk *walk, uint64_t address)
{
  struct walk_memo *memo = WALK_MEMO(walk, address);
  if (memo && memo->address == address && memo->serial == walk->process.serial) {
    walk->rule_words[0] = memo->rule_words[0];
    walk->rule_words[1] = memo->rule_words[1];
    return walk->rule.cfa != UNWIND_CFA_NONE ? 0 : walk->rule.cfa_offset;
  }
  int end = walk_search(walk, address);
  if (end == 0)
    walk_remember(walk, address, walk->rule_words[0], walk->rule_words[1]);
  return end;
}

/* Remembers in place of a rule that walk_find ended so, and that the instructions at the address say nothing.
 * What they do say is not remembered: machine code that is made at run time may change. */
WALK_INLINE void walk_remember_nothing(struct walk *walk, uint64_t address, int end)
{
  walk_remember(walk, address, (uint64_t)(end | WALK_LOOKED), 0);
}

#endif
