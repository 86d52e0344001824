/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-ways.h"

#include <glib/gi18n.h>

#include "capturectl/capturectl-json.h"

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

static void print_way(const RecordingWayRights *way)
{
  const char *words[] = {_("no"), _("password"), _("yes")};
  const char *unwind = way->own || way->system ? recording_unwind_to_string(way->unwind) : "";

  print_row(recording_via_to_string(way->via),
            way->own && way->commands_only ? _("commands") : words[way->own], words[way->kernel],
            words[way->system], unwind);
}

void capturectl_ways_print(const RecordingWays *ways)
{
  RecordingVia via = recording_ways_choose(ways);

  print_row(_("--via"), _("own processes"), _("their kernel"), _("all processes"), _("stacks by"));
  print_way(&ways->direct);
  print_way(&ways->service);
  print_way(&ways->preload);
  if (via != RECORDING_VIA_AUTO)
    g_print(_("“capturectl record COMMAND” takes the way “%s”.\n"), recording_via_to_string(via));
}

static void add_way(JsonBuilder *builder, const RecordingWayRights *way)
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

void capturectl_ways_add_json(JsonBuilder *builder, const RecordingWays *ways)
{
  RecordingVia via = recording_ways_choose(ways);

  capturectl_json_array(builder, "ways");
  add_way(builder, &ways->direct);
  add_way(builder, &ways->service);
  add_way(builder, &ways->preload);
  json_builder_end_array(builder);
  capturectl_json_string(builder, "auto", via == RECORDING_VIA_AUTO ? NULL : recording_via_to_string(via));
}
