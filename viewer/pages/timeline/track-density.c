/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes and threads: how much of a processor they used. */
#include <glib/gi18n.h>

#include "viewer/kit/format.h"
#include "viewer/pages/timeline/track-draw.h"
#include "viewer/pages/timeline/track-kind.h"
#include "viewer/time/densities.h"
#include "viewer/time/time-draw.h"

enum { PROCESS_HEIGHT = 40, THREAD_HEIGHT = 30, NAME_LENGTH = 80 };

static void set_texts(ViewerTrack *track, const char *name, const char *detail)
{
  g_autofree char *title = viewer_format_name(name ? name : "", NAME_LENGTH);

  viewer_track_set_texts(track, *title ? title : _("Not Known"),
                         viewer_track_get_index(track) > 0 ? detail : "");
}

static double get_top(const ProfileDensity *density, const guint64 *bins)
{
  guint64 most = 0;

  for (guint bin = 0; bins && bin < profile_density_get_n_bins(density); bin++)
    most = MAX(most, bins[bin]);
  return profile_density_get_share(density, most);
}

typedef const guint64 *(*GetBins)(const ProfileDensity *density, guint32 index);

/* The upper edge is one processor, or as many as were used at once. */
static void track_density_draw(const ViewerTimelineScene *scene, GetBins get_bins, guint32 index,
                               GtkWidget *widget, GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  GdkRGBA color = viewer_time_draw_get_color(widget, "accent_color", "#1c71d8");
  graphene_rect_t inner = viewer_track_get_inner(area);

  if (!scene->shown)
    return;
  const ProfileDensity *density = scene->shown->density;
  const guint64 *bins = get_bins(density, index);
  viewer_time_draw_density(snapshot, scene->axis, density, bins, MAX(get_top(density, bins), 1), &color,
                           &inner);
}

static char *describe_place(const ViewerTimelineScene *scene, GetBins get_bins, guint32 index, double x)
{
  guint bin;

  if (!scene->shown ||
      !profile_density_find_bin(scene->shown->density, viewer_time_axis_get_time(scene->axis, x), &bin))
    return NULL;
  const guint64 *bins = get_bins(scene->shown->density, index);
  return viewer_track_add_time(scene, x,
                               viewer_densities_format(scene->shown->density, bins ? bins[bin] : 0));
}

static char *track_density_describe(const ProfileDensity *density, guint64 total)
{
  g_autofree char *amount = viewer_densities_format_total(density, total);

  if (profile_density_get_interval(density) <= 0)
    return g_steal_pointer(&amount);
  double share = profile_density_get_average(density, total);
  /* TRANSLATORS: How much of one processor was used on average, and for how long in all. */
  return g_strdup_printf(_("%.0f %% CPU, %s"), share * 100, amount);
}

static void process_find(const ViewerTrackFamily *family, GArray *indices)
{
  g_array_append_val(indices, family->process);
}

static void process_name(const ViewerTrackFamily *family, ViewerTrack *track)
{
  guint n, n_threads = family->n_threads;
  const ProfileProcess *process = &profile_capture_get_processes(family->capture, &n)[family->process];
  g_autofree char *number = g_strdup_printf(_("Process %d"), process->pid);
  g_autofree char *threads = g_strdup_printf(ngettext("%u thread", "%u threads", n_threads), n_threads);
  g_autofree char *detail = n_threads > 1 ? g_strdup_printf("%s · %s", number, threads) : g_strdup(number);

  set_texts(track, process->name, detail);
}

static void process_draw(const ViewerTimelineScene *scene, guint32 index, GtkWidget *widget,
                         GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  track_density_draw(scene, profile_density_get_process_bins, index, widget, snapshot, area);
}

static char *process_describe_place(const ViewerTimelineScene *scene, guint32 index, double x, double y)
{
  return describe_place(scene, profile_density_get_process_bins, index, x);
}

static char *process_describe(const ViewerTimelineScene *scene, guint32 index)
{
  const ProfileDensity *density = scene->shown->density;

  return track_density_describe(density, profile_density_get_process_total(density, index));
}

static guint32 process_get_process(ProfileCapture *capture, guint32 index)
{
  return index;
}

const ViewerTrackKind viewer_track_process = {
    .is_head = TRUE,
    .find = process_find,
    .name = process_name,
    .height = PROCESS_HEIGHT,
    .draw = process_draw,
    .describe_place = process_describe_place,
    .describe = process_describe,
    .get_process = process_get_process,
};

/* The only one is its process. */
static void thread_find(const ViewerTrackFamily *family, GArray *indices)
{
  if (family->n_threads > 1)
    g_array_append_vals(indices, family->threads, family->n_threads);
}

static void thread_name(const ViewerTrackFamily *family, ViewerTrack *track)
{
  guint n;
  const ProfileThread *thread =
      &profile_capture_get_threads(family->capture, &n)[viewer_track_get_index(track)];
  /* TRANSLATORS: The number of a thread. */
  g_autofree char *detail = g_strdup_printf(_("Thread %d"), thread->tid);

  set_texts(track, thread->name, detail);
}

static void thread_draw(const ViewerTimelineScene *scene, guint32 index, GtkWidget *widget,
                        GtkSnapshot *snapshot, const graphene_rect_t *area)
{
  track_density_draw(scene, profile_density_get_bins, index, widget, snapshot, area);
}

static char *thread_describe_place(const ViewerTimelineScene *scene, guint32 index, double x, double y)
{
  return describe_place(scene, profile_density_get_bins, index, x);
}

static char *thread_describe(const ViewerTimelineScene *scene, guint32 index)
{
  const ProfileDensity *density = scene->shown->density;

  return track_density_describe(density, profile_density_get_total(density, index));
}

static guint32 thread_get_process(ProfileCapture *capture, guint32 index)
{
  guint n;

  return profile_capture_get_threads(capture, &n)[index].process;
}

const ViewerTrackKind viewer_track_thread = {
    .one_line = TRUE,
    .find = thread_find,
    .name = thread_name,
    .height = THREAD_HEIGHT,
    .draw = thread_draw,
    .describe_place = thread_describe_place,
    .describe = thread_describe,
    .get_process = thread_get_process,
};
