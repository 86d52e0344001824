/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What programs told, read back from a capture and held against every rule of the format on the way: an
 * identifier is defined once, what a sample or a mark leads to stands in a part before it, parents come
 * before their children, entries ascend in time.
 */
#ifndef TOLD_H
#define TOLD_H

#include <glib.h>

#include "libcapture/format/capture-format.h"

typedef struct {
  guint32 stream;
  guint32 epoch;
  guint64 time;
  guint64 weight;
  guint64 detail;
  const char *event;
  const char *thread;
  const char *stack; /* "leaf;…;root": names of functions ("name file:line"), or addresses in hexadecimal */
  guint8 outcome;
} ToldSample;

typedef struct {
  guint32 stream;
  guint64 time;
  guint64 duration;
  guint32 kind; /* 100: a line of a log, whose severity is the duration */
  const char *thread;
  const char *category;
  const char *name;
  const char *message;
} ToldMark;

typedef struct {
  guint64 time;
  double value;
  const char *name; /* "category/name unit" */
} ToldCount;

typedef struct {
  guint64 start;
  guint64 length;
  guint64 time;
  const char *name; /* NULL: an end */
  guint32 n_ranges;
  guint32 last_offset; /* of the ranges */
  guint32 last_line;
} ToldCode;

typedef struct {
  guint64 start;
  guint64 end;
  guint64 time;
  const char *path; /* NULL: gone */
  guint32 build_id_size;
  guint8 build_id[CAPTURE_BUILD_ID_MAX];
} ToldMapping;

typedef struct {
  GStringChunk *texts;
  GArray *samples;      /* ToldSample, in file order */
  GArray *marks;        /* ToldMark */
  GArray *counts;       /* ToldCount */
  GArray *codes;        /* ToldCode */
  GArray *mappings;     /* ToldMapping */
  GPtrArray *messages;  /* texts */
  GHashTable *pids;     /* of processes, by stream */
  GHashTable *texts_in; /* how often a text was defined: by "stream epoch text" */
  guint64 lost_samples;
  guint64 lost_records;
  guint32 max_epoch;
  guint n_events; /* definitions */
  guint n_threads;
  guint n_command_lines;
  GArray *later; /* of told_read */
  guint n_parts[CAPTURE_WINDOW_FOOTER + 1];
  GHashTable *defined; /* struct definition by key */
} Told;

Told *told_read(int fd);
void told_free(Told *told);
/* How many samples of the event (NULL: any) there are. */
guint told_count_samples(const Told *told, const char *event);
guint told_count_marks(const Told *told, const char *name);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Told, told_free)

#endif
