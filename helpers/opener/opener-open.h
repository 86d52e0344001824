/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens the file that a process has mapped, and finds out what it is. The path is the process's word and may
 * lead anywhere: a file is taken only when it is the one that the mapping shows, and a regular one. May wait
 * for a disk, or for whoever serves a file system; so it is done in a process of its own
 * (helpers/opener-protocol.h).
 */
#ifndef OPENER_OPEN_H
#define OPENER_OPEN_H

#include <stdbool.h>

#include "helpers/common/binary.h"
#include "helpers/opener-protocol.h"

struct opener_opened {
  int fd; /* read-only; the receiver's to close */
  uint64_t size;
  /* What tells this binary from others, as a file name. By its build-id, with the owner where that is neither
   * root nor this user: a build-id is only what a file says of itself. Without one by device, inode,
   * generation and time of change. */
  char identity[OPENER_IDENTITY_MAX];
};

/* Opens what the process has mapped at [start, end): through /proc/PID/map_files, else by path below
 * /proc/PID/root, /proc/PID/exe, or below our own root, which helps when the process is gone. 0 or -errno. */
int opener_open_mapped(const struct recorder_binary_key *key, int32_t pid, uint64_t start, uint64_t end,
                       struct opener_opened *ret);
/* Whether everybody may read the file, and gets it by its path. For root only what root alone may have
 * written is public: root reads nobody else's files outside of the elf-reader. */
bool opener_open_is_public(int fd);
/* The vDSO that the kernel mapped into this very process, in a memfd. 0 or -errno. */
int opener_open_vdso(struct opener_opened *ret);

#endif
