/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/diagnosis/ways.h"

#include <string.h>

#include "recording/diagnosis/findings.h"

static RecordingRight is_ok(GPtrArray *findings, const char *id)
{
  for (guint i = 0; i < findings->len; i++) {
    const RecordingFinding *finding = findings->pdata[i];

    if (strcmp(finding->id, id) == 0)
      return finding->state == RECORDING_FINDING_OK ? RECORDING_RIGHT_YES : RECORDING_RIGHT_NO;
  }
  return RECORDING_RIGHT_NO;
}

RecordingWayRights recording_ways_direct(GPtrArray *findings, RecordingUnwind unwind)
{
  gboolean recorder = is_ok(findings, "recorder") == RECORDING_RIGHT_YES;

  return (RecordingWayRights){
      .via = RECORDING_VIA_DIRECT,
      .own = recorder ? is_ok(findings, "own-processes") : RECORDING_RIGHT_NO,
      .kernel = recorder ? is_ok(findings, "own-kernel") : RECORDING_RIGHT_NO,
      .system = recorder ? is_ok(findings, "system-wide") : RECORDING_RIGHT_NO,
      .unwind = unwind,
  };
}

RecordingWayRights recording_ways_service(const RecordingServiceFacts *facts)
{
  RecordingWayRights way = {.via = RECORDING_VIA_SERVICE};

  if (facts) {
    way.own = facts->own;
    way.kernel = way.system = facts->system;
    way.unwind = facts->unwind;
  }
  return way;
}

/* A recorder that is missing is no matter of permission: then nothing else is taken in its place. */
RecordingWayRights recording_ways_preload(GPtrArray *findings)
{
  gboolean recorder = is_ok(findings, "recorder") == RECORDING_RIGHT_YES;

  return (RecordingWayRights){
      .via = RECORDING_VIA_PRELOAD,
      .own = recorder ? is_ok(findings, "preload") : RECORDING_RIGHT_NO,
      .unwind = RECORDING_UNWIND_TABLES,
      .commands_only = TRUE,
  };
}

RecordingVia recording_ways_choose(const RecordingWays *ways)
{
  const RecordingWayRights *direct = &ways->direct, *service = &ways->service;
  gboolean directly = direct->own == RECORDING_RIGHT_YES;

  if (directly && (direct->unwind == RECORDING_UNWIND_BPF || service->unwind != RECORDING_UNWIND_BPF))
    return RECORDING_VIA_DIRECT;
  if (service->own != RECORDING_RIGHT_NO)
    return RECORDING_VIA_SERVICE;
  if (directly)
    return RECORDING_VIA_DIRECT;
  return ways->preload.own == RECORDING_RIGHT_YES ? RECORDING_VIA_PRELOAD : RECORDING_VIA_AUTO;
}

RecordingRight recording_ways_get_own(const RecordingWays *ways)
{
  return MAX(ways->direct.own, ways->service.own);
}

RecordingRight recording_ways_get_command(const RecordingWays *ways)
{
  return MAX(recording_ways_get_own(ways), ways->preload.own);
}

RecordingRight recording_ways_get_system(const RecordingWays *ways)
{
  return MAX(ways->direct.system, ways->service.system);
}
