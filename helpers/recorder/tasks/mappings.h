/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one address space has mapped: ranges in ascending order that do not overlap. A fork shares them with
 * its parent until either changes; so the functions that change take the place where the pointer stands.
 */
#ifndef RECORDER_MAPPINGS_H
#define RECORDER_MAPPINGS_H

#include "helpers/common/binary.h"

struct recorder_mapping {
  uint64_t start;
  uint64_t end;
  uint64_t offset; /* in the binary, of start */
  uint64_t time;   /* from when on; 0 before the recording */
  struct recorder_binary *binary;
  uint32_t protection; /* PROT_* */
  uint32_t flags;      /* MAP_* */
  bool ambiguous;      /* its part of the file was, is or may be mapped elsewhere in this address space too */
};

struct recorder_mappings {
  uint32_t references;
  uint32_t count;
  uint32_t capacity;
  struct recorder_mapping items[];
};

/* The empty address space is NULL. */
struct recorder_mappings *recorder_mappings_share(struct recorder_mappings *mappings);
void recorder_mappings_release(struct recorder_mappings *mappings, struct recorder_binaries *binaries);

/* Adds a mapping, which takes the place of whatever stood in its range. Takes over the reference to its
 * binary. Returns where it stands now, valid until the next change. */
struct recorder_mapping *recorder_mappings_add(struct recorder_mappings **place,
                                               struct recorder_binaries *binaries,
                                               const struct recorder_mapping *mapping);
/* The mapping that holds address, or NULL. */
const struct recorder_mapping *recorder_mappings_find(const struct recorder_mappings *mappings,
                                                      uint64_t address);

#endif
