/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A ring in shared memory that one thread of a program fills with frames of Sysprof's capture format: a page
 * with head, tail, offset and size (32 bits each), then the frames' bytes around and around. The writer moves
 * the tail, the reader the head. The program can write all of it, so nothing that stands there is believed:
 * the head is kept outside, frames are copied before they are looked at, and garbage is skipped. Belongs to
 * one thread at a time.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RecordingSyscapRing RecordingSyscapRing;

typedef struct {
  GByteArray *frames; /* whole ones are appended here */
  gboolean crowded;   /* most of the ring was full: the program may have left out frames before */
  gboolean damaged;   /* something was no frame, and was skipped with all behind it */
  gboolean finished;  /* its thread said that no more will come */
} RecordingSyscapRound;

/* pid is that of the process that asked for it. *ret_descriptor is what the program is given: close it when
 * it has been sent. NULL when there is no memory or descriptor left. */
RecordingSyscapRing *recording_syscap_ring_new(gint32 pid, int *ret_descriptor);
gint32 recording_syscap_ring_get_pid(const RecordingSyscapRing *self);
/* Takes what was written since the last time. Sets the members of *round that apply, clears none. */
void recording_syscap_ring_take(RecordingSyscapRing *self, RecordingSyscapRound *round);
/* Whether no process has it any more, neither open nor mapped. */
gboolean recording_syscap_ring_is_abandoned(RecordingSyscapRing *self);
void recording_syscap_ring_free(RecordingSyscapRing *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingSyscapRing, recording_syscap_ring_free)

/* The header that makes a file of frames, for one that began at that time (CLOCK_MONOTONIC, nanoseconds). */
void recording_syscap_append_header(GByteArray *bytes, guint64 time);

G_END_DECLS
