/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "viewer/kit/format.h"
#include "viewer/pages/marks/marks-private.h"
#include "viewer/table/column.h"
#include "viewer/table/table.h"

/* Times are told to the microsecond. */
enum { TIME_STEP = 1000 };
/* Of the table of marks. */
enum { TIME, DURATION, MARK, MESSAGE, THREAD, N_MARK_COLUMNS };

void viewer_marks_free(ViewerMarks *marks)
{
  profile_mark_rows_free(marks->rows);
  profile_told_list_free(marks->told);
  g_array_unref(marks->shown);
  g_object_unref(marks->capture);
  g_free(marks);
}

const ProfileMarkRow *viewer_marks_get_row(const ViewerMarks *marks, gpointer item)
{
  gsize n;

  return &profile_mark_rows_get(marks->rows,
                                &n)[g_array_index(marks->shown, guint32, viewer_table_item_get_index(item))];
}

const ProfileMark *viewer_marks_get_mark(const ViewerMarks *marks, gpointer item)
{
  gsize n;
  guint n_shown;
  const guint32 *shown = profile_told_list_get_marks(marks->told, &n_shown);

  return &profile_capture_get_marks(marks->capture, &n)[shown[viewer_table_item_get_index(item)]];
}

const ProfileLogLine *viewer_marks_get_line(const ViewerMarks *marks, gpointer item)
{
  gsize n;
  guint n_shown;
  const guint32 *shown = profile_told_list_get_log(marks->told, &n_shown);

  return &profile_capture_get_log(marks->capture, &n)[shown[viewer_table_item_get_index(item)]];
}

char *viewer_marks_format_name(const char *category, const char *name)
{
  return *category ? g_strdup_printf("%s: %s", category, name) : g_strdup(name);
}

static const ProfileMarkRow *get_row(gpointer item, gpointer marks)
{
  return viewer_marks_get_row(*(ViewerMarks **)marks, item);
}

static int compare_numbers(guint64 a, guint64 b)
{
  return a < b ? -1 : a > b;
}

static char *get_row_name(gpointer item, gpointer marks)
{
  const ProfileMarkRow *row = get_row(item, marks);

  return viewer_marks_format_name(row->category, row->name);
}

static char *get_row_count(gpointer item, gpointer marks)
{
  return viewer_format_count(get_row(item, marks)->count);
}

/* Instants last no time at all. */
static char *format_duration(const ProfileMarkRow *row, guint64 duration)
{
  return row->spans > 0 ? viewer_format_duration(duration) : g_strdup("");
}

static char *get_row_total(gpointer item, gpointer marks)
{
  return format_duration(get_row(item, marks), get_row(item, marks)->total);
}

static char *get_row_median(gpointer item, gpointer marks)
{
  return format_duration(get_row(item, marks), get_row(item, marks)->median);
}

static char *get_row_p95(gpointer item, gpointer marks)
{
  return format_duration(get_row(item, marks), get_row(item, marks)->p95);
}

static char *get_row_max(gpointer item, gpointer marks)
{
  return format_duration(get_row(item, marks), get_row(item, marks)->max);
}

static int compare_row_names(gpointer a, gpointer b, gpointer marks)
{
  const ProfileMarkRow *left = get_row(a, marks), *right = get_row(b, marks);
  int order = g_strcmp0(left->category, right->category);

  return order ? order : g_strcmp0(left->name, right->name);
}

static int compare_row_counts(gpointer a, gpointer b, gpointer marks)
{
  return compare_numbers(get_row(a, marks)->count, get_row(b, marks)->count);
}

static int compare_row_totals(gpointer a, gpointer b, gpointer marks)
{
  return compare_numbers(get_row(a, marks)->total, get_row(b, marks)->total);
}

static int compare_row_medians(gpointer a, gpointer b, gpointer marks)
{
  return compare_numbers(get_row(a, marks)->median, get_row(b, marks)->median);
}

static int compare_row_p95s(gpointer a, gpointer b, gpointer marks)
{
  return compare_numbers(get_row(a, marks)->p95, get_row(b, marks)->p95);
}

static int compare_row_maxima(gpointer a, gpointer b, gpointer marks)
{
  return compare_numbers(get_row(a, marks)->max, get_row(b, marks)->max);
}

static char *format_time(const ViewerMarks *marks, guint64 time)
{
  return viewer_format_time(time > marks->begin ? time - marks->begin : 0, TIME_STEP);
}

static char *format_thread(const ViewerMarks *marks, guint32 index)
{
  guint n;
  const ProfileThread *thread = &profile_capture_get_threads(marks->capture, &n)[index];

  return index == 0 ? g_strdup("") : g_strdup_printf("%s (%d)", thread->name, thread->tid);
}

static const ProfileMark *get_mark(gpointer item, gpointer marks)
{
  return viewer_marks_get_mark(*(ViewerMarks **)marks, item);
}

static char *get_mark_time(gpointer item, gpointer marks)
{
  return format_time(*(ViewerMarks **)marks, get_mark(item, marks)->time);
}

static char *get_mark_duration(gpointer item, gpointer marks)
{
  const ProfileMark *mark = get_mark(item, marks);
  g_autofree char *duration = viewer_format_duration(mark->duration);

  if (!mark->is_span)
    return g_strdup("");
  /* TRANSLATORS: A duration that was not over when the recording was. */
  return mark->is_unfinished ? g_strdup_printf(_("over %s"), duration) : g_steal_pointer(&duration);
}

static char *get_mark_name(gpointer item, gpointer marks)
{
  return viewer_marks_format_name(get_mark(item, marks)->category, get_mark(item, marks)->name);
}

static char *get_mark_message(gpointer item, gpointer marks)
{
  const char *message = get_mark(item, marks)->message;

  return g_strdup(message ? message : "");
}

static char *get_mark_thread(gpointer item, gpointer marks)
{
  return format_thread(*(ViewerMarks **)marks, get_mark(item, marks)->thread);
}

static const ProfileLogLine *get_line(gpointer item, gpointer marks)
{
  return viewer_marks_get_line(*(ViewerMarks **)marks, item);
}

static char *get_line_time(gpointer item, gpointer marks)
{
  return format_time(*(ViewerMarks **)marks, get_line(item, marks)->time);
}

/* As syslog has them. */
static char *get_line_severity(gpointer item, gpointer marks)
{
  guint32 severity = get_line(item, marks)->severity;

  return g_strdup(severity <= 2   ? _("Critical")
                  : severity == 3 ? _("Error")
                  : severity == 4 ? _("Warning")
                  : severity <= 6 ? _("Information")
                                  : _("Debugging"));
}

static char *get_line_domain(gpointer item, gpointer marks)
{
  const char *domain = get_line(item, marks)->domain;

  return g_strdup(domain ? domain : "");
}

static char *get_line_text(gpointer item, gpointer marks)
{
  return g_strdup(get_line(item, marks)->text);
}

static char *get_line_thread(gpointer item, gpointer marks)
{
  return format_thread(*(ViewerMarks **)marks, get_line(item, marks)->thread);
}

static void marks_columns_append(ViewerList *view, const ViewerColumn *columns, guint n, ViewerMarks **marks)
{
  for (guint i = 0; i < n; i++)
    viewer_column_append(view, &columns[i], marks);
}

void viewer_marks_add_row_columns(ViewerList *view, ViewerMarks **marks)
{
  const ViewerColumn columns[] = {
      {_("Mark"), VIEWER_COLUMN_EXPAND, 0, get_row_name, compare_row_names},
      {_("Count"), VIEWER_COLUMN_NUMBER, 8, get_row_count, compare_row_counts},
      {_("Total"), VIEWER_COLUMN_NUMBER, 10, get_row_total, compare_row_totals},
      {_("Median"), VIEWER_COLUMN_NUMBER, 10, get_row_median, compare_row_medians},
      /* TRANSLATORS: Heading of a column: 95 % last no longer than this. */
      {_("95th Percentile"), VIEWER_COLUMN_NUMBER, 10, get_row_p95, compare_row_p95s},
      {_("Longest"), VIEWER_COLUMN_NUMBER, 10, get_row_max, compare_row_maxima}};

  marks_columns_append(view, columns, G_N_ELEMENTS(columns), marks);
}

void viewer_marks_add_mark_columns(ViewerList *view, ViewerMarks **marks)
{
  const ViewerColumn columns[N_MARK_COLUMNS] = {
      [TIME] = {_("Time"), VIEWER_COLUMN_NUMBER, 12, get_mark_time, NULL},
      [DURATION] = {_("Duration"), VIEWER_COLUMN_NUMBER, 12, get_mark_duration, NULL},
      [MARK] = {_("Mark"), VIEWER_COLUMN_TEXT, 30, get_mark_name, NULL},
      [MESSAGE] = {_("Message"), VIEWER_COLUMN_EXPAND, 0, get_mark_message, NULL},
      [THREAD] = {_("Thread"), VIEWER_COLUMN_TEXT, 20, get_mark_thread, NULL}};

  marks_columns_append(view, columns, N_MARK_COLUMNS, marks);
}

/* One of the columns has to take the room that is left. */
void viewer_marks_show_messages(ViewerList *view, gboolean shown)
{
  GListModel *columns = gtk_column_view_get_columns(viewer_list_get_titles(view));
  g_autoptr(GtkColumnViewColumn) messages = g_list_model_get_item(columns, MESSAGE);
  g_autoptr(GtkColumnViewColumn) threads = g_list_model_get_item(columns, THREAD);

  gtk_column_view_column_set_visible(messages, shown);
  gtk_column_view_column_set_expand(threads, !shown);
}

void viewer_marks_add_log_columns(ViewerList *view, ViewerMarks **marks)
{
  const ViewerColumn columns[] = {{_("Time"), VIEWER_COLUMN_NUMBER, 12, get_line_time, NULL},
                                  {_("Severity"), VIEWER_COLUMN_TEXT, 12, get_line_severity, NULL},
                                  {_("Domain"), VIEWER_COLUMN_TEXT, 16, get_line_domain, NULL},
                                  {_("Text"), VIEWER_COLUMN_EXPAND, 0, get_line_text, NULL},
                                  {_("Thread"), VIEWER_COLUMN_TEXT, 20, get_line_thread, NULL}};

  marks_columns_append(view, columns, G_N_ELEMENTS(columns), marks);
}
