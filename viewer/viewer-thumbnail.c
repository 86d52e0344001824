/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-thumbnail.h"

#include <cairo.h>
#include <math.h>

#include "profile/profile-flame.h"
#include "profile/profile-tree.h"
#include "viewer/viewer-palette.h"

/* Higher boxes would look like a chart of something else. */
#define ROW_HEIGHT_MAX 9.0

static ProfileFlame *make_flame(ProfileCapture *capture, guint width)
{
  const ProfileFlameOptions options = {.min_share = 0.5 / width};
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  guint n_events;
  const ProfileEvent *events = profile_capture_get_events(capture, &n_events);
  guint event = 0;

  while (event < n_events && events[event].n_samples == 0)
    event++;
  if (event == n_events)
    return NULL;
  profile_filter_set_event(filter, event);
  g_autoptr(ProfileWeights) weights = profile_weights_new(filter);
  return profile_flame_new(weights, &options);
}

/* The root of all is left out: it says nothing. From the bottom up. */
static void draw_boxes(cairo_t *cairo, ProfileFlame *flame, ViewerPalette *palette, guint width, guint height)
{
  guint n;
  const ProfileFlameBox *boxes = profile_flame_get_boxes(flame, &n);
  guint n_rows = MAX(profile_flame_get_n_rows(flame), 2) - 1;
  double row = MIN(ROW_HEIGHT_MAX, (double)height / n_rows);
  double gap = row > 4 ? 1 : 0;

  for (guint i = 0; i < n; i++) {
    if (boxes[i].function == PROFILE_TREE_NO_FUNCTION)
      continue;
    const GdkRGBA *fill = &viewer_palette_get(palette, boxes[i].function)->fill;
    double x = boxes[i].start * width, w = (boxes[i].end - boxes[i].start) * width;
    double top = round(height - boxes[i].depth * row), bottom = round(height - (boxes[i].depth - 1) * row);
    cairo_set_source_rgb(cairo, fill->red, fill->green, fill->blue);
    cairo_rectangle(cairo, x, top + gap, w > 2 ? w - gap * 0.5 : w, bottom - top - gap);
    cairo_fill(cairo);
  }
}

static cairo_status_t append(void *array, const unsigned char *data, unsigned int length)
{
  g_byte_array_append(array, data, length);
  return CAIRO_STATUS_SUCCESS;
}

GBytes *viewer_thumbnail_new(ProfileCapture *capture, guint width, guint height)
{
  g_autoptr(ProfileFlame) flame = make_flame(capture, width);

  if (!flame || profile_flame_get_n_rows(flame) < 2)
    return NULL;
  ProfileStacks *stacks =
      profile_filter_get_stacks(profile_weights_get_filter(profile_flame_get_weights(flame)));
  g_autoptr(ViewerPalette) palette =
      viewer_palette_new(stacks, VIEWER_PALETTE_KIND, (ViewerScheme){FALSE, FALSE});
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)width, (int)height);
  cairo_t *cairo = cairo_create(surface);
  GByteArray *png = g_byte_array_new();

  draw_boxes(cairo, flame, palette, width, height);
  cairo_destroy(cairo);
  cairo_surface_write_to_png_stream(surface, append, png);
  cairo_surface_destroy(surface);
  return g_byte_array_free_to_bytes(png);
}
