/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/capture.h"

#include "profile/capture/capture-private.h"
#include "profile/capture/stacks-private.h"

struct _ProfileColumns {
  GStringChunk *strings;
  ProfileAddressSpaces *spaces;
  guint32 *code_functions;
  guint32 *parent, *frame, *first_child;
  guint8 *exact;
  ProfileFrame *frames;
};

G_DEFINE_FINAL_TYPE(ProfileCapture, profile_capture, G_TYPE_OBJECT)

static void clear_event(gpointer data)
{
  ProfileEvent *event = data;

  g_free((gpointer)event->time);
  g_free((gpointer)event->thread);
  g_free((gpointer)event->leaf);
  g_free((gpointer)event->cpu);
  g_free((gpointer)event->outcome);
  g_free((gpointer)event->mode);
  g_free((gpointer)event->weight);
  g_free((gpointer)event->reason);
  g_free((gpointer)event->waker);
  g_free((gpointer)event->waker_leaf);
  g_free((gpointer)event->address);
}

static void clear_code(gpointer data)
{
  ProfileCode *code = data;

  g_free((gpointer)code->lines);
  g_clear_pointer(&code->bytes, g_bytes_unref);
}

static void clear_counter(gpointer data)
{
  ProfileCounter *counter = data;

  g_free((gpointer)counter->time);
  g_free((gpointer)counter->value);
}

static void clear_columns(gpointer data)
{
  ProfileColumns *columns = data;

  g_string_chunk_free(columns->strings);
  profile_address_spaces_free(columns->spaces);
  g_free(columns->code_functions);
  g_free(columns->parent);
  g_free(columns->frame);
  g_free(columns->first_child);
  g_free(columns->exact);
  g_free(columns->frames);
}

static void free_tables(ProfileCapture *self)
{
  for (guint i = 0; self->tables && i < self->binaries->len; i++)
    g_clear_pointer(&self->tables[i], profile_function_table_unref);
  for (guint i = 0; self->served_tables && i <= self->binaries->len; i++)
    g_clear_pointer(&self->served_tables[i], profile_function_table_unref);
  for (guint i = 0; self->places && i <= self->binaries->len; i++)
    g_clear_pointer(&self->places[i], profile_places_unref);
  g_free(self->tables);
  g_free(self->served_tables);
  for (guint i = 0; self->machine_code && i <= self->binaries->len; i++)
    g_clear_pointer(&self->machine_code[i], profile_machine_code_unref);
  g_free(self->places);
  g_free(self->machine_code);
  g_clear_pointer(&self->source_texts, profile_source_texts_unref);
  g_free(self->looked_for);
  g_clear_pointer(&self->kernel_table, profile_function_table_unref);
}

static void profile_capture_finalize(GObject *object)
{
  ProfileCapture *self = PROFILE_CAPTURE(object);

  profile_names_clear(&self->names);
  g_clear_pointer(&self->inlined_stacks, profile_stacks_free_own);
  profile_stacks_free_own(self->stacks);
  free_tables(self);
  g_hash_table_unref(self->metadata);
  g_ptr_array_unref(self->problems);
  g_ptr_array_unref(self->messages);
  g_array_unref(self->message_severities);
  g_array_unref(self->events);
  g_array_unref(self->threads);
  g_array_unref(self->processes);
  g_array_unref(self->binaries);
  g_array_unref(self->losses);
  g_array_unref(self->kernel_symbols);
  g_array_unref(self->streams);
  g_array_unref(self->stream_events);
  g_array_unref(self->code);
  g_array_unref(self->marks);
  g_array_unref(self->counters);
  g_array_unref(self->log_lines);
  g_array_unref(self->told);
  if (!self->columns->strings) /* loading failed */
    profile_capture_seal(self);
  g_atomic_rc_box_release_full(self->columns, clear_columns);
  G_OBJECT_CLASS(profile_capture_parent_class)->finalize(object);
}

static void profile_capture_class_init(ProfileCaptureClass *class)
{
  G_OBJECT_CLASS(class)->finalize = profile_capture_finalize;
}

static void profile_capture_init(ProfileCapture *self)
{
  self->stacks = profile_stacks_new_own(self);
}

ProfileCapture *profile_capture_new(void)
{
  ProfileCapture *self = g_object_new(PROFILE_TYPE_CAPTURE, NULL);

  self->columns = g_atomic_rc_box_new0(ProfileColumns);
  self->strings = g_string_chunk_new(1 << 14);
  self->metadata = g_hash_table_new(g_str_hash, g_str_equal);
  self->problems = g_ptr_array_new_with_free_func(g_free);
  self->messages = g_ptr_array_new_with_free_func(g_free);
  self->message_severities = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->events = g_array_new(FALSE, FALSE, sizeof(ProfileEvent));
  g_array_set_clear_func(self->events, clear_event);
  self->threads = g_array_new(FALSE, FALSE, sizeof(ProfileThread));
  self->processes = g_array_new(FALSE, FALSE, sizeof(ProfileProcess));
  self->binaries = g_array_new(FALSE, FALSE, sizeof(ProfileBinary));
  self->losses = g_array_new(FALSE, FALSE, sizeof(ProfileLoss));
  self->kernel_symbols = g_array_new(FALSE, FALSE, sizeof(ProfileKernelSymbol));
  self->streams = g_array_new(FALSE, FALSE, sizeof(ProfileStream));
  self->stream_events = g_array_new(FALSE, FALSE, sizeof(ProfileStreamEvent));
  self->code = g_array_new(FALSE, FALSE, sizeof(ProfileCode));
  g_array_set_clear_func(self->code, clear_code);
  self->marks = g_array_new(FALSE, FALSE, sizeof(ProfileMark));
  self->counters = g_array_new(FALSE, FALSE, sizeof(ProfileCounter));
  g_array_set_clear_func(self->counters, clear_counter);
  self->log_lines = g_array_new(FALSE, FALSE, sizeof(ProfileLogLine));
  self->told = g_array_new(FALSE, FALSE, sizeof(ProfileToldFunction));
  self->spaces = profile_address_spaces_new();
  return self;
}

void profile_capture_seal(ProfileCapture *self)
{
  *self->columns = (ProfileColumns){.strings = self->strings,
                                    .spaces = self->spaces,
                                    .code_functions = self->code_functions,
                                    .parent = self->parent,
                                    .frame = self->frame,
                                    .first_child = self->first_child,
                                    .exact = self->exact,
                                    .frames = self->frames};
}

static void share_columns(ProfileCapture *copy, ProfileCapture *self)
{
  copy->columns = g_atomic_rc_box_acquire(self->columns);
  copy->strings = self->strings;
  copy->spaces = self->spaces;
  copy->code_functions = self->code_functions;
  copy->n_nodes = self->n_nodes;
  copy->parent = self->parent;
  copy->frame = self->frame;
  copy->first_child = self->first_child;
  copy->exact = self->exact;
  copy->n_frames = self->n_frames;
  copy->frames = self->frames;
}

static void share_arrays(ProfileCapture *copy, ProfileCapture *self)
{
  copy->metadata = g_hash_table_ref(self->metadata);
  copy->problems = g_ptr_array_ref(self->problems);
  copy->messages = g_ptr_array_ref(self->messages);
  copy->message_severities = g_array_ref(self->message_severities);
  copy->events = g_array_ref(self->events);
  copy->threads = g_array_ref(self->threads);
  copy->processes = g_array_ref(self->processes);
  copy->binaries = g_array_ref(self->binaries);
  copy->losses = g_array_ref(self->losses);
  copy->kernel_symbols = g_array_ref(self->kernel_symbols);
  copy->streams = g_array_ref(self->streams);
  copy->stream_events = g_array_ref(self->stream_events);
  copy->code = g_array_ref(self->code);
  copy->marks = g_array_ref(self->marks);
  copy->counters = g_array_ref(self->counters);
  copy->log_lines = g_array_ref(self->log_lines);
  copy->told = g_array_ref(self->told);
}

static ProfileFunctionTable *ref_table(ProfileFunctionTable *table)
{
  return table ? profile_function_table_ref(table) : NULL;
}

static void share_tables(ProfileCapture *copy, ProfileCapture *self)
{
  guint n = self->binaries->len;

  copy->tables = g_new0(ProfileFunctionTable *, n);
  copy->served_tables = g_new0(ProfileFunctionTable *, n + 1);
  for (guint i = 0; i < n; i++)
    copy->tables[i] = ref_table(self->tables[i]);
  copy->places = g_new0(ProfilePlaces *, n + 1);
  copy->source_texts = self->source_texts ? profile_source_texts_ref(self->source_texts) : NULL;
  copy->machine_code = g_new0(ProfileMachineCode *, n + 1);
  for (guint i = 0; i <= n; i++) {
    copy->served_tables[i] = ref_table(self->served_tables[i]);
    copy->places[i] = self->places[i] ? profile_places_ref(self->places[i]) : NULL;
    copy->machine_code[i] = self->machine_code[i] ? profile_machine_code_ref(self->machine_code[i]) : NULL;
  }
  copy->looked_for = g_memdup2(self->looked_for, n + 1);
  copy->kernel_table = ref_table(self->kernel_table);
}

ProfileCapture *profile_capture_share(ProfileCapture *self)
{
  ProfileCapture *copy = g_object_new(PROFILE_TYPE_CAPTURE, NULL);

  copy->header = self->header;
  copy->n_throttled = self->n_throttled;
  share_columns(copy, self);
  share_arrays(copy, self);
  share_tables(copy, self);
  return copy;
}

void profile_capture_get_header(ProfileCapture *self, struct capture_file_header *ret)
{
  *ret = self->header;
}

const char *profile_capture_get_metadata(ProfileCapture *self, const char *key)
{
  return g_hash_table_lookup(self->metadata, key);
}

gboolean profile_capture_get_time_range(ProfileCapture *self, guint64 *first, guint64 *last)
{
  guint64 low = G_MAXUINT64, high = 0;
  gboolean any = FALSE;

  for (guint i = 0; i < self->events->len; i++) {
    const ProfileEvent *event = &g_array_index(self->events, ProfileEvent, i);
    if (event->n_samples == 0)
      continue;
    any = TRUE;
    low = MIN(low, event->time[0]);
    high = MAX(high, event->time[event->n_samples - 1]);
  }
  if (any) {
    *first = low;
    *last = high;
  }
  return any;
}

guint64 profile_capture_get_duration(ProfileCapture *self)
{
  const struct capture_ended *ended = &self->header.ended;
  guint64 first = 0, last = 0;

  profile_capture_get_time_range(self, &first, &last);
  gboolean known = ended->reason != CAPTURE_END_NONE && ended->reason != CAPTURE_END_IMPORTED &&
                   ended->time >= last && ended->time >= self->header.time;
  return known ? ended->time - self->header.time : last - first;
}

const char *const *profile_capture_get_problems(ProfileCapture *self)
{
  return (const char *const *)self->problems->pdata;
}

const char *const *profile_capture_get_messages(ProfileCapture *self)
{
  return (const char *const *)self->messages->pdata;
}

guint32 profile_capture_get_message_severity(ProfileCapture *self, guint message)
{
  return g_array_index(self->message_severities, guint32, message);
}

const ProfileEvent *profile_capture_get_events(ProfileCapture *self, guint *n)
{
  *n = self->events->len;
  return (const ProfileEvent *)self->events->data;
}

const ProfileEvent *profile_capture_get_event(ProfileCapture *self, guint event)
{
  static const ProfileEvent none = {.name = "-"};

  return event < self->events->len ? &g_array_index(self->events, ProfileEvent, event) : &none;
}

const ProfileThread *profile_capture_get_threads(ProfileCapture *self, guint *n)
{
  *n = self->threads->len;
  return (const ProfileThread *)self->threads->data;
}

const ProfileProcess *profile_capture_get_processes(ProfileCapture *self, guint *n)
{
  *n = self->processes->len;
  return (const ProfileProcess *)self->processes->data;
}

const ProfileBinary *profile_capture_get_binaries(ProfileCapture *self, guint *n)
{
  *n = self->binaries->len;
  return (const ProfileBinary *)self->binaries->data;
}

static gint32 get_pid(ProfileCapture *self, guint process)
{
  return g_array_index(self->processes, ProfileProcess, process).pid;
}

/* Of a process no thread of which was seen it is its first one that ran, which has the process's number. */
guint profile_capture_count_threads(ProfileCapture *self)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL), owners = g_hash_table_new(NULL, NULL);

  for (guint i = 1; i < self->threads->len; i++) {
    const ProfileThread *thread = &g_array_index(self->threads, ProfileThread, i);

    g_hash_table_add(seen, GINT_TO_POINTER(thread->tid));
    g_hash_table_add(owners, GINT_TO_POINTER(get_pid(self, thread->process)));
  }
  for (guint i = 1; i < self->processes->len; i++)
    if (!g_hash_table_contains(owners, GINT_TO_POINTER(get_pid(self, i))))
      g_hash_table_add(seen, GINT_TO_POINTER(get_pid(self, i)));
  return g_hash_table_size(seen);
}

guint profile_capture_count_processes(ProfileCapture *self)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

  for (guint i = 1; i < self->processes->len; i++)
    g_hash_table_add(seen, GINT_TO_POINTER(get_pid(self, i)));
  return g_hash_table_size(seen);
}

guint profile_capture_count_files(ProfileCapture *self)
{
  guint n = self->binaries->len;

  for (guint i = 0; i < self->processes->len; i++)
    n = MIN(n, g_array_index(self->processes, ProfileProcess, i).binary);
  return n;
}

const ProfileLoss *profile_capture_get_losses(ProfileCapture *self, gsize *n)
{
  *n = self->losses->len;
  return (const ProfileLoss *)self->losses->data;
}

const ProfileKernelSymbol *profile_capture_get_kernel_symbols(ProfileCapture *self, gsize *n)
{
  *n = self->kernel_symbols->len;
  return (const ProfileKernelSymbol *)self->kernel_symbols->data;
}

guint64 profile_capture_get_n_lost(ProfileCapture *self)
{
  gsize n;
  const ProfileLoss *losses = profile_capture_get_losses(self, &n);
  guint64 lost = 0;

  for (gsize i = 0; i < n; i++)
    lost += losses[i].samples + losses[i].records;
  return lost;
}

guint64 profile_capture_get_n_throttled(ProfileCapture *self)
{
  return self->n_throttled;
}

const ProfileStream *profile_capture_get_streams(ProfileCapture *self, guint *n)
{
  *n = self->streams->len;
  return (const ProfileStream *)self->streams->data;
}

const ProfileStreamEvent *profile_capture_get_stream_events(ProfileCapture *self, guint *n)
{
  *n = self->stream_events->len;
  return (const ProfileStreamEvent *)self->stream_events->data;
}

const ProfileCode *profile_capture_get_code(ProfileCapture *self, gsize *n)
{
  *n = self->code->len;
  return (const ProfileCode *)self->code->data;
}

const ProfileMark *profile_capture_get_marks(ProfileCapture *self, gsize *n)
{
  *n = self->marks->len;
  return (const ProfileMark *)self->marks->data;
}

const ProfileCounter *profile_capture_get_counters(ProfileCapture *self, guint *n)
{
  *n = self->counters->len;
  return (const ProfileCounter *)self->counters->data;
}

const ProfileLogLine *profile_capture_get_log(ProfileCapture *self, gsize *n)
{
  *n = self->log_lines->len;
  return (const ProfileLogLine *)self->log_lines->data;
}

void profile_capture_get_nodes(ProfileCapture *self, const guint32 **parent, const guint32 **frame, gsize *n)
{
  *parent = self->parent;
  *frame = self->frame;
  *n = self->n_nodes;
}

const ProfileFrame *profile_capture_get_frames(ProfileCapture *self, gsize *n)
{
  *n = self->n_frames;
  return self->frames;
}

ProfileFunctionTable *profile_capture_get_table(ProfileCapture *self, guint32 binary)
{
  return binary == G_MAXUINT32 ? self->kernel_table : self->tables[binary];
}

ProfileFunctionTable *profile_capture_get_served_table(ProfileCapture *self, guint32 binary)
{
  return self->served_tables[MIN(binary, self->binaries->len)];
}

gboolean profile_capture_is_looked_for(ProfileCapture *self, guint32 binary)
{
  return self->looked_for[MIN(binary, self->binaries->len)];
}

void profile_capture_set_table(ProfileCapture *self, guint32 binary, ProfileFunctionTable *table)
{
  ProfileFunctionTable **slot = binary == G_MAXUINT32 ? &self->kernel_table : &self->tables[binary];
  ProfileFunctionTable *served = profile_capture_get_served_table(self, binary), *old = *slot;

  self->looked_for[MIN(binary, self->binaries->len)] = table != NULL;
  if (table && served)
    *slot = profile_function_table_join(served, table);
  else
    *slot = table ? profile_function_table_ref(table) : served ? profile_function_table_ref(served) : NULL;
  g_clear_pointer(&old, profile_function_table_unref);
}

ProfilePlaces *profile_capture_get_places(ProfileCapture *self, guint32 binary)
{
  return self->places[MIN(binary, self->binaries->len)];
}

void profile_capture_set_places(ProfileCapture *self, guint32 binary, ProfilePlaces *places)
{
  ProfilePlaces **slot = &self->places[MIN(binary, self->binaries->len)], *old = *slot;

  *slot = places ? profile_places_ref(places) : NULL;
  g_clear_pointer(&old, profile_places_unref);
}

ProfileMachineCode *profile_capture_get_machine_code(ProfileCapture *self, guint32 binary)
{
  return self->machine_code[MIN(binary, self->binaries->len)];
}

void profile_capture_set_machine_code(ProfileCapture *self, guint32 binary, ProfileMachineCode *code)
{
  ProfileMachineCode **slot = &self->machine_code[MIN(binary, self->binaries->len)], *old = *slot;

  *slot = code ? profile_machine_code_ref(code) : NULL;
  g_clear_pointer(&old, profile_machine_code_unref);
}

ProfileSourceFile *profile_capture_open_source(const ProfileCapture *self, const char *path,
                                               const GArray *maps)
{
  const GByteArray *text = self->source_texts ? profile_source_texts_lookup(self->source_texts, path) : NULL;

  return text ? profile_source_file_new_from_text(path, PROFILE_SOURCE_FILE_CAPTURED, text->data, text->len)
              : profile_source_file_new(path, maps);
}

void profile_capture_get_frame_functions(ProfileCapture *self, const guint32 **leaf, const guint32 **caller)
{
  *leaf = self->names.leaf;
  *caller = self->names.caller;
}

const guint32 *profile_capture_get_node_functions(ProfileCapture *self)
{
  return self->names.of_node;
}

const ProfileFunction *profile_capture_get_functions(ProfileCapture *self, gsize *n)
{
  *n = self->names.n_functions;
  return self->names.functions;
}

guint32 *profile_capture_merge_paths(ProfileCapture *capture)
{
  g_autoptr(GHashTable) first = g_hash_table_new(g_str_hash, g_str_equal);
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);
  guint32 *merged = g_new(guint32, n);

  for (guint32 i = 0; i < n; i++) {
    gpointer known = g_hash_table_lookup(first, binaries[i].path);
    merged[i] = known ? GPOINTER_TO_UINT(known) - 1 : i;
    if (!known)
      g_hash_table_insert(first, (gpointer)binaries[i].path, GUINT_TO_POINTER(i + 1));
  }
  return merged;
}
