/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/summary/summary.h"

#include <glib/gi18n.h>

#include "profile/base/printable.h"
#include "profile/capture/measure.h"
#include "profile/capture/span.h"
#include "profile/summary/summary-private.h"
#include "profile/views/density.h"
#include "profile/views/function-name.h"

struct _ProfileSummary {
  gatomicrefcount references;
  ProfileWeights *weights;
  ProfileRows *threads, *binaries;
  GArray *findings; /* ProfileSummaryFinding */
};

/* In the order in which they are said. */
static const struct {
  const char *name;
  ProfileSummaryRule find;
} rules[] = {
    {"failure", profile_summary_find_failure},
    {"few-samples", profile_summary_find_few_samples},
    {"busy", profile_summary_find_busy},
    {"hottest", profile_summary_find_hottest},
    {"path", profile_summary_find_path},
    {"allocation", profile_summary_find_allocation},
    {"recursion", profile_summary_find_recursion},
    {"locks", profile_summary_find_locks},
    {"page-faults", profile_summary_find_page_faults},
    {"threads", profile_summary_find_threads},
    {"names", profile_summary_find_names},
};

static void clear_finding(gpointer data)
{
  ProfileSummaryFinding *finding = data;

  g_free(finding->sentence);
  g_free(finding->path);
}

char *profile_summary_format_share(const ProfileSummaryFacts *facts, guint64 measure)
{
  /* TRANSLATORS: A share of the samples. */
  return g_strdup_printf(_("%.0f %%"), facts->sum ? 100 * (double)measure / (double)facts->sum : 0);
}

char *profile_summary_format_function(const ProfileSummaryFacts *facts, guint32 function)
{
  const char *name = profile_stacks_get_function_name(facts->stacks, function);
  g_autofree char *shorter = profile_function_name_shorten(name);

  return profile_printable(*shorter ? shorter : name);
}

static guint find_waiting(ProfileCapture *capture)
{
  guint n;
  const ProfileEvent *events = profile_capture_get_events(capture, &n);

  for (guint i = 0; i < n; i++)
    if (events[i].detail == CAPTURE_DETAIL_OFF_CPU && events[i].n_samples > 0)
      return i;
  return G_MAXUINT;
}

static void collect_facts(ProfileSummaryFacts *facts, const ProfileSummary *self)
{
  const ProfileFilter *filter = profile_weights_get_filter(self->weights);
  guint64 first, end, from, to;

  facts->filter = filter;
  facts->capture = profile_filter_get_capture(filter);
  facts->event = profile_capture_get_event(facts->capture, profile_filter_get_event(filter));
  facts->stacks = profile_filter_get_stacks(filter);
  facts->weights = self->weights;
  facts->functions = profile_rows_new(self->weights, PROFILE_ROWS_FUNCTION);
  facts->threads = self->threads;
  facts->sum = profile_weights_measure(facts->weights, profile_weights_get_sum(facts->weights));
  facts->waiting = find_waiting(facts->capture);
  profile_span_get(facts->capture, &first, &end);
  profile_filter_get_time(filter, &from, &to);
  first = MAX(first, from);
  end = MAX(MIN(end, to), first + 1);
  facts->lasts = (double)(end - first);
  g_autoptr(ProfileDensity) density = profile_density_new(filter, first, end, 1);
  if (profile_density_get_interval(density) > 0)
    facts->cpus = profile_density_get_share(density, profile_density_get_busy(density)[0]);
}

static void add_finding(ProfileSummary *self, const ProfileSummaryFacts *facts, guint rule)
{
  ProfileSummaryFinding finding = {.rule = rules[rule].name, .function = G_MAXUINT32};

  if (rules[rule].find(facts, &finding))
    g_array_append_val(self->findings, finding);
}

ProfileSummary *profile_summary_new(ProfileWeights *weights)
{
  ProfileSummary *self = g_new0(ProfileSummary, 1);
  ProfileSummaryFacts facts = {0};

  g_atomic_ref_count_init(&self->references);
  self->weights = profile_weights_ref(weights);
  self->threads = profile_rows_new(weights, PROFILE_ROWS_THREAD);
  self->binaries = profile_rows_new(weights, PROFILE_ROWS_BINARY);
  self->findings = g_array_new(FALSE, FALSE, sizeof(ProfileSummaryFinding));
  g_array_set_clear_func(self->findings, clear_finding);
  collect_facts(&facts, self);
  for (guint i = 0; i < G_N_ELEMENTS(rules); i++)
    add_finding(self, &facts, i);
  profile_rows_free(facts.functions);
  return self;
}

ProfileSummary *profile_summary_ref(ProfileSummary *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_summary_unref(ProfileSummary *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  g_array_unref(self->findings);
  profile_rows_free(self->threads);
  profile_rows_free(self->binaries);
  profile_weights_unref(self->weights);
  g_free(self);
}

ProfileWeights *profile_summary_get_weights(const ProfileSummary *self)
{
  return self->weights;
}

const ProfileRows *profile_summary_get_threads(const ProfileSummary *self)
{
  return self->threads;
}

const ProfileRows *profile_summary_get_binaries(const ProfileSummary *self)
{
  return self->binaries;
}

const ProfileSummaryFinding *profile_summary_get_findings(const ProfileSummary *self, guint *n)
{
  *n = self->findings->len;
  return (const ProfileSummaryFinding *)(const void *)self->findings->data;
}
