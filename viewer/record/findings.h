/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What limits recordings on this machine, and the command that changes each; nothing where nothing does.
 *
 * Signals, none with arguments:
 *   "changed"  get_diagnosis
 */
#pragma once

#include <adwaita.h>

#include "recording/diagnosis/diagnosis.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FINDINGS (viewer_findings_get_type())
G_DECLARE_FINAL_TYPE(ViewerFindings, viewer_findings, VIEWER, FINDINGS, AdwPreferencesGroup)

/* Looks anew, away from the main thread; not more often than every few seconds. */
void viewer_findings_check(ViewerFindings *self);
/* NULL before the first "changed". Borrowed until the next one. */
const RecordingDiagnosis *viewer_findings_get_diagnosis(ViewerFindings *self);

G_END_DECLS
