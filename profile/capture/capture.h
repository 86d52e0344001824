/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A capture loaded for analysis: columns of samples, one prefix tree of stacks over all streams and
 * epochs, and the threads, processes, binaries and mappings they refer to. Immutable once loaded,
 * so readable from any thread. Loading is parallel by window and makes no object a sample.
 *
 * Indices: threads, processes, binaries and events count from 0 in the arrays below, and index 0 of threads
 * and processes stands for "not known". Node 0 is the root of every stack; a node's parent has a smaller
 * index. Identifiers of the file do not occur here.
 */
#pragma once

#include <gio/gio.h>

#include "libcapture/format/capture-format.h"
#include "profile/base/source-file.h"
#include "profile/capture/function-table.h"
#include "profile/capture/machine-code.h"
#include "profile/capture/places.h"
#include "profile/capture/reader.h"
#include "profile/capture/source-texts.h"

G_BEGIN_DECLS

#define PROFILE_TYPE_CAPTURE (profile_capture_get_type())
G_DECLARE_FINAL_TYPE(ProfileCapture, profile_capture, PROFILE, CAPTURE, GObject)

/* One sampled event: a table with a row a sample, ascending by time. Events are never summed. */
typedef struct {
  const char *name;
  enum capture_unit unit;
  guint64 period;    /* asked for, 0 not */
  guint64 frequency; /* asked for, 0 not */
  gsize n_samples;
  const guint64 *time;
  const guint32 *thread; /* index of a thread */
  const guint32 *leaf;   /* index of a node; 0: no stack */
  const guint16 *cpu;
  const guint8 *outcome; /* enum capture_outcome, and CAPTURE_OUTCOME_BY_FRAME_POINTERS */
  const guint8 *mode;    /* enum capture_mode */
  const guint64 *weight; /* NULL: constant_weight is the weight of every sample */
  guint64 constant_weight;
  enum capture_detail detail;
  /* Of events whose detail is CAPTURE_DETAIL_OFF_CPU; else NULL. */
  const guint8 *reason;      /* enum capture_off_cpu, and PROFILE_WOKEN_BY_INTERRUPT */
  const guint32 *waker;      /* index of the thread that woke this one; 0: not known, or none did */
  const guint32 *waker_leaf; /* index of a node: the waker's stack then; 0: not known */
  const guint64 *address;    /* of events whose detail is CAPTURE_DETAIL_ADDRESS, 0 not known; else NULL */
} ProfileEvent;

#define PROFILE_WOKEN_BY_INTERRUPT 0x80

/* A frame's kind beside enum capture_space_kind: an address in machine code made at run time. */
#define PROFILE_SPACE_CODE 0x100

typedef struct {
  guint64 address; /* what kind says it is: a file offset, a kernel address, an address in a process, an
                      identifier */
  guint32 owner;   /* binary: index of a binary; process: index of a process; identifiers: number of the
                      function told; code: index of the code; kernel: 0 */
  guint16 kind;    /* enum capture_space_kind, or PROFILE_SPACE_CODE. Process addresses inside a known mapping
                      have become BINARY here, those in code CODE */
} ProfileFrame;

typedef struct {
  gint32 tid;
  guint32 process; /* index */
  const char *name;
} ProfileThread;

typedef struct {
  gint32 pid;
  guint32 parent; /* index, 0 not known */
  const char *name;
  const char *command_line; /* NULL when left out */
  guint64 time;             /* 0: before the recording */
  guint64 end;              /* 0: not known to have ended */
  guint32 origin;           /* enum capture_process_origin */
  guint32 binary; /* index of the "[name]" that functions without a file belong to; G_MAXUINT32: has none */
} ProfileProcess;

typedef struct {
  const char *path; /* as the process saw it; "[kernel]" for the kernel */
  guint64 device;
  guint64 inode;
  guint64 mapped_start, mapped_end;
  gint32 mapped_pid;
  guint32 flags; /* enum capture_binary_flags */
  guint8 build_id[CAPTURE_BUILD_ID_MAX];
  guint build_id_size;
} ProfileBinary;

typedef struct {
  guint64 time, samples, records;
  guint32 reason; /* enum capture_lost_reason */
  guint32 cpu;
} ProfileLoss;

/* A kernel function that came while recording or just before: a BPF program, a trampoline. */
typedef struct {
  guint64 address;
  guint64 length;
  guint64 time; /* 0: before the recording */
  const char *name;
} ProfileKernelSymbol;

/* What one producer wrote. */
typedef struct {
  guint32 number;
  guint32 kind;     /* enum capture_stream_kind; 0 not known */
  gint32 pid;       /* of the producer, 0 not known */
  const char *name; /* of what embeds the library, or of the file that was kept */
  guint32 foreign;  /* enum capture_foreign, of a file that was kept; else 0 */
  guint64 bytes;    /* of that file */
} ProfileStream;

/* How many samples of an event came from a stream. */
typedef struct {
  guint32 stream; /* number */
  guint event;    /* index */
  guint64 n_samples;
} ProfileStreamEvent;

/* Where machine code made at run time comes from; an earlier one is believed before a later one. */
typedef enum {
  PROFILE_CODE_TOLD,     /* the program said so in the capture */
  PROFILE_CODE_JITDUMP,  /* with times, or Sysprof's jitmaps */
  PROFILE_CODE_PERF_MAP, /* without times */
  PROFILE_CODE_N_SOURCES
} ProfileCodeSource;

/* From offset on, up to the next one's. */
typedef struct {
  guint32 offset, line;
  const char *file;    /* NULL: the code's */
  const char *inlined; /* NULL: nothing was inlined there */
} ProfileCodeLine;

/* Machine code made at run time, from time on in a range of a process; until other code stands there, or none
 * does. */
typedef struct {
  guint64 start, length;
  guint64 time;
  guint32 process; /* index */
  ProfileCodeSource source;
  const char *name; /* NULL: no code stands there any more */
  const char *file; /* NULL not known */
  guint32 line;     /* 0 not known */
  guint32 n_lines;
  const ProfileCodeLine *lines; /* ascending by offset */
  GBytes *bytes;                /* length of them, if it was sampled and the program left them; else NULL */
  guint32 machine;              /* EM_…, of bytes */
} ProfileCode;

/* Something that a program says happened, at an instant or from time to time + duration. */
typedef struct {
  guint64 time, duration;
  guint32 thread; /* index */
  gboolean is_span;
  gboolean is_unfinished; /* begun, but not ended when the recording was */
  const char *category;   /* "" none */
  const char *name;
  const char *message; /* NULL none */
} ProfileMark;

/* Something that was counted: n values, ascending by time. */
typedef struct {
  const char *category; /* "" none */
  const char *name;
  const char *description; /* NULL none */
  const char *unit;        /* NULL none */
  guint32 process;         /* index; 0: the machine's, or not known */
  gboolean totals;         /* values grow: what came since the value before is of interest */
  gsize n;
  const guint64 *time;
  const double *value;
} ProfileCounter;

/* A line of a program's log. */
typedef struct {
  guint64 time;
  guint32 thread; /* index */
  guint32 severity;
  const char *domain; /* NULL none */
  const char *text;
} ProfileLogLine;

/* A function that frames belong to, or an address that has no name. Ranges of one binary under one
 * name are one function. Function 0 stands for frames of which nothing is known. */
typedef struct {
  const ProfileFunctionRange *range; /* NULL: not named */
  guint64 address;                   /* not named: the frame's */
  guint32 binary;                    /* index; G_MAXUINT32 none */
  guint16 kind;                      /* enum capture_space_kind; 0 for function 0; functions that the program
                                        itself named, with or without machine code, are IDENTIFIERS, and
                                        binary is their process's */
} ProfileFunction;

typedef enum {
  PROFILE_LOAD_DEFAULT = 0,
  PROFILE_LOAD_SCAN = 1 << 0 /* do not trust the index */
} ProfileLoadFlags;

/* Loads path. A capture that was cut off or is damaged in places loads with what is whole; see get_problems.
 * Blocking. */
ProfileCapture *profile_capture_load(const char *path, ProfileLoadFlags flags, GCancellable *cancellable,
                                     GError **error);

void profile_capture_get_header(ProfileCapture *self, struct capture_file_header *ret);
/* Value of a METADATA key (docs/format.md), or NULL. */
const char *profile_capture_get_metadata(ProfileCapture *self, const char *key);
/* First and last time of any sample. False when there is none. */
gboolean profile_capture_get_time_range(ProfileCapture *self, guint64 *first, guint64 *last);
/* Nanoseconds from the beginning of the recording to its end, or between the first and the last sample where
 * those are not known. */
guint64 profile_capture_get_duration(ProfileCapture *self);
/* Sentences about damaged places, NULL-terminated, empty when there are none. */
const char *const *profile_capture_get_problems(ProfileCapture *self);
/* MESSAGE records, NULL-terminated. */
const char *const *profile_capture_get_messages(ProfileCapture *self);
/* Of the message of that index, as syslog has them: 3 error, 4 warning, 6 information. */
guint32 profile_capture_get_message_severity(ProfileCapture *self, guint message);

const ProfileEvent *profile_capture_get_events(ProfileCapture *self, guint *n);
/* The event of that index. Where there is none (a capture may have no event at all), one without samples,
 * called "-". */
const ProfileEvent *profile_capture_get_event(ProfileCapture *self, guint event);
const ProfileThread *profile_capture_get_threads(ProfileCapture *self, guint *n);
const ProfileProcess *profile_capture_get_processes(ProfileCapture *self, guint *n);
const ProfileBinary *profile_capture_get_binaries(ProfileCapture *self, guint *n);
/* Different numbers of threads and of processes: an exec does not make another process. A process has one
 * thread at least. */
guint profile_capture_count_threads(ProfileCapture *self);
guint profile_capture_count_processes(ProfileCapture *self);
/* Files that were mapped: the first ones of the binaries. Behind them comes what stands for functions that
 * processes told of. */
guint profile_capture_count_files(ProfileCapture *self);
const ProfileLoss *profile_capture_get_losses(ProfileCapture *self, gsize *n);
const ProfileKernelSymbol *profile_capture_get_kernel_symbols(ProfileCapture *self, gsize *n);
/* Samples that were lost, and lost records that may have been samples: what `lost` is wherever it is said. */
guint64 profile_capture_get_n_lost(ProfileCapture *self);
/* How often the kernel paused an event because it took too much time. */
guint64 profile_capture_get_n_throttled(ProfileCapture *self);

/* What programs told of themselves; marks, code and log lines ascend by time. */
const ProfileStream *profile_capture_get_streams(ProfileCapture *self, guint *n);
const ProfileStreamEvent *profile_capture_get_stream_events(ProfileCapture *self, guint *n);
const ProfileCode *profile_capture_get_code(ProfileCapture *self, gsize *n);
const ProfileMark *profile_capture_get_marks(ProfileCapture *self, gsize *n);
const ProfileCounter *profile_capture_get_counters(ProfileCapture *self, guint *n);
const ProfileLogLine *profile_capture_get_log(ProfileCapture *self, gsize *n);
/* Source file and line of a frame's instruction, where the program told those of its machine code; and what
 * was inlined there (NULL: nothing). Of a caller, which is not exact, that is its call. False when not known.
 */
gboolean profile_capture_get_frame_line(ProfileCapture *self, guint32 frame, gboolean exact,
                                        const char **ret_file, guint32 *ret_line, const char **ret_inlined);
/* The same of the instruction that a node stands for. */
gboolean profile_capture_get_node_line(ProfileCapture *self, guint32 node, const char **ret_file,
                                       guint32 *ret_line, const char **ret_inlined);

/* The same of an address inside machine code made at run time. */
gboolean profile_code_get_line(const ProfileCode *code, guint64 address, const char **ret_file,
                               guint32 *ret_line, const char **ret_inlined);

/* The prefix tree: parent and frame of n nodes, which are those that samples' stacks lead through. Joined
 * kernel and user stacks have become plain paths. Siblings stand side by side. */
void profile_capture_get_nodes(ProfileCapture *self, const guint32 **parent, const guint32 **frame, gsize *n);
const ProfileFrame *profile_capture_get_frames(ProfileCapture *self, gsize *n);

/* Names. The names stored in the capture are there after loading; set_table replaces or adds a
 * binary's (G_MAXUINT32: the kernel's) and must be followed by one update. Only before other threads look.
 * What the recorder named, because it may read what others may not, stays where no table names it:
 * get_served_table is that alone. */
ProfileFunctionTable *profile_capture_get_table(ProfileCapture *self, guint32 binary);
ProfileFunctionTable *profile_capture_get_served_table(ProfileCapture *self, guint32 binary);
/* Whether anybody but the recorder looked for that binary's names. */
gboolean profile_capture_is_looked_for(ProfileCapture *self, guint32 binary);
void profile_capture_set_table(ProfileCapture *self, guint32 binary, ProfileFunctionTable *table);
/* Lines and inlined functions, likewise; NULL: none. */
ProfilePlaces *profile_capture_get_places(ProfileCapture *self, guint32 binary);
void profile_capture_set_places(ProfileCapture *self, guint32 binary, ProfilePlaces *places);
/* Copies of machine code that the capture brought along; NULL: none. Needs no update. */
ProfileMachineCode *profile_capture_get_machine_code(ProfileCapture *self, guint32 binary);
void profile_capture_set_machine_code(ProfileCapture *self, guint32 binary, ProfileMachineCode *code);
void profile_capture_update_functions(ProfileCapture *self);
/* The text of a source file, by the path that debug information has: what the capture brings along, which is
 * what ran; else as profile_source_file_new. Blocking. */
ProfileSourceFile *profile_capture_open_source(const ProfileCapture *self, const char *path,
                                               const GArray *maps);
/* The function of each frame: index into functions, one a frame. Return addresses are looked up one byte
 * earlier: frames that occur both as leaf and as caller have two answers, so there are two
 * columns, `leaf` and `caller`. */
void profile_capture_get_frame_functions(ProfileCapture *self, const guint32 **leaf, const guint32 **caller);
/* The function of each node. A node of the tree is either where stacks end (or enter the kernel) or a caller,
 * never both: two nodes with the same parent and frame stand for the two cases. */
const guint32 *profile_capture_get_node_functions(ProfileCapture *self);
const ProfileFunction *profile_capture_get_functions(ProfileCapture *self, gsize *n);
/* Never NULL: "main", "libc.so.6+0x2a1b0", "0xffffffff81234567". Made when first asked for; thread-safe. */
const char *profile_capture_get_function_name(ProfileCapture *self, guint32 function);
/* Where the function is: a path, "[kernel]", "[module]", "[lua]" for one that the process of that name told
 * of, or "[unknown]" for other memory without a file. Never NULL. */
const char *profile_capture_get_function_binary(ProfileCapture *self, guint32 function);
gboolean profile_capture_function_is_kernel(ProfileCapture *self, guint32 function);
/* Whether it is known by name alone: the program named it itself, or the recorder read that of a language's
 * runtime. */
gboolean profile_capture_function_is_told(ProfileCapture *self, guint32 function);

G_END_DECLS
