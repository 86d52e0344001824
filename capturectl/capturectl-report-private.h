/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `report` share. */
#pragma once

#include "profile/report/report.h"

G_BEGIN_DECLS

/* Prints the whole report as JSON. 0, or an exit status after having said what is wrong. */
int capturectl_report_json(const ProfileReport *report);

/* Prints what a person should know first; of the filter's event. */
void capturectl_report_summary(const ProfileReport *report, gboolean json);

/* What by is called: "function" … */
const char *capturectl_report_get_by_name(ProfileReportBy by);

G_END_DECLS
