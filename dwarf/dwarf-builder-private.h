/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gathers places, frames and texts, and makes one piece of memory of them. */
#ifndef DWARF_BUILDER_PRIVATE_H
#define DWARF_BUILDER_PRIVATE_H

#include "dwarf/dwarf-map-private.h"

struct dwarf_builder {
  struct dwarf_budget *budget;
  uint32_t number; /* of the places that are built: texts of others mean nothing in them */
  struct dwarf_map texts_by_hash;
  struct dwarf_text *texts;
  uint32_t n_texts;
  uint32_t texts_capacity;
  char *bytes;
  uint32_t size;
  uint32_t capacity;
  struct dwarf_frame *frames;
  uint32_t n_frames;
  uint32_t frames_capacity;
  struct dwarf_missing *missing;
  uint32_t n_missing;
  uint32_t missing_capacity;
  struct dwarf_place
      places[DWARF_ADDRESSES_MAX]; /* by the address that was asked for; without frames: none */
};

/* Begins with places of n addresses. */
void dwarf_builder_start(struct dwarf_builder *builder, size_t n);

/* Each text is kept once. What is too long is cut; where memory ends it is empty. */
struct dwarf_text dwarf_builder_add_text(struct dwarf_builder *builder, const char *text, size_t length);

/* 0 or -ENOMEM. */
int dwarf_builder_add_frame(struct dwarf_builder *builder, const struct dwarf_frame *frame);
int dwarf_builder_add_missing(struct dwarf_builder *builder, const struct dwarf_missing *missing);

/* Makes the places of `addresses`, and begins anew. 0 or -ENOMEM. */
int dwarf_builder_finish(struct dwarf_builder *builder, const uint64_t *addresses, size_t n,
                         struct dwarf_places **ret);

void dwarf_builder_clear(struct dwarf_builder *builder);

#endif
