/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/settings.h"

#include "viewer/kit/paths.h"

#define SCHEMA "org.capturectl.Viewer"

static GSettingsSchema *find_schema(void)
{
  g_autofree char *directory = viewer_paths_find_schema();
  GSettingsSchemaSource *installed = g_settings_schema_source_get_default();
  GSettingsSchema *schema = NULL;

  if (directory) {
    g_autoptr(GSettingsSchemaSource) beside =
        g_settings_schema_source_new_from_directory(directory, installed, FALSE, NULL);
    if (beside)
      schema = g_settings_schema_source_lookup(beside, SCHEMA, TRUE);
  }
  if (!schema && installed)
    schema = g_settings_schema_source_lookup(installed, SCHEMA, TRUE);
  return schema;
}

GSettings *viewer_settings_get(void)
{
  static GSettings *settings;

  if (!settings) {
    g_autoptr(GSettingsSchema) schema = find_schema();

    if (!schema)
      g_error("The settings schema " SCHEMA " is missing; install the viewer again.");
    settings = g_settings_new_full(schema, NULL, NULL);
  }
  return settings;
}
