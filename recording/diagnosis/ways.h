/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each way of recording would give the calling user, put together from findings. */
#pragma once

#include "recording/common/via.h"
#include "recording/diagnosis/service-probe.h"

G_BEGIN_DECLS

typedef struct {
  RecordingVia via;
  RecordingRight own;     /* one's own processes, in user space */
  RecordingRight kernel;  /* and what the kernel does for them */
  RecordingRight system;  /* every process */
  RecordingUnwind unwind; /* how stacks are found */
  gboolean commands_only; /* of one's own processes, those that the recording starts */
} RecordingWayRights;

/* How findings say what may be recorded directly; unwind is AUTO when nothing may. */
RecordingWayRights recording_ways_direct(GPtrArray *findings, RecordingUnwind unwind);
/* facts: NULL where there is no service. */
RecordingWayRights recording_ways_service(const RecordingServiceFacts *facts);
RecordingWayRights recording_ways_preload(GPtrArray *findings);

/* All of them. */
typedef struct {
  RecordingWayRights direct, service, preload;
} RecordingWays;

/* Which way RECORDING_VIA_AUTO takes for a command; AUTO: none. */
RecordingVia recording_ways_choose(const RecordingWays *ways);
/* What AUTO may record, by whichever way gives most: a command; running processes of one's own; those of
 * others, and all of them together. */
RecordingRight recording_ways_get_command(const RecordingWays *ways);
RecordingRight recording_ways_get_own(const RecordingWays *ways);
RecordingRight recording_ways_get_system(const RecordingWays *ways);

G_END_DECLS
