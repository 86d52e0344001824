/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a person should know first of what a filter left of a capture: sentences, in the order in which they
 * help, each with what to look at next. Immutable, readable from any thread.
 */
#pragma once

#include "profile/views/path.h"
#include "profile/views/rows.h"

G_BEGIN_DECLS

/* What to look at next. */
typedef enum {
  PROFILE_SUMMARY_SHOW_NOTHING,
  PROFILE_SUMMARY_SHOW_SOURCE,        /* of the function */
  PROFILE_SUMMARY_SHOW_CALLERS,       /* of the function */
  PROFILE_SUMMARY_SHOW_PATH,          /* in the call tree, to the path's last function */
  PROFILE_SUMMARY_SHOW_THREADS,       /* what each of them did, over time */
  PROFILE_SUMMARY_SHOW_WAITING,       /* time off the CPU, which the capture has */
  PROFILE_SUMMARY_RECORD_WAITING,     /* it has none: record again with it */
  PROFILE_SUMMARY_COLLAPSE_RECURSION, /* of the function */
  PROFILE_SUMMARY_SHOW_HEALTH,
  PROFILE_SUMMARY_SHOWS
} ProfileSummaryShow;

typedef struct {
  const char *rule; /* which one found it: "busy", "hottest" …; static */
  char *sentence;   /* translated, printable */
  ProfileSummaryShow show;
  guint32 function;  /* of the filter's stacks; G_MAXUINT32: it is about none */
  ProfilePath *path; /* NULL: it is about none */
} ProfileSummaryFinding;

typedef struct _ProfileSummary ProfileSummary;

/* Of the event of their filter. Costs a few passes over its samples and the nodes: not for the main thread of
 * a program with windows. */
ProfileSummary *profile_summary_new(ProfileWeights *weights);
ProfileSummary *profile_summary_ref(ProfileSummary *self);
void profile_summary_unref(ProfileSummary *self);

/* What was looked at; borrowed. */
ProfileWeights *profile_summary_get_weights(const ProfileSummary *self);
/* Its threads and its binaries, as they were counted. */
const ProfileRows *profile_summary_get_threads(const ProfileSummary *self);
const ProfileRows *profile_summary_get_binaries(const ProfileSummary *self);
const ProfileSummaryFinding *profile_summary_get_findings(const ProfileSummary *self, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileSummary, profile_summary_unref)

G_END_DECLS
