/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "told.h"

#include <stdlib.h>
#include <string.h>

#include "libcapture/file/capture-reader.h"

/* Of what a key is. Strings and functions share their identifiers. */
enum kind { TEXT, SPACE, FRAME, NODE, BINARY, PROCESS, THREAD, EVENT, COUNTER };

/* Definitions may stand in any order; what they refer to is looked up when a sample or a record leads there.
 */
struct definition {
  guint32 a, b, c;
  guint64 base;
  const char *text; /* of a string */
  guint8 build_id[CAPTURE_BUILD_ID_MAX];
};

/* The window that is being read. */
struct place {
  Told *told;
  guint32 stream;
  guint32 epoch;
};

static gint64 key_of(const struct place *place, enum kind kind, guint32 id)
{
  g_assert_cmpuint(id, <, 1u << 28);
  g_assert_cmpuint(place->stream, <, 1u << 10);
  g_assert_cmpuint(place->epoch, <, 1u << 20);
  return (gint64)((guint64)kind << 58 | (guint64)place->stream << 48 | (guint64)place->epoch << 28 | id);
}

static struct definition *define(const struct place *place, enum kind kind, guint32 id)
{
  gint64 key = key_of(place, kind, id);
  struct definition *definition = g_new0(struct definition, 1);

  g_assert_cmpuint(id, !=, 0);
  g_assert_null(g_hash_table_lookup(place->told->defined, &key));
  g_hash_table_insert(place->told->defined, g_memdup2(&key, sizeof key), definition);
  return definition;
}

static const struct definition *look_up(const struct place *place, enum kind kind, guint32 id)
{
  gint64 key = key_of(place, kind, id);
  const struct definition *definition = g_hash_table_lookup(place->told->defined, &key);

  if (!definition)
    g_error("stream %u epoch %u: %u of kind %d is not defined", place->stream, place->epoch, id, kind);
  return definition;
}

static const char *keep(const struct place *place, const char *text)
{
  return g_string_chunk_insert_const(place->told->texts, text);
}

static const char *function_text(const struct place *place, const struct definition *function)
{
  g_autofree char *text = NULL;

  g_assert_cmpuint(function->a, !=, 0);
  text = g_strdup_printf("%s %s:%u", look_up(place, TEXT, function->a)->text,
                         look_up(place, TEXT, function->b)->text, function->c);
  return keep(place, text);
}

static const char *text_of(const struct place *place, guint32 id)
{
  const struct definition *definition = id ? look_up(place, TEXT, id) : NULL;

  if (!definition)
    return NULL;
  return definition->text ? definition->text : function_text(place, definition);
}

static void define_string(const struct place *place, const struct capture_record_string *string)
{
  g_autofree char *text = g_strndup(string->bytes, string->length);
  g_autofree char *key = g_strdup_printf("%u %u %s", place->stream, place->epoch, text);
  GHashTable *texts_in = place->told->texts_in;

  define(place, TEXT, string->id)->text = keep(place, text);
  g_hash_table_insert(texts_in, g_strdup(key),
                      GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(texts_in, key)) + 1));
}

static void define_function(const struct place *place, const struct capture_record_function *function)
{
  struct definition *defined = define(place, TEXT, function->id);

  defined->a = function->name;
  defined->b = function->file;
  defined->c = function->line;
}

static void define_frames(const struct place *place, const struct capture_record_frames *frames)
{
  for (guint32 i = 0; i < frames->record.count; i++) {
    struct definition *frame = define(place, FRAME, frames->first + i);

    frame->a = frames->frames[i].space;
    frame->b = frames->frames[i].offset;
  }
}

static void define_nodes(const struct place *place, const struct capture_record_nodes *nodes)
{
  struct capture_nodes_position position = {0};
  struct capture_node node;
  guint32 n = 0;

  for (; capture_nodes_next(nodes, &position, &node); n++) {
    struct definition *defined = define(place, NODE, node.id);

    g_assert_false(node.join);
    g_assert_cmpuint(node.parent, <, node.id);
    defined->a = node.parent;
    defined->b = node.frame;
  }
  g_assert_cmpuint(n, ==, nodes->nodes);
}

static void define_thread(const struct place *place, const struct capture_record_thread *thread)
{
  struct definition *defined = define(place, THREAD, thread->id);

  defined->a = thread->process;
  defined->b = thread->name;
  place->told->n_threads++;
}

static void define_process(const struct place *place, const struct capture_record_process *process)
{
  struct definition *defined = define(place, PROCESS, process->id);

  defined->a = process->name;
  defined->b = process->command_line;
  place->told->n_command_lines += process->command_line != 0;
  g_hash_table_insert(place->told->pids, GUINT_TO_POINTER(place->stream), GINT_TO_POINTER(process->pid));
}

static void define_counter(const struct place *place, const struct capture_record_counter *counter)
{
  struct definition *defined = define(place, COUNTER, counter->id);

  defined->a = counter->category;
  defined->b = counter->name;
  defined->c = counter->unit;
  defined->base = counter->process;
}

static void define_binary(const struct place *place, const struct capture_record_binary *binary)
{
  struct definition *defined = define(place, BINARY, binary->id);

  defined->a = binary->path;
  defined->b = binary->build_id_size;
  memcpy(defined->build_id, binary->build_id, sizeof defined->build_id);
}

/* Nothing leads to a mapping or a code, so they are looked at when all is there. */
struct later {
  struct place place;
  struct capture_record *record;
};

static void keep_for_later(const struct place *place, const struct capture_record *record)
{
  struct later later = {*place, g_memdup2(record, record->size)};

  g_array_append_val(place->told->later, later);
}

static void add_mapping(const struct place *place, const struct capture_record_mapping *mapping)
{
  ToldMapping told = {.start = mapping->start, .end = mapping->end, .time = mapping->time};

  look_up(place, PROCESS, mapping->process);
  if (mapping->binary) {
    const struct definition *binary = look_up(place, BINARY, mapping->binary);

    told.path = text_of(place, binary->a);
    told.build_id_size = binary->b;
    memcpy(told.build_id, binary->build_id, sizeof told.build_id);
  }
  g_array_append_val(place->told->mappings, told);
}

static void add_code(const struct place *place, const struct capture_record_code *code)
{
  guint32 n = code->record.count;
  ToldCode told = {.start = code->start,
                   .length = code->length,
                   .time = code->time,
                   .name = text_of(place, code->name),
                   .n_ranges = n,
                   .last_offset = n ? code->ranges[n - 1].offset : 0,
                   .last_line = n ? code->ranges[n - 1].line : 0};

  look_up(place, PROCESS, code->process);
  for (guint32 i = 0; i < n; i++) {
    g_assert_cmpuint(code->ranges[i].offset, <, code->length);
    text_of(place, code->ranges[i].file);
    text_of(place, code->ranges[i].function);
  }
  g_array_append_val(place->told->codes, told);
}

static void add_code_end(const struct place *place, const struct capture_record_code_end *end)
{
  ToldCode code = {.start = end->start, .length = end->length, .time = end->time};

  look_up(place, PROCESS, end->process);
  g_array_append_val(place->told->codes, code);
}

static void add_later(const struct later *later)
{
  if (later->record->type == CAPTURE_RECORD_MAPPING)
    add_mapping(&later->place, (const void *)later->record);
  else if (later->record->type == CAPTURE_RECORD_CODE)
    add_code(&later->place, (const void *)later->record);
  else
    add_code_end(&later->place, (const void *)later->record);
  g_free(later->record);
}

static void add_definition(const struct place *place, const struct capture_record *record)
{
  const void *any = record;
  const struct capture_record_space *space = any;
  const struct capture_record_event *event = any;
  struct definition *defined;

  switch (record->type) {
  case CAPTURE_RECORD_STRING:
    return define_string(place, any);
  case CAPTURE_RECORD_FUNCTION:
    return define_function(place, any);
  case CAPTURE_RECORD_SPACE:
    defined = define(place, SPACE, space->id);
    defined->a = space->kind;
    defined->b = space->owner;
    defined->base = space->base;
    return;
  case CAPTURE_RECORD_FRAMES:
    return define_frames(place, any);
  case CAPTURE_RECORD_NODES:
    return define_nodes(place, any);
  case CAPTURE_RECORD_BINARY:
    return define_binary(place, any);
  case CAPTURE_RECORD_PROCESS:
    return define_process(place, any);
  case CAPTURE_RECORD_THREAD:
    return define_thread(place, any);
  case CAPTURE_RECORD_EVENT:
    define(place, EVENT, event->id)->a = event->name;
    place->told->n_events++;
    return;
  case CAPTURE_RECORD_COUNTER:
    return define_counter(place, any);
  default:
    return keep_for_later(place, record);
  }
}

static const char *counter_name(const struct place *place, guint32 id)
{
  const struct definition *counter = look_up(place, COUNTER, id);
  g_autofree char *text = g_strdup_printf("%s/%s %s", text_of(place, counter->a), text_of(place, counter->b),
                                          text_of(place, counter->c));

  look_up(place, PROCESS, (guint32)counter->base);
  return keep(place, text);
}

static const char *thread_name(const struct place *place, guint32 id)
{
  const struct definition *thread = id ? look_up(place, THREAD, id) : NULL;

  if (!thread)
    return NULL;
  look_up(place, PROCESS, thread->a);
  return text_of(place, thread->b);
}

static void add_mark(const struct place *place, const struct capture_record_mark *mark)
{
  ToldMark told = {.stream = place->stream,
                   .time = mark->time,
                   .duration = mark->duration,
                   .kind = mark->kind,
                   .thread = thread_name(place, mark->thread),
                   .category = text_of(place, mark->category),
                   .name = text_of(place, mark->name),
                   .message = keep(place, mark->message)};

  g_array_append_val(place->told->marks, told);
}

static void add_log(const struct place *place, const struct capture_record_log *log)
{
  ToldMark told = {.stream = place->stream,
                   .time = log->time,
                   .duration = log->severity,
                   .kind = 100,
                   .thread = thread_name(place, log->thread),
                   .category = text_of(place, log->domain),
                   .message = keep(place, log->text)};

  g_array_append_val(place->told->marks, told);
}

static void add_happening(const struct place *place, const struct capture_record *record)
{
  const void *any = record;
  const struct capture_record_lost *lost = any;
  const struct capture_record_counts *counts = any;
  const struct capture_record_message *message = any;

  switch (record->type) {
  case CAPTURE_RECORD_MARK:
    return add_mark(place, any);
  case CAPTURE_RECORD_LOG:
    return add_log(place, any);
  case CAPTURE_RECORD_COUNTS:
    for (guint32 i = 0; i < record->count; i++) {
      ToldCount told = {.time = counts->time,
                        .value = counts->values[i].value,
                        .name = counter_name(place, counts->values[i].counter)};

      g_array_append_val(place->told->counts, told);
    }
    return;
  case CAPTURE_RECORD_LOST:
    g_assert_cmpuint(lost->reason, ==, CAPTURE_LOST_WINDOWS);
    if (lost->event)
      look_up(place, EVENT, lost->event);
    place->told->lost_samples += lost->samples;
    place->told->lost_records += lost->records;
    return;
  case CAPTURE_RECORD_MESSAGE:
    g_ptr_array_add(place->told->messages, (char *)keep(place, message->text));
    return;
  default:
    g_assert_not_reached();
  }
}

static const char *stack_of(const struct place *place, guint32 node)
{
  g_autoptr(GString) stack = g_string_new(NULL);

  while (node) {
    const struct definition *defined = look_up(place, NODE, node);
    const struct definition *frame = look_up(place, FRAME, defined->b);
    const struct definition *space = look_up(place, SPACE, frame->a);
    const char *text = space->a == CAPTURE_SPACE_IDENTIFIERS ? text_of(place, frame->b) : NULL;

    look_up(place, PROCESS, space->b);
    if (stack->len > 0)
      g_string_append_c(stack, ';');
    if (text)
      g_string_append(stack, text);
    else
      g_string_append_printf(stack, "%" G_GINT64_MODIFIER "x", space->base + frame->b);
    node = defined->a;
  }
  return keep(place, stack->str);
}

static void add_samples(const struct place *place, const struct capture_window_header *header,
                        const guint8 *content)
{
  const char *event = text_of(place, look_up(place, EVENT, header->event)->a);
  guint64 before = 0;

  for (guint32 at = 0; at < header->length; at += header->entry_size) {
    const struct capture_sample *entry = (const void *)(content + at);
    ToldSample sample = {.stream = place->stream,
                         .epoch = place->epoch,
                         .time = header->time_first + entry->time,
                         .weight = header->entry_size > 16 ? entry->weight : header->weight,
                         .detail = header->entry_size > 24 ? entry->detail : 0,
                         .event = event,
                         .thread = thread_name(place, entry->thread),
                         .stack = stack_of(place, entry->leaf),
                         .outcome = entry->outcome};

    g_assert_cmpuint(sample.time, >=, before);
    g_assert_cmpuint(sample.time, <=, header->time_last);
    before = sample.time;
    g_array_append_val(place->told->samples, sample);
  }
}

static void add_part(Told *told, const capture_reader *reader, size_t number, void **buffer, size_t *size)
{
  const struct capture_window_header *header = &capture_reader_part(reader, number)->header;
  const struct place place = {.told = told, .stream = header->stream, .epoch = header->epoch};
  const struct capture_record *record;
  const guint8 *content;
  size_t length, position = 0;

  told->n_parts[header->kind]++;
  told->max_epoch = MAX(told->max_epoch, header->epoch);
  g_assert_cmpint(capture_reader_content(reader, number, buffer, size, &content, &length), ==, 0);
  if (header->kind == CAPTURE_WINDOW_SAMPLES)
    add_samples(&place, header, content);
  if (header->kind != CAPTURE_WINDOW_DICTIONARY && header->kind != CAPTURE_WINDOW_RECORDS)
    return;
  while ((record = capture_records_next(content, length, &position))) {
    g_assert_true(capture_record_is_valid(record));
    if (header->kind == CAPTURE_WINDOW_DICTIONARY)
      add_definition(&place, record);
    else
      add_happening(&place, record);
  }
  g_assert_cmpuint(position, ==, length);
}

static void unexpected_problem(const struct capture_problem *problem, void *data)
{
  g_error("%" G_GUINT64_FORMAT ": %s", problem->offset, problem->message);
}

Told *told_read(int fd)
{
  const struct capture_reader_options options = {.size = sizeof options, .problem = unexpected_problem};
  Told *told = g_new0(Told, 1);
  capture_reader *reader = NULL;
  void *buffer = NULL;
  size_t size = 0;

  told->texts = g_string_chunk_new(4096);
  told->samples = g_array_new(FALSE, TRUE, sizeof(ToldSample));
  told->marks = g_array_new(FALSE, TRUE, sizeof(ToldMark));
  told->counts = g_array_new(FALSE, TRUE, sizeof(ToldCount));
  told->codes = g_array_new(FALSE, TRUE, sizeof(ToldCode));
  told->mappings = g_array_new(FALSE, TRUE, sizeof(ToldMapping));
  told->messages = g_ptr_array_new();
  told->later = g_array_new(FALSE, TRUE, sizeof(struct later));
  told->pids = g_hash_table_new(NULL, NULL);
  told->texts_in = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  told->defined = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
  g_assert_cmpint(capture_reader_open(&reader, fd, &options), ==, 0);
  g_assert_cmpuint(capture_reader_end(reader), ==, capture_reader_size(reader));
  for (size_t i = 0; i < capture_reader_n_parts(reader); i++)
    add_part(told, reader, i, &buffer, &size);
  for (guint i = 0; i < told->later->len; i++)
    add_later(&g_array_index(told->later, struct later, i));
  free(buffer);
  capture_reader_close(reader);
  return told;
}

void told_free(Told *told)
{
  g_array_unref(told->samples);
  g_array_unref(told->marks);
  g_array_unref(told->counts);
  g_array_unref(told->codes);
  g_array_unref(told->mappings);
  g_ptr_array_unref(told->messages);
  g_array_unref(told->later);
  g_hash_table_unref(told->pids);
  g_hash_table_unref(told->texts_in);
  g_hash_table_unref(told->defined);
  g_string_chunk_free(told->texts);
  g_free(told);
}

guint told_count_samples(const Told *told, const char *event)
{
  guint n = 0;

  for (guint i = 0; i < told->samples->len; i++)
    n += event == NULL || g_str_equal(g_array_index(told->samples, ToldSample, i).event, event);
  return n;
}

guint told_count_marks(const Told *told, const char *name)
{
  guint n = 0;

  for (guint i = 0; i < told->marks->len; i++)
    n += g_strcmp0(g_array_index(told->marks, ToldMark, i).name, name) == 0;
  return n;
}
