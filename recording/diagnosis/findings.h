/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine permits the calling user: each finding is tried out, not guessed from settings.
 * Settings are read only to say which command helps.
 */
#pragma once

#include <glib.h>

#include "recording/diagnosis/service-probe.h"

G_BEGIN_DECLS

typedef enum {
  RECORDING_FINDING_OK,
  RECORDING_FINDING_LIMITED, /* recording works without it, and shows less */
  RECORDING_FINDING_MISSING  /* nothing can be recorded without it */
} RecordingFindingState;

typedef struct {
  const char *id; /* for machines, docs/doctor-json.md */
  RecordingFindingState state;
  char *text; /* one sentence */
  char *fix;  /* a command, NULL when nothing is to be done */
} RecordingFinding;

void recording_finding_free(RecordingFinding *finding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingFinding, recording_finding_free)

/* Each appends its findings to an array of RecordingFinding. All block; diagnosis.h puts them
 * together. */
void recording_find_recorder(GPtrArray *findings); /* the program that samples */
/* What the kernel lets be sampled, and how much of it. */
void recording_find_perf_events(GPtrArray *findings);
/* How a recorder of one's own would find user stacks; AUTO when that cannot be tried out. */
RecordingUnwind recording_find_unwinding(GPtrArray *findings);
/* The system service, and what polkit lets this user have of it; FALSE and *ret untouched where it does not
 * answer. */
gboolean recording_find_service(GPtrArray *findings, RecordingServiceFacts *ret);
void recording_find_preload(GPtrArray *findings); /* recording from inside of programs */
void recording_find_names(GPtrArray *findings);   /* kernel symbols, debug files */

/* Takes text and fix. */
void recording_findings_add(GPtrArray *findings, const char *id, RecordingFindingState state, char *text,
                            char *fix);
/* An integer of /proc/sys, or `otherwise`. */
gint64 recording_read_setting(const char *path, gint64 otherwise);

G_END_DECLS
