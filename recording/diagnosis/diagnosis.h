/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this machine permits the calling user to record, and what would have to be changed for more. Immutable
 * once made. */
#pragma once

#include "recording/diagnosis/findings.h"
#include "recording/diagnosis/ways.h"

G_BEGIN_DECLS

typedef struct {
  GPtrArray *findings; /* of RecordingFinding, always in the same order */
  RecordingWays ways;
} RecordingDiagnosis;

/* Tries everything out: blocks, for as long as a recorder, the system service and polkit take to answer. From
 * any thread. */
RecordingDiagnosis *recording_diagnosis_new(void);
void recording_diagnosis_free(RecordingDiagnosis *self);

/* Whether a command can be recorded, by any way. */
gboolean recording_diagnosis_can_record(const RecordingDiagnosis *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingDiagnosis, recording_diagnosis_free)

G_END_DECLS
