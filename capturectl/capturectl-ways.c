/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-ways.h"

#include <glib/gi18n.h>
#include <string.h>

#include "capturectl/capturectl-findings.h"
#include "capturectl/capturectl-json.h"

static RecordingRight is_ok(GPtrArray *findings, const char *id)
{
  for (guint i = 0; i < findings->len; i++) {
    const CapturectlFinding *finding = findings->pdata[i];

    if (strcmp(finding->id, id) == 0)
      return finding->state == CAPTURECTL_FINDING_OK ? RECORDING_RIGHT_YES : RECORDING_RIGHT_NO;
  }
  return RECORDING_RIGHT_NO;
}

CapturectlWay capturectl_ways_direct(GPtrArray *findings, RecordingUnwind unwind)
{
  gboolean recorder = is_ok(findings, "recorder") == RECORDING_RIGHT_YES;

  return (CapturectlWay){
      .via = RECORDING_VIA_DIRECT,
      .own = recorder ? is_ok(findings, "own-processes") : RECORDING_RIGHT_NO,
      .kernel = recorder ? is_ok(findings, "own-kernel") : RECORDING_RIGHT_NO,
      .system = recorder ? is_ok(findings, "system-wide") : RECORDING_RIGHT_NO,
      .unwind = unwind,
  };
}

CapturectlWay capturectl_ways_service(const RecordingServiceFacts *facts)
{
  CapturectlWay way = {.via = RECORDING_VIA_SERVICE};

  if (facts) {
    way.own = facts->own;
    way.kernel = way.system = facts->system;
    way.unwind = facts->unwind;
  }
  return way;
}

/* A recorder that is missing is no matter of permission: then nothing else is taken in its place. */
CapturectlWay capturectl_ways_preload(GPtrArray *findings)
{
  gboolean recorder = is_ok(findings, "recorder") == RECORDING_RIGHT_YES;

  return (CapturectlWay){
      .via = RECORDING_VIA_PRELOAD,
      .own = recorder ? is_ok(findings, "preload") : RECORDING_RIGHT_NO,
      .unwind = RECORDING_UNWIND_TABLES,
      .commands_only = TRUE,
  };
}

RecordingVia capturectl_ways_choose(const CapturectlWays *ways)
{
  const CapturectlWay *direct = &ways->direct, *service = &ways->service;
  gboolean directly = direct->own == RECORDING_RIGHT_YES;

  if (directly && (direct->unwind == RECORDING_UNWIND_BPF || service->unwind != RECORDING_UNWIND_BPF))
    return RECORDING_VIA_DIRECT;
  if (service->own != RECORDING_RIGHT_NO)
    return RECORDING_VIA_SERVICE;
  if (directly)
    return RECORDING_VIA_DIRECT;
  return ways->preload.own == RECORDING_RIGHT_YES ? RECORDING_VIA_PRELOAD : RECORDING_VIA_AUTO;
}

static void print_row(const char *way, const char *own, const char *kernel, const char *system,
                      const char *stacks)
{
  const char *cells[] = {way, own, kernel, system, stacks};

  for (guint i = 0; i < G_N_ELEMENTS(cells); i++) {
    int padding =
        i + 1 < G_N_ELEMENTS(cells) ? MAX((i == 0 ? 8 : 16) - (int)g_utf8_strlen(cells[i], -1), 1) : 0;
    g_print("%s%*s", cells[i], padding, "");
  }
  g_print("\n");
}

static void print_way(const CapturectlWay *way)
{
  const char *words[] = {_("no"), _("password"), _("yes")};
  const char *unwind = way->own || way->system ? recording_unwind_to_string(way->unwind) : "";

  print_row(recording_via_to_string(way->via),
            way->own && way->commands_only ? _("commands") : words[way->own], words[way->kernel],
            words[way->system], unwind);
}

void capturectl_ways_print(const CapturectlWays *ways)
{
  RecordingVia via = capturectl_ways_choose(ways);

  print_row(_("--via"), _("own processes"), _("their kernel"), _("all processes"), _("stacks by"));
  print_way(&ways->direct);
  print_way(&ways->service);
  print_way(&ways->preload);
  if (via != RECORDING_VIA_AUTO)
    g_print(_("“capturectl record COMMAND” takes the way “%s”.\n"), recording_via_to_string(via));
}

static void add_way(JsonBuilder *builder, const CapturectlWay *way)
{
  static const char *const words[] = {"no", "password", "yes"};
  gboolean any = way->own || way->system;

  json_builder_begin_object(builder);
  capturectl_json_string(builder, "way", recording_via_to_string(way->via));
  capturectl_json_string(builder, "own_processes",
                         way->own && way->commands_only ? "commands" : words[way->own]);
  capturectl_json_string(builder, "kernel", words[way->kernel]);
  capturectl_json_string(builder, "all_processes", words[way->system]);
  capturectl_json_string(builder, "unwind", any ? recording_unwind_to_string(way->unwind) : NULL);
  json_builder_end_object(builder);
}

void capturectl_ways_add_json(JsonBuilder *builder, const CapturectlWays *ways)
{
  RecordingVia via = capturectl_ways_choose(ways);

  capturectl_json_array(builder, "ways");
  add_way(builder, &ways->direct);
  add_way(builder, &ways->service);
  add_way(builder, &ways->preload);
  json_builder_end_array(builder);
  capturectl_json_string(builder, "auto", via == RECORDING_VIA_AUTO ? NULL : recording_via_to_string(via));
}
