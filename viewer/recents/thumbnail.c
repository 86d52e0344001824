/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/recents/thumbnail.h"

#include <cairo.h>
#include <math.h>

#include "profile/views/flame.h"
#include "profile/views/tree.h"
#include "viewer/kit/palette.h"

/* Higher boxes would look like a chart of something else. */
#define ROW_HEIGHT_MAX 9.0
/* Rows that hold less of the width are left out: a single deep stack would make the others a strip. */
#define ROW_SHARE_MIN 0.05

/* Whether they count all samples of the event, in the stacks that were recorded. */
static gboolean are_of_all(ProfileWeights *weights, guint event, gsize n_samples)
{
  return profile_filter_get_event(profile_weights_get_filter(weights)) == event &&
         profile_weights_get_sum(weights).count == n_samples &&
         !profile_stacks_is_transformed(profile_weights_get_stacks(weights));
}

static ProfileFlame *make_flame(ProfileWeights *shown, guint width)
{
  const ProfileFlameOptions options = {.min_share = 0.5 / width};
  guint n_events, event = 0;
  const ProfileEvent *events = profile_capture_get_events(profile_weights_get_capture(shown), &n_events);

  while (event < n_events && events[event].n_samples == 0)
    event++;
  if (event == n_events)
    return NULL;
  if (are_of_all(shown, event, events[event].n_samples))
    return profile_flame_new(shown, &options);
  g_autoptr(ProfileFilter) filter = profile_filter_new(profile_weights_get_capture(shown));
  profile_filter_set_event(filter, event);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  return profile_flame_new(weights, &options);
}

/* The root of all counts as none. */
static guint count_rows(const ProfileFlame *flame)
{
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &(guint){0});
  guint n = profile_flame_get_n_rows(flame), depth;

  for (depth = 1; depth < n; depth++) {
    guint n_boxes, first = profile_flame_get_row(flame, depth, &n_boxes);
    double share = 0;
    for (guint i = first; i < first + n_boxes; i++)
      share += boxes[i].end - boxes[i].start;
    if (share < ROW_SHARE_MIN)
      break;
  }
  return MAX(depth, 2) - 1;
}

/* Between those for light and for dark backgrounds: one picture stands on both. */
static GdkRGBA get_color(ViewerPalette *const palettes[2], guint32 function)
{
  const GdkRGBA *a = &viewer_palette_get(palettes[0], function)->fill,
                *b = &viewer_palette_get(palettes[1], function)->fill;

  return (GdkRGBA){(a->red + b->red) / 2, (a->green + b->green) / 2, (a->blue + b->blue) / 2, 1};
}

/* The root of all is left out: it says nothing. From the top down. */
static void draw_boxes(cairo_t *cairo, ProfileFlame *flame, ViewerPalette *const palettes[2], guint width,
                       guint height)
{
  guint n, n_rows = count_rows(flame);
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);
  double row = MIN(ROW_HEIGHT_MAX, (double)height / n_rows);
  double gap = row > 4 ? 1 : 0;

  for (guint i = 0; i < n; i++) {
    if (boxes[i].function == PROFILE_TREE_NO_FUNCTION || boxes[i].depth > n_rows)
      continue;
    GdkRGBA fill = get_color(palettes, boxes[i].function);
    double x = boxes[i].start * width, w = (boxes[i].end - boxes[i].start) * width;
    double top = round((boxes[i].depth - 1) * row), bottom = round(boxes[i].depth * row);
    cairo_set_source_rgb(cairo, fill.red, fill.green, fill.blue);
    cairo_rectangle(cairo, x, top, w > 2 ? w - gap * 0.5 : w, bottom - top - gap);
    cairo_fill(cairo);
  }
}

static cairo_status_t thumbnail_append(void *array, const unsigned char *data, unsigned int length)
{
  g_byte_array_append(array, data, length);
  return CAIRO_STATUS_SUCCESS;
}

GBytes *viewer_thumbnail_new(ProfileWeights *weights, guint width, guint height)
{
  g_autoptr(ProfileFlame) flame = make_flame(weights, width);

  if (!flame || profile_flame_get_n_rows(flame) < 2)
    return NULL;
  ProfileStacks *stacks =
      profile_filter_get_stacks(profile_weights_get_filter(profile_flame_get_weights(flame)));
  g_autoptr(ViewerPalette) light =
      viewer_palette_new(stacks, VIEWER_PALETTE_KIND, (ViewerScheme){FALSE, FALSE});
  g_autoptr(ViewerPalette) dark =
      viewer_palette_new(stacks, VIEWER_PALETTE_KIND, (ViewerScheme){TRUE, FALSE});
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)width, (int)height);
  cairo_t *cairo = cairo_create(surface);
  GByteArray *png = g_byte_array_new();

  draw_boxes(cairo, flame, (ViewerPalette *[]){light, dark}, width, height);
  cairo_destroy(cairo);
  cairo_surface_write_to_png_stream(surface, thumbnail_append, png);
  cairo_surface_destroy(surface);
  return g_byte_array_free_to_bytes(png);
}
