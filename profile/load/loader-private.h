/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How a capture is loaded. Definitions are local to an epoch of a stream, so each epoch gets a piece of the
 * global arrays of nodes and frames, and an identifier is found by adding it to the piece's
 * base. Small tables (binaries, processes, threads, events) are merged by what they say.
 *
 *   foreign decodes what programs left in other formats; it is read like the rest from then on
 *   scan    parallel: decompresses dictionaries and records, finds the highest identifiers
 *   tables  merges the small tables, unifies processes, seals the address spaces and the index of code
 *   place   parallel: writes frames, nodes and columns of samples where they belong
 *   stacks  makes joins plain paths
 *   times   gives stacks whose addresses meant different things at different times a node for each
 *   order   puts siblings side by side, and leaves out what no sample needs
 */
#pragma once

#include "libcapture/file/capture-reader.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/code-index.h"

G_BEGIN_DECLS

enum load_kind {
  LOAD_STRING,
  LOAD_SPACE,
  LOAD_BINARY,
  LOAD_PROCESS,
  LOAD_THREAD,
  LOAD_EVENT,
  LOAD_COUNTER,
  LOAD_N_TABLES, /* those above are looked up by identifier as records */
  LOAD_FRAME = LOAD_N_TABLES,
  LOAD_NODE,
  LOAD_N_KINDS
};

/* Of a frame while loading: an address in a process whose meaning depends on the time. */
#define LOAD_SPACE_TIMED 0x200

/* What one producer wrote, and when. */
typedef struct {
  guint32 number;
  guint32 kind; /* enum capture_stream_kind, 0 not known */
  gint32 pid;
  const char *name;
  guint64 first, last;           /* times of its windows; first G_MAXUINT64: it has none */
  ProfileCodeSource code_source; /* of code that it defines */
} LoadStream;

/* A capture that parts come from: the file, or what was decoded of foreign bytes in it. */
typedef struct {
  capture_reader *reader;
  LoadStream *stream; /* whose all parts are; NULL: each part's header says */
  GHashTable *epochs; /* stream << 32 | epoch → LoadEpoch */
} LoadSource;

/* One epoch of one stream. */
typedef struct {
  LoadStream *of;
  const char **kept; /* n[LOAD_STRING] + 1: strings that are in the capture's, once asked for */
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

/* A MARK before begin and end are put together. */
typedef struct {
  ProfileMark mark;
  const LoadStream *stream;
  guint32 kind;  /* enum capture_record_mark_kind */
  guint32 outer; /* while it is open: the mark around it of that category and name, + 1 */
} LoadMark;

typedef struct {
  guint64 time;
  double value;
  guint32 counter; /* index */
} LoadCount;

/* Memory for decompressed content; used again and again, since fresh pages cost more than filling them. */
typedef struct {
  void *bytes; /* of malloc */
  size_t size;
} LoadBuffer;

/* One part of a window that is loaded. */
typedef struct {
  LoadSource *source;
  gsize number; /* in its source */
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
  GMutex lock;                              /* of problems, functions told, and buffers */
  GArray *buffers;                          /* LoadBuffer: not in use now */
  GArray *parts[CAPTURE_WINDOW_FOOTER + 1]; /* LoadPart, by kind of window */
  GPtrArray *sources;                       /* LoadSource, the file first */
  GHashTable *streams;                      /* number → LoadStream */
  GPtrArray *epochs;                        /* LoadEpoch */
  guint64 budget;                           /* bytes of content that may still be loaded */
  gsize node_capacity;                      /* of the capture's columns of nodes */
  guint32 *ends;   /* one a node of the file: where stacks that end there end now; NULL: there */
  guint8 *sampled; /* of those: whether samples' stacks do */
  gsize n_ends;
  GHashTable *processes;  /* pid → its generations in the order of time (load-processes.c) */
  GHashTable *threads;    /* process and tid → likewise */
  GHashTable *tellers;    /* process and event → streams that sampled it (load-processes.c) */
  GHashTable *told;       /* functions told → number (load-told.c) */
  ProfileCodeIndex *code; /* NULL: there is none */
  GArray *jit_code;       /* of jitdumps (load-jit-code.c); NULL: there is none */
  gsize jit_bytes;
  GArray *marks;  /* LoadMark */
  GArray *counts; /* LoadCount */
  gint timed;     /* atomic: there are frames of LOAD_SPACE_TIMED */
  gint undefined; /* atomic: references that lead nowhere */
  gint cut_off;   /* atomic: the file became shorter meanwhile */
} Load;

/* load-source.c */
/* Notes a damaged place, as a sentence. Thread-safe. */
void load_problem(Load *load, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Reads the part's content into it; false (and a problem) when it is damaged. Thread-safe. */
gboolean load_content(Load *load, LoadPart *part);
/* Lets others use the memory. Thread-safe. */
void load_release_content(Load *load, LoadPart *part);
/* Adds the parts of a source, which load owns from then on. */
void load_add_source(Load *load, LoadSource *source);
/* Made when it is first asked for. */
LoadStream *load_get_stream(Load *load, guint32 number);
/* Whether it was written by a program about itself, and not by one that saw it from outside. */
gboolean load_is_inside(const LoadStream *stream);

/* load-ids.c */
gboolean load_is_defined(const LoadEpoch *epoch, enum load_kind kind, guint32 id);
/* The text of a STRING, NULL when not defined. Valid while the epoch's contents are. */
const char *load_get_string(const LoadEpoch *epoch, guint32 id);
/* The same, valid as long as the capture; equal texts are one pointer. By one thread at a time. */
const char *load_keep_string(Load *load, LoadEpoch *epoch, guint32 id);
/* Where a binary, process, thread or event went; 0 when it is not defined. */
guint32 load_get_index(const LoadEpoch *epoch, enum load_kind kind, guint32 id);

/* load-dictionary.c */
void load_scan_dictionary(Load *load, LoadPart *part);
void load_place_dictionary(Load *load, LoadPart *part);
/* An address in a process becomes an offset in the file that is mapped there, if it is a file. */
void load_use_mapping(const ProfileCapture *capture, const ProfileMapping *mapping, ProfileFrame *frame);

/* load-foreign.c */
/* Reads which streams there are. */
void load_streams(Load *load);
void load_foreign(Load *load);

/* load-jit-code.c */
/* Keeps a jitdump of a process (0: the one that it says) until sampled code has its bytes. */
void load_keep_jit_code(Load *load, gint32 pid, GBytes *file);
/* Gives what was sampled its bytes, and keeps the rest no more. When all frames are placed. */
void load_give_jit_code(Load *load);

/* load-processes.c */
guint32 load_merge_process(Load *load, GHashTable *known, LoadEpoch *epoch,
                           const struct capture_record *record);
/* Its thread ended at that time; the process with the last of them. */
void load_end_thread(Load *load, const struct capture_record_task *task);
/* Whether nobody else recorded an event of that name in the epoch's process while its stream did; to be asked
 * once an event, those of recorders first. */
gboolean load_is_alone(Load *load, const LoadEpoch *epoch, const char *event);
guint32 load_merge_thread(Load *load, GHashTable *known, LoadEpoch *epoch,
                          const struct capture_record *record);

/* load-told.c */
/* The number of the function that a program told of; file NULL, line 0: not known. Strings are kept ones.
 * Under load's lock while others load. */
guint32 load_tell(Load *load, guint32 process, const char *name, const char *file, guint32 line);
void load_add_code(Load *load, LoadEpoch *epoch, const struct capture_record *record);
/* Gives processes that told of functions a binary to which those belong. */
void load_make_told_binaries(Load *load);
void load_seal_code(Load *load);
/* Whether code ever stood at the address; also that which a process had from the one it was forked from. */
gboolean load_has_code(const Load *load, guint32 process, guint64 address);
/* The code that stood there; NULL: none that is known. Narrows *from and *until to when that is true. */
const ProfileCode *load_find_code(const Load *load, guint32 process, guint64 address, guint64 time,
                                  guint64 *from, guint64 *until);

/* load-marks.c */
guint32 load_merge_counter(Load *load, GHashTable *known, LoadEpoch *epoch,
                           const struct capture_record *record);
/* Takes a MARK, COUNTS or LOG. */
void load_told_record(Load *load, LoadPart *part, const struct capture_record *record);
void load_finish_told(Load *load);

/* load-tables.c */
gboolean load_make_epochs(Load *load, GError **error);
void load_merge_tables(Load *load);

/* load-records.c */
void load_records(Load *load, LoadPart *part);
void load_names(Load *load);

/* load-samples.c */
void load_plan_samples(Load *load);
void load_place_samples(Load *load, LoadPart *part);
void load_finish_samples(Load *load);

/* load-stacks.c */
void load_expand_stacks(Load *load);
guint32 load_append_node(Load *load, guint32 parent, guint32 frame, gboolean exact);

/* load-order.c */
/* Leads samples to where their stacks end. */
void load_end_stacks(Load *load);
void load_order_nodes(Load *load);

/* load-times.c */
void load_resolve_times(Load *load);

G_END_DECLS
