/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/diagnosis/diagnosis.h"

gboolean recording_diagnosis_can_record(const RecordingDiagnosis *self)
{
  return recording_ways_choose(&self->ways) != RECORDING_VIA_AUTO;
}

/* Where something can be recorded, what is missing only limits that. */
static void diagnosis_soften(GPtrArray *findings)
{
  for (guint i = 0; i < findings->len; i++) {
    RecordingFinding *finding = findings->pdata[i];

    if (finding->state == RECORDING_FINDING_MISSING)
      finding->state = RECORDING_FINDING_LIMITED;
  }
}

RecordingDiagnosis *recording_diagnosis_new(void)
{
  RecordingDiagnosis *self = g_new0(RecordingDiagnosis, 1);
  g_auto(RecordingServiceFacts) facts = {0};

  self->findings = g_ptr_array_new_with_free_func((GDestroyNotify)recording_finding_free);
  recording_find_recorder(self->findings);
  recording_find_perf_events(self->findings);
  RecordingUnwind unwind = recording_find_unwinding(self->findings);
  gboolean service = recording_find_service(self->findings, &facts);
  recording_find_preload(self->findings);
  recording_find_names(self->findings);
  self->ways.direct = recording_ways_direct(self->findings, unwind);
  self->ways.service = recording_ways_service(service ? &facts : NULL);
  self->ways.preload = recording_ways_preload(self->findings);
  if (recording_diagnosis_can_record(self))
    diagnosis_soften(self->findings);
  return self;
}

void recording_diagnosis_free(RecordingDiagnosis *self)
{
  g_ptr_array_unref(self->findings);
  g_free(self);
}
