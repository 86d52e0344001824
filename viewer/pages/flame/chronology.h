/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The stack chart of one thread, with a list to choose which one: the one with most samples to begin with.
 * Main thread only.
 *
 * Signals:
 *   "selected"               another frame was selected by the user
 *   "menu" (double, double)  a context menu is wanted for it, at that place of the chart
 */
#pragma once

#include "profile/views/search.h"
#include "viewer/pages/flame/stack-chart.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_CHRONOLOGY (viewer_chronology_get_type())
G_DECLARE_FINAL_TYPE(ViewerChronology, viewer_chronology, VIEWER, CHRONOLOGY, GtkWidget)

GtkWidget *viewer_chronology_new(void);
/* Of first ≤ time < end. NULL: nothing is shown. */
void viewer_chronology_set_weights(ViewerChronology *self, ProfileWeights *weights, guint64 first,
                                   guint64 end);
ViewerStackChart *viewer_chronology_get_chart(ViewerChronology *self);

G_END_DECLS
