/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files of recorded binaries, opened when they are first seen and kept open, so that they can
 * be named at the end although they were deleted meanwhile or stand in another mount namespace.
 * scan is called by one thread; lookups are safe from any thread at any time.
 */
#pragma once

#include <glib.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

typedef struct _RecordingBinaries RecordingBinaries;

/* Who wants to know what is found while scanning. pid is that of the process that the record speaks of, or
 * that speaks of itself; path is that of the binary as that process sees it, or NULL. */
typedef struct {
  void (*process)(const struct capture_record_process *process, gint32 pid, gpointer data);
  void (*binary)(const struct capture_record_binary *binary, gint32 pid, const char *path, gpointer data);
  gpointer data;
} RecordingFound;

RecordingBinaries *recording_binaries_new(void);
/* Tells of what the thread that scans finds from now on, on that thread. NULL: no more. */
void recording_binaries_tell(RecordingBinaries *self, const RecordingFound *found);
/* Looks through the dictionary content of a stream's epoch and opens the binaries that it defines. */
void recording_binaries_scan(RecordingBinaries *self, guint32 stream, guint32 epoch, const guint8 *content,
                             gsize length);
/* What this stream says is said by that process of itself: its binaries are looked for there alone, and no
 * more of them are kept open than one program may need. Called by the thread that scans, before it does. */
void recording_binaries_confine(RecordingBinaries *self, guint32 stream, gint32 pid);
/* The stream has ended: what was remembered of it for scanning is given up, its binaries are kept. By the
 * same thread. */
void recording_binaries_forget(RecordingBinaries *self, guint32 stream);
/* A new descriptor of the file (the caller closes it), or -1: not seen or not permitted. It is
 * the file that was mapped whenever map_files or the inode number could tell; else it is the one that had the
 * path when it was seen, and the build-id is the caller's to check. device and inode 0: not known. */
int recording_binaries_open(RecordingBinaries *self, const guint8 *build_id, gsize build_id_size,
                            const char *path, guint64 device, guint64 inode);
/* Binaries that were not kept open because the limit of open descriptors was reached. */
guint recording_binaries_get_n_dropped(RecordingBinaries *self);
/* A sentence about those, and what to do; NULL where there are none. Free it. */
char *recording_binaries_describe_dropped(RecordingBinaries *self);
void recording_binaries_free(RecordingBinaries *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingBinaries, recording_binaries_free)

G_END_DECLS
