/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The compiler of unwind information: whatever it makes of an ELF file is a table that can be searched. */
#include <stdlib.h>
#include <string.h>

#include "unwind/unwind-compile.h"

/* As much of a workspace is filled. */
#define DIRTY_MAX ((size_t)8 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void search(const struct unwind_table *table)
{
  uint64_t end = table->base + ((uint64_t)table->n_buckets << table->bucket_shift);
  uint64_t step = (end - table->base) / 512 + 1, bias;
  const struct unwind_rule *rules = unwind_table_find(table, table->base - 1);

  for (uint64_t address = table->base - 2 * step; address < end + 2 * step; address += step) {
    const struct unwind_rule *rule = unwind_table_find(table, address);

    if (rule < rules || rule >= rules + table->n_rules)
      abort();
    unwind_table_bias(table, address, address & ~(uint64_t)4095, &bias);
  }
}

static void check(int error, struct unwind_image *image, size_t size)
{
  uint32_t table_size;

  if (error < 0)
    return;
  table_size = image->table->size;
  if (table_size > image->capacity || !unwind_table_is_valid(image->table, table_size, true))
    abort();
  /* Memory is bounded by the file's size, but for the smallest index. */
  if (image->capacity > 16 * size + (1 << 20) && image->table->n_rules < 1000)
    abort();
  search(image->table);
  /* What is damaged afterwards is refused or harmless. */
  ((uint8_t *)image->table)[(size * 7919) % table_size] ^= 0x10;
  if (unwind_table_is_valid(image->table, table_size, false))
    search(image->table);
  if (unwind_table_is_valid(image->table, table_size, true))
    abort();
  unwind_image_clear(image);
}

/* What is made in a workspace that was used before, and filled with something else since, is the same. */
static void compare(const uint8_t *data, size_t size, bool in_memory, int error,
                    const struct unwind_image *image)
{
  static struct unwind_workspace workspace;
  const struct unwind_table *table;

  if (workspace.bytes)
    memset(workspace.bytes, 0xa5, workspace.size < DIRTY_MAX ? workspace.size : DIRTY_MAX);
  if (unwind_compile_into(&workspace, data, size, in_memory, &table) != error)
    abort();
  if (error == 0 && (table->size != image->table->size || memcmp(table, image->table, table->size) != 0))
    abort();
  if (workspace.size > 16 * DIRTY_MAX)
    unwind_workspace_clear(&workspace);
}

static void compile(const uint8_t *data, size_t size, bool in_memory)
{
  struct unwind_image image = {0};
  int error = in_memory ? unwind_compile_memory(data, size, &image) : unwind_compile(data, size, &image);

  compare(data, size, in_memory, error, &image);
  check(error, &image, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  compile(data, size, false);
  compile(data, size, true);
  if (size % 8 == 0 && unwind_table_is_valid(data, size, false))
    search((const struct unwind_table *)data);
  return 0;
}
