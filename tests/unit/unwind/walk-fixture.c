/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "walk-fixture.h"

#include <string.h>

struct unwind_rule walk_rule(enum unwind_cfa cfa, int32_t offset)
{
  return (struct unwind_rule){
      .cfa = cfa,
      .cfa_offset = offset,
      .ra_at = -1,
      .saved = UNWIND_SAVED(UNWIND_SAVED_SAME, UNWIND_SAVED_SAME, UNWIND_SAVED_AT_CFA),
  };
}

struct unwind_rule walk_rule_saving_fp(enum unwind_cfa cfa, int32_t offset)
{
  struct unwind_rule rule = walk_rule(cfa, offset);
  rule.fp_at = -2;
  rule.saved = UNWIND_SAVED(UNWIND_SAVED_AT_CFA, UNWIND_SAVED_SAME, UNWIND_SAVED_AT_CFA);
  return rule;
}

struct unwind_rule walk_rule_root(void)
{
  struct unwind_rule rule = walk_rule(UNWIND_CFA_SP, 8);
  rule.saved = UNWIND_SAVED(UNWIND_SAVED_SAME, UNWIND_SAVED_SAME, UNWIND_SAVED_UNDEFINED);
  return rule;
}

struct unwind_rule walk_rule_none(void)
{
  return (struct unwind_rule){.cfa = UNWIND_CFA_NONE};
}

struct walk_fixture *walk_fixture_new(uint32_t machine)
{
  struct walk_fixture *fixture = g_new0(struct walk_fixture, 1);
  fixture->area = g_malloc0(WALK_FIXTURE_AREA);
  fixture->machine = machine;
  fixture->max = WALK_FIXTURE_FRAMES;
  fixture->used = 64;
  return fixture;
}

void walk_fixture_free(struct walk_fixture *fixture)
{
  g_free(fixture->area);
  g_free(fixture);
}

static uint32_t allocate(struct walk_fixture *fixture, size_t size)
{
  uint32_t at = fixture->used;
  fixture->used += (uint32_t)(size + 7) & ~7u;
  g_assert_cmpuint(fixture->used, <=, WALK_FIXTURE_AREA);
  return at;
}

uint32_t walk_fixture_table(struct walk_fixture *fixture, uint32_t bucket_shift,
                            const struct walk_fixture_row *rows, uint32_t n)
{
  uint64_t base = rows[0].address >> bucket_shift << bucket_shift;
  uint32_t n_buckets = (uint32_t)((rows[n - 1].address - base) >> bucket_shift) + 1;
  uint32_t at = allocate(fixture, sizeof(struct unwind_table));
  uint32_t rows_at = allocate(fixture, n * sizeof(struct unwind_row));
  uint32_t buckets_at = allocate(fixture, (n_buckets + 1) * sizeof(uint32_t));
  uint32_t rules_at = allocate(fixture, (n + 1) * sizeof(struct unwind_rule));

  *(struct unwind_table *)(fixture->area + at) = (struct unwind_table){
      .magic = UNWIND_TABLE_MAGIC,
      .version = UNWIND_TABLE_VERSION,
      .machine = (uint16_t)fixture->machine,
      .size = fixture->used - at,
      .base = base,
      .bucket_shift = bucket_shift,
      .n_buckets = n_buckets,
      .n_rows = n,
      .n_rules = n + 1,
      .rows_at = rows_at - at,
      .buckets_at = buckets_at - at,
      .rules_at = rules_at - at,
  };
  struct unwind_row *table_rows = (struct unwind_row *)(fixture->area + rows_at);
  uint32_t *buckets = (uint32_t *)(fixture->area + buckets_at);
  struct unwind_rule *rules = (struct unwind_rule *)(fixture->area + rules_at);
  for (uint32_t i = 0; i < n; i++) {
    uint64_t offset = rows[i].address - base;
    bool none = rows[i].rule.cfa == UNWIND_CFA_NONE;
    table_rows[i] = (struct unwind_row){.low = (uint16_t)offset, .rule = (uint16_t)(none ? 0 : i + 1)};
    rules[i + 1] = rows[i].rule;
    for (uint64_t bucket = (offset >> bucket_shift) + 1; bucket <= n_buckets; bucket++)
      buckets[bucket] = i + 1;
  }
  return at;
}

void walk_fixture_map(struct walk_fixture *fixture, uint64_t start, uint64_t end, uint64_t bias,
                      uint32_t table, uint32_t kind)
{
  fixture->mappings[fixture->process.n_mappings++] =
      (struct walk_mapping){.start = start, .end = end, .bias = bias, .table = table, .kind = kind};
}

void walk_fixture_begin(struct walk_fixture *fixture, uint64_t ip, uint64_t sp, uint64_t fp)
{
  bool aarch64 = fixture->machine == WALK_AARCH64;
  uint64_t general[33];
  for (uint32_t i = 0; i < G_N_ELEMENTS(general); i++)
    general[i] = 0x1111000000000000ull + i;
  general[aarch64 ? 31 : 7] = sp;
  general[aarch64 ? 29 : 6] = fp;
  general[aarch64 ? 32 : 16] = ip;
  unwind_registers_set(&fixture->registers, fixture->machine, general);
}

void walk_fixture_walk(struct walk_fixture *fixture)
{
  uint32_t used = fixture->used;
  size_t size = fixture->process.n_mappings * sizeof(struct walk_mapping);
  fixture->process.mappings = allocate(fixture, size);
  memcpy(fixture->area + fixture->process.mappings, fixture->mappings, size);

  struct unwind_area area = {.bytes = fixture->area, .size = WALK_FIXTURE_AREA};
  struct unwind_piece piece = {WALK_FIXTURE_STACK, fixture->stack, sizeof fixture->stack};
  struct unwind_memory memory = {.pieces = &piece, .n_pieces = 1, .read = fixture->read, .data = fixture};
  struct unwind_start start = {
      .process = &fixture->process,
      .registers = &fixture->registers,
      .machine = fixture->machine,
      .in_kernel = fixture->in_kernel,
  };
  fixture->n_frames = unwind_walk(&area, &start, &memory, fixture->frames, fixture->max, &fixture->end);
  fixture->by_frame_pointers = (fixture->end & WALK_END_BY_FRAME_POINTERS) != 0;
  g_assert_false(fixture->by_frame_pointers && fixture->end == WALK_MISSED);
  fixture->end &= ~WALK_END_BY_FRAME_POINTERS;
  fixture->used = used;
}

void walk_fixture_expect(struct walk_fixture *fixture, enum walk_end end, const uint64_t *frames, size_t n)
{
  walk_fixture_walk(fixture);
  for (uint32_t i = 0; i < MIN(n, fixture->n_frames); i++)
    g_assert_cmphex(fixture->frames[i], ==, frames[i]);
  g_assert_cmpuint(fixture->n_frames, ==, n);
  g_assert_cmpint(fixture->end, ==, end);
}
