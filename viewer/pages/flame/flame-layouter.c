/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/flame-layouter.h"

#include <string.h>

#define OVERVIEW_SHARE (1.0 / 400)

/* What is asked for; in another one, what came of it. */
typedef struct {
  ProfileWeights *weights;
  ProfileFlameOptions options;
  guint32 *focus;
  char *text;
  ProfileFlame *flame, *overview;
  ProfileSearch *search;
} Job;

static void free_job(gpointer data)
{
  Job *job = data;

  g_clear_pointer(&job->weights, profile_weights_unref);
  g_free(job->focus);
  g_free(job->text);
  g_clear_pointer(&job->flame, profile_flame_unref);
  g_clear_pointer(&job->overview, profile_flame_unref);
  g_clear_pointer(&job->search, profile_search_unref);
  g_free(job);
}

/* Out of the layout, where that has everything in it. */
static ProfileFlame *make_overview(const Job *job)
{
  const ProfileFlameOptions *options = &job->options;
  ProfileFlameOptions overview = {.inverted = options->inverted, .min_share = OVERVIEW_SHARE};

  if (options->n_focus == 0 && options->first <= 0 && options->end >= 1 &&
      options->min_share <= OVERVIEW_SHARE)
    return profile_flame_new_coarser(job->flame, OVERVIEW_SHARE);
  return profile_flame_new(job->weights, &overview);
}

static gpointer run_job(gpointer request)
{
  Job *job = g_new0(Job, 1);

  *job = *(Job *)request;
  memset(request, 0, sizeof *job);
  job->flame = profile_flame_new(job->weights, &job->options);
  if (!job->overview)
    job->overview = make_overview(job);
  if (job->text && !job->search)
    job->search = profile_search_new(job->weights, job->text);
  return job;
}

/* Takes over what of the last layout still holds. */
static void flame_layouter_reuse(Job *job, const Job *last)
{
  if (!last || last->weights != job->weights)
    return;
  if (last->options.inverted == job->options.inverted)
    job->overview = profile_flame_ref(last->overview);
  if (last->search && g_strcmp0(last->text, job->text) == 0)
    job->search = profile_search_ref(last->search);
}

ViewerLatest *viewer_flame_layouter_new(void)
{
  return viewer_latest_new(run_job, free_job, free_job);
}

void viewer_flame_layouter_request(ViewerLatest *self, ProfileWeights *weights,
                                   const ProfileFlameOptions *options, const char *search)
{
  Job *job = g_new0(Job, 1);

  job->weights = profile_weights_ref(weights);
  job->options = *options;
  job->focus = g_memdup2(options->focus, options->n_focus * sizeof *options->focus);
  job->options.focus = job->focus;
  job->text = search && *search ? g_strdup(search) : NULL;
  flame_layouter_reuse(job, viewer_latest_get(self));
  viewer_latest_request(self, job);
}

ProfileFlame *viewer_flame_layouter_get_flame(ViewerLatest *self)
{
  const Job *job = viewer_latest_get(self);

  return job ? job->flame : NULL;
}

ProfileFlame *viewer_flame_layouter_get_overview(ViewerLatest *self)
{
  const Job *job = viewer_latest_get(self);

  return job ? job->overview : NULL;
}

ProfileSearch *viewer_flame_layouter_get_search(ViewerLatest *self)
{
  const Job *job = viewer_latest_get(self);

  return job ? job->search : NULL;
}
