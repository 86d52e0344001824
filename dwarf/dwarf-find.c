/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-find.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf-constants-private.h"
#include "dwarf/dwarf-frames-private.h"
#include "dwarf/dwarf-go-private.h"
#include "dwarf/dwarf-line-table-private.h"
#include "dwarf/dwarf-lines-private.h"
#include "dwarf/dwarf-missing-private.h"
#include "dwarf/dwarf-ranges-private.h"
#include "dwarf/dwarf-split-private.h"

/* An asked address, and whose it is. */
struct hit {
  struct dwarf_unit *unit;
  struct dwarf_stretch stretch;
  uint32_t asked;
};

struct dwarf_reader {
  struct dwarf_budget budget;
  struct dwarf_limits limits;
  struct dwarf_files given;
  struct dwarf_bytes *dwo;
  struct dwarf_file main;
  struct dwarf_file alternate;
  bool has_alternate;
  struct dwarf_split split;
  bool is_go; /* and has no DWARF */
  struct unwind_go go;

  struct dwarf_index index;
  bool has_index;
  struct dwarf_unit **vague; /* units that do not say which addresses are theirs, and were not walked yet */
  uint32_t n_vague;
  uint32_t vague_capacity;

  struct dwarf_origins origins;
  struct dwarf_inlines inlines;
  struct dwarf_builder builder;
  struct hit hits[DWARF_ADDRESSES_MAX];
  struct dwarf_spot spots[DWARF_ADDRESSES_MAX];
};

static int reader_copy_files(struct dwarf_reader *reader, const struct dwarf_files *files)
{
  reader->given = *files;
  if (files->n_dwo == 0)
    return 0;
  reader->dwo = dwarf_budget_allocate(&reader->budget, files->n_dwo, sizeof *reader->dwo);
  if (!reader->dwo)
    return -ENOMEM;
  memcpy(reader->dwo, files->dwo, files->n_dwo * sizeof *reader->dwo);
  reader->given.dwo = reader->dwo;
  return 0;
}

static int reader_open_files(struct dwarf_reader *reader)
{
  int error = dwarf_file_open(&reader->main, &reader->given.main, false, &reader->budget);

  if (error < 0)
    return error;
  if (reader->main.elf.is_object && !reader->main.elf.placed)
    return -ENODATA;
  if (reader->main.elf.first[DWARF_SECTION_INFO] == 0) {
    reader->is_go = !reader->main.elf.is_object &&
                    unwind_go_open(&reader->go, reader->given.main.bytes, reader->given.main.size);
    return reader->is_go ? 0 : -ENODATA;
  }
  if (!reader->given.alternate.bytes)
    return 0;
  reader->has_alternate =
      dwarf_file_open(&reader->alternate, &reader->given.alternate, false, &reader->budget) == 0;
  if (reader->has_alternate)
    reader->main.alternate = &reader->alternate;
  else
    reader->budget.damaged = true;
  return 0;
}

int dwarf_reader_open(const struct dwarf_files *files, const struct dwarf_limits *limits,
                      struct dwarf_reader **ret)
{
  struct dwarf_reader *reader = calloc(1, sizeof *reader);
  int error;

  if (!reader)
    return -ENOMEM;
  if (limits)
    reader->limits = *limits;
  dwarf_budget_open(&reader->budget, limits);
  reader->index.budget = reader->inlines.budget = reader->builder.budget = &reader->budget;
  error = reader_copy_files(reader, files);
  if (error == 0)
    error = reader_open_files(reader);
  if (error < 0) {
    dwarf_reader_close(reader);
    return error;
  }
  dwarf_split_open(&reader->split, &reader->given, &reader->budget);
  *ret = reader;
  return 0;
}

void dwarf_reader_set_deadline(struct dwarf_reader *reader, uint64_t deadline)
{
  reader->limits.deadline = deadline;
}

void dwarf_reader_close(struct dwarf_reader *reader)
{
  dwarf_split_close(&reader->split);
  dwarf_file_close(&reader->main);
  if (reader->has_alternate)
    dwarf_file_close(&reader->alternate);
  dwarf_origins_clear(&reader->origins);
  dwarf_inlines_clear(&reader->inlines);
  dwarf_builder_clear(&reader->builder);
  free(reader->index.items);
  free(reader->vague);
  free(reader->dwo);
  free(reader);
}

static int reader_add_vague(struct dwarf_reader *reader, struct dwarf_unit *unit)
{
  if (reader->n_vague == reader->vague_capacity) {
    void *grown =
        dwarf_budget_grow(&reader->budget, reader->vague, &reader->vague_capacity, sizeof *reader->vague);

    if (!grown)
      return -ENOMEM;
    reader->vague = grown;
  }
  reader->vague[reader->n_vague++] = unit;
  return 0;
}

/* Since DWARF 3 a unit can have several ranges; before, its one is that of the code that lies together. */
static bool unit_is_vague(const struct dwarf_unit *unit)
{
  return unit->version < 3 ||
         (unit->ranges.kind == DWARF_VALUE_NONE && unit->high_pc.kind == DWARF_VALUE_NONE);
}

static int reader_index_unit(struct dwarf_reader *reader, struct dwarf_unit *unit)
{
  struct dwarf_ranges ranges;
  struct dwarf_stretch range;
  int error = 0;

  if (unit->type == UT_TYPE || unit->type == UT_PARTIAL || unit->type == UT_SPLIT_TYPE)
    return 0;
  error = dwarf_unit_read(unit);
  if (error < 0) {
    reader->budget.damaged |= error == -EBADMSG;
    return error == -EBADMSG ? 0 : error;
  }
  if (unit->tag == TAG_PARTIAL_UNIT)
    return 0;
  if (unit_is_vague(unit))
    error = reader_add_vague(reader, unit);
  if (!dwarf_ranges_open_unit(&ranges, unit))
    return error;
  while (error == 0 && dwarf_ranges_next(&ranges, &range))
    error = dwarf_index_add(&reader->index, &range, unit);
  return error;
}

/* What memory or time had no room for is not in the index; the outcome says so. */
static int reader_read_index(struct dwarf_reader *reader)
{
  int error;

  if (reader->has_index)
    return 0;
  error = dwarf_file_read_units(&reader->main);
  for (uint32_t i = 0; i < reader->main.n_units && error == 0; i++) {
    error = reader_index_unit(reader, &reader->main.units[i]);
    if (error == 0)
      error = dwarf_budget_work(&reader->budget, 64);
  }
  if (error == -ETIME) {
    reader->index.n = reader->n_vague = 0;
    return error;
  }
  reader->has_index = true;
  dwarf_index_settle(&reader->index);
  return 0;
}

/* Goes on with the unit at which time ended. */
static int reader_read_vague(struct dwarf_reader *reader)
{
  int error = 0;

  while (reader->n_vague > 0 && error != -ETIME) {
    error = dwarf_inlines_index(&reader->inlines, reader->vague[reader->n_vague - 1], &reader->index);
    if (error == -EBADMSG)
      reader->budget.damaged = true;
    if (error != -ETIME)
      reader->n_vague--;
  }
  dwarf_index_settle(&reader->index);
  return error == -ETIME ? error : 0;
}

/* How many of the addresses are some unit's. */
static uint32_t reader_find_units(struct dwarf_reader *reader, const uint64_t *addresses, size_t n)
{
  uint32_t n_hits = 0;

  for (size_t i = 0; i < n; i++) {
    const struct dwarf_index_item *item = dwarf_index_find(&reader->index, addresses[i]);

    if (item)
      reader->hits[n_hits++] = (struct hit){item->unit, item->stretch, (uint32_t)i};
  }
  return n_hits;
}

static int hit_compare(const void *a, const void *b)
{
  const struct hit *x = a, *y = b;

  if (x->unit != y->unit)
    return x->unit < y->unit ? -1 : 1;
  return x->asked < y->asked ? -1 : x->asked > y->asked;
}

static void reader_set_spots(struct dwarf_reader *reader, const struct hit *hits, uint32_t n,
                             const uint64_t *addresses)
{
  for (uint32_t i = 0; i < n; i++)
    reader->spots[i] = (struct dwarf_spot){.address = addresses[hits[i].asked],
                                           .start = hits[i].stretch.start,
                                           .end = hits[i].stretch.end,
                                           .function = DWARF_SPOT_NONE,
                                           .asked = hits[i].asked};
}

static void spots_forget_functions(struct dwarf_spots *spots)
{
  for (uint32_t i = 0; i < spots->n; i++)
    spots->items[i].function = DWARF_SPOT_NONE;
}

/* The unit that has the entries: of a skeleton the other half, or itself while that is missing. */
static int reader_find_entries(struct dwarf_reader *reader, struct dwarf_unit *unit, struct dwarf_unit **ret)
{
  *ret = unit;
  if (!dwarf_split_is_skeleton(unit))
    return 0;
  *ret = dwarf_split_find(&reader->split, unit);
  if (*ret)
    return 0;
  *ret = unit;
  if (reader->budget.out_of_time)
    return -ETIME;
  return dwarf_missing_add_split(&reader->builder, unit);
}

/* Each half of what is known of a unit, functions and lines, is of use without the other. */
static int reader_read_unit(struct dwarf_reader *reader, struct dwarf_unit *unit, struct dwarf_spots *spots)
{
  struct dwarf_frames frames = {&reader->builder, &reader->origins, &reader->inlines, NULL};
  struct dwarf_line_table *table;
  int error = reader_find_entries(reader, unit, &frames.unit);

  if (error < 0)
    return error;
  error = dwarf_inlines_find(&reader->inlines, frames.unit, spots);
  if (error == -EBADMSG) {
    reader->budget.damaged = true;
    spots_forget_functions(spots);
  } else if (error < 0) {
    return error;
  }
  table = dwarf_line_table_read(unit);
  error = table ? dwarf_lines_find(table, &reader->main.elf, spots) : 0;
  if (error == -EBADMSG)
    reader->budget.damaged = true;
  else if (error < 0)
    return error;
  dwarf_spots_settle(spots);
  return dwarf_frames_add(&frames, spots);
}

static int reader_read_units(struct dwarf_reader *reader, uint32_t n_hits, const uint64_t *addresses)
{
  int error = 0;

  for (uint32_t i = 0, n; i < n_hits && error != -ETIME; i += n) {
    const struct hit *hits = &reader->hits[i];
    struct dwarf_spots spots = {.items = reader->spots};

    for (n = 1; i + n < n_hits && hits[n].unit == hits->unit; n++)
      continue;
    spots.n = n;
    reader_set_spots(reader, hits, n, addresses);
    error = dwarf_budget_work(&reader->budget, DWARF_WORK_OF_A_LOOK);
    if (error == 0)
      error = reader_read_unit(reader, hits->unit, &spots);
  }
  return error;
}

static bool addresses_ascend(const uint64_t *addresses, size_t n)
{
  for (size_t i = 1; i < n; i++)
    if (addresses[i] <= addresses[i - 1])
      return false;
  return n <= DWARF_ADDRESSES_MAX;
}

static int reader_find(struct dwarf_reader *reader, const uint64_t *addresses, size_t n)
{
  uint32_t n_hits;
  int error;

  if (reader->is_go)
    return dwarf_go_find(&reader->go, &reader->builder, addresses, n);
  error = reader_read_index(reader);
  if (error < 0)
    return error;
  n_hits = reader_find_units(reader, addresses, n);
  if (n_hits < n && reader->n_vague > 0) {
    error = reader_read_vague(reader);
    n_hits = reader_find_units(reader, addresses, n);
  }
  if (n_hits > 1)
    qsort(reader->hits, n_hits, sizeof *reader->hits, hit_compare);
  return error < 0 ? error : reader_read_units(reader, n_hits, addresses);
}

int dwarf_reader_find(struct dwarf_reader *reader, const uint64_t *addresses, size_t n,
                      struct dwarf_places **ret)
{
  if (!addresses_ascend(addresses, n))
    return -EINVAL;
  dwarf_budget_start(&reader->budget, &reader->limits);
  dwarf_builder_start(&reader->builder, n);
  reader->main.lacks_alternate = false;
  reader_find(reader, addresses, n);
  if (reader->main.lacks_alternate)
    dwarf_missing_add_alternate(&reader->builder, &reader->main);
  return dwarf_builder_finish(&reader->builder, addresses, n, ret);
}

int dwarf_find(const struct dwarf_files *files, const uint64_t *addresses, size_t n,
               const struct dwarf_limits *limits, struct dwarf_places **ret)
{
  struct dwarf_reader *reader;
  int error = dwarf_reader_open(files, limits, &reader);

  if (error < 0)
    return error;
  error = dwarf_reader_find(reader, addresses, n, ret);
  dwarf_reader_close(reader);
  return error;
}
