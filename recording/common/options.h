/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What to record, and where to. Fill in, hand to recording_session_new (which copies), free. */
#pragma once

#include <glib.h>
#include <sys/types.h>

#include "recording/common/unwind.h"
#include "recording/common/via.h"

G_BEGIN_DECLS

/* Samples in the kernel, and kernel stacks. */
typedef enum {
  RECORDING_KERNEL_AUTO, /* where this is permitted; nobody is asked for a password for them alone */
  RECORDING_KERNEL_YES,  /* asked for: decides which way is taken, and is asked of the service */
  RECORDING_KERNEL_NO
} RecordingKernel;

typedef struct {
  char *path;           /* the capture to write */
  char **command;       /* NULL-terminated; NULL: no command is started */
  char *directory;      /* the command's working directory; NULL: the caller's */
  GArray *pids;         /* of pid_t; processes to attach to */
  gboolean system_wide; /* every process; then neither command nor pids are targets, but a command bounds the
                           time */
  gboolean children;    /* follow processes that the targets start */
  RecordingKernel kernel;
  GPtrArray *events;   /* of char *; empty: the default event of this machine */
  guint64 frequency;   /* samples a second and CPU; neither it nor period: 3999, but every tracepoint */
  guint64 period;      /* occurrences between two samples */
  guint64 off_cpu;     /* nanoseconds: the shortest time that the event "off-cpu" records; 0: every one */
  gboolean wall;       /* samplers in programs go by the wall's clock, not the processor's */
  guint64 allocations; /* bytes between two samples of allocations, 1: each of them; 0: none are traced */
  guint64 duration;    /* nanoseconds; 0: unlimited */
  gboolean compress;
  gboolean interpreter;   /* keep frames of interpreters beside those of the functions that they run */
  gboolean command_lines; /* store command lines of the recorded processes and of the command */
  gboolean counters;      /* read those of the machine, beside the samples */
  gboolean sysprof;       /* have the command find descriptors for what it tells in Sysprof's format */
  RecordingUnwind unwind; /* AUTO by default */
  guint stack_bytes;      /* of each sample's stack, where the recorder unwinds a copy of it; 0: default */
  guint max_stack;        /* frames of a stack at most; 0: default */
  guint window_count;     /* windows of shared memory; 0: default */
  RecordingVia via;       /* AUTO by default */
  gboolean interactive;   /* a person may be asked for a password, in a dialog or on the terminal */
  char *version;          /* of the program that records, for the capture; may be NULL */
} RecordingOptions;

/* Bytes between two samples of allocations that tell large ones from each other, and cost little. */
#define RECORDING_OPTIONS_ALLOCATIONS (512 << 10)

/* Defaults: children, compress, command_lines, counters and sysprof on, no event, no target, frequency 0. */
RecordingOptions *recording_options_new(void);
RecordingOptions *recording_options_copy(const RecordingOptions *self);
void recording_options_free(RecordingOptions *self);
/* Adds the event "off-cpu", beside those that are chosen or beside the default one. */
void recording_options_add_off_cpu(RecordingOptions *self, guint64 shortest);
/* What is recorded in one word that can be a file's name: the name of the program, of the first process, or
 * "system". Free it. */
char *recording_options_get_name(const RecordingOptions *self);
/* Whether the preloaded sampler, and nothing else, can record that; if not, the error says which wish is in
 * the way. */
gboolean recording_options_allow_preload(const RecordingOptions *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingOptions, recording_options_free)

G_END_DECLS
