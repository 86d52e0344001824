/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands in DWARF about addresses: the line, and the functions that the compiler put in one another
 * there. One piece of memory, so that it can be handed from the process that reads DWARF to the one that
 * asked.
 *
 * A place is a stretch of addresses in which all of it is the same. Its frames stand innermost first: the
 * line of the first is where the instruction comes from, the line of each other one is where it calls the one
 * before.
 */
#ifndef DWARF_PLACES_H
#define DWARF_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DWARF_PLACES_MAGIC  0x43414c50u
#define DWARF_ADDRESSES_MAX 8192
#define DWARF_FRAMES_MAX    256  /* of one place; where more lie in one another the outermost are left out */
#define DWARF_TEXT_MAX      4095 /* longer ones are cut */

enum dwarf_outcome {
  DWARF_COMPLETE = 0,
  DWARF_OUT_OF_TIME = 1, /* some units were not read */
  DWARF_OUT_OF_MEMORY = 2,
  DWARF_DAMAGED = 3 /* some units, or lines, could not be read */
};

enum dwarf_frame_flags {
  DWARF_FRAME_INLINED = 1 << 0,     /* it lies in the frame that follows */
  DWARF_FRAME_LINKAGE_NAME = 1 << 1 /* the name is a linkage name, to be demangled */
};

struct dwarf_text {
  uint32_t at; /* in all of it, not terminated; length 0: none */
  uint32_t length;
};

struct dwarf_frame {
  struct dwarf_text function;
  struct dwarf_text file; /* as the compiler was told, made absolute by its directory where that is known */
  uint32_t line;          /* 0: not known */
  uint32_t column;        /* likewise */
  uint32_t declared_line; /* where the function begins in declared_file; 0: not known */
  uint32_t flags;         /* enum dwarf_frame_flags */
  struct dwarf_text declared_file;
};

struct dwarf_place {
  uint64_t start; /* addresses, as the file has them */
  uint64_t end;
  uint32_t first_frame;
  uint32_t n_frames; /* at least one */
};

/* A file that is needed for some of the addresses and was not given. */
struct dwarf_missing {
  struct dwarf_text
      path; /* of a .dwo: made absolute by its unit's directory; of the alternate file: as the link has it */
  uint64_t dwo_id;        /* of a .dwo */
  uint8_t build_id[32];   /* of the alternate file */
  uint32_t build_id_size; /* 0: it is a .dwo */
  uint32_t reserved;
};

/* The places follow, then the frames, then what is missing, then the texts. */
struct dwarf_places {
  uint32_t magic;
  uint32_t size;     /* of all of it */
  uint32_t outcome;  /* enum dwarf_outcome */
  uint32_t n_places; /* ascending, not overlapping */
  uint32_t n_frames;
  uint32_t n_missing;
};

const struct dwarf_place *dwarf_places_get(const struct dwarf_places *places);
const struct dwarf_frame *dwarf_places_get_frames(const struct dwarf_places *places);
const struct dwarf_missing *dwarf_places_get_missing(const struct dwarf_places *places);

/* The place that holds an address, or NULL. */
const struct dwarf_place *dwarf_places_find(const struct dwarf_places *places, uint64_t address);

/* Whether all of `size` bytes are places: sizes, order, indices and texts inside. What comes from another
 * process is asked before it is used. */
bool dwarf_places_are_valid(const void *places, size_t size);

#endif
