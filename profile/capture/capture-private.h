/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a loaded capture consists of; filled by the loader and by naming, read by the views. */
#pragma once

#include "profile/capture/address-spaces.h"
#include "profile/capture/capture.h"
#include "profile/capture/stacks.h"

G_BEGIN_DECLS

/* Functions that were inlined at a frame, outermost first: n of those from `first` on in chain_functions. */
typedef struct {
  guint32 first, n;
} ProfileChain;

/* Which functions frames and nodes belong to; made anew by profile_capture_update_functions. */
typedef struct {
  ProfileFunction *functions;
  gsize n_functions;
  char **made_names; /* one a function, NULL until asked for; set atomically */
  guint32 *leaf;     /* one a frame */
  guint32 *caller;   /* one a frame */
  guint32 *of_node;  /* one a node */
  /* What was inlined. NULL: nothing, nowhere. */
  ProfileChain *chains;               /* the first one is empty */
  guint32 *chain_functions;           /* functions */
  guint32 *leaf_chain, *caller_chain; /* one a frame: index of a chain */
  GPtrArray *inlined; /* ProfileFunctionRange, without addresses, of functions that are nowhere else */
} ProfileNames;

/* A function that a program told of: interpreted, or compiled at run time. */
typedef struct {
  ProfileFunctionRange range; /* without addresses */
  guint32 binary;             /* its process's; G_MAXUINT32 none */
} ProfileToldFunction;

/* What captures with different names have in common and what counts no references of its own. */
typedef struct _ProfileColumns ProfileColumns;

struct _ProfileCapture {
  GObject parent_instance;

  ProfileColumns *columns; /* owns what is a plain pointer below, down to the tables */
  struct capture_file_header header;
  GStringChunk *strings;
  GHashTable *metadata;
  GPtrArray *problems;        /* char *, NULL-terminated after loading */
  GPtrArray *messages;        /* char *, NULL-terminated after loading */
  GArray *message_severities; /* guint32 */

  GArray *events;         /* ProfileEvent; their columns are owned here */
  GArray *threads;        /* ProfileThread */
  GArray *processes;      /* ProfileProcess */
  GArray *binaries;       /* ProfileBinary */
  GArray *losses;         /* ProfileLoss */
  GArray *kernel_symbols; /* ProfileKernelSymbol */
  guint64 n_throttled;
  ProfileAddressSpaces *spaces;
  GArray *streams;         /* ProfileStream */
  GArray *stream_events;   /* ProfileStreamEvent */
  GArray *code;            /* ProfileCode, by time */
  GArray *marks;           /* ProfileMark, by time */
  GArray *counters;        /* ProfileCounter; their columns are owned here */
  GArray *log_lines;       /* ProfileLogLine, by time */
  GArray *told;            /* ProfileToldFunction */
  guint32 *code_functions; /* one a code: number of the function told; G_MAXUINT32: it was never sampled */

  gsize n_nodes;
  guint32 *parent;
  guint32 *frame;
  guint32 *first_child; /* profile/base/siblings.h */
  guint8 *exact;        /* nonzero: nothing was called from here: the frame's address itself was sampled */
  gsize n_frames;
  ProfileFrame *frames;

  ProfileFunctionTable **tables; /* one a binary, may be NULL */
  ProfileFunctionTable *kernel_table;
  /* By index of the binary, the kernel's last: what in those tables the recorder named (NULL: nothing), and
   * whether anybody else looked for names. */
  ProfileFunctionTable **served_tables;
  guint8 *looked_for;
  ProfilePlaces **places;            /* likewise; NULL: none */
  ProfileMachineCode **machine_code; /* likewise */
  ProfileSourceTexts *source_texts;
  ProfileNames names;
  ProfileStacks *stacks;         /* as they were recorded */
  ProfileStacks *inlined_stacks; /* with functions that were inlined; NULL: there are none */
};

ProfileCapture *profile_capture_new(void);

/* The first binary of each one's path, which is how people know it: one that was seen with its build-id and
 * without is the same to them. Free it. */
guint32 *profile_capture_merge_paths(ProfileCapture *self);
/* Called once all columns are there. */
void profile_capture_seal(ProfileCapture *self);
/* A capture with the same columns, and the tables that this one has now; those of the new one may be changed
 * while others look at this one. */
ProfileCapture *profile_capture_share(ProfileCapture *self);

/* The two halves of profile_capture_update_functions: the first needs no nodes. */
void profile_capture_name_frames(ProfileCapture *self);
void profile_capture_name_nodes(ProfileCapture *self);
/* Which of the tables and places a frame is looked up in: its binary's, or behind them the kernel's;
 * G_MAXUINT32: in none. */
guint32 profile_capture_get_slot(const ProfileCapture *self, const ProfileFrame *frame);
/* NULL: nothing is known of it. */
const ProfilePlace *profile_capture_find_place(const ProfileCapture *self, const ProfileFrame *frame,
                                               gboolean exact);
/* What was inlined where the node is: its functions are those of the place's frames that have names, but for
 * the function that holds them. */
const ProfileChain *profile_capture_get_chain(const ProfileCapture *self, gsize node);
/* Finds the functions that were inlined at each frame: adds those that are nowhere else to `functions`, which
 * are numbered already, and fills the chains. */
void profile_names_find_inlined(ProfileNames *names, const ProfileCapture *capture, GArray *functions);
/* Frees what profile_capture_update_functions made. */
void profile_names_clear(ProfileNames *names);

#define PROFILE_IDENTIFIER_MASK ((guint64)0xff << 56)
#define PROFILE_IDENTIFIER_BASE ((guint64)0xe0 << 56)
/* Of the address of a function that has none: the line of it that is executed; 0: not known. */
#define PROFILE_IDENTIFIER_LINE_SHIFT 32
#define PROFILE_IDENTIFIER_LINE_MAX   0xffffffu

G_END_DECLS
