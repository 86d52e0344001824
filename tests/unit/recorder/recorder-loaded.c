/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recorder-loaded.h"

static gint64 *key_new(guint type, guint epoch, guint id)
{
  gint64 *key = g_new(gint64, 1);
  *key = (gint64)type << 56 | (gint64)epoch << 32 | id;
  return key;
}

const void *loaded_find(const struct loaded *loaded, guint type, guint epoch, guint id)
{
  g_autofree gint64 *key = key_new(type, epoch, id);
  return g_hash_table_lookup(loaded->definitions, key);
}

static void define(struct loaded *loaded, guint epoch, guint id, const struct capture_record *record)
{
  g_assert_cmpuint(id, !=, 0);
  g_assert_true(g_hash_table_insert(loaded->definitions, key_new(record->type, epoch, id), (gpointer)record));
}

static void note_record(struct loaded *loaded, guint epoch, const struct capture_record *record)
{
  struct loaded_record noted = {epoch, record};
  g_array_append_val(loaded->records, noted);
  switch (record->type) {
  case CAPTURE_RECORD_STRING:
  case CAPTURE_RECORD_SPACE:
  case CAPTURE_RECORD_BINARY:
  case CAPTURE_RECORD_PROCESS:
  case CAPTURE_RECORD_THREAD:
  case CAPTURE_RECORD_EVENT:
    define(loaded, epoch, ((const struct capture_record_string *)record)->id, record);
    break;
  case CAPTURE_RECORD_FRAMES:
  case CAPTURE_RECORD_NODES: {
    const struct capture_record_nodes *nodes = (const struct capture_record_nodes *)record;
    guint count = record->type == CAPTURE_RECORD_NODES ? nodes->nodes : record->count;
    for (guint i = 0; i < count; i++)
      define(loaded, epoch, nodes->first + i, record);
    break;
  }
  default:
    break;
  }
}

static void read_records(struct loaded *loaded, guint epoch, const guint8 *content, gsize length)
{
  gsize position = 0;
  for (const struct capture_record *record;
       (record = capture_records_next(content, length, &position)) != NULL;) {
    g_assert_true(capture_record_is_valid(record));
    note_record(loaded, epoch, record);
  }
  g_assert_cmpuint(position, ==, length);
}

static void read_samples(struct loaded *loaded, const struct capture_window_header *header,
                         const guint8 *content, gsize length)
{
  g_assert_cmpuint(header->entry_size, >=, 16);
  guint64 before = 0;
  for (gsize at = 0; at < length; at += header->entry_size) {
    const struct capture_sample *entry = (const struct capture_sample *)(content + at);
    struct loaded_sample sample = {
        .time = header->time_first + entry->time,
        .weight = header->entry_size > 16 ? entry->weight : header->weight,
        .event = header->event,
        .thread = entry->thread,
        .leaf = entry->leaf,
        .cpu = entry->cpu,
        .outcome = entry->outcome,
        .mode = entry->mode,
        .detail = header->entry_size == sizeof *entry ? entry->detail : 0,
        .epoch = header->epoch,
    };
    g_assert_cmpuint(sample.time, >=, before);
    before = sample.time;
    g_array_append_val(loaded->samples, sample);
  }
}

static void read_part(struct loaded *loaded, gsize number)
{
  const struct capture_window_header *header = &capture_reader_part(loaded->reader, number)->header;
  void *buffer = NULL;
  gsize buffer_size = 0, length;
  const guint8 *content;
  g_assert_cmpint(capture_reader_content(loaded->reader, number, &buffer, &buffer_size, &content, &length),
                  ==, 0);
  g_ptr_array_add(loaded->buffers, buffer);
  if (header->kind == CAPTURE_WINDOW_SAMPLES)
    read_samples(loaded, header, content, length);
  else
    read_records(loaded, header->epoch, content, length);
}

void loaded_read(struct loaded *loaded, int fd)
{
  g_assert_cmpint(capture_reader_open(&loaded->reader, fd, NULL), ==, 0);
  loaded->buffers = g_ptr_array_new_with_free_func(free);
  loaded->definitions = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
  loaded->records = g_array_new(FALSE, FALSE, sizeof(struct loaded_record));
  loaded->samples = g_array_new(FALSE, FALSE, sizeof(struct loaded_sample));
  for (gsize i = 0; i < capture_reader_n_parts(loaded->reader); i++)
    read_part(loaded, i);
  for (guint i = 0; i < loaded->samples->len; i++) {
    const struct loaded_sample *sample = &g_array_index(loaded->samples, struct loaded_sample, i);
    g_assert_nonnull(loaded_process(loaded, sample));
    g_assert_nonnull(loaded_find(loaded, CAPTURE_RECORD_EVENT, sample->epoch, sample->event));
    g_array_unref(loaded_stack(loaded, sample));
  }
}

void loaded_clear(struct loaded *loaded)
{
  g_array_unref(loaded->samples);
  g_array_unref(loaded->records);
  g_hash_table_unref(loaded->definitions);
  g_ptr_array_unref(loaded->buffers);
  capture_reader_close(loaded->reader);
}

const char *loaded_string(const struct loaded *loaded, guint epoch, guint id)
{
  const struct capture_record_string *string = loaded_find(loaded, CAPTURE_RECORD_STRING, epoch, id);
  g_assert_true(id == 0 || string != NULL);
  return id != 0 ? string->bytes : "";
}

const struct capture_record_thread *loaded_thread(const struct loaded *loaded,
                                                  const struct loaded_sample *sample)
{
  return loaded_find(loaded, CAPTURE_RECORD_THREAD, sample->epoch, sample->thread);
}

const struct capture_record_process *loaded_process(const struct loaded *loaded,
                                                    const struct loaded_sample *sample)
{
  const struct capture_record_thread *thread = loaded_thread(loaded, sample);
  return thread != NULL ? loaded_find(loaded, CAPTURE_RECORD_PROCESS, sample->epoch, thread->process) : NULL;
}

static void add_frame(const struct loaded *loaded, guint epoch, guint id, GArray *stack)
{
  const struct capture_record_frames *frames = loaded_find(loaded, CAPTURE_RECORD_FRAMES, epoch, id);
  g_assert_nonnull(frames);
  struct capture_frame frame = frames->frames[id - frames->first];
  const struct capture_record_space *space = loaded_find(loaded, CAPTURE_RECORD_SPACE, epoch, frame.space);
  g_assert_nonnull(space);
  struct loaded_frame found = {space->kind, space->owner, space->base + frame.offset};
  g_array_append_val(stack, found);
}

static struct capture_node find_node(const struct loaded *loaded, guint epoch, guint id)
{
  const struct capture_record_nodes *nodes = loaded_find(loaded, CAPTURE_RECORD_NODES, epoch, id);
  struct capture_nodes_position position = {0};
  struct capture_node node = {0};
  g_assert_nonnull(nodes);
  while (node.id != id)
    g_assert_true(capture_nodes_next(nodes, &position, &node));
  return node;
}

static void add_nodes(const struct loaded *loaded, guint epoch, guint id, GArray *stack)
{
  while (id != 0) {
    struct capture_node node = find_node(loaded, epoch, id);
    g_assert_false(node.join);
    add_frame(loaded, epoch, node.frame, stack);
    g_assert_cmpuint(node.parent, <, id);
    id = node.parent;
  }
}

GArray *loaded_stack(const struct loaded *loaded, const struct loaded_sample *sample)
{
  GArray *stack = g_array_new(FALSE, FALSE, sizeof(struct loaded_frame));
  struct capture_node leaf = {0};
  if (sample->leaf != 0)
    leaf = find_node(loaded, sample->epoch, sample->leaf);
  if (leaf.join) {
    add_nodes(loaded, sample->epoch, leaf.kernel, stack);
    add_nodes(loaded, sample->epoch, leaf.parent, stack);
  } else {
    add_nodes(loaded, sample->epoch, sample->leaf, stack);
  }
  return stack;
}

const char *loaded_frame_path(const struct loaded *loaded, guint epoch, const struct loaded_frame *frame)
{
  if (frame->kind != CAPTURE_SPACE_BINARY)
    return NULL;
  const struct capture_record_binary *binary =
      loaded_find(loaded, CAPTURE_RECORD_BINARY, epoch, frame->owner);
  g_assert_nonnull(binary);
  return loaded_string(loaded, epoch, binary->path);
}

guint loaded_count(const struct loaded *loaded, guint type)
{
  guint count = 0;
  for (guint i = 0; i < loaded->records->len; i++)
    count += g_array_index(loaded->records, struct loaded_record, i).record->type == type;
  return count;
}

guint loaded_count_pid(const struct loaded *loaded, int pid)
{
  guint count = 0;
  for (guint i = 0; i < loaded->samples->len; i++)
    count += loaded_process(loaded, &g_array_index(loaded->samples, struct loaded_sample, i))->pid == pid;
  return count;
}

guint64 loaded_lost(const struct loaded *loaded)
{
  guint64 lost = 0;
  for (guint i = 0; i < loaded->records->len; i++) {
    const struct capture_record *record = g_array_index(loaded->records, struct loaded_record, i).record;
    if (record->type == CAPTURE_RECORD_LOST) {
      const struct capture_record_lost *loss = (const struct capture_record_lost *)record;
      lost += loss->samples + loss->records;
    }
  }
  return lost;
}
