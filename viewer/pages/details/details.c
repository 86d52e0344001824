/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <string.h>

#include "profile/views/counter.h"
#include "viewer/kit/format.h"
#include "viewer/pages/details/details-private.h"
#include "viewer/table/column.h"
#include "viewer/table/table.h"

typedef struct {
  ProfileCapture *capture;
  GFile *file;
} Request;

gpointer viewer_details_request_new(ProfileCapture *capture, GFile *file)
{
  Request *request = g_new0(Request, 1);

  request->capture = g_object_ref(capture);
  request->file = g_object_ref(file);
  return request;
}

void viewer_details_request_free(gpointer data)
{
  Request *request = data;

  g_object_unref(request->capture);
  g_object_unref(request->file);
  g_free(request);
}

static guint64 get_size(GFile *file)
{
  g_autoptr(GFileInfo) info =
      g_file_query_info(file, G_FILE_ATTRIBUTE_STANDARD_SIZE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  return info ? (guint64)g_file_info_get_size(info) : 0;
}

static void details_count(ViewerDetails *details)
{
  guint n;
  const ProfileEvent *events = profile_capture_get_events(details->capture, &n);

  for (guint i = 0; i < n; i++)
    details->n_samples += events[i].n_samples;
  details->n_processes = profile_capture_count_processes(details->capture);
  details->n_threads = profile_capture_count_threads(details->capture);
  details->n_binaries = profile_capture_count_files(details->capture);
}

gpointer viewer_details_new(gpointer data)
{
  const Request *request = data;
  ViewerDetails *details = g_new0(ViewerDetails, 1);
  guint n;
  const ProfileCounter *counters = profile_capture_get_counters(request->capture, &n);

  details->capture = g_object_ref(request->capture);
  details->size = get_size(request->file);
  details->ranges = g_new0(ViewerDetailsRange, MAX(n, 1));
  for (guint i = 0; i < n; i++)
    if (counters[i].n > 0)
      profile_counter_get_range(&counters[i], &details->ranges[i].min, &details->ranges[i].max);
  details_count(details);
  return details;
}

void viewer_details_free(ViewerDetails *details)
{
  g_object_unref(details->capture);
  g_free(details->ranges);
  g_free(details);
}

static const ProfileCounter *get_counter(gpointer item, gpointer details)
{
  guint n;

  return &profile_capture_get_counters((*(ViewerDetails **)details)->capture,
                                       &n)[viewer_table_item_get_index(item)];
}

static const ViewerDetailsRange *get_range(gpointer item, gpointer details)
{
  return &(*(ViewerDetails **)details)->ranges[viewer_table_item_get_index(item)];
}

static char *get_counter_name(gpointer item, gpointer details)
{
  const ProfileCounter *counter = get_counter(item, details);

  return *counter->category ? g_strdup_printf("%s: %s", counter->category, counter->name)
                            : g_strdup(counter->name);
}

static char *get_counter_process(gpointer item, gpointer details)
{
  const ProfileCounter *counter = get_counter(item, details);
  guint n;
  const ProfileProcess *processes = profile_capture_get_processes((*(ViewerDetails **)details)->capture, &n);

  return counter->process == 0 ? g_strdup(_("The machine"))
                               : g_strdup_printf(_("%s (%d)"), processes[counter->process].name,
                                                 processes[counter->process].pid);
}

static char *get_counter_values(gpointer item, gpointer details)
{
  return viewer_format_count(get_counter(item, details)->n);
}

static char *details_describe(gpointer item, gpointer details, double value)
{
  const ProfileCounter *counter = get_counter(item, details);

  return counter->n > 0 ? profile_counter_describe(counter, value) : g_strdup("");
}

static char *get_counter_min(gpointer item, gpointer details)
{
  return details_describe(item, details, get_range(item, details)->min);
}

static char *get_counter_max(gpointer item, gpointer details)
{
  return details_describe(item, details, get_range(item, details)->max);
}

static char *get_counter_last(gpointer item, gpointer details)
{
  const ProfileCounter *counter = get_counter(item, details);

  return details_describe(item, details, counter->n > 0 ? counter->value[counter->n - 1] : 0);
}

static int compare_counter_names(gpointer a, gpointer b, gpointer details)
{
  const ProfileCounter *left = get_counter(a, details), *right = get_counter(b, details);
  int order = strcmp(left->category, right->category);

  return order ? order : strcmp(left->name, right->name);
}

static int compare_counter_values(gpointer a, gpointer b, gpointer details)
{
  gsize left = get_counter(a, details)->n, right = get_counter(b, details)->n;

  return left < right ? -1 : left > right;
}

static const ProfileBinary *get_binary(gpointer item, gpointer details)
{
  guint n;

  return &profile_capture_get_binaries((*(ViewerDetails **)details)->capture,
                                       &n)[viewer_table_item_get_index(item)];
}

static char *get_binary_path(gpointer item, gpointer details)
{
  const ProfileBinary *binary = get_binary(item, details);

  return binary->flags & CAPTURE_BINARY_DELETED ? g_strdup_printf(_("%s (deleted)"), binary->path)
                                                : g_strdup(binary->path);
}

static char *get_build_id(gpointer item, gpointer details)
{
  const ProfileBinary *binary = get_binary(item, details);
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < MIN(binary->build_id_size, sizeof binary->build_id); i++)
    g_string_append_printf(text, "%02x", binary->build_id[i]);
  return g_string_free(text, FALSE);
}

static char *get_names(gpointer item, gpointer details)
{
  ProfileFunctionTable *table =
      profile_capture_get_table((*(ViewerDetails **)details)->capture, viewer_table_item_get_index(item));

  if (!table)
    return g_strdup(_("Not needed"));
  switch (profile_function_table_get_status(table)) {
  case CAPTURE_NAMING_SYMBOLS:
    return g_strdup(_("All"));
  case CAPTURE_NAMING_DYNAMIC:
    return g_strdup(_("Exported ones"));
  case CAPTURE_NAMING_NONE:
    return g_strdup(_("None"));
  default:
    return g_strdup(_("File not readable"));
  }
}

static int compare_binary_paths(gpointer a, gpointer b, gpointer details)
{
  return strcmp(get_binary(a, details)->path, get_binary(b, details)->path);
}

static int compare_names(gpointer a, gpointer b, gpointer details)
{
  g_autofree char *left = get_names(a, details), *right = get_names(b, details);

  return strcmp(left, right);
}

static void details_append(ViewerList *view, const ViewerColumn *columns, guint n, ViewerDetails **details)
{
  for (guint i = 0; i < n; i++)
    viewer_column_append(view, &columns[i], details);
}

void viewer_details_add_counter_columns(ViewerList *view, ViewerDetails **details)
{
  const ViewerColumn columns[] = {
      {_("Counter"), VIEWER_COLUMN_EXPAND, 0, get_counter_name, compare_counter_names},
      {_("Of"), VIEWER_COLUMN_TEXT, 16, get_counter_process, NULL},
      {_("Values"), VIEWER_COLUMN_NUMBER, 8, get_counter_values, compare_counter_values},
      {_("Least"), VIEWER_COLUMN_NUMBER, 10, get_counter_min, NULL},
      {_("Most"), VIEWER_COLUMN_NUMBER, 10, get_counter_max, NULL},
      {_("Last"), VIEWER_COLUMN_NUMBER, 10, get_counter_last, NULL}};

  details_append(view, columns, G_N_ELEMENTS(columns), details);
}

void viewer_details_add_binary_columns(ViewerList *view, ViewerDetails **details)
{
  const ViewerColumn columns[] = {
      {_("Path"), VIEWER_COLUMN_EXPAND | VIEWER_COLUMN_PATH, 0, get_binary_path, compare_binary_paths},
      {_("Names"), VIEWER_COLUMN_TEXT, 14, get_names, compare_names},
      {_("Build ID"), VIEWER_COLUMN_TEXT | VIEWER_COLUMN_DIM, 24, get_build_id, NULL}};

  details_append(view, columns, G_N_ELEMENTS(columns), details);
}
