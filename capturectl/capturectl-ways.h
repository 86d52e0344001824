/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each way of recording would give the calling user, put together from findings. */
#pragma once

#include <json-glib/json-glib.h>

#include "recording/recording-service-probe.h"
#include "recording/recording-via.h"

G_BEGIN_DECLS

typedef struct {
  RecordingVia via;
  RecordingRight own;     /* one's own processes, in user space */
  RecordingRight kernel;  /* and what the kernel does for them */
  RecordingRight system;  /* every process */
  RecordingUnwind unwind; /* how stacks are found */
  gboolean commands_only; /* of one's own processes, those that the recording starts */
} CapturectlWay;

/* How findings say what may be recorded directly; unwind is AUTO when nothing may. */
CapturectlWay capturectl_ways_direct(GPtrArray *findings, RecordingUnwind unwind);
/* facts: NULL where there is no service. */
CapturectlWay capturectl_ways_service(const RecordingServiceFacts *facts);
CapturectlWay capturectl_ways_preload(GPtrArray *findings);

/* All of them. */
typedef struct {
  CapturectlWay direct, service, preload;
} CapturectlWays;

/* Which way `record --via auto` takes for a command; AUTO: none. */
RecordingVia capturectl_ways_choose(const CapturectlWays *ways);

/* A table, for a person. */
void capturectl_ways_print(const CapturectlWays *ways);
/* Members "ways" and "auto". */
void capturectl_ways_add_json(JsonBuilder *builder, const CapturectlWays *ways);

G_END_DECLS
