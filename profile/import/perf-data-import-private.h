/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "libcapture/file/capture-file.h"
#include "profile/import/import.h"
#include "profile/import/perf-data-import.h"
#include "profile/import/perf-data-sample.h"
#include "profile/import/unwinder.h"

G_BEGIN_DECLS

/* A record holds fewer addresses than this. */
#define PROFILE_PERF_CHAIN_MAX 8192

/* Keys of addresses that belong to no process; versions of processes are greater. */
enum { PROFILE_PERF_KEY_KERNEL = 1, PROFILE_PERF_KEY_GUEST = 2 };

typedef struct {
  char *name;
  struct capture_record_kernel_symbol record;
} ProfilePerfKernelSymbol;

/* The frame of an address; forgotten when another one needs its place. */
typedef struct {
  guint64 address;
  guint32 key; /* a version of a process, or PROFILE_PERF_KEY_*; 0: empty */
  guint32 frame;
} ProfilePerfCachedFrame;

#define PROFILE_PERF_CACHE_BITS 18

typedef struct {
  guint32 frames[PROFILE_PERF_CHAIN_MAX + 1]; /* from the leaf on */
  guint n;
  guint64 leaf; /* address of the first */
} ProfilePerfStack;

typedef struct {
  ProfilePerfData *data;
  const ProfileImportOptions *options;
  ProfileImportResult *result;
  int fd;
  ProfilePerfMachine *machine;
  ProfileImport import;
  GArray *kernel_mappings;   /* ProfilePerfMapping */
  GPtrArray *kernel_symbols; /* ProfilePerfKernelSymbol */
  guint32 *event_ids;        /* by index of the event */
  guint64 last_time;
  capture_file *file; /* NULL, as the writer is, until the first record that has a time */
  capture_sink *sink;
  ProfilePerfCachedFrame *cache; /* 1 << PROFILE_PERF_CACHE_BITS */
  ProfilePerfStack kernel, user; /* of the sample in work */
  gboolean same_boot;            /* the file was recorded under the running kernel */
  ProfileUnwinder *unwinder;     /* NULL until a sample has a copy of its stack */
} ProfilePerfImport;

/* All below return 0, an identifier or a negative errno; -ENOSPC: the epoch is full. */

/* Defines what holds for a whole epoch, at its beginning: events, the kernel's mappings and symbols. */
int profile_perf_import_begin_epoch(ProfilePerfImport *self);
int profile_perf_import_define_kernel_symbol(ProfilePerfImport *self, const ProfilePerfKernelSymbol *symbol);

/* Interns the stack of a sample: its leaf (0: no stack), and how it ended. */
gint64 profile_perf_import_define_stack(ProfilePerfImport *self, const ProfilePerfRecord *record,
                                        const ProfilePerfSample *sample, ProfilePerfProcess *process,
                                        guint8 *ret_outcome);

/* Whether the sample has a copy of its user stack, so that perf left its callers out. */
gboolean profile_perf_import_has_user_stack(const ProfilePerfRecord *record, const ProfilePerfSample *sample);
/* Walks over the copy of the sample's stack. Returns the number of addresses in frames, the innermost first;
 * 0: nothing can be walked. */
guint profile_perf_import_unwind(ProfilePerfImport *self, const ProfilePerfRecord *record,
                                 const ProfilePerfSample *sample, const ProfilePerfProcess *process,
                                 guint64 frames[WALK_FRAMES_MAX], guint8 *ret_outcome);

/* Takes an MMAP or MMAP2 record into machine and, where needed, the capture. */
int profile_perf_import_map(ProfilePerfImport *self, const ProfilePerfRecord *record);

/* Creates file, sink and writer with time as the beginning. */
int profile_perf_import_open(ProfilePerfImport *self, guint64 time);
/* Keeps the jitdumps that processes mapped, where they are still there, in the capture; once the writer is
 * closed. same_clock: the samples' times are CLOCK_MONOTONIC's, as those of jitdumps. */
int profile_perf_import_add_jitdumps(ProfilePerfImport *self, gboolean same_clock);
/* Closes all, in good order. */
int profile_perf_import_close(ProfilePerfImport *self);

G_END_DECLS
