/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How good a capture's user stacks are, in words: what `info`, `report` and their JSON say of it. */
#pragma once

#include "profile/profile-ledger.h"

G_BEGIN_DECLS

/* Where an entry's stacks end: the path of a binary, "[unknown]" for memory without a file, NULL for nowhere.
 */
const char *capturectl_ledger_get_binary(ProfileCapture *capture, const ProfileLedgerEntry *entry);
/* What would let more such stacks be complete: a sentence. Static, translated. */
const char *capturectl_ledger_get_advice(ProfileCapture *capture, const ProfileLedgerEntry *entry);
/* How many of the stacks are complete and, where some are not, mostly why: a phrase for one line. Free it. */
char *capturectl_ledger_summarize(const ProfileLedger *ledger);
/* Percent of a number of stacks, in two decimals, never rounded up to 100. */
double capturectl_ledger_get_percent(guint64 part, guint64 stacks);

G_END_DECLS
