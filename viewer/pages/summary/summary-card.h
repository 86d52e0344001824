/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few that have most of something, each with a bar: threads, binaries. Main thread only. */
#pragma once

#include <adwaita.h>

#include "profile/summary/summary.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SUMMARY_CARD (viewer_summary_card_get_type())
G_DECLARE_FINAL_TYPE(ViewerSummaryCard, viewer_summary_card, VIEWER, SUMMARY_CARD, AdwBin)

/* Shows the first threads or binaries, by self. The card is hidden where there is one at most. */
void viewer_summary_card_show(ViewerSummaryCard *self, ProfileSummary *summary, ProfileRowsBy by);

G_END_DECLS
