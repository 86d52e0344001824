/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How good the user stacks of a capture are: how many were followed to their root, and for the rest why not,
 * by the binary in which they end. Of all events. Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/capture.h"
#include "profile/capture/outcome.h"

G_BEGIN_DECLS

/* In place of a binary's index: */
#define PROFILE_LEDGER_NO_FILE                                                                               \
  (G_MAXUINT32 - 1) /* memory that belongs to no file, as machine code made at run time */
#define PROFILE_LEDGER_NO_FRAME G_MAXUINT32 /* there is no frame of user space at all */

/* Stacks that ended in one binary with one outcome, which is not COMPLETE. */
typedef struct {
  guint32 binary; /* of the outermost frame: the one whose caller was not found; the first one of that path */
  enum capture_outcome outcome;
  guint64 samples;
} ProfileLedgerEntry;

typedef struct _ProfileLedger ProfileLedger;

ProfileLedger *profile_ledger_new(ProfileCapture *capture);
void profile_ledger_free(ProfileLedger *self);

/* Samples with that outcome; those that this version does not know count as UNKNOWN. */
guint64 profile_ledger_get_samples(const ProfileLedger *self, enum capture_outcome outcome);
/* Of those that are complete, all on whose way frames without a table were left by their frame pointers: the
 * root is proven, but a function there that keeps none may be missing. */
guint64 profile_ledger_get_by_frame_pointers(const ProfileLedger *self);
/* Samples of which it is said how their user stack ended: not those without one, and not those of which
 * nothing is said. */
guint64 profile_ledger_get_stacks(const ProfileLedger *self);
/* Of those, all that are not complete: most samples first. */
const ProfileLedgerEntry *profile_ledger_get_entries(const ProfileLedger *self, gsize *n);

/* Where an entry's stacks end: the path of a binary, "[unknown]" for memory without a file, NULL for nowhere.
 */
const char *profile_ledger_get_binary(ProfileCapture *capture, const ProfileLedgerEntry *entry);
/* What would let more such stacks be complete: a sentence. Static, translated. */
const char *profile_ledger_get_advice(ProfileCapture *capture, const ProfileLedgerEntry *entry);
/* How many of the stacks are complete and, where some are not, mostly why: a phrase for one line. Free it. */
char *profile_ledger_summarize(const ProfileLedger *ledger);
/* Percent of a number of stacks, in two decimals, never rounded up to 100. */
double profile_ledger_get_percent(guint64 part, guint64 stacks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileLedger, profile_ledger_free)

G_END_DECLS
