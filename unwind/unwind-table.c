/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <stddef.h>
#include <unistd.h>

#include "libcapture/file/capture-crc32c.h"
#include "unwind/unwind-compile.h"

static const void *table_part(const struct unwind_table *table, uint32_t at)
{
  return (const uint8_t *)table + at;
}

/* Whether `n` things of a size stand inside of the image, behind its header. */
static bool has_part(const struct unwind_table *table, uint32_t at, uint64_t n, uint64_t size)
{
  return at % 8 == 0 && at >= sizeof *table && at <= table->size && n <= (table->size - at) / size;
}

static bool is_header_valid(const struct unwind_table *table, size_t size)
{
  uint64_t end;

  return table->magic == UNWIND_TABLE_MAGIC && table->version == UNWIND_TABLE_VERSION &&
         (table->machine == EM_X86_64 || table->machine == EM_AARCH64) && table->size == size &&
         size % 8 == 0 && table->bucket_shift >= UNWIND_BUCKET_SHIFT_MIN &&
         table->bucket_shift <= UNWIND_BUCKET_SHIFT_MAX &&
         table->base % (1u << UNWIND_BUCKET_SHIFT_MIN) == 0 &&
         !__builtin_add_overflow(table->base, (uint64_t)table->n_buckets << table->bucket_shift, &end) &&
         table->n_rules >= 1 && table->n_rules <= 65536 &&
         has_part(table, table->rows_at, table->n_rows, sizeof(struct unwind_row)) &&
         has_part(table, table->buckets_at, (uint64_t)table->n_buckets + 1, sizeof(uint32_t)) &&
         has_part(table, table->rules_at, table->n_rules, sizeof(struct unwind_rule)) &&
         has_part(table, table->segments_at, table->n_segments, sizeof(struct unwind_segment)) &&
         (table->runtime_at == 0 || has_part(table, table->runtime_at, 1, sizeof(struct unwind_runtime)));
}

/* Rows of one bucket: in it, ascending, with rules that there are. */
static bool is_bucket_valid(const struct unwind_table *table, uint32_t bucket, uint32_t first, uint32_t end)
{
  const struct unwind_row *rows = table_part(table, table->rows_at);
  uint16_t high = (uint16_t)((uint64_t)bucket << table->bucket_shift);
  uint32_t mask = 0xffffu >> table->bucket_shift << table->bucket_shift;

  for (uint32_t i = first; i < end; i++) {
    if ((rows[i].low & mask) != high || rows[i].rule >= table->n_rules ||
        (i > first && rows[i].low <= rows[i - 1].low))
      return false;
  }
  return true;
}

static bool are_rows_valid(const struct unwind_table *table)
{
  const uint32_t *buckets = table_part(table, table->buckets_at);

  if (buckets[0] != 0 || buckets[table->n_buckets] != table->n_rows)
    return false;
  for (uint32_t i = 0; i < table->n_buckets; i++) {
    if (buckets[i] > buckets[i + 1] || buckets[i + 1] > table->n_rows ||
        !is_bucket_valid(table, i, buckets[i], buckets[i + 1]))
      return false;
  }
  return true;
}

static bool are_rules_valid(const struct unwind_table *table)
{
  const struct unwind_rule *rules = table_part(table, table->rules_at);

  for (uint32_t i = 0; i < table->n_rules; i++) {
    if (rules[i].cfa > UNWIND_CFA_FP_ELSEWHERE ||
        UNWIND_SAVED_RA(rules[i].saved) > UNWIND_SAVED_IN_REGISTER || rules[i].saved & 0x80 ||
        (rules[i].flags & ~UNWIND_RULE_BY_CODE) > (UNWIND_RULE_FROM_SP << 1) - 1)
      return false;
  }
  return rules[0].cfa == UNWIND_CFA_NONE && rules[0].saved == 0;
}

static bool are_segments_valid(const struct unwind_table *table)
{
  const struct unwind_segment *segments = table_part(table, table->segments_at);
  uint64_t end;

  for (uint32_t i = 0; i < table->n_segments; i++) {
    if (__builtin_add_overflow(segments[i].address, segments[i].size, &end) ||
        (i > 0 && segments[i].offset < segments[i - 1].offset))
      return false;
  }
  return true;
}

/* The checksum is of the image with 0 in its place. */
static bool is_checksum_right(const struct unwind_table *table)
{
  struct unwind_table header = *table;
  uint32_t crc;

  header.crc = 0;
  crc = capture_crc32c(0, &header, sizeof header);
  return capture_crc32c(crc, table + 1, table->size - sizeof header) == table->crc;
}

bool unwind_table_is_valid(const void *table, size_t size, bool crc)
{
  return size >= sizeof(struct unwind_table) && (uintptr_t)table % 8 == 0 && is_header_valid(table, size) &&
         (!crc || is_checksum_right(table)) && are_rows_valid(table) && are_rules_valid(table) &&
         are_segments_valid(table);
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t address)
{
  const uint32_t *buckets = table_part(table, table->buckets_at);
  const struct unwind_row *rows = table_part(table, table->rows_at);
  const struct unwind_rule *rules = table_part(table, table->rules_at);
  uint64_t place = address - table->base, bucket = place >> table->bucket_shift;
  uint32_t low, high;

  if (address < table->base || bucket >= table->n_buckets)
    return rules;
  low = buckets[bucket];
  high = buckets[bucket + 1];
  while (low < high) {
    uint32_t middle = low + (high - low) / 2;

    if (rows[middle].low <= (uint16_t)place)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? rules : &rules[rows[low - 1].rule];
}

bool unwind_table_bias(const struct unwind_table *table, uint64_t start, uint64_t offset, uint64_t *ret_bias)
{
  const struct unwind_segment *segments = table_part(table, table->segments_at);
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

  for (uint32_t i = 0; i < table->n_segments; i++) {
    if (offset < (segments[i].offset & ~(page - 1)) ||
        (offset > segments[i].offset && offset - segments[i].offset >= segments[i].size))
      continue;
    *ret_bias = start - (offset - segments[i].offset + segments[i].address);
    return true;
  }
  return false;
}
