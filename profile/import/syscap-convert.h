/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts what stands in a .syscap into records of ours, for a file that is imported as for bytes that a
 * capture keeps verbatim. Frames are taken in the order of their times; names of JITMAPs hold for the whole
 * file, as they do for Sysprof.
 */
#pragma once

#include "libcapture/file/capture-writer.h"
#include "profile/capture/names-window.h"
#include "profile/import/syscap.h"

G_BEGIN_DECLS

typedef struct {
  const char
      *name; /* samples' event: "NAME"; others: "NAME allocations" …; NULL: "samples", "allocations" … */
  gboolean own_names; /* beside a recording: names of a JITMAP hold for the process that told them alone:
                         programs wrote them, not Sysprof, whose own number the JITMAPs of its files bear */
  ProfileNamesEncoder *names; /* is given the symbols that stand in the file; NULL: they name frames of
                                 processes, as a JITMAP does */
  GPtrArray *facts; /* char *, a key and a value in turn: METADATA and OVERLAYs are added; NULL: they become
                       lines of logs */
} ProfileSyscapOptions;

typedef struct {
  guint64 samples; /* SAMPLE frames */
  guint64 others;  /* samples of other events: allocations, traces … */
  guint64 marks, counters, log_lines;
  guint64 damaged; /* frames that could not be understood or kept */
  guint64 last_time;
  gboolean is_cut; /* frames make no sense from somewhere on */
} ProfileSyscapResult;

/* Returns 0 or the writer's error. writer must be at the beginning of an epoch. *result is written in any
 * case. */
int profile_syscap_convert(const ProfileSyscap *syscap, capture_writer *writer,
                           const ProfileSyscapOptions *options, ProfileSyscapResult *result);

G_END_DECLS
