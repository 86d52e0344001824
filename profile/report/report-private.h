/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the parts of a report as text work together. */
#pragma once

#include "profile/report/report.h"

G_BEGIN_DECLS

/* Above a column of what samples are compared by. */
const char *profile_report_get_amount_title(const ProfileWeights *weights);
/* report-marks.c: the table of marks. */
void profile_report_append_marks(const ProfileReport *self, GString *out);

G_END_DECLS
