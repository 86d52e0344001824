/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a capture is loaded. Definitions are local to an epoch of a stream, so each epoch gets a piece of the
 * global arrays of nodes and frames, and an identifier is found by adding it to the piece's
 * base. Small tables (binaries, processes, threads, events) are merged by what they say.
 *
 *   scan    parallel: decompresses dictionaries and records, finds the highest identifiers
 *   tables  merges the small tables, seals the address spaces
 *   place   parallel: writes frames, nodes and columns of samples where they belong
 *   stacks  makes joins plain paths
 */
#pragma once

#include "libcapture/capture-reader.h"
#include "profile/profile-capture-private.h"

G_BEGIN_DECLS

enum load_kind {
  LOAD_STRING,
  LOAD_SPACE,
  LOAD_BINARY,
  LOAD_PROCESS,
  LOAD_THREAD,
  LOAD_EVENT,
  LOAD_N_TABLES, /* those above are looked up by identifier as records */
  LOAD_FRAME = LOAD_N_TABLES,
  LOAD_NODE,
  LOAD_N_KINDS
};

/* One epoch of one stream. */
typedef struct {
  guint32 stream, epoch;
  guint64 bytes;           /* of its dictionary; bounds every identifier, so gaps cannot eat memory */
  guint32 n[LOAD_N_KINDS]; /* highest identifier */
  const struct capture_record **records[LOAD_N_TABLES]; /* n + 1, NULL where not defined */
  guint32 *index[LOAD_N_TABLES]; /* n + 1: where a binary, process, thread or event went */
  guint32 node_base;             /* node of identifier i: node_base + i */
  guint32 frame_base; /* frame of identifier i: frame_base + i; identifier 0: a frame that is not known */
} LoadEpoch;

typedef struct {
  guint32 user, kernel; /* nodes of NODES, 0 none */
  guint32 slot;         /* the join's own node */
} LoadJoin;

/* Memory for decompressed content; used again and again, since fresh pages cost more than filling them. */
typedef struct {
  void *bytes; /* of malloc */
  size_t size;
} LoadBuffer;

/* One part of a window that is loaded. */
typedef struct {
  gsize number;
  const struct capture_window_header *header;
  LoadEpoch *epoch;
  LoadBuffer buffer;
  const guint8 *content; /* NULL: damaged */
  gsize length;
  GPtrArray *small;              /* dictionary: records other than frames, nodes and joins */
  guint32 n[LOAD_N_KINDS];       /* dictionary: highest identifiers seen */
  GArray *joins;                 /* dictionary: LoadJoin */
  gsize event, begin, n_samples; /* samples: where they go */
  gboolean unsorted;
  guint64 first, last;
} LoadPart;

typedef struct {
  ProfileCapture *capture;
  capture_reader *reader;
  GMutex lock;                              /* of problems, identifiers and buffers */
  GArray *buffers;                          /* LoadBuffer: not in use now */
  GArray *parts[CAPTURE_WINDOW_FOOTER + 1]; /* LoadPart, by kind of window */
  GHashTable *epochs_by_key;
  GPtrArray *epochs;       /* LoadEpoch */
  guint64 budget;          /* bytes of content that may still be loaded */
  gsize node_capacity;     /* of the capture's columns of nodes */
  GHashTable *identifiers; /* name → index + 1 */
  gint undefined;          /* atomic: references that lead nowhere */
} Load;

/* Notes a damaged place, as a sentence. Thread-safe. */
void load_problem(Load *load, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Reads the part's content into it; false (and a problem) when it is damaged. Thread-safe. */
gboolean load_content(Load *load, LoadPart *part);
/* Lets others use the memory. Thread-safe. */
void load_release_content(Load *load, LoadPart *part);

gboolean load_is_defined(const LoadEpoch *epoch, enum load_kind kind, guint32 id);
/* The text of a STRING, NULL when not defined. Valid while the epoch's contents are. */
const char *load_get_string(const LoadEpoch *epoch, guint32 id);
/* Where a binary, process, thread or event went; 0 when it is not defined. */
guint32 load_get_index(const LoadEpoch *epoch, enum load_kind kind, guint32 id);

/* profile-load-dictionary.c */
void load_scan_dictionary(Load *load, LoadPart *part);
void load_place_dictionary(Load *load, LoadPart *part);

/* profile-load-tables.c */
gboolean load_make_epochs(Load *load, GError **error);
void load_merge_tables(Load *load);

/* profile-load-records.c */
void load_records(Load *load, LoadPart *part);
void load_names(Load *load);

/* profile-load-samples.c */
void load_plan_samples(Load *load);
void load_place_samples(Load *load, LoadPart *part);
void load_finish_samples(Load *load);

/* profile-load-stacks.c */
void load_expand_stacks(Load *load);

G_END_DECLS
