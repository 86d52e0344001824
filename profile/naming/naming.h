/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names what was sampled: finds the binaries of a capture, reads their symbols, and either stores
 * the functions that were hit in the capture, so that it opens elsewhere, or gives them to a
 * loaded capture alone. Parallel over binaries.
 *
 * A file is used only if it is the one that was mapped: by its build-id where the capture knows
 * one, else by its inode number, else (nothing is known of it) by its path. What cannot be named
 * keeps its address; why is said by the status of its table (enum capture_naming).
 */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* A descriptor of the binary, opened for reading while it was in use, or -1. The callee closes it.
 * Called from several threads at once. */
typedef int (*ProfileNamingOpenFunc)(const ProfileBinary *binary, gpointer data);

/* done of total binaries are named; name is that of one which takes time. One call at a time, from any
 * thread.
 */
typedef void (*ProfileNamingProgressFunc)(guint done, guint total, const char *name, gpointer data);

#define PROFILE_NAMING_CODE_SIZE (4u << 20)

typedef struct {
  ProfileNamingOpenFunc open; /* NULL: paths only */
  gpointer open_data;
  ProfileNamingProgressFunc progress; /* NULL: silent */
  gpointer progress_data;
  guint max_threads; /* 0: one a processor */
  gboolean no_store; /* neither read nor write what the user's earlier runs found out: the store of names and
                        the cache of kernel symbols */
  guint64 code_size; /* bytes of machine code that are stored at most, of most sampled functions first; 0:
                        PROFILE_NAMING_CODE_SIZE */
  gboolean no_code;  /* none of it */
  const char *const *source; /* directories: of what lies below them the text of sampled functions' files is
                                stored, too; NULL: of none */
  gboolean only_missing;     /* leave tables alone that the capture has already, unless they are UNREADABLE or
                                HIDDEN, or their places were LEFT */
  gint64 places_time; /* microseconds from the beginning on in which lines and inlined functions are looked
                         for; what is not found by then is LEFT, unless it is known from earlier runs. 0:
                         as many as it takes; negative: none */
  GHashTable *only;   /* a set of build-ids in hexadecimal: name these binaries alone, and leave alone
                         those of them that cannot be read; no machine code is stored then. NULL: all */
} ProfileNamingOptions;

typedef struct {
  guint binaries;         /* that were hit, the kernel among them */
  guint functions;        /* named */
  guint unreadable;       /* binaries that could not be opened or were other files */
  guint left;             /* binaries for which places_time was too short */
  gboolean kernel_hidden; /* kernel frames occur, and the kernel hides its addresses from this user */
} ProfileNamingResult;

/* How long a recording may take longer at its end for lines and inlined functions; some of the time goes into
 * storing them. */
#define PROFILE_NAMING_PLACES_TIME (700 * G_TIME_SPAN_MILLISECOND)

/* Whether nobody has looked for names yet: a capture that is being written, or whose collector was killed; or
 * places were LEFT. */
gboolean profile_naming_is_wanted(ProfileCapture *capture);

/* Loads the capture at path (which may be /proc/self/fd/N), names its frames and appends NAMES windows
 * (with the machine code of sampled functions), an index and a footer. options and ret_result may be NULL.
 * The capture must not be written by anyone else. A capture without any frame gets index and footer only. On
 * failure (also when cancelled) the file ends with its last whole part, as it was or with some names more,
 * and still opens. Blocking. */
gboolean profile_naming_run(const char *path, const ProfileNamingOptions *options,
                            ProfileNamingResult *ret_result, GCancellable *cancellable, GError **error);

/* What a person should know after profile_naming_run: what has no name and what to do about it, sentences
 * (char *) in an array; empty when nothing is to be said. error: why naming failed, or NULL. Free it. */
GPtrArray *profile_naming_describe_gaps(const ProfileNamingResult *result, const GError *error);

/* Names the frames of a loaded capture in memory: sets its tables and updates its functions. Only before
 * other threads look at it. False only when cancelled (what was named by then is set). Blocking. */
gboolean profile_naming_resolve(ProfileCapture *capture, const ProfileNamingOptions *options,
                                ProfileNamingResult *ret_result, GCancellable *cancellable, GError **error);

/* The same in a new capture, which shares the samples and stacks of this one (neither costs much more memory
 * than one), so that others may look at this one meanwhile and go on doing so. Indices of functions are other
 * ones there, see profile/capture/translate.h; all else is the same. NULL only when cancelled. Blocking. */
ProfileCapture *profile_naming_resolve_new(ProfileCapture *capture, const ProfileNamingOptions *options,
                                           ProfileNamingResult *ret_result, GCancellable *cancellable,
                                           GError **error);

G_END_DECLS
