/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/chart-layouter.h"

#include <string.h>

/* What is asked for; in another one, what came of it. */
typedef struct {
  ProfileFilter *filter;
  guint generation;
  guint32 thread;
  guint64 first, end;
  guint n_columns;
  ProfileSequence *sequence;
  ProfileChart *chart;
} Job;

static void free_job(gpointer data)
{
  Job *job = data;

  g_clear_pointer(&job->filter, profile_filter_free);
  g_clear_pointer(&job->sequence, profile_sequence_unref);
  g_clear_pointer(&job->chart, profile_chart_unref);
  g_free(job);
}

static gpointer run_job(gpointer request)
{
  Job *job = g_new0(Job, 1);

  *job = *(Job *)request;
  memset(request, 0, sizeof *job);
  if (!job->sequence)
    job->sequence = profile_sequence_new(job->filter, job->thread);
  job->chart = profile_chart_new(job->sequence, job->first, job->end, job->n_columns);
  return job;
}

ViewerLatest *viewer_chart_layouter_new(void)
{
  return viewer_latest_new(run_job, free_job, free_job);
}

void viewer_chart_layouter_request(ViewerLatest *self, const ProfileFilter *filter, guint generation,
                                   guint32 thread, guint64 first, guint64 end, guint n_columns)
{
  const Job *last = viewer_latest_get(self);
  Job *job = g_new0(Job, 1);

  job->filter = profile_filter_copy(filter);
  job->generation = generation;
  job->thread = thread;
  job->first = first;
  job->end = end;
  job->n_columns = n_columns;
  if (last && last->generation == generation && last->thread == thread)
    job->sequence = profile_sequence_ref(last->sequence);
  viewer_latest_request(self, job);
}

ProfileChart *viewer_chart_layouter_get_chart(ViewerLatest *self)
{
  const Job *job = viewer_latest_get(self);

  return job ? job->chart : NULL;
}
