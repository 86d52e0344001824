/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-go-private.h"

/* No compiler puts more in one another. */
#define DEPTH_MAX 64

static struct dwarf_text go_add_text(struct dwarf_builder *builder, const struct unwind_go_text *text)
{
  return text->text ? dwarf_builder_add_text(builder, text->text, text->length) : (struct dwarf_text){0};
}

/* The frame of a place; a function of Go's is declared in the file that its lines are in. */
static int go_add_frame(struct dwarf_builder *builder, const struct unwind_go_place *place)
{
  struct dwarf_frame frame = {.function = go_add_text(builder, &place->function),
                              .file = go_add_text(builder, &place->file),
                              .line = place->line,
                              .declared_line = place->declared,
                              .flags = place->is_inlined ? DWARF_FRAME_INLINED : 0};

  if (place->declared > 0)
    frame.declared_file = frame.file;
  return dwarf_builder_add_frame(builder, &frame);
}

/* From the innermost function on. A caller that lies where it was called from is damage. */
static int go_add_chain(const struct unwind_go *go, struct dwarf_builder *builder,
                        const struct unwind_go_function *function, struct unwind_go_place place)
{
  int error = go_add_frame(builder, &place);

  for (int n = 1; n < DEPTH_MAX && place.is_inlined && error == 0; n++) {
    if (place.caller < function->start || place.caller >= function->end)
      break;
    unwind_go_locate(go, function, place.caller, &place);
    error = go_add_frame(builder, &place);
  }
  if (error == 0 && place.is_inlined)
    builder->frames[builder->n_frames - 1].flags = 0;
  return error;
}

int dwarf_go_find(const struct unwind_go *go, struct dwarf_builder *builder, const uint64_t *addresses,
                  size_t n)
{
  uint64_t known = 0;
  int error = 0;

  for (size_t i = 0; i < n && error == 0; i++) {
    struct unwind_go_function function;
    struct unwind_go_place place;
    uint32_t first = builder->n_frames;

    error = dwarf_budget_work(builder->budget, 64);
    if (error < 0 || addresses[i] < known || !unwind_go_find(go, addresses[i], &function))
      continue;
    unwind_go_locate(go, &function, addresses[i], &place);
    known = place.end;
    error = go_add_chain(go, builder, &function, place);
    if (error == 0)
      builder->places[i] = (struct dwarf_place){place.start, place.end, first, builder->n_frames - first};
  }
  return error;
}
