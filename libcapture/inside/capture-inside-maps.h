/* SPDX-License-Identifier: BSD-2-Clause */
/* Reads /proc/self/maps: system calls and the caller's memory, no allocation. */
#ifndef CAPTURE_INSIDE_MAPS_H
#define CAPTURE_INSIDE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "libcapture/format/capture-format.h"

/* Not on the stack: some threads have little. */
struct capture_inside_maps_scratch {
  char text[8192];     /* longer than a line: 4096 bytes of path, quoted, and 73 before it */
  uint8_t notes[4096]; /* of an ELF file */
};

struct capture_inside_maps_file {
  uint64_t device; /* major << 32 | minor */
  uint64_t inode;
  uint64_t flags; /* enum capture_binary_flags */
};

/* An executable mapping. */
struct capture_inside_maps_line {
  uint64_t start;
  uint64_t end;
  uint64_t offset;
  uint64_t now;   /* when reading began */
  uint64_t image; /* where the beginning of the same file is mapped; 0: nowhere */
  uint64_t image_end;
  uint32_t protection; /* PROT_* */
  uint32_t flags;      /* MAP_* */
  struct capture_inside_maps_file file;
  const char *path; /* without " (deleted)"; empty for memory without a name */
  uint32_t path_length;
};

/* Calls fn for each, by ascending address. False when the file could not be read. */
bool capture_inside_maps_read(struct capture_inside_maps_scratch *scratch,
                              void (*fn)(const struct capture_inside_maps_line *line, void *data),
                              void *data);

/* The build-id in the notes of the file that is mapped there; its size, 0 when it has none. Memory that
 * cannot be read is no harm. Within fn, too. */
uint32_t capture_inside_maps_build_id(struct capture_inside_maps_scratch *scratch,
                                      const struct capture_inside_maps_line *line,
                                      uint8_t build_id[static CAPTURE_BUILD_ID_MAX]);

#endif
