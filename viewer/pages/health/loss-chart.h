/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars that say when a recording lost how much. Main thread only. */
#pragma once

#include <gtk/gtk.h>

#include "profile/report/health.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_LOSS_CHART (viewer_loss_chart_get_type())
G_DECLARE_FINAL_TYPE(ViewerLossChart, viewer_loss_chart, VIEWER, LOSS_CHART, GtkWidget)

/* Health is not kept. */
void viewer_loss_chart_show(ViewerLossChart *self, const ProfileHealth *health);

G_END_DECLS
