/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "profile/base/bytes.h"
#include "profile/import/perf-data-inflate.h"
#include "profile/import/perf-data-queue.h"
#include "profile/import/perf-data.h"

G_BEGIN_DECLS

#define PROFILE_PERF_RECORD_HEADER 8

struct _ProfilePerfData {
  ProfileInput *input;
  const char *name; /* these three are the input's */
  const guint8 *bytes;
  gsize size;
  gboolean pipe;
  gsize data_start, data_end; /* where the records stand */
  gboolean cut_off;           /* the file is shorter than it says */
  gboolean unfinished;        /* the header says that nothing was written: its writer was killed */
  guint64 feature_bits[4];
  GPtrArray *events;     /* ProfilePerfEvent */
  GHashTable *ids;       /* guint64 → ProfilePerfEvent */
  GHashTable *build_ids; /* path → ProfilePerfBuildId */
  ProfilePerfFacts facts;
  ProfilePerfQueue queue;
  ProfilePerfInflate *inflate; /* NULL until the first compressed record */
  gsize inflate_done;          /* bytes of it that were walked */
};

void profile_perf_data_init(ProfilePerfData *self);
void profile_perf_data_clear(ProfilePerfData *self);
/* Takes an attribute of at most `length` bytes and its identifiers as the next event. False when it makes no
 * sense. */
gboolean profile_perf_data_add_event(ProfilePerfData *self, const guint8 *attr, gsize length,
                                     ProfileBytes *ids);
/* Takes one feature; what it does not know or cannot read changes nothing. */
void profile_perf_data_add_feature(ProfilePerfData *self, guint64 feature, ProfileBytes bytes);
/* Takes a BUILD_ID record: pid, build-id, path. */
void profile_perf_data_add_build_id(ProfilePerfData *self, guint16 misc, ProfileBytes bytes);
/* Takes an EVENT_UPDATE record. */
void profile_perf_data_update_event(ProfilePerfData *self, ProfileBytes bytes);
/* Says in error that the file is damaged; what: a clause. */
void profile_perf_data_set_damaged(const ProfilePerfData *self, GError **error, const char *what);
/* The whole record at `at`, where length bytes stand: its size with the payload that follows some types, or 0
 * when it is not whole or makes no sense. */
gsize profile_perf_data_record_size(const guint8 *at, gsize length);

G_END_DECLS
