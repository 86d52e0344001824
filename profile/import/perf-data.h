/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads perf.data, the file of perf: its attributes, its features, and its records in the order in
 * which perf itself processes them. Both forms, that of a file and that of a pipe (`perf record -o -`).
 * Every byte is hostile: nothing is believed before it was checked. A reader is used by one thread.
 */
#pragma once

#include <linux/perf_event.h>

#include "profile/base/input.h"

G_BEGIN_DECLS

/* Records that perf adds to the kernel's. */
enum {
  PROFILE_PERF_USER_TYPE_START = 64,
  PROFILE_PERF_HEADER_ATTR = 64,
  PROFILE_PERF_HEADER_TRACING_DATA = 66,
  PROFILE_PERF_HEADER_BUILD_ID = 67,
  PROFILE_PERF_FINISHED_ROUND = 68,
  PROFILE_PERF_AUXTRACE = 71,
  PROFILE_PERF_EVENT_UPDATE = 78,
  PROFILE_PERF_HEADER_FEATURE = 80,
  PROFILE_PERF_COMPRESSED = 81,
  PROFILE_PERF_COMPRESSED2 = 83
};

/* The facts of the header; NULL or 0 where the file does not tell. */
typedef struct {
  char *hostname;
  char *kernel;
  char *version; /* of perf */
  char *architecture;
  char *cpu;
  char *command; /* arguments separated by spaces */
  guint32 cpus;
  guint64 first_time, last_time;      /* of samples */
  guint64 clock_realtime, clock_time; /* one instant in both clocks */
  guint32 clock;
} ProfilePerfFacts;

/* One sampled event. */
typedef struct {
  struct perf_event_attr attr;
  char *name;
  guint index;
} ProfilePerfEvent;

typedef struct {
  char *path;
  guint8 bytes[20];
  guint size;
} ProfilePerfBuildId;

/* A record, valid during the call that hands it over. */
typedef struct {
  guint32 type;
  guint16 misc;
  guint32 length;                /* of data */
  const guint8 *data;            /* after the record's header; may be misaligned */
  guint64 time;                  /* 0 when it has none */
  const ProfilePerfEvent *event; /* NULL when its identifier is not known */
} ProfilePerfRecord;

typedef struct _ProfilePerfData ProfilePerfData;

/* False with error set stops. */
typedef gboolean (*ProfilePerfRecordFunc)(const ProfilePerfRecord *record, gpointer data, GError **error);

/* By the first bytes, whatever the order of bytes of the machine that wrote it. */
gboolean profile_perf_data_recognise(const guint8 *bytes, gsize size);
/* Opens path ("-": standard input) and reads header, attributes and features. Errors: GIO's for the file,
 * PROFILE_ERROR for its content; messages are sentences that name the file. */
ProfilePerfData *profile_perf_data_open(const char *path, GError **error);
/* As open, of an input, which is taken in any case. */
ProfilePerfData *profile_perf_data_new(ProfileInput *input, GError **error);
void profile_perf_data_free(ProfilePerfData *self);

/* The events, at least one, in the order of the file. Those of a pipe's are all known after opening. */
const ProfilePerfEvent *profile_perf_data_get_event(ProfilePerfData *self, guint index);
guint profile_perf_data_get_n_events(ProfilePerfData *self);
const ProfilePerfFacts *profile_perf_data_get_facts(ProfilePerfData *self);
/* The build-id that the file tells of a path, or NULL. */
const ProfilePerfBuildId *profile_perf_data_get_build_id(ProfilePerfData *self, const char *path);
/* What messages call the file. */
const char *profile_perf_data_get_name(ProfilePerfData *self);
/* When the file was last written, nanoseconds since 1970, 0 not known. */
gint64 profile_perf_data_get_modified(ProfilePerfData *self);
/* When it was made; 0 where the file system does not tell, and for a pipe. */
gint64 profile_perf_data_get_created(ProfilePerfData *self);
guint64 profile_perf_data_get_size(ProfilePerfData *self);

/*
 * Hands over all records: those with a time in the order of their times as far as perf's rounds guarantee
 * it, those without when they stand in the file; records that only serve the file (rounds, compression …) not
 * at all. A file that ends early gives all that is whole and then a sentence in *ret_warning (free with
 * g_free; NULL else).
 */
gboolean profile_perf_data_foreach(ProfilePerfData *self, ProfilePerfRecordFunc func, gpointer data,
                                   char **ret_warning, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfilePerfData, profile_perf_data_free)

G_END_DECLS
