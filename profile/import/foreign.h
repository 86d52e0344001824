/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bytes of another format that a capture keeps verbatim (foreign windows), decoded when it is loaded. A
 * decoder writes what it finds with a capture_writer, as a producer of our own would, and the loader reads
 * that like any other stream: events, samples, code, marks, counters and log lines need no other way in.
 *
 * - PROCESS: pid and time say which one is meant: the generation of that pid that had begun last by then.
 * Time 0: the one of the stream's earliest time; where it has none, as in a perf map, the pid's last one.
 * - THREAD: those of one tid in one process are one.
 * - CODE with time 0 stood there from the beginning. Code is believed in the order of ProfileCodeSource, by
 *   the kind of the bytes it comes from.
 * - Times are those of the capture's clock.
 *
 * A capture that is imported from such a format comes about by the same functions.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-writer.h"
#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

typedef struct {
  enum capture_foreign kind;
  gint32 pid;       /* of the stream; 0 not known */
  const char *name; /* of the stream: where the file was; never NULL */
  const guint8 *bytes;
  gsize length;
  const struct capture_file_header *header; /* of the capture */
} ProfileForeign;

/* Decodes hostile bytes. What could be read before an error is kept. When -ENOSPC is returned by the writer
 * the decoder begins its next epoch and defines anew what it needs. Called by one thread at a time. */
typedef gboolean (*ProfileForeignDecodeFunc)(const ProfileForeign *foreign, capture_writer *writer,
                                             GError **error);

/* Calls the decoder of that kind; an error where there is none. */
gboolean profile_foreign_decode(const ProfileForeign *foreign, capture_writer *writer, GError **error);

G_END_DECLS
