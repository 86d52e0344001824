/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes a capture of a program that never ran, the same in every run: it loads, parses, optimises and emits,
 * a quarter of the time each, and its workers have stacks of their own, as many as are asked for. Its second
 * event is of a program that does all of that the other way round.
 *
 * make-capture [OPTION…] FILE   see --help
 */
#include <fcntl.h>
#include <glib.h>
#include <string.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "libcapture/file/capture-writer.h"
#include "profile/base/zstd.h"

enum {
  FUNCTION_SIZE = 64,
  DEPTH_MAX = 256,
  NAME_MAX_LENGTH = 4000,
  BEGIN = 1000000000 /* nanoseconds on the capture's clock, as all times */
};

#define KERNEL_BASE G_GUINT64_CONSTANT(0xffffffff81000000)
#define DURATION    G_GUINT64_CONSTANT(8000000000)

typedef enum { PROGRAM, LIBRARY, KERNEL, N_PLACES } Place;

static const char *const paths[N_PLACES] = {"/usr/bin/program", "/usr/lib/libwork.so.1", "[kernel]"};

/* Functions of the kernel begin with "k:", those of the library with "l:". Of a hundred samples of its phase
 * a stack has `share`. */
static const struct {
  guint phase, share;
  const char *functions;
} program[] = {
    {0, 50, "main load read_file l:work_read k:entry k:vfs_read k:copy_page"},
    {0, 30, "main load read_file l:work_copy"},
    {0, 20, "main load check_file"},
    {1, 40, "main parse parse_expression parse_expression lex l:work_copy"},
    {1, 35, "main parse parse_expression lex"},
    {1, 25, "main parse"},
    {2, 60, "main optimise fold simplify fold"},
    {2, 40, "main optimise fold"},
    {3, 70, "main emit write_buffer l:work_write k:entry k:vfs_write k:copy_page"},
    {3, 30, "main emit write_buffer"},
};

static struct {
  int samples, switches, threads, stacks, depth, functions, marks, log, lost;
  gboolean long_names;
} plan = {.samples = 8000, .threads = 4, .depth = 24, .functions = 200};

typedef struct {
  capture_file *file;
  capture_sink *sink;
  capture_writer *writer;
  GHashTable *known;          /* name → its number in its place + 1 */
  GPtrArray *names[N_PLACES]; /* by number */
  guint32 event, switches, process[2], binaries[N_PLACES], category, step;
  guint32 *threads;
  guint32 *leaves; /* of workers' stacks */
  guint32 program_leaves[G_N_ELEMENTS(program)];
  GRand *random;
} Writer;

static guint32 take(gint64 id)
{
  if (id <= 0)
    g_error("The capture could not be written: %s.", g_strerror((int)-id));
  return (guint32)id;
}

static void expect(int result)
{
  if (result < 0)
    g_error("The capture could not be written: %s.", g_strerror(-result));
}

static guint32 add_string(Writer *self, const char *text)
{
  return take(capture_writer_string(self->writer, text, strlen(text)));
}

static guint number_of(Writer *self, Place place, const char *name)
{
  gpointer number = g_hash_table_lookup(self->known, name);

  if (!number) {
    g_ptr_array_add(self->names[place], g_strdup(name));
    number = GUINT_TO_POINTER(self->names[place]->len);
    g_hash_table_insert(self->known, g_strdup(name), number);
  }
  return GPOINTER_TO_UINT(number) - 1;
}

/* An address within the function; calls return to its middle. */
static guint32 add_frame(Writer *self, Place place, const char *name)
{
  guint64 offset = (guint64)number_of(self, place, name) * FUNCTION_SIZE + FUNCTION_SIZE / 2;

  if (place == KERNEL)
    return take(capture_writer_frame(self->writer, CAPTURE_SPACE_KERNEL, 0, KERNEL_BASE + offset));
  return take(capture_writer_frame(self->writer, CAPTURE_SPACE_BINARY, self->binaries[place], offset));
}

static guint32 define_event(Writer *self, const char *name, enum capture_unit unit)
{
  struct capture_record_event event = {
      .record = {sizeof event, CAPTURE_RECORD_EVENT, 0}, .unit = unit, .frequency = 1000};

  event.id = capture_writer_next_id(self->writer, CAPTURE_RECORD_EVENT);
  event.name = add_string(self, name);
  expect(capture_writer_define(self->writer, &event.record));
  return event.id;
}

static void define_binary(Writer *self, Place place)
{
  struct capture_record_binary binary = {.record = {sizeof binary, CAPTURE_RECORD_BINARY, 0},
                                         .inode = 100 + place};

  binary.id = self->binaries[place] = capture_writer_next_id(self->writer, CAPTURE_RECORD_BINARY);
  binary.path = add_string(self, paths[place]);
  expect(capture_writer_define(self->writer, &binary.record));
}

static void define_process(Writer *self, guint number)
{
  struct capture_record_process process = {.record = {sizeof process, CAPTURE_RECORD_PROCESS, 0},
                                           .pid = 1000 * ((int)number + 1)};

  process.id = self->process[number] = capture_writer_next_id(self->writer, CAPTURE_RECORD_PROCESS);
  process.name = add_string(self, number ? "helper" : "program");
  process.command_line = add_string(self, number ? "helper --for program" : "program --fast input.txt");
  expect(capture_writer_define(self->writer, &process.record));
}

/* The last quarter of the threads are the other process's. */
static void define_thread(Writer *self, guint number)
{
  guint owner = number > 0 && number >= (guint)plan.threads * 3 / 4;
  g_autofree char *name =
      number ? g_strdup_printf("%s-%u", owner ? "helper" : "worker", number) : g_strdup("program");
  struct capture_record_thread thread = {.record = {sizeof thread, CAPTURE_RECORD_THREAD, 0},
                                         .process = self->process[owner],
                                         .tid = (owner ? 2000 : 1000) + (int)number};

  thread.id = self->threads[number] = capture_writer_next_id(self->writer, CAPTURE_RECORD_THREAD);
  thread.name = add_string(self, name);
  expect(capture_writer_define(self->writer, &thread.record));
}

static void define_all(Writer *self)
{
  self->event = define_event(self, "cpu-clock", CAPTURE_UNIT_NANOSECONDS);
  if (plan.switches > 0)
    self->switches = define_event(self, "context-switches", CAPTURE_UNIT_COUNT);
  define_binary(self, PROGRAM);
  define_binary(self, LIBRARY);
  define_process(self, 0);
  define_process(self, 1);
  for (guint i = 0; i < (guint)plan.threads; i++)
    define_thread(self, i);
  self->category = add_string(self, "program");
  self->step = add_string(self, "step");
}

/* `frames` are given from the outermost; those from `kernel` on are the kernel's. */
static guint32 add_stack(Writer *self, const guint32 *frames, guint n, guint kernel)
{
  guint32 leaf_first[DEPTH_MAX];
  gint64 nodes[2];

  for (guint i = 0; i < n; i++)
    leaf_first[i] = frames[n - 1 - i];
  nodes[0] = capture_writer_stack(self->writer, 0, leaf_first + (n - kernel), kernel);
  nodes[1] = capture_writer_stack(self->writer, 0, leaf_first, n - kernel);
  expect((int)MIN(nodes[0], nodes[1]));
  return take(capture_writer_join(self->writer, (guint32)nodes[0], (guint32)nodes[1]));
}

static guint32 add_program_stack(Writer *self, const char *functions)
{
  g_auto(GStrv) words = g_strsplit(functions, " ", -1);
  guint32 frames[DEPTH_MAX];
  guint n = 0, kernel = G_MAXUINT;

  for (char **word = words; *word; word++, n++) {
    Place place = g_str_has_prefix(*word, "k:") ? KERNEL : g_str_has_prefix(*word, "l:") ? LIBRARY : PROGRAM;
    if (place == KERNEL)
      kernel = MIN(kernel, n);
    frames[n] = add_frame(self, place, place == PROGRAM ? *word : *word + 2);
  }
  return add_stack(self, frames, n, MIN(kernel, n));
}

/* As C++ has them: of all lengths, one longer than any screen. */
static char *make_name(guint number)
{
  GString *name = g_string_new(NULL);

  if (!plan.long_names) {
    g_string_printf(name, "work_%u", number);
    return g_string_free(name, FALSE);
  }
  g_string_append(name, "std::__detail::_Map_base<");
  for (guint i = 0; i < number % 7 || (number == 7 && name->len < NAME_MAX_LENGTH - 100); i++)
    g_string_append_printf(name, "std::vector<project::node_%u, std::allocator<project::node_%u>>, ", i, i);
  g_string_append_printf(name, "int>::operator[](project::key_%u const&) const", number);
  return g_string_free(name, FALSE);
}

/* Each is another one up to some depth, and goes on by itself from there. */
static void add_worker_stacks(Writer *self)
{
  g_autofree guint32 *functions = g_new(guint32, plan.functions);
  g_autofree guint32 *all = g_new(guint32, (gsize)plan.stacks * plan.depth);

  for (guint i = 0; i < (guint)plan.functions; i++) {
    g_autofree char *name = make_name(i);
    functions[i] = add_frame(self, i % 3 ? PROGRAM : LIBRARY, name);
  }
  for (guint i = 0; i < (guint)plan.stacks; i++) {
    guint32 *stack = all + (gsize)i * plan.depth;
    guint other = i ? g_rand_int_range(self->random, 0, (gint32)i) : 0;
    guint shared = i ? (guint)g_rand_int_range(self->random, 1, plan.depth) : 0;

    for (guint k = 0; k < (guint)plan.depth; k++)
      stack[k] = k < shared ? all[(gsize)other * plan.depth + k]
                            : functions[g_rand_int_range(self->random, 0, plan.functions)];
    self->leaves[i] = add_stack(self, stack, (guint)plan.depth, (guint)plan.depth);
  }
}

/* By chance, most of them few. */
static guint32 choose_worker_stack(Writer *self)
{
  guint hot = MIN((guint)plan.stacks, 500);

  if (g_rand_int_range(self->random, 0, 10) < 7)
    return self->leaves[g_rand_int_range(self->random, 0, (gint32)hot)];
  return self->leaves[g_rand_int_range(self->random, 0, plan.stacks)];
}

static guint32 choose_program_stack(Writer *self, guint phase)
{
  guint left = (guint)g_rand_int_range(self->random, 0, 100), i = 0;

  while (program[i].phase != phase || left >= program[i].share) {
    if (program[i].phase == phase)
      left -= program[i].share;
    i++;
  }
  return self->program_leaves[i];
}

static void add_sample(Writer *self, guint i)
{
  guint thread = g_rand_boolean(self->random) ? 0 : (guint)g_rand_int_range(self->random, 0, plan.threads);
  gboolean worker = thread > 0 && plan.stacks > 0;
  struct capture_writer_sample sample = {
      .time = BEGIN + (guint64)i * DURATION / (guint)plan.samples,
      .event = self->event,
      .thread = self->threads[thread],
      .cpu = (guint16)(thread % 4),
      .outcome = i % 50 ? CAPTURE_OUTCOME_COMPLETE : CAPTURE_OUTCOME_TRUNCATED,
      .mode = CAPTURE_MODE_USER,
      .weight = 1000000,
  };

  sample.leaf = worker ? choose_worker_stack(self)
                       : choose_program_stack(self, (guint)((guint64)i * 4 / (guint)plan.samples));
  expect(capture_writer_sample(self->writer, &sample));
}

static void add_switch(Writer *self, guint i)
{
  guint phase = (guint)((guint64)i * 4 / (guint)plan.switches);
  struct capture_writer_sample sample = {
      .time = BEGIN + (guint64)i * DURATION / (guint)plan.switches,
      .event = self->switches,
      .thread = self->threads[(guint)g_rand_int_range(self->random, 0, plan.threads)],
      .leaf = choose_program_stack(self, 3 - phase),
      .outcome = CAPTURE_OUTCOME_COMPLETE,
      .mode = CAPTURE_MODE_KERNEL,
      .weight = 1,
  };

  expect(capture_writer_sample(self->writer, &sample));
}

static void add_marks(Writer *self)
{
  struct {
    struct capture_record_mark mark;
    char message[8];
  } record = {.mark = {.record = {sizeof record, CAPTURE_RECORD_MARK, 0},
                       .kind = CAPTURE_RECORD_MARK_SPAN,
                       .category = self->category,
                       .name = self->step}};

  for (guint i = 0; i < (guint)plan.marks; i++) {
    record.mark.thread = self->threads[i % (guint)plan.threads];
    record.mark.time = BEGIN + (guint64)i * DURATION / (guint)plan.marks;
    record.mark.duration = DURATION / (guint)plan.marks / (1 + i % 3);
    expect(capture_writer_record(self->writer, &record.mark.record, record.mark.time));
  }
}

static void add_log(Writer *self)
{
  struct {
    struct capture_record_log line;
    char text[16];
  } record = {
      .line = {.record = {sizeof record, CAPTURE_RECORD_LOG, 0}, .severity = 6, .domain = self->category}};

  for (guint i = 0; i < (guint)plan.log; i++) {
    record.line.thread = self->threads[0];
    record.line.time = BEGIN + (guint64)i * DURATION / (guint)plan.log;
    record.line.length = (guint32)g_snprintf(record.text, sizeof record.text, "line %u", i);
    expect(capture_writer_record(self->writer, &record.line.record, record.line.time));
  }
}

static void add_lost(Writer *self)
{
  const struct capture_record_lost lost = {.record = {sizeof lost, CAPTURE_RECORD_LOST, 0},
                                           .time = BEGIN + DURATION / 2,
                                           .samples = (guint64)plan.lost,
                                           .reason = CAPTURE_LOST_RING,
                                           .cpu = CAPTURE_CPU_UNKNOWN,
                                           .event = self->event};

  if (plan.lost > 0)
    expect(capture_writer_record(self->writer, &lost.record, lost.time));
}

static void name_text(Writer *self, guint32 id, const char *text)
{
  gsize length = strlen(text), size = (sizeof(struct capture_record_string) + length + 1 + 7) & ~(gsize)7;
  g_autofree struct capture_record_string *record = g_malloc0(size);

  record->record = (struct capture_record){.size = (guint32)size, .type = CAPTURE_RECORD_STRING};
  record->id = id;
  record->length = (guint32)length;
  memcpy(record->bytes, text, length);
  expect(capture_writer_name(self->writer, &record->record));
}

static void name_function(Writer *self, Place place, guint number, guint32 text)
{
  struct {
    struct capture_record_functions head;
    struct capture_function function;
  } record = {.head = {.record = {sizeof record, CAPTURE_RECORD_FUNCTIONS, 1}, .binary = place + 1}};

  record.function.start = (place == KERNEL ? KERNEL_BASE : 0) + (guint64)number * FUNCTION_SIZE;
  record.function.end = record.function.start + FUNCTION_SIZE;
  record.function.name = text;
  expect(capture_writer_name(self->writer, &record.head.record));
}

static void name_place(Writer *self, Place place, guint32 *string)
{
  const struct capture_record_named_binary binary = {
      .record = {sizeof binary, CAPTURE_RECORD_NAMED_BINARY, 0},
      .id = place + 1,
      .path = ++*string,
      .inode = place == KERNEL ? 0 : 100 + place,
      .flags = place == KERNEL ? CAPTURE_BINARY_KERNEL : 0};

  name_text(self, *string, paths[place]);
  expect(capture_writer_name(self->writer, &binary.record));
  for (guint i = 0; i < self->names[place]->len; i++) {
    name_text(self, ++*string, self->names[place]->pdata[i]);
    name_function(self, place, i, *string);
  }
}

/* Names stand in an epoch of their own. */
static void add_names(Writer *self)
{
  guint32 string = 0;

  expect(capture_writer_next_epoch(self->writer));
  for (Place place = 0; place < N_PLACES; place++)
    name_place(self, place, &string);
}

static void write_stream(Writer *self)
{
  define_all(self);
  for (guint i = 0; i < G_N_ELEMENTS(program); i++)
    self->program_leaves[i] = add_program_stack(self, program[i].functions);
  add_worker_stacks(self);
  for (guint i = 0; i < (guint)plan.samples; i++)
    add_sample(self, i);
  for (guint i = 0; i < (guint)plan.switches; i++)
    add_switch(self, i);
  add_marks(self);
  add_log(self);
  add_lost(self);
  add_names(self);
}

static void open_file(Writer *self, int fd)
{
  const struct capture_file_options options = {.size = sizeof options,
                                               .compress = profile_zstd_compress,
                                               .time = BEGIN,
                                               .time_realtime = G_GINT64_CONSTANT(1700000000000000000),
                                               .foreign = TRUE};
  const struct capture_writer_options limits = {
      .size = sizeof limits, .max_nodes = 1 << 25, .max_frames = 1 << 20, .max_strings = 1 << 20};

  expect(capture_file_create(&self->file, fd, &options));
  expect(capture_file_add_metadata(self->file, "command", "program --fast input.txt"));
  gint64 stream = capture_file_add_stream(self->file, CAPTURE_STREAM_RECORDER, 1, "recorder");
  expect(capture_file_sink_new(&self->sink, self->file, take(stream), 1 << 20));
  expect(capture_writer_create(&self->writer, self->sink, &limits));
}

static void close_file(Writer *self)
{
  expect(capture_writer_destroy(self->writer));
  capture_file_sink_free(self->sink);
  expect(capture_file_end(self->file, CAPTURE_END_EXITED, 0, BEGIN + DURATION));
  expect(capture_file_add_index(self->file));
  capture_file_free(self->file);
}

static void write_capture(int fd)
{
  Writer self = {.known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
                 .threads = g_new0(guint32, plan.threads),
                 .leaves = g_new0(guint32, plan.stacks + 1),
                 .random = g_rand_new_with_seed(1)};

  for (Place place = 0; place < N_PLACES; place++)
    self.names[place] = g_ptr_array_new_with_free_func(g_free);
  open_file(&self, fd);
  write_stream(&self);
  close_file(&self);
  for (Place place = 0; place < N_PLACES; place++)
    g_ptr_array_unref(self.names[place]);
  g_hash_table_unref(self.known);
  g_rand_free(self.random);
  g_free(self.threads);
  g_free(self.leaves);
}

static const GOptionEntry options[] = {
    {"samples", 0, 0, G_OPTION_ARG_INT, &plan.samples, "How many (8000)", "N"},
    {"switches", 0, 0, G_OPTION_ARG_INT, &plan.switches, "How many samples the second event has (0: none)",
     "N"},
    {"threads", 0, 0, G_OPTION_ARG_INT, &plan.threads, "How many (4)", "N"},
    {"stacks", 0, 0, G_OPTION_ARG_INT, &plan.stacks,
     "How many different ones workers have (0: the program's)", "N"},
    {"depth", 0, 0, G_OPTION_ARG_INT, &plan.depth, "Of workers' stacks (24)", "N"},
    {"functions", 0, 0, G_OPTION_ARG_INT, &plan.functions, "In workers' stacks (200)", "N"},
    {"marks", 0, 0, G_OPTION_ARG_INT, &plan.marks, "How many (0)", "N"},
    {"log", 0, 0, G_OPTION_ARG_INT, &plan.log, "How many lines (0)", "N"},
    {"lost", 0, 0, G_OPTION_ARG_INT, &plan.lost, "How many samples are said to be lost (0)", "N"},
    {"long-names", 0, 0, G_OPTION_ARG_NONE, &plan.long_names, "Functions are named as in C++", NULL},
    {NULL},
};

int main(int argc, char **argv)
{
  g_autoptr(GOptionContext) context = g_option_context_new("FILE");
  g_autoptr(GError) error = NULL;

  g_option_context_add_main_entries(context, options, NULL);
  if (!g_option_context_parse(context, &argc, &argv, &error) || argc != 2 || plan.samples < 0 ||
      plan.switches < 0 || plan.log < 0 || plan.marks < 0 || plan.threads < 1 || plan.stacks < 0 ||
      plan.depth < 1 || plan.depth > DEPTH_MAX || plan.functions < 1) {
    g_printerr("usage: make-capture [OPTION…] FILE; see --help\n");
    return 2;
  }
  int fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    g_printerr("%s could not be written: %s.\n", argv[1], g_strerror(errno));
    return 1;
  }
  write_capture(fd);
  close(fd);
  return 0;
}
