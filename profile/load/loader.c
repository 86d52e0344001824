/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <glib/gi18n.h>
#include <inttypes.h>

#include "profile/base/parallel.h"
#include "profile/load/loader-private.h"

static void free_epoch(gpointer data)
{
  LoadEpoch *epoch = data;

  for (guint kind = 0; kind < LOAD_N_TABLES; kind++) {
    g_free(epoch->records[kind]);
    g_free(epoch->index[kind]);
  }
  g_free(epoch->kept);
  g_free(epoch);
}

static void clear_part(gpointer data)
{
  LoadPart *part = data;

  free(part->buffer.bytes);
  g_clear_pointer(&part->small, g_ptr_array_unref);
  g_clear_pointer(&part->joins, g_array_unref);
}

static void free_source(gpointer data)
{
  LoadSource *source = data;

  capture_reader_close(source->reader);
  g_hash_table_unref(source->epochs);
  g_free(source);
}

static gint get_rank(const LoadStream *stream)
{
  return !load_is_inside(stream) ? 0 : stream->kind == CAPTURE_STREAM_SAMPLER ? 1 : 2;
}

/* What recorders say comes first, so that what programs say of themselves is added to it; then what they left
 * in files. */
static gint compare_epochs(gconstpointer a, gconstpointer b)
{
  const LoadEpoch *left = *(LoadEpoch *const *)a, *right = *(LoadEpoch *const *)b;

  return get_rank(left->of) - get_rank(right->of);
}

static void find_parts(Load *load, capture_reader *reader)
{
  LoadSource *source = g_new0(LoadSource, 1);

  source->reader = reader;
  load->budget = 64 * capture_reader_size(reader) + (64 << 20);
  for (guint kind = 0; kind < G_N_ELEMENTS(load->parts); kind++) {
    load->parts[kind] = g_array_new(FALSE, TRUE, sizeof(LoadPart));
    g_array_set_clear_func(load->parts[kind], clear_part);
  }
  load_add_source(load, source);
  load_streams(load);
  load_foreign(load);
  g_ptr_array_sort(load->epochs, compare_epochs);
}

static void scan_parts(gsize begin, gsize end, gpointer data)
{
  Load *load = data;

  for (gsize i = begin; i < end; i++)
    load_scan_dictionary(load, &g_array_index(load->parts[CAPTURE_WINDOW_DICTIONARY], LoadPart, i));
}

/* Dictionaries first, then samples: one loop, so that no processor waits for another. */
static void place_parts(gsize begin, gsize end, gpointer data)
{
  Load *load = data;
  gsize n = load->parts[CAPTURE_WINDOW_DICTIONARY]->len;

  for (gsize i = begin; i < end; i++) {
    if (i < n)
      load_place_dictionary(load, &g_array_index(load->parts[CAPTURE_WINDOW_DICTIONARY], LoadPart, i));
    else
      load_place_samples(load, &g_array_index(load->parts[CAPTURE_WINDOW_SAMPLES], LoadPart, i - n));
  }
}

static void read_records(Load *load)
{
  static const guint kinds[] = {CAPTURE_WINDOW_RECORDS, CAPTURE_WINDOW_META};

  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
    for (guint j = 0; j < load->parts[kinds[i]]->len; j++)
      load_records(load, &g_array_index(load->parts[kinds[i]], LoadPart, j));
}

static gpointer name_functions(gpointer data)
{
  load_names(data);
  return NULL;
}

static gpointer name_frames(gpointer data)
{
  profile_capture_name_frames(data);
  return NULL;
}

static void place_stacks(Load *load)
{
  load_expand_stacks(load);
  if (load->timed)
    load_resolve_times(load);
  load_order_nodes(load);
}

/* Frames are named while stacks are placed, unless that makes more frames. Both are mostly work for one
 * processor. */
static void place_and_name(Load *load)
{
  g_autoptr(GThread) naming = NULL;

  if (!load->timed)
    naming = g_thread_try_new("profile-frames", name_frames, load->capture, NULL);
  place_stacks(load);
  if (naming)
    g_thread_join(g_steal_pointer(&naming));
  else
    profile_capture_name_frames(load->capture);
}

static void clear_buffers(Load *load)
{
  for (guint i = 0; i < load->buffers->len; i++)
    free(g_array_index(load->buffers, LoadBuffer, i).bytes);
  g_array_set_size(load->buffers, 0);
}

/* All that is needed of dictionaries by now has been copied. */
static void free_contents(Load *load)
{
  GArray *dictionaries = load->parts[CAPTURE_WINDOW_DICTIONARY];

  for (guint i = 0; i < dictionaries->len; i++)
    load_release_content(load, &g_array_index(dictionaries, LoadPart, i));
  clear_buffers(load);
}

/* Names are read beside the rest: they need nothing but the table of binaries. */
static void place_everything(Load *load)
{
  g_autoptr(GThread) names = NULL;
  gsize n = load->parts[CAPTURE_WINDOW_DICTIONARY]->len + load->parts[CAPTURE_WINDOW_SAMPLES]->len;

  load->capture->tables = g_new0(ProfileFunctionTable *, load->capture->binaries->len);
  load->capture->served_tables = g_new0(ProfileFunctionTable *, load->capture->binaries->len + 1);
  load->capture->places = g_new0(ProfilePlaces *, load->capture->binaries->len + 1);
  load->capture->source_texts = profile_source_texts_new();
  load->capture->machine_code = g_new0(ProfileMachineCode *, load->capture->binaries->len + 1);
  load->capture->looked_for = g_new0(guint8, load->capture->binaries->len + 1);
  if (load->parts[CAPTURE_WINDOW_NAMES]->len > 0)
    names = g_thread_new("profile-names", name_functions, load);
  load_plan_samples(load);
  profile_parallel(n, 1, place_parts, load);
  load_finish_samples(load);
  if (names)
    g_thread_join(g_steal_pointer(&names));
  load_finish_told(load);
  free_contents(load);
  place_and_name(load);
  load_give_jit_code(load);
}

static gboolean load_everything(Load *load, capture_reader *reader, GCancellable *cancellable, GError **error)
{
  find_parts(load, reader);
  profile_parallel(load->parts[CAPTURE_WINDOW_DICTIONARY]->len, 1, scan_parts, load);
  if (g_cancellable_set_error_if_cancelled(cancellable, error) || !load_make_epochs(load, error))
    return FALSE;
  load_merge_tables(load);
  read_records(load);
  place_everything(load);
  if (g_cancellable_set_error_if_cancelled(cancellable, error))
    return FALSE;
  if (load->undefined)
    load_problem(load, _("%d references lead to definitions that are missing."), load->undefined);
  g_ptr_array_add(load->capture->problems, NULL);
  g_ptr_array_add(load->capture->messages, NULL);
  return TRUE;
}

static Load *new_load(ProfileCapture *capture)
{
  Load *load = g_new0(Load, 1);

  load->capture = capture;
  g_mutex_init(&load->lock);
  load->buffers = g_array_new(FALSE, FALSE, sizeof(LoadBuffer));
  load->sources = g_ptr_array_new_with_free_func(free_source);
  load->streams = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  load->epochs = g_ptr_array_new_with_free_func(free_epoch);
  load->processes = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
  load->threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, (GDestroyNotify)g_array_unref);
  load->tellers = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_ptr_array_unref);
  load->marks = g_array_new(FALSE, FALSE, sizeof(LoadMark));
  load->counts = g_array_new(FALSE, FALSE, sizeof(LoadCount));
  return load;
}

static void free_load(Load *load)
{
  for (guint kind = 0; kind < G_N_ELEMENTS(load->parts); kind++)
    g_clear_pointer(&load->parts[kind], g_array_unref);
  g_ptr_array_unref(load->epochs);
  g_ptr_array_unref(load->sources);
  g_hash_table_unref(load->streams);
  g_hash_table_unref(load->processes);
  g_hash_table_unref(load->threads);
  g_hash_table_unref(load->tellers);
  g_clear_pointer(&load->jit_code, g_array_unref);
  g_clear_pointer(&load->told, g_hash_table_unref);
  g_clear_pointer(&load->code, profile_code_index_free);
  g_array_unref(load->marks);
  g_array_unref(load->counts);
  clear_buffers(load);
  g_array_unref(load->buffers);
  g_free(load->ends);
  g_free(load->sampled);
  g_mutex_clear(&load->lock);
  g_free(load);
}

ProfileCapture *profile_capture_load(const char *path, ProfileLoadFlags flags, GCancellable *cancellable,
                                     GError **error)
{
  g_autoptr(ProfileCapture) capture = profile_capture_new();
  capture_reader *reader =
      profile_reader_open(path, (flags & PROFILE_LOAD_SCAN) != 0, capture->problems, error);

  if (!reader)
    return NULL;
  capture_reader_header(reader, &capture->header);
  Load *load = new_load(capture);
  gboolean loaded = load_everything(load, reader, cancellable, error);
  if (loaded && load->cut_off) {
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED,
                _("“%s” became shorter while it was read; read it again when it is complete."), path);
    loaded = FALSE;
  }
  free_load(load);
  if (!loaded)
    return NULL;
  profile_capture_seal(capture);
  profile_capture_name_nodes(capture);
  return g_steal_pointer(&capture);
}
