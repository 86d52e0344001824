/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-maps.h"

#include "viewer/kit/settings.h"

#define KEY "source-folders"

GArray *viewer_source_maps_get(void)
{
  GArray *maps = profile_path_maps_new();
  g_autoptr(GVariant) value = g_settings_get_value(viewer_settings_get(), KEY);
  GVariantIter iter;
  const char *from, *to;

  g_variant_iter_init(&iter, value);
  while (g_variant_iter_next(&iter, "(&s&s)", &from, &to))
    profile_path_maps_append(maps, from, to);
  return maps;
}

void viewer_source_maps_set(const GArray *maps)
{
  g_auto(GVariantBuilder) builder = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE("a(ss)"));

  for (guint i = 0; i < maps->len; i++) {
    const ProfilePathMap *map = &g_array_index(maps, ProfilePathMap, i);
    g_variant_builder_add(&builder, "(ss)", map->from, map->to);
  }
  g_settings_set_value(viewer_settings_get(), KEY, g_variant_builder_end(&builder));
}
