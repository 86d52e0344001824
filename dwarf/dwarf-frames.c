/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-frames-private.h"

#include <errno.h>

#include "dwarf/dwarf-file-private.h"
#include "dwarf/dwarf-line-table-private.h"

static uint32_t number_narrow(uint64_t number)
{
  return number <= UINT32_MAX ? (uint32_t)number : 0;
}

static uint32_t value_get_number(const struct dwarf_value *value)
{
  return value->kind == DWARF_VALUE_NUMBER ? number_narrow(value->number) : 0;
}

/* A file's path, as the table of a unit counts files. */
static struct dwarf_text frames_add_file(const struct dwarf_frames *frames, struct dwarf_unit *unit,
                                         uint64_t number)
{
  struct dwarf_line_table *table = dwarf_line_table_read(unit);
  struct dwarf_line_file *file = table ? dwarf_line_table_find(table, number) : NULL;
  char path[DWARF_TEXT_MAX];

  if (!file)
    return (struct dwarf_text){0};
  if (file->text_of != frames->builder->number) {
    file->text =
        dwarf_builder_add_text(frames->builder, path, dwarf_line_table_write_path(table, file, path));
    file->text_of = frames->builder->number;
  }
  return file->text;
}

static void function_add_call(struct dwarf_function *function, const struct dwarf_frames *frames,
                              const struct dwarf_entry *entry)
{
  if (entry->call_file.kind == DWARF_VALUE_NUMBER)
    function->call_file = frames_add_file(frames, frames->unit, entry->call_file.number);
  function->call_line = value_get_number(&entry->call_line);
  function->call_column = value_get_number(&entry->call_column);
}

static void function_read(struct dwarf_function *function, const struct dwarf_frames *frames)
{
  struct dwarf_frame *frame = &function->frame;
  struct dwarf_entry entry;
  struct dwarf_names names;

  function->is_named = true;
  if (!dwarf_entry_read(frames->unit, function->entry, &entry))
    return;
  dwarf_origins_find(frames->origins, frames->unit, &entry, &names);
  frame->function = dwarf_builder_add_text(frames->builder, names.name.text, names.name.length);
  if (names.is_linkage_name)
    frame->flags |= DWARF_FRAME_LINKAGE_NAME;
  if (names.unit)
    frame->declared_file = frames_add_file(frames, names.unit, names.file);
  frame->declared_line = number_narrow(names.line);
  if (function->is_inlined)
    function_add_call(function, frames, &entry);
}

static int frames_add_line(const struct dwarf_frames *frames, const struct dwarf_spot *spot,
                           struct dwarf_frame *frame)
{
  if (spot->has_line) {
    frame->file = frames_add_file(frames, frames->unit, spot->file);
    frame->line = spot->line;
    frame->column = spot->column;
  }
  return dwarf_builder_add_frame(frames->builder, frame);
}

/* The functions in one another, from the innermost on. */
static int frames_add_chain(const struct dwarf_frames *frames, const struct dwarf_spot *spot)
{
  const struct dwarf_function *inner = NULL;
  uint32_t i = spot->function;
  int error = 0;

  for (int n = 0; n < DWARF_FRAMES_MAX && i != DWARF_SPOT_NONE && error == 0; n++) {
    struct dwarf_function *function = &frames->inlines->functions[i];
    struct dwarf_frame frame;

    if (!function->is_named)
      function_read(function, frames);
    frame = function->frame;
    if (function->parent != DWARF_SPOT_NONE)
      frame.flags |= DWARF_FRAME_INLINED;
    if (inner) {
      frame.file = inner->call_file;
      frame.line = inner->call_line;
      frame.column = inner->call_column;
      error = dwarf_builder_add_frame(frames->builder, &frame);
    } else {
      error = frames_add_line(frames, spot, &frame);
    }
    inner = function;
    i = function->parent;
  }
  return error;
}

static int frames_add_spot(const struct dwarf_frames *frames, const struct dwarf_spot *spot)
{
  struct dwarf_builder *builder = frames->builder;
  struct dwarf_place *place = &builder->places[spot->asked];
  uint32_t first = builder->n_frames;
  struct dwarf_frame nameless = {0};
  int error;

  if (spot->function == DWARF_SPOT_NONE && !spot->has_line)
    return 0;
  error = spot->function != DWARF_SPOT_NONE ? frames_add_chain(frames, spot)
                                            : frames_add_line(frames, spot, &nameless);
  if (error < 0)
    return error;
  *place = (struct dwarf_place){spot->start, spot->end, first, builder->n_frames - first};
  return dwarf_budget_work(builder->budget, 8 + place->n_frames);
}

int dwarf_frames_add(const struct dwarf_frames *frames, const struct dwarf_spots *spots)
{
  int error = 0;

  for (uint32_t i = 0; i < spots->n && error == 0; i++)
    if (i == 0 || spots->items[i - 1].end <= spots->items[i].address)
      error = frames_add_spot(frames, &spots->items[i]);
  return error;
}
