/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marks, counters and log lines. */
#include <glib/gi18n.h>

#include "profile/load/loader-private.h"

guint32 load_merge_counter(Load *load, GHashTable *known, LoadEpoch *epoch,
                           const struct capture_record *record)
{
  const struct capture_record_counter *counter = (gconstpointer)record;
  const char *category = load_keep_string(load, epoch, counter->category);
  const char *name = load_keep_string(load, epoch, counter->name);
  ProfileCounter item = {.category = category ? category : "",
                         .name = name ? name : "[unknown]",
                         .description = load_keep_string(load, epoch, counter->description),
                         .unit = load_keep_string(load, epoch, counter->unit),
                         .process = load_get_index(epoch, LOAD_PROCESS, counter->process),
                         .totals = (counter->flags & CAPTURE_COUNTER_TOTALS) != 0};
  char *key = g_strdup_printf("%u %u %s\n%s\n%s", item.process, item.totals, item.category, item.name,
                              item.unit ? item.unit : "");
  gpointer index;

  if (g_hash_table_lookup_extended(known, key, NULL, &index)) {
    g_free(key);
    return GPOINTER_TO_UINT(index);
  }
  g_hash_table_insert(known, key, GUINT_TO_POINTER(load->capture->counters->len));
  g_array_append_val(load->capture->counters, item);
  return load->capture->counters->len - 1;
}

static const char *keep_text(Load *load, const char *text, guint32 length)
{
  return length > 0 ? g_string_chunk_insert_len(load->capture->strings, text, (gssize)length) : NULL;
}

static void take_mark(Load *load, LoadPart *part, const struct capture_record_mark *record)
{
  const char *category = load_keep_string(load, part->epoch, record->category);
  const char *name = load_keep_string(load, part->epoch, record->name);
  LoadMark mark = {.kind = record->kind, .stream = part->epoch->of};

  mark.mark = (ProfileMark){.time = record->time,
                            .duration = record->kind == CAPTURE_RECORD_MARK_SPAN ? record->duration : 0,
                            .is_span = record->kind != CAPTURE_RECORD_MARK_INSTANT,
                            .thread = load_get_index(part->epoch, LOAD_THREAD, record->thread),
                            .category = category ? category : "",
                            .name = name ? name : "[unknown]",
                            .message = keep_text(load, record->message, record->length)};
  if (record->kind <= CAPTURE_RECORD_MARK_SPAN)
    g_array_append_val(load->marks, mark);
}

static void take_counts(Load *load, const LoadPart *part, const struct capture_record_counts *record)
{
  for (guint i = 0; i < record->record.count; i++) {
    LoadCount count = {.time = record->time, .value = record->values[i].value};
    if (!load_is_defined(part->epoch, LOAD_COUNTER, record->values[i].counter)) {
      load->undefined++;
      continue;
    }
    count.counter = load_get_index(part->epoch, LOAD_COUNTER, record->values[i].counter);
    g_array_append_val(load->counts, count);
  }
}

static void take_log_line(Load *load, LoadPart *part, const struct capture_record_log *record)
{
  const char *text = keep_text(load, record->text, record->length);
  ProfileLogLine line = {.time = record->time,
                         .thread = load_get_index(part->epoch, LOAD_THREAD, record->thread),
                         .severity = record->severity,
                         .domain = load_keep_string(load, part->epoch, record->domain),
                         .text = text ? text : ""};

  g_array_append_val(load->capture->log_lines, line);
}

void load_told_record(Load *load, LoadPart *part, const struct capture_record *record)
{
  if (record->type == CAPTURE_RECORD_MARK)
    take_mark(load, part, (gconstpointer)record);
  else if (record->type == CAPTURE_RECORD_COUNTS)
    take_counts(load, part, (gconstpointer)record);
  else if (record->type == CAPTURE_RECORD_LOG)
    take_log_line(load, part, (gconstpointer)record);
}

/* What belongs together: a thread, or where it is not known a stream; a category; a name. */
static guint hash_mark(gconstpointer key)
{
  const LoadMark *mark = key;

  return (mark->mark.thread * 31 + g_str_hash(mark->mark.category)) * 31 + g_direct_hash(mark->mark.name);
}

static gboolean equal_marks(gconstpointer a, gconstpointer b)
{
  const LoadMark *left = a, *right = b;

  return left->mark.thread == right->mark.thread && left->mark.name == right->mark.name &&
         g_str_equal(left->mark.category, right->mark.category) &&
         (left->mark.thread != 0 || left->stream == right->stream);
}

static void begin_mark(GHashTable *open, LoadMark *marks, guint index)
{
  marks[index].outer = GPOINTER_TO_UINT(g_hash_table_lookup(open, &marks[index]));
  marks[index].mark.is_unfinished = TRUE;
  g_hash_table_replace(open, &marks[index], GUINT_TO_POINTER(index + 1));
}

/* The mark's text may come with its end. Of what began before anybody listened, no more is known than when it
 * ended: an instant. */
static void end_mark(GHashTable *open, LoadMark *marks, LoadMark *end)
{
  guint begun = GPOINTER_TO_UINT(g_hash_table_lookup(open, end));

  if (begun == 0) {
    end->kind = CAPTURE_RECORD_MARK_INSTANT;
    end->mark.is_span = FALSE;
    return;
  }
  LoadMark *mark = &marks[begun - 1];
  mark->mark.duration = end->mark.time - mark->mark.time;
  mark->mark.is_unfinished = FALSE;
  if (end->mark.message)
    mark->mark.message = end->mark.message;
  g_hash_table_remove(open, end);
  if (mark->outer)
    g_hash_table_replace(open, &marks[mark->outer - 1], GUINT_TO_POINTER(mark->outer));
}

static gint compare_marks(gconstpointer a, gconstpointer b)
{
  const LoadMark *left = a, *right = b;

  return left->mark.time < right->mark.time ? -1 : left->mark.time > right->mark.time;
}

/* When the recording ended, or the last that is known of it. */
static guint64 get_end(const Load *load)
{
  const struct capture_ended *ended = &load->capture->header.ended;
  guint64 first, last = 0;

  profile_capture_get_time_range(load->capture, &first, &last);
  if (load->marks->len > 0)
    last = MAX(last, g_array_index(load->marks, LoadMark, load->marks->len - 1).mark.time);
  return ended->reason != CAPTURE_END_NONE && ended->reason != CAPTURE_END_IMPORTED ? MAX(ended->time, last)
                                                                                    : last;
}

static void pair_marks(Load *load)
{
  g_autoptr(GHashTable) open = g_hash_table_new(hash_mark, equal_marks);
  LoadMark *marks = (LoadMark *)load->marks->data;
  guint64 end;

  g_array_sort(load->marks, compare_marks);
  end = get_end(load);
  for (guint i = 0; i < load->marks->len; i++)
    if (marks[i].kind == CAPTURE_RECORD_MARK_BEGIN)
      begin_mark(open, marks, i);
    else if (marks[i].kind == CAPTURE_RECORD_MARK_END)
      end_mark(open, marks, &marks[i]);
  for (guint i = 0; i < load->marks->len; i++) {
    if (marks[i].mark.is_unfinished)
      marks[i].mark.duration = end - marks[i].mark.time;
    if (marks[i].kind != CAPTURE_RECORD_MARK_END)
      g_array_append_val(load->capture->marks, marks[i].mark);
  }
}

static gint compare_counts(gconstpointer a, gconstpointer b)
{
  const LoadCount *left = a, *right = b;

  return left->time < right->time ? -1 : left->time > right->time;
}

/* What one stream counts comes in order. */
static void sort_counts(GArray *counts)
{
  const LoadCount *all = (const LoadCount *)counts->data;
  guint i = 1;

  while (i < counts->len && all[i - 1].time <= all[i].time)
    i++;
  if (i < counts->len)
    g_array_sort(counts, compare_counts);
}

static void make_columns(Load *load)
{
  GArray *counters = load->capture->counters;
  g_autofree gsize *n = g_new0(gsize, counters->len);

  for (guint i = 0; i < load->counts->len; i++)
    n[g_array_index(load->counts, LoadCount, i).counter]++;
  for (guint i = 0; i < counters->len; i++) {
    ProfileCounter *counter = &g_array_index(counters, ProfileCounter, i);
    counter->time = g_new(guint64, n[i]);
    counter->value = g_new(double, n[i]);
  }
}

static void fill_counters(Load *load)
{
  sort_counts(load->counts);
  make_columns(load);
  for (guint i = 0; i < load->counts->len; i++) {
    const LoadCount *count = &g_array_index(load->counts, LoadCount, i);
    ProfileCounter *counter = &g_array_index(load->capture->counters, ProfileCounter, count->counter);
    ((guint64 *)counter->time)[counter->n] = count->time;
    ((double *)counter->value)[counter->n++] = count->value;
  }
}

static gint compare_log_lines(gconstpointer a, gconstpointer b)
{
  const ProfileLogLine *left = a, *right = b;

  return left->time < right->time ? -1 : left->time > right->time;
}

void load_finish_told(Load *load)
{
  pair_marks(load);
  fill_counters(load);
  g_array_sort(load->capture->log_lines, compare_log_lines);
}
