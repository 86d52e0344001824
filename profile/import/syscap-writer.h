/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes .syscap in this machine's byte order, frame by frame, to a stream that it neither buffers for long
 * nor closes. Texts and stacks that do not fit their place are cut. After the first error nothing is written
 * any more; profile_syscap_writer_finish tells it. One thread at a time.
 */
#pragma once

#include <gio/gio.h>

#include "profile/import/syscap.h"

G_BEGIN_DECLS

typedef struct {
  GByteArray *bytes; /* gathered */
  GOutputStream *stream;
  GCancellable *cancellable;
  GError *error;
  gsize frame; /* where in bytes the frame in work begins */
} ProfileSyscapWriter;

typedef struct {
  guint64 time;
  gint32 pid; /* -1: nobody's */
  gint32 cpu; /* -1 not known */
} ProfileSyscapPlace;

/* wall_time: nanoseconds since 1970. */
void profile_syscap_writer_init(ProfileSyscapWriter *self, GOutputStream *stream, GCancellable *cancellable,
                                guint64 begin, guint64 end, gint64 wall_time);
/* Writes the rest and frees; false with error set when anything failed. */
gboolean profile_syscap_writer_finish(ProfileSyscapWriter *self, GError **error);

void profile_syscap_write_process(ProfileSyscapWriter *self, ProfileSyscapPlace place, const char *command);
void profile_syscap_write_map(ProfileSyscapWriter *self, ProfileSyscapPlace place,
                              const ProfileSyscapMap *map);
/* addresses: the innermost first. */
void profile_syscap_write_sample(ProfileSyscapWriter *self, ProfileSyscapPlace place, gint32 tid,
                                 const guint64 *addresses, gsize n);
/* size: bytes; 0: the memory at that address is given back. address: 0 not known. */
void profile_syscap_write_allocation(ProfileSyscapWriter *self, ProfileSyscapPlace place, gint32 tid,
                                     guint64 address, gint64 size, const guint64 *addresses, gsize n);
/* A JITMAP of one name. */
void profile_syscap_write_jit(ProfileSyscapWriter *self, ProfileSyscapPlace place, guint64 address,
                              const char *name);
/* The counter's values are doubles. */
void profile_syscap_write_counter(ProfileSyscapWriter *self, ProfileSyscapPlace place,
                                  const ProfileSyscapCounter *counter);
/* Values of at most PROFILE_SYSCAP_VALUES counters. */
void profile_syscap_write_values(ProfileSyscapWriter *self, ProfileSyscapPlace place,
                                 const ProfileSyscapValues *values);
void profile_syscap_write_mark(ProfileSyscapWriter *self, ProfileSyscapPlace place, guint64 duration,
                               const char *group, const char *name, const char *message);
void profile_syscap_write_log(ProfileSyscapWriter *self, ProfileSyscapPlace place, guint16 levels,
                              const char *domain, const char *text);
/* A file within the file, in as many frames as it takes. */
void profile_syscap_write_file(ProfileSyscapWriter *self, ProfileSyscapPlace place, const char *path,
                               const guint8 *bytes, gsize length);

G_END_DECLS
