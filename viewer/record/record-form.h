/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Asks what to record, and how; remembers it in the settings.
 *
 * Signals:
 *   "record"  (gpointer: const RecordingOptions *)  path: a directory, or NULL; valid while it is emitted
 */
#pragma once

#include <adwaita.h>

#include "recording/diagnosis/diagnosis.h"
#include "viewer/recents/recents.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_RECORD_FORM (viewer_record_form_get_type())
G_DECLARE_FINAL_TYPE(ViewerRecordForm, viewer_record_form, VIEWER, RECORD_FORM, AdwBin)

/* Where commands of before are, and go. Once. */
void viewer_record_form_set_recents(ViewerRecordForm *self, ViewerRecents *recents);
/* What may be recorded here: the rest cannot be chosen, and it is said why. */
void viewer_record_form_set_rights(ViewerRecordForm *self, const RecordingDiagnosis *diagnosis);

G_END_DECLS
