/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of a recording's health share. */
#pragma once

#include "profile/report/health.h"

G_BEGIN_DECLS

struct _ProfileHealth {
  gatomicrefcount references;
  ProfileCapture *capture;
  ProfileLedger *ledger;
  ProfileMissingNames *missing;
  guint64 samples, lost;
  GArray *findings; /* ProfileHealthFinding */
  ProfileHealthSeverity severity;
  char *summary;
};

/* Percent from which on a finding is a note, or a warning. */
typedef struct {
  double note, warning;
} ProfileHealthLimits;

extern const ProfileHealthLimits profile_health_stack_limits;

/* Takes sentence; copies advice, and finding without its texts. */
void profile_health_add(ProfileHealth *self, const ProfileHealthFinding *finding, char *sentence,
                        const char *advice);
ProfileHealthSeverity profile_health_judge(guint64 part, guint64 whole, const ProfileHealthLimits *limits);

/* Binaries of which one finding tells: the one with most samples, and how many there are. */
typedef struct {
  const char *first;
  guint n;
} ProfileHealthPlaces;

/* How stacks ended, taken together by outcome and advice. */
void profile_health_find_stacks(ProfileHealth *self);
/* Where names, lines and inlined functions are missing, taken together by reason. */
void profile_health_find_names(ProfileHealth *self);

G_END_DECLS
