/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a recording does from inside the programs it starts: what the command finds in its environment, what
 * samplers are told, which events they have. One thread at a time.
 */
#pragma once

#include "recording/common/options.h"
#include "recording/inside/samplers.h"

G_BEGIN_DECLS

/* Hertz of samplers unless something else is asked for, and at most. */
#define RECORDING_INSIDE_FREQUENCY     1000
#define RECORDING_INSIDE_FREQUENCY_MAX 10000

typedef struct _RecordingInside RecordingInside;

/* NULL and no error: nobody is to be told, since no command is a target. An error: what was asked for needs
 * it. Where it is missing and was not asked for, *ret_note is a sentence, else NULL. */
RecordingInside *recording_inside_new(const RecordingOptions *options, char *const *environment,
                                      char **ret_note, GError **error);
/* The one that was given to new, with the socket's path in it; with the preloaded library, too, where `via`
 * is PRELOAD or allocations are traced. NULL where the library is missing. The object's. */
char *const *recording_inside_get_environment(RecordingInside *self, RecordingVia via);
/* Lets programs in; `pid` is the command's. */
void recording_inside_start(RecordingInside *self, RecordingVia via, gint32 pid,
                            RecordingCollector *collector);
/* See recording_samplers_stop. */
void recording_inside_stop(RecordingInside *self);
/* Appends names of events to `events`, the receiver's to free. */
void recording_inside_add_events(const RecordingOptions *options, RecordingVia via, GPtrArray *events);
/* How the preloaded sampler finds stacks. */
RecordingUnwind recording_inside_get_unwind(const RecordingOptions *options);
/* After stop: what a person should know of who came, or did not; NULL: nothing. To be freed. */
char *recording_inside_make_warning(RecordingInside *self, RecordingVia via);
guint recording_inside_get_n_programs(RecordingInside *self);
void recording_inside_free(RecordingInside *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingInside, recording_inside_free)

G_END_DECLS
