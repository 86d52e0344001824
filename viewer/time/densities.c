/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/time/densities.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"

typedef struct {
  ProfileFilter *filter;
  guint64 first, end;
  guint n_bins, min_samples;
} Request;

static void request_free(gpointer data)
{
  Request *request = data;

  profile_filter_free(request->filter);
  g_free(request);
}

static gpointer densities_make(gpointer data)
{
  const Request *request = data;

  return profile_density_new_readable(request->filter, request->first, request->end, request->n_bins,
                                      request->min_samples);
}

static void density_free(gpointer data)
{
  profile_density_free(data);
}

ViewerLatest *viewer_densities_new(void)
{
  return viewer_latest_new(densities_make, request_free, density_free);
}

void viewer_densities_request(ViewerLatest *self, ProfileFilter *filter, guint64 first, guint64 end,
                              guint n_bins, guint min_samples)
{
  Request *request = g_new(Request, 1);

  *request = (Request){filter, first, MAX(end, first), MAX(n_bins, 1), min_samples};
  viewer_latest_request(self, request);
}

const ProfileDensity *viewer_densities_get(ViewerLatest *self)
{
  return viewer_latest_get(self);
}

char *viewer_densities_format_total(const ProfileDensity *density, guint64 measure)
{
  double interval = profile_density_get_interval(density);

  if (interval > 0)
    return viewer_format_duration((guint64)((double)measure * interval));
  if (profile_density_get_unit(density) == CAPTURE_UNIT_COUNT)
    return viewer_format_samples(measure);
  return viewer_format_amount(profile_density_get_unit(density), measure);
}

char *viewer_densities_format(const ProfileDensity *density, guint64 measure)
{
  if (profile_density_get_interval(density) <= 0)
    return viewer_densities_format_total(density, measure);
  /* TRANSLATORS: How much of one processor was used; two busy ones are 200 %. */
  return g_strdup_printf(_("%.0f %% CPU"), profile_density_get_share(density, measure) * 100);
}
