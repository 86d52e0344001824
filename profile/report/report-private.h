/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the parts of a report as text work together. */
#pragma once

#include "profile/report/report.h"

G_BEGIN_DECLS

/* At the right of a column of so many characters, behind a blank in any case. */
void profile_report_append_cell(GString *out, const char *text, glong wanted);
/* report-marks.c: the table of marks. */
void profile_report_append_marks(const ProfileReport *self, GString *out);

G_END_DECLS
