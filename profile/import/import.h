/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What importers of other formats share: the binaries of the recorded machine, and how its processes, threads
 * and addresses are defined in a capture. Definitions hold for one epoch of the writer and are made again
 * where another one needs them. One thread at a time.
 *
 * What returns an identifier (> 0) or a status returns a negative errno on failure; -ENOSPC: the epoch is
 * full, begin another one and ask again.
 */
#pragma once

#include "libcapture/file/capture-writer.h"
#include "profile/import/perf-data-machine.h"

G_BEGIN_DECLS

typedef struct {
  char *path;
  guint64 device, inode, inode_generation;
  guint64 mapped_start, mapped_end;
  gint32 mapped_pid;
  gint32 first_pid; /* of the process that was first seen to map it; for importers alone */
  guint32 flags;    /* enum capture_binary_flags */
  guint8 build_id[CAPTURE_BUILD_ID_MAX];
  guint32 build_id_size;
  guint32 id; /* in epoch */
  guint32 epoch;
} ProfilePerfBinary;

typedef struct {
  capture_writer *writer;    /* the owner's; NULL until there is something to write */
  GPtrArray *binaries;       /* ProfilePerfBinary; what mappings call binary is an index of it */
  GHashTable *binary_by_key; /* text → index + 1 */
  gboolean nameless; /* processes and threads are defined without names: somebody else has told those */
} ProfileImport;

void profile_import_init(ProfileImport *self);
void profile_import_clear(ProfileImport *self);

/* Of what is mapped under that path: enum capture_binary_flags. */
guint32 profile_import_get_flags(const char *path);
/* The index of the binary that is the same as like, of which a copy is kept. */
guint32 profile_import_find_binary(ProfileImport *self, const ProfilePerfBinary *like);

/* Interned; what is longer than a string may be is cut. */
gint64 profile_import_define_string(ProfileImport *self, const char *text);
gint64 profile_import_define_binary(ProfileImport *self, guint32 index);
/* Of a process that is defined already, or of the kernel (0). */
int profile_import_define_mapping(ProfileImport *self, guint32 process, const ProfilePerfMapping *mapping);
gint64 profile_import_define_process(ProfileImport *self, ProfilePerfProcess *process);
gint64 profile_import_define_thread(ProfileImport *self, ProfilePerfThread *thread);
/* The frame of an address of user space: an offset in a file only where the mappings of the process, which
 * hold at that time, lead back to that very address. */
gint64 profile_import_define_address(ProfileImport *self, ProfilePerfProcess *process, guint64 address,
                                     guint64 time);

G_END_DECLS
