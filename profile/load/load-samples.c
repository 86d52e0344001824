/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <string.h>

#include "profile/base/column-sort.h"
#include "profile/base/memory.h"
#include "profile/load/loader-private.h"

static GArray *get_parts(Load *load)
{
  return load->parts[CAPTURE_WINDOW_SAMPLES];
}

static ProfileEvent *get_event(Load *load, gsize event)
{
  return &g_array_index(load->capture->events, ProfileEvent, event);
}

/* Where samples go whose event is not defined: an event of its own for each stray identifier would only
 * confuse. */
static gsize get_stray_event(Load *load, gint64 *stray)
{
  if (*stray < 0) {
    ProfileEvent event = {.name = "unknown", .unit = CAPTURE_UNIT_COUNT};
    *stray = load->capture->events->len;
    g_array_append_val(load->capture->events, event);
    load_problem(load, _("Some samples are of an event that is not defined."));
  }
  return (gsize)*stray;
}

static gint compare_parts(gconstpointer a, gconstpointer b)
{
  const LoadPart *left = a, *right = b;

  if (left->event != right->event)
    return left->event < right->event ? -1 : 1;
  if (left->header->time_first != right->header->time_first)
    return left->header->time_first < right->header->time_first ? -1 : 1;
  return left->number < right->number ? -1 : left->number > right->number;
}

static void find_events(Load *load)
{
  GArray *parts = get_parts(load);
  gint64 stray = -1;

  for (guint i = 0; i < parts->len; i++) {
    LoadPart *part = &g_array_index(parts, LoadPart, i);
    if (load_is_defined(part->epoch, LOAD_EVENT, part->header->event))
      part->event = load_get_index(part->epoch, LOAD_EVENT, part->header->event);
    else
      part->event = get_stray_event(load, &stray);
  }
}

/* One weight is kept for all samples as long as every window says the same one. */
static gboolean is_weight_varying(const ProfileEvent *event, const LoadPart *part)
{
  return part->header->entry_size != 16 ||
         (event->n_samples > 0 && event->constant_weight != part->header->weight);
}

static void allocate_columns(ProfileEvent *event, gboolean varying)
{
  gsize n = event->n_samples;

  event->time = profile_new(guint64, n);
  event->thread = profile_new(guint32, n);
  event->leaf = profile_new(guint32, n);
  event->cpu = profile_new(guint16, n);
  event->outcome = profile_new(guint8, n);
  event->mode = profile_new(guint8, n);
  if (varying)
    event->weight = profile_new(guint64, n);
  if (event->detail == CAPTURE_DETAIL_ADDRESS)
    event->address = profile_new0(guint64, n);
  if (event->detail != CAPTURE_DETAIL_OFF_CPU)
    return;
  event->reason = profile_new0(guint8, n);
  event->waker = profile_new0(guint32, n);
  event->waker_leaf = profile_new0(guint32, n);
}

static void count_by_stream(Load *load, GHashTable *known, const LoadPart *part)
{
  GArray *counts = load->capture->stream_events;
  guint64 key = (guint64)part->epoch->of->number << 32 | (guint32)part->event;
  guint index = GPOINTER_TO_UINT(g_hash_table_lookup(known, &key));

  if (index == 0) {
    ProfileStreamEvent item = {.stream = part->epoch->of->number, .event = (guint)part->event};
    g_array_append_val(counts, item);
    index = counts->len;
    g_hash_table_insert(known, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(index));
  }
  g_array_index(counts, ProfileStreamEvent, index - 1).n_samples += part->n_samples;
}

void load_plan_samples(Load *load)
{
  GArray *parts = get_parts(load);

  find_events(load);
  g_autofree gboolean *varying = g_new0(gboolean, load->capture->events->len);
  g_autoptr(GHashTable) known = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  g_array_sort(parts, compare_parts);
  for (guint i = 0; i < parts->len; i++) {
    LoadPart *part = &g_array_index(parts, LoadPart, i);
    guint16 size = part->header->entry_size;
    ProfileEvent *event = get_event(load, part->event);
    part->n_samples = size == 16 || size == 24 || size == 32 ? part->header->length / size : 0;
    part->begin = event->n_samples;
    if (part->n_samples == 0)
      continue;
    count_by_stream(load, known, part);
    varying[part->event] |= is_weight_varying(event, part);
    event->constant_weight = part->header->weight;
    event->n_samples += part->n_samples;
  }
  for (guint i = 0; i < load->capture->events->len; i++)
    allocate_columns(get_event(load, i), varying[i]);
}

/* The columns are const to everyone but the loader. */
#define COLUMN(type, event, name, index) ((type *)(event)->name + (index))

static void place_weights(const LoadPart *part, const ProfileEvent *event)
{
  guint16 size = part->header->entry_size;
  guint64 *weight = COLUMN(guint64, event, weight, part->begin);

  for (gsize i = 0; i < part->n_samples; i++)
    weight[i] = size == 16 ? part->header->weight
                           : ((const struct capture_sample *)(part->content + i * size))->weight;
}

static void place_addresses(const LoadPart *part, const ProfileEvent *event)
{
  guint64 *address = COLUMN(guint64, event, address, part->begin);

  for (gsize i = 0; i < part->n_samples && part->header->entry_size == sizeof(struct capture_sample); i++)
    address[i] = ((const struct capture_sample *)part->content)[i].detail;
}

/* Who woke the threads that were off the CPU. Returns how many of what is referred to are not defined. */
static guint32 place_details(const LoadPart *part, const ProfileEvent *event)
{
  const LoadEpoch *epoch = part->epoch;
  guint8 *reason = COLUMN(guint8, event, reason, part->begin);
  guint32 *waker = COLUMN(guint32, event, waker, part->begin);
  guint32 *leaf = COLUMN(guint32, event, waker_leaf, part->begin), bad = 0;

  for (gsize i = 0; i < part->n_samples && part->header->entry_size == sizeof(struct capture_sample); i++) {
    guint64 detail = ((const struct capture_sample *)part->content)[i].detail;
    guint32 thread = CAPTURE_OFF_CPU_THREAD(detail), node = CAPTURE_OFF_CPU_LEAF(detail);
    reason[i] = (guint8)(detail >> 56);
    waker[i] = thread <= epoch->n[LOAD_THREAD] ? epoch->index[LOAD_THREAD][thread] : 0;
    leaf[i] = node && node <= epoch->n[LOAD_NODE] ? epoch->node_base + node : 0;
    bad += (waker[i] == 0 && thread != 0) + (leaf[i] == 0 && node != 0);
  }
  return bad;
}

void load_place_samples(Load *load, LoadPart *part)
{
  if (part->n_samples == 0 || !load_content(load, part))
    return;

  const LoadEpoch *epoch = part->epoch;
  const ProfileEvent *event = get_event(load, part->event);
  guint64 *time = COLUMN(guint64, event, time, part->begin);
  guint32 *thread = COLUMN(guint32, event, thread, part->begin);
  guint32 *leaf = COLUMN(guint32, event, leaf, part->begin);
  guint16 *cpu = COLUMN(guint16, event, cpu, part->begin);
  guint8 *outcome = COLUMN(guint8, event, outcome, part->begin);
  guint8 *mode = COLUMN(guint8, event, mode, part->begin);
  guint32 n_threads = epoch->n[LOAD_THREAD], n_nodes = epoch->n[LOAD_NODE], bad = 0;
  guint64 last = 0;

  for (gsize i = 0; i < part->n_samples; i++) {
    const struct capture_sample *sample = (gconstpointer)(part->content + i * part->header->entry_size);
    time[i] = part->header->time_first + sample->time;
    part->unsorted |= time[i] < last; /* of the sums: one may begin anew at 0 */
    last = time[i];
    thread[i] = sample->thread <= n_threads ? epoch->index[LOAD_THREAD][sample->thread] : 0;
    bad += thread[i] == 0 && sample->thread != 0;
    leaf[i] = sample->leaf && sample->leaf <= n_nodes ? epoch->node_base + sample->leaf : 0;
    bad += leaf[i] == 0 && sample->leaf != 0;
    cpu[i] = sample->cpu;
    outcome[i] = sample->outcome;
    mode[i] = sample->mode;
  }
  if (event->weight)
    place_weights(part, event);
  if (event->reason)
    bad += place_details(part, event);
  if (event->address)
    place_addresses(part, event);
  part->first = time[0];
  part->last = time[part->n_samples - 1];
  if (bad)
    g_atomic_int_add(&load->undefined, (gint)bad);
  load_release_content(load, part);
}

static void move_details(ProfileEvent *event, gsize to, gsize from, gsize n)
{
  memmove(COLUMN(guint8, event, reason, to), event->reason + from, n);
  memmove(COLUMN(guint32, event, waker, to), event->waker + from, n * sizeof *event->waker);
  memmove(COLUMN(guint32, event, waker_leaf, to), event->waker_leaf + from, n * sizeof *event->waker_leaf);
}

static void move_samples(ProfileEvent *event, gsize to, gsize from, gsize n)
{
  if (event->reason)
    move_details(event, to, from, n);
  memmove(COLUMN(guint64, event, time, to), event->time + from, n * sizeof *event->time);
  memmove(COLUMN(guint32, event, thread, to), event->thread + from, n * sizeof *event->thread);
  memmove(COLUMN(guint32, event, leaf, to), event->leaf + from, n * sizeof *event->leaf);
  memmove(COLUMN(guint16, event, cpu, to), event->cpu + from, n * sizeof *event->cpu);
  memmove(COLUMN(guint8, event, outcome, to), event->outcome + from, n);
  memmove(COLUMN(guint8, event, mode, to), event->mode + from, n);
  if (event->weight)
    memmove(COLUMN(guint64, event, weight, to), event->weight + from, n * sizeof *event->weight);
  if (event->address)
    memmove(COLUMN(guint64, event, address, to), event->address + from, n * sizeof *event->address);
}

/* Closes the gaps that damaged parts left. */
static void close_gaps(Load *load)
{
  GArray *parts = get_parts(load);

  for (guint i = 0; i < load->capture->events->len; i++)
    get_event(load, i)->n_samples = 0;
  for (guint i = 0; i < parts->len; i++) {
    const LoadPart *part = &g_array_index(parts, LoadPart, i);
    ProfileEvent *event = get_event(load, part->event);
    if (part->n_samples == 0 || !part->length)
      continue;
    if (event->n_samples != part->begin)
      move_samples(event, event->n_samples, part->begin, part->n_samples);
    event->n_samples += part->n_samples;
  }
}

/* True when the parts, one behind the other, ascend in time. */
static gboolean is_sorted(Load *load, gsize event)
{
  GArray *parts = get_parts(load);
  guint64 last = 0;

  for (guint i = 0; i < parts->len; i++) {
    const LoadPart *part = &g_array_index(parts, LoadPart, i);
    if (part->event != event || part->n_samples == 0 || !part->length)
      continue;
    if (part->unsorted || part->first < last)
      return FALSE;
    last = part->last;
  }
  return TRUE;
}

static void sort_details(ProfileEvent *event, const guint32 *order)
{
  profile_column_reorder((guint8 **)&event->reason, order, event->n_samples, 1);
  profile_column_reorder((guint32 **)&event->waker, order, event->n_samples, sizeof *event->waker);
  profile_column_reorder((guint32 **)&event->waker_leaf, order, event->n_samples, sizeof *event->waker_leaf);
}

static void sort_event(ProfileEvent *event)
{
  g_autofree guint32 *order = profile_column_sort(event->time, event->n_samples);

  if (event->reason)
    sort_details(event, order);
  profile_column_reorder((guint64 **)&event->time, order, event->n_samples, sizeof *event->time);
  profile_column_reorder((guint32 **)&event->thread, order, event->n_samples, sizeof *event->thread);
  profile_column_reorder((guint32 **)&event->leaf, order, event->n_samples, sizeof *event->leaf);
  profile_column_reorder((guint16 **)&event->cpu, order, event->n_samples, sizeof *event->cpu);
  profile_column_reorder((guint8 **)&event->outcome, order, event->n_samples, 1);
  profile_column_reorder((guint8 **)&event->mode, order, event->n_samples, 1);
  if (event->weight)
    profile_column_reorder((guint64 **)&event->weight, order, event->n_samples, sizeof *event->weight);
  if (event->address)
    profile_column_reorder((guint64 **)&event->address, order, event->n_samples, sizeof *event->address);
}

void load_finish_samples(Load *load)
{
  close_gaps(load);
  for (guint i = 0; i < load->capture->events->len; i++)
    if (!is_sorted(load, i))
      sort_event(get_event(load, i));
}
