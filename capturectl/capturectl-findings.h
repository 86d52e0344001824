/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine permits the calling user: each finding is tried out, not guessed from settings.
 * Settings are read only to say which command helps.
 */
#pragma once

#include <glib.h>

#include "recording/recording-service-probe.h"

G_BEGIN_DECLS

typedef enum {
  CAPTURECTL_FINDING_OK,
  CAPTURECTL_FINDING_LIMITED, /* recording works without it, and shows less */
  CAPTURECTL_FINDING_MISSING  /* nothing can be recorded directly */
} CapturectlFindingState;

typedef struct {
  const char *id; /* for machines, docs/doctor-json.md */
  CapturectlFindingState state;
  char *text; /* one sentence */
  char *fix;  /* a command, NULL when nothing is to be done */
} CapturectlFinding;

void capturectl_finding_free(CapturectlFinding *finding);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturectlFinding, capturectl_finding_free)

/* Each appends its findings to an array of CapturectlFinding. */
void capturectl_find_perf_events(
    GPtrArray *findings); /* what the kernel lets be sampled, and how much of it */
/* How a recorder of one's own would find user stacks; AUTO when that cannot be tried out. */
RecordingUnwind capturectl_find_unwinding(GPtrArray *findings);
/* The system service, and what polkit lets this user have of it; FALSE and *ret untouched where it does not
 * answer. */
gboolean capturectl_find_service(GPtrArray *findings, RecordingServiceFacts *ret);
void capturectl_find_preload(GPtrArray *findings); /* recording from inside of programs */
void capturectl_find_names(GPtrArray *findings);   /* kernel symbols, debug files */

/* Takes text and fix. */
void capturectl_findings_add(GPtrArray *findings, const char *id, CapturectlFindingState state, char *text,
                             char *fix);
/* An integer of /proc/sys, or `otherwise`. */
gint64 capturectl_read_setting(const char *path, gint64 otherwise);

G_END_DECLS
