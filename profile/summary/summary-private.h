/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What rules of a summary look at. A new rule is a file here and a row of the table in summary.c. */
#pragma once

#include "profile/summary/summary.h"

G_BEGIN_DECLS

/* Measures are amounts as profile_weights_measure has them. */
typedef struct {
  ProfileCapture *capture;
  const ProfileFilter *filter;
  const ProfileEvent *event;
  ProfileStacks *stacks;
  ProfileWeights *weights;
  ProfileRows *functions, *threads;
  guint64 sum;   /* measure of all samples */
  double cpus;   /* how many processors were busy, on average; 0: the event says nothing of that */
  double lasts;  /* nanoseconds, of what the filter chooses of the recording */
  guint waiting; /* index of the event of time off the CPU; G_MAXUINT: none has samples */
} ProfileSummaryFacts;

/* What a rule has to say: FALSE where that is nothing. Sets what the finding needs of sentence, show,
 * function and path; all are zero before, but function, which is G_MAXUINT32. */
typedef gboolean (*ProfileSummaryRule)(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);

gboolean profile_summary_find_allocation(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_busy(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_failure(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_few_samples(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_hottest(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_locks(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_names(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_page_faults(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_path(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_recursion(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);
gboolean profile_summary_find_threads(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret);

/* "41 %", of all samples: whole percents, which is what people remember. Free it. */
char *profile_summary_format_share(const ProfileSummaryFacts *facts, guint64 measure);
/* The function's name, short and printable: "_Map_base::at". Free it. */
char *profile_summary_format_function(const ProfileSummaryFacts *facts, guint32 function);

/* Functions that do one thing, by name (sorted, without suffixes of compilers and versions): whether a tenth
 * of all samples leads through one of them. Then `ret` shows the callers of the one that most come to first,
 * and *ret_share is how many samples that are, *ret_caller the function by which most of them came, or NULL;
 * free both. */
gboolean profile_summary_find_group(const ProfileSummaryFacts *facts, const char *const *names, gsize n_names,
                                    ProfileSummaryFinding *ret, char **ret_share, char **ret_caller);

G_END_DECLS
