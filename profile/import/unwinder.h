/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds user stacks in what was copied of them: registers and a piece of the stack of a sample, by the unwind
 * tables of the binaries that were mapped. A binary's table is compiled when a stack first leads through it,
 * and kept. One thread at a time.
 */
#pragma once

#include "profile/elf/debug-files.h"
#include "profile/import/perf-data-maps.h"
#include "unwind/walk/unwind-walk.h"

G_BEGIN_DECLS

typedef struct _ProfileUnwinder ProfileUnwinder;

typedef enum {
  PROFILE_UNWINDER_FILE,    /* *ret holds it; the unwinder's to clear */
  PROFILE_UNWINDER_NO_FILE, /* memory that belongs to no file, or to one that is no ELF: frame pointers have
                               to do */
  PROFILE_UNWINDER_MISSING  /* out of reach: stacks end there */
} ProfileUnwinderFile;

/* Opens the very file behind a binary of the mappings. */
typedef ProfileUnwinderFile (*ProfileUnwinderOpenFunc)(guint32 binary, ProfileDebugFile *ret, gpointer data);

/* Mappings of one process, as they were when the sample was taken; version: a number that no other mappings
 * have. */
typedef struct {
  const ProfilePerfMaps *maps;
  guint32 version;
} ProfileUnwinderProcess;

/* What was copied of a thread. */
typedef struct {
  struct walk_registers registers;
  gboolean in_kernel; /* it had entered the kernel with these registers */
  struct unwind_piece stack;
  gboolean is_cut; /* more was to be copied, but was not in memory */
} ProfileUnwinderSample;

/* machine: WALK_X86_64 or WALK_AARCH64. NULL when there is no memory. */
ProfileUnwinder *profile_unwinder_new(guint32 machine, ProfileUnwinderOpenFunc open, gpointer data);
void profile_unwinder_free(ProfileUnwinder *self);

/* Writes the stack's addresses into frames, the innermost first, and why it ended into *ret_end, which is
 * never WALK_MISSED. `max` is 1 at least. Returns their number. */
guint profile_unwinder_walk(ProfileUnwinder *self, const ProfileUnwinderProcess *process,
                            const ProfileUnwinderSample *sample, guint64 *frames, guint max,
                            enum walk_end *ret_end);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileUnwinder, profile_unwinder_free)

G_END_DECLS
