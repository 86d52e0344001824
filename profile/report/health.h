/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How sound a recording is: what was lost, what is damaged, how many stacks are whole, which functions have
 * no names or lines; each as a finding with what can be done about it. Whoever shows a capture says the same
 * of it. Of all events and the whole recording. Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/ledger.h"
#include "profile/naming/missing-names.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_HEALTH_GOOD,   /* good to know, changes nothing */
  PROFILE_HEALTH_NOTE,   /* what is shown is right, but not all there is */
  PROFILE_HEALTH_WARNING /* what is shown may mislead */
} ProfileHealthSeverity;

typedef enum {
  PROFILE_HEALTH_DAMAGE,    /* what: nothing */
  PROFILE_HEALTH_ENDED,     /* what: enum capture_end */
  PROFILE_HEALTH_LOSS,      /* what: enum capture_lost_reason */
  PROFILE_HEALTH_THROTTLED, /* what: nothing */
  PROFILE_HEALTH_EMPTY,     /* what: nothing */
  PROFILE_HEALTH_STACKS,    /* what: enum capture_outcome */
  PROFILE_HEALTH_NAMES,     /* what: ProfileMissingReason */
  PROFILE_HEALTH_LINES,     /* what: enum capture_places_outcome */
  PROFILE_HEALTH_MESSAGE    /* what: index of the message; of the first that is too many */
} ProfileHealthSubject;

typedef struct {
  ProfileHealthSubject subject;
  guint32 what;
  ProfileHealthSeverity severity;
  char *sentence; /* translated */
  char *advice;   /* translated, what can be done: a sentence; NULL: nothing */
  guint64 count;  /* samples, stacks or times that it is about; 0: it is about no number */
  guint64 of;     /* how many there are of these; 0: that makes no sense */
} ProfileHealthFinding;

typedef struct _ProfileHealth ProfileHealth;

/* Passes over all samples and nodes: not for the main thread of a program with windows. */
ProfileHealth *profile_health_new(ProfileCapture *capture);
ProfileHealth *profile_health_ref(ProfileHealth *self);
void profile_health_unref(ProfileHealth *self);

ProfileCapture *profile_health_get_capture(const ProfileHealth *self);
/* The worst there is to say. */
ProfileHealthSeverity profile_health_get_severity(const ProfileHealth *self);
/* "99.8 % of stacks are complete, and nothing was lost." */
const char *profile_health_get_summary(const ProfileHealth *self);
/* The worst first. */
const ProfileHealthFinding *profile_health_get_findings(const ProfileHealth *self, guint *n);

/* Samples of all events. */
guint64 profile_health_get_n_samples(const ProfileHealth *self);
const ProfileLedger *profile_health_get_ledger(const ProfileHealth *self);
const ProfileMissingNames *profile_health_get_missing_names(const ProfileHealth *self);
/* What was lost in each of n equal spans of *ret_first ≤ time < *ret_end: of the recording, as
 * profile_span_get() says, and whatever losses lie outside of that. NULL: nothing was lost. Free it. */
guint64 *profile_health_make_losses(const ProfileHealth *self, guint n, guint64 *ret_first, guint64 *ret_end);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileHealth, profile_health_unref)

G_END_DECLS
