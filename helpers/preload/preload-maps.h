/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The executable memory of this process, as the kernel tells it. Nothing is allocated. */
#ifndef PRELOAD_MAPS_H
#define PRELOAD_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct preload_map {
  uint64_t start;
  uint64_t end;
  uint64_t offset;  /* in the file */
  dev_t device;     /* as the kernel says, which on some file systems is not what stat says */
  ino_t inode;      /* 0: no file */
  const char *path; /* "[vdso]", "" for memory without a name; valid during the call */
  bool is_deleted;  /* `path` leads elsewhere, if anywhere */
};

typedef void (*preload_map_fn)(const struct preload_map *map, void *data);

/* One line of /proc/PID/maps, without its newline; false for what is none, or not executable. The line is
 * changed, and map->path stands in it. */
bool preload_map_parse(char *line, struct preload_map *map);
/* Calls fn for each executable mapping below the kernel's half, in ascending order, none overlapping another.
 * 0 or a negative errno. Not thread-safe. */
int preload_maps_read(preload_map_fn fn, void *data);

#endif
