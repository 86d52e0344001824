/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/report/report.h"

#include <glib/gi18n.h>
#include <math.h>

#include "profile/views/function-name.h"

/* Percent of the samples: below that lists go on for thousands of rows, most of them with one sample. */
static const double LIST_LIMIT = 0.05, TREE_LIMIT = 0.5;

ProfileCapture *profile_report_get_capture(const ProfileReport *self)
{
  return profile_filter_get_capture(self->filter);
}

ProfileStacks *profile_report_get_stacks(const ProfileReport *self)
{
  return profile_filter_get_stacks(self->filter);
}

GArray *profile_report_get_events(const ProfileReport *self)
{
  GArray *shown = g_array_new(FALSE, FALSE, sizeof(guint));
  guint n, chosen = profile_filter_get_event(self->filter);
  const ProfileEvent *events = profile_capture_get_events(profile_report_get_capture(self), &n);

  for (guint i = 0; i < n; i++)
    if ((self->one_event ? i == chosen : events[i].n_samples > 0) &&
        (!profile_report_is_of_waits(self) || events[i].detail == CAPTURE_DETAIL_OFF_CPU))
      g_array_append_val(shown, i);
  if (shown->len == 0 && n > 0 && !profile_report_is_of_waits(self))
    g_array_append_val(shown, chosen);
  return shown;
}

ProfileWeights *profile_report_get_weights(const ProfileReport *self, guint event)
{
  g_autoptr(ProfileFilter) filter = profile_filter_copy(self->filter);

  profile_filter_set_event(filter, event);
  return profile_weights_new(filter);
}

static ProfileRowsBy get_rows_by(ProfileReportBy by)
{
  switch (by) {
  case PROFILE_REPORT_BINARY:
    return PROFILE_ROWS_BINARY;
  case PROFILE_REPORT_THREAD:
    return PROFILE_ROWS_THREAD;
  case PROFILE_REPORT_PROCESS:
    return PROFILE_ROWS_PROCESS;
  case PROFILE_REPORT_WAIT:
    return PROFILE_ROWS_WAIT;
  case PROFILE_REPORT_WAKER:
    return PROFILE_ROWS_WAKER;
  default:
    return PROFILE_ROWS_FUNCTION;
  }
}

ProfileRows *profile_report_get_rows(const ProfileReport *self, ProfileWeights *weights)
{
  return profile_rows_new(weights, get_rows_by(self->by));
}

ProfileTree *profile_report_get_tree(const ProfileReport *self, ProfileWeights *weights, GError **error)
{
  if (self->tree == PROFILE_REPORT_TOP_DOWN)
    return profile_tree_new(weights);
  if (self->tree == PROFILE_REPORT_BOTTOM_UP)
    return profile_tree_new_inverted(weights);
  guint32 function = profile_function_name_find(weights, self->function);
  if (function == G_MAXUINT32) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, _("No sample leads through a function “%s”."),
                self->function);
    return NULL;
  }
  return self->tree == PROFILE_REPORT_CALLERS ? profile_tree_new_callers(weights, function)
                                              : profile_tree_new_callees(weights, function);
}

guint64 profile_report_get_limit(const ProfileReport *self, ProfileWeights *weights)
{
  guint64 whole = profile_weights_measure(weights, profile_weights_get_sum(weights));
  double percent = self->limit >= 0                    ? self->limit
                   : self->tree == PROFILE_REPORT_LIST ? LIST_LIMIT
                                                       : TREE_LIMIT;

  return MAX(1, (guint64)ceil((double)whole * percent / 100));
}

gboolean profile_report_is_of_functions(const ProfileReport *self)
{
  return self->by == PROFILE_REPORT_FUNCTION || self->by == PROFILE_REPORT_LINE ||
         self->by == PROFILE_REPORT_FILE;
}

gboolean profile_report_is_of_waits(const ProfileReport *self)
{
  return self->by == PROFILE_REPORT_WAIT || self->by == PROFILE_REPORT_WAKER;
}

gboolean profile_report_is_of_samples(const ProfileReport *self)
{
  return self->by != PROFILE_REPORT_EVENT && self->by != PROFILE_REPORT_MARK;
}

gboolean profile_report_is_of_threads(const ProfileReport *self)
{
  return self->by == PROFILE_REPORT_THREAD || self->by == PROFILE_REPORT_WAKER;
}

static const char *get_binary_path(ProfileCapture *capture, guint32 item)
{
  guint n;

  if (item == PROFILE_ROWS_KERNEL)
    return "[kernel]";
  return item == PROFILE_ROWS_NO_BINARY ? "[unknown]" : profile_capture_get_binaries(capture, &n)[item].path;
}

const char *profile_report_get_row_name(const ProfileReport *self, guint32 item)
{
  ProfileCapture *capture = profile_report_get_capture(self);
  guint n;

  switch (self->by) {
  case PROFILE_REPORT_BINARY:
    return get_binary_path(capture, item);
  case PROFILE_REPORT_THREAD:
  case PROFILE_REPORT_WAKER:
    return profile_capture_get_threads(capture, &n)[item].name;
  case PROFILE_REPORT_PROCESS:
    return profile_capture_get_processes(capture, &n)[item].name;
  case PROFILE_REPORT_WAIT:
    return profile_wait_get_name(PROFILE_ROWS_WAIT_WAIT(item));
  default:
    return profile_stacks_get_function_name(profile_report_get_stacks(self), item);
  }
}

const char *profile_report_get_row_binary(const ProfileReport *self, guint32 item)
{
  if (profile_report_is_of_functions(self))
    return profile_stacks_get_function_binary(profile_report_get_stacks(self), item);
  return self->by == PROFILE_REPORT_BINARY ? get_binary_path(profile_report_get_capture(self), item) : NULL;
}
