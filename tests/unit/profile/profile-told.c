/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What programs tell of themselves, with the truth known: code whose addresses are used again and again, seen
 * by a recorder from outside and by a sampler from inside, must never be named by what stood there at another
 * time.
 */
#include <string.h>
#include <unistd.h>

#include "libcapture/capture-file.h"
#include "libcapture/capture-writer.h"
#include "profile/profile-capture.h"
#include "profile/profile-naming.h"

enum { SLOTS = 16, SLOT_SIZE = 256, ROUNDS = 20000, MAX_DEPTH = 5, PID = 500, TID = 501 };
#define CODE_BASE G_GUINT64_CONSTANT(0x7f0000001000)
#define LIBRARY   G_GUINT64_CONSTANT(0x7e0000000000)

typedef struct {
  capture_file *file;
  char *path;
  int fd;
} File;

typedef struct {
  capture_sink *sink;
  capture_writer *writer;
  guint32 process, thread, event, binary;
} Stream;

typedef struct {
  guint64 time;
  guint n;
  char names[MAX_DEPTH][16]; /* from the leaf; "" is the library */
} Truth;

static guint32 take_id(gint64 id)
{
  g_assert_cmpint(id, >, 0);
  return (guint32)id;
}

static guint32 add_string(Stream *stream, const char *text)
{
  return take_id(capture_writer_string(stream->writer, text, strlen(text)));
}

static void define(Stream *stream, gconstpointer record)
{
  g_assert_cmpint(capture_writer_define(stream->writer, record), ==, 0);
}

static File open_file(void)
{
  const struct capture_file_options options = {.size = sizeof options, .time = 1, .time_realtime = 1};
  File file = {0};

  file.fd = g_file_open_tmp("told-XXXXXX.capture", &file.path, NULL);
  g_assert_cmpint(file.fd, >=, 0);
  g_assert_cmpint(capture_file_create(&file.file, file.fd, &options), ==, 0);
  return file;
}

static ProfileCapture *load_file(File *file, guint64 end)
{
  g_autoptr(GError) error = NULL;
  g_assert_cmpint(capture_file_end(file->file, CAPTURE_END_EXITED, 0, end), ==, 0);
  capture_file_free(file->file);
  close(file->fd);
  ProfileCapture *capture = profile_capture_load(file->path, PROFILE_LOAD_DEFAULT, NULL, &error);
  g_assert_no_error(error);
  g_assert_null(profile_capture_get_problems(capture)[0]);
  unlink(file->path);
  g_free(file->path);
  return capture;
}

static void define_process(Stream *stream, guint64 time, enum capture_process_origin origin, const char *name)
{
  struct capture_record_process process = {
      .record = {sizeof process, CAPTURE_RECORD_PROCESS, 0}, .pid = PID, .time = time, .origin = origin};

  process.id = stream->process = capture_writer_next_id(stream->writer, CAPTURE_RECORD_PROCESS);
  process.name = add_string(stream, name);
  define(stream, &process);
}

static void define_thread(Stream *stream, guint64 time, const char *name)
{
  struct capture_record_thread thread = {.record = {sizeof thread, CAPTURE_RECORD_THREAD, 0},
                                         .process = stream->process,
                                         .tid = TID,
                                         .time = time};

  thread.id = stream->thread = capture_writer_next_id(stream->writer, CAPTURE_RECORD_THREAD);
  thread.name = add_string(stream, name);
  define(stream, &thread);
}

static void define_event(Stream *stream, const char *name)
{
  struct capture_record_event event = {.record = {sizeof event, CAPTURE_RECORD_EVENT, 0}, .unit = 1};

  event.id = stream->event = capture_writer_next_id(stream->writer, CAPTURE_RECORD_EVENT);
  event.name = add_string(stream, name);
  define(stream, &event);
}

static void define_library(Stream *stream, const char *path, guint64 start, guint64 time)
{
  struct capture_record_binary binary = {.record = {sizeof binary, CAPTURE_RECORD_BINARY, 0}, .inode = 3};
  struct capture_record_mapping mapping = {.record = {sizeof mapping, CAPTURE_RECORD_MAPPING, 0},
                                           .process = stream->process,
                                           .start = start,
                                           .end = start + 0x10000,
                                           .time = time,
                                           .protection = 5};

  binary.id = mapping.binary = stream->binary = capture_writer_next_id(stream->writer, CAPTURE_RECORD_BINARY);
  binary.path = add_string(stream, path);
  define(stream, &binary);
  define(stream, &mapping);
}

static Stream open_stream(File *file, enum capture_stream_kind kind, const char *name)
{
  const struct capture_writer_options options = {.size = sizeof options};
  Stream stream = {0};
  gint64 number = capture_file_add_stream(file->file, kind, PID, name);

  g_assert_cmpint(capture_file_sink_new(&stream.sink, file->file, take_id(number), 1 << 13), ==, 0);
  g_assert_cmpint(capture_writer_create(&stream.writer, stream.sink, &options), ==, 0);
  return stream;
}

static void close_stream(Stream *stream)
{
  g_assert_cmpint(capture_writer_destroy(stream->writer), ==, 0);
  capture_file_sink_free(stream->sink);
}

static void define_outside(Stream *stream)
{
  define_process(stream, 0, CAPTURE_PROCESS_EXISTED, "runtime");
  define_thread(stream, 0, "runtime");
  define_event(stream, "cpu-clock");
  define_library(stream, "/usr/lib/runtime.so", LIBRARY, 1);
}

static void define_inside(Stream *stream, guint64 time)
{
  define_process(stream, time, CAPTURE_PROCESS_EXISTED, "runtime");
  define_thread(stream, time, "runtime");
  define_event(stream, "cpu-time");
  define_library(stream, "/usr/lib/runtime.so", LIBRARY, 1);
}

static void add_code(Stream *stream, guint64 start, guint64 length, guint64 time, const char *name)
{
  struct capture_record_code code = {.record = {sizeof code, CAPTURE_RECORD_CODE, 0},
                                     .process = stream->process,
                                     .start = start,
                                     .length = length,
                                     .time = time};

  code.name = add_string(stream, name);
  code.file = add_string(stream, "program.lua");
  code.line = 7;
  define(stream, &code);
}

static void end_code(Stream *stream, guint64 start, guint64 length, guint64 time)
{
  const struct capture_record_code_end end = {.record = {sizeof end, CAPTURE_RECORD_CODE_END, 0},
                                              .process = stream->process,
                                              .start = start,
                                              .length = length,
                                              .time = time};

  define(stream, &end);
}

static void add_sample(Stream *stream, guint64 time, const guint64 *addresses, guint n)
{
  struct capture_writer_sample sample = {
      .time = time, .event = stream->event, .thread = stream->thread, .weight = 1000, .mode = 2};
  guint32 frames[MAX_DEPTH];

  for (guint i = 0; i < n; i++)
    frames[i] =
        take_id(capture_writer_frame(stream->writer, CAPTURE_SPACE_PROCESS, stream->process, addresses[i]));
  sample.leaf = take_id(capture_writer_stack(stream->writer, 0, frames, n));
  g_assert_cmpint(capture_writer_sample(stream->writer, &sample), ==, 0);
}

/* What stands in each slot now. */
typedef struct {
  guint length; /* 0: nothing */
  guint number;
} Slot;

/* A stack over what stands there, and what it must be called. The leaf may be any byte of a function, a
 * return address any byte behind its first one up to the one behind its last. */
static guint choose_stack(GRand *random, const Slot *slots, guint64 *addresses, Truth *truth)
{
  guint n = (guint)g_rand_int_range(random, 1, MAX_DEPTH + 1);

  for (guint i = 0; i < n; i++) {
    guint slot = (guint)g_rand_int_range(random, 0, SLOTS + 2);
    if (slot >= SLOTS || slots[slot].length == 0) {
      gboolean native = slot >= SLOTS;
      addresses[i] = native ? LIBRARY + 0x100 : CODE_BASE + (guint64)slot * SLOT_SIZE + 8;
      g_snprintf(truth->names[i], sizeof truth->names[i], "%s", native ? "" : "?");
      continue;
    }
    static const guint at[] = {0, 1, 40, 128};
    guint offset = at[g_rand_int_range(random, 0, 4)];
    offset = MIN(offset, slots[slot].length - 1) + (i > 0);
    addresses[i] = CODE_BASE + (guint64)slot * SLOT_SIZE + offset;
    g_snprintf(truth->names[i], sizeof truth->names[i], "f%u", slots[slot].number);
  }
  return truth->n = n;
}

static void change_slot(GRand *random, Stream *stream, Slot *slots, guint64 time)
{
  guint slot = (guint)g_rand_int_range(random, 0, SLOTS);
  guint64 start = CODE_BASE + (guint64)slot * SLOT_SIZE;
  char name[16];

  if (slots[slot].length > 0 && g_rand_boolean(random)) {
    end_code(stream, start, slots[slot].length, time);
    slots[slot].length = 0;
    return;
  }
  if (slots[slot].length > 0)
    end_code(stream, start, slots[slot].length, time);
  slots[slot].length = g_rand_boolean(random) ? SLOT_SIZE : 64;
  slots[slot].number = (guint)g_rand_int_range(random, 0, 1000);
  g_snprintf(name, sizeof name, "f%u", slots[slot].number);
  add_code(stream, start, slots[slot].length, time, name);
}

static gboolean matches(ProfileCapture *capture, guint32 function, const char *wanted)
{
  const char *name = profile_capture_get_function_name(capture, function);
  const char *binary = profile_capture_get_function_binary(capture, function);

  if (*wanted == '\0')
    return strcmp(binary, "/usr/lib/runtime.so") == 0;
  if (*wanted == '?')
    return g_str_has_prefix(name, "0x7f") && strcmp(binary, "[unknown]") == 0;
  return strcmp(name, wanted) == 0 && strcmp(binary, "[runtime]") == 0 &&
         profile_capture_function_is_told(capture, function);
}

static void check_event(ProfileCapture *capture, const ProfileEvent *event, const GArray *truths)
{
  const guint32 *functions = profile_capture_get_node_functions(capture), *parents, *frames;
  gsize n_nodes;

  profile_capture_get_nodes(capture, &parents, &frames, &n_nodes);
  g_assert_cmpuint(event->n_samples, ==, truths->len);
  for (gsize i = 0; i < event->n_samples; i++) {
    const Truth *truth = &g_array_index(truths, Truth, i);
    guint32 node = event->leaf[i];
    g_assert_cmpuint(event->time[i], ==, truth->time);
    for (guint j = 0; j < truth->n; j++, node = parents[node])
      if (!matches(capture, functions[node], truth->names[j]))
        g_error("sample %zu frame %u is %s, not %s", i, j,
                profile_capture_get_function_name(capture, functions[node]), truth->names[j]);
    g_assert_cmpuint(node, ==, 0);
  }
}

/* Both see the same address space; code changes between any two samples. */
static void test_reused_addresses(void)
{
  g_autoptr(GRand) random = g_rand_new_with_seed(7);
  File file = open_file();
  Stream inside = open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  Stream outside = open_stream(&file, CAPTURE_STREAM_RECORDER, "recorder");
  g_autoptr(GArray) seen_outside = g_array_new(FALSE, TRUE, sizeof(Truth));
  g_autoptr(GArray) seen_inside = g_array_new(FALSE, TRUE, sizeof(Truth));
  Slot slots[SLOTS] = {0};
  guint64 time = 1000, addresses[MAX_DEPTH];

  define_outside(&outside);
  define_inside(&inside, time);
  for (guint i = 0; i < ROUNDS; i++, time += (guint64)g_rand_int_range(random, 1, 3)) {
    guint which = i % 2;
    Truth truth = {.time = time};
    if (i == ROUNDS / 2) { /* what was told before stands on */
      g_assert_cmpint(capture_writer_next_epoch(inside.writer), ==, 0);
      define_inside(&inside, 1000);
    }
    if (i % 3 == 0)
      change_slot(random, &inside, slots, time);
    choose_stack(random, slots, addresses, &truth);
    add_sample(which ? &inside : &outside, time, addresses, truth.n);
    g_array_append_vals(which ? seen_inside : seen_outside, &truth, 1);
  }
  close_stream(&outside);
  close_stream(&inside);

  g_autoptr(ProfileCapture) capture = load_file(&file, time);
  guint n_events, n_processes, n_threads;
  const ProfileEvent *events = profile_capture_get_events(capture, &n_events);
  const ProfileThread *threads = profile_capture_get_threads(capture, &n_threads);
  profile_capture_get_processes(capture, &n_processes);
  g_assert_cmpuint(n_events, ==, 2);
  g_assert_cmpstr(events[0].name, ==, "cpu-clock");
  g_assert_cmpstr(events[1].name, ==, "cpu-time");
  g_assert_cmpuint(n_processes, ==, 2);
  g_assert_cmpuint(n_threads, ==, 2);
  g_assert_cmpint(threads[1].tid, ==, TID);
  check_event(capture, &events[0], seen_outside);
  check_event(capture, &events[1], seen_inside);
}

static const char *get_leaf_name(ProfileCapture *capture, guint event, gsize sample)
{
  const ProfileEvent *item = profile_capture_get_event(capture, event);
  g_assert_cmpuint(sample, <, item->n_samples);
  return profile_capture_get_function_name(capture,
                                           profile_capture_get_node_functions(capture)[item->leaf[sample]]);
}

/* The same address before the code was there, while it was, after a part was overwritten, after it ended. */
static void test_one_address(void)
{
  static const char *const expected[] = {"0x7f0000001010", "first",          "first",
                                         "second",         "0x7f0000001010", "third"};
  File file = open_file();
  Stream inside = open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  const guint64 address = CODE_BASE + 0x10, whole = G_MAXUINT64 - CODE_BASE;

  define_inside(&inside, 50);
  add_code(&inside, CODE_BASE, 0x100, 100, "first");
  add_code(&inside, CODE_BASE + 0x20, 0x10, 200, "beside");
  add_code(&inside, CODE_BASE, 0x20, 300, "second");
  end_code(&inside, CODE_BASE - 0x1000, whole, 400);
  add_code(&inside, CODE_BASE, G_MAXUINT64, 500, "third");
  add_code(&inside, CODE_BASE, 0, 550, "nothing");
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
    add_sample(&inside, 60 + i * 100, &address, 1);
  close_stream(&inside);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++)
    g_assert_cmpstr(get_leaf_name(capture, 0, i), ==, expected[i]);
}

/* A child has its parent's code of the time of the fork, and not what the parent made later. */
static void test_fork(void)
{
  File file = open_file();
  Stream stream = open_stream(&file, CAPTURE_STREAM_RECORDER, "recorder");
  struct capture_record_process child = {.record = {sizeof child, CAPTURE_RECORD_PROCESS, 0},
                                         .pid = PID + 1,
                                         .time = 200,
                                         .origin = CAPTURE_PROCESS_FORKED};
  const guint64 address = CODE_BASE + 0x10;

  define_process(&stream, 0, CAPTURE_PROCESS_EXISTED, "parent");
  define_thread(&stream, 0, "parent");
  define_event(&stream, "cpu-clock");
  add_code(&stream, CODE_BASE, 0x100, 100, "before");
  add_code(&stream, CODE_BASE, 0x100, 300, "after");
  add_sample(&stream, 350, &address, 1);
  child.parent = stream.process;
  child.name = add_string(&stream, "child");
  child.id = stream.process = capture_writer_next_id(stream.writer, CAPTURE_RECORD_PROCESS);
  define(&stream, &child);
  add_sample(&stream, 360, &address, 1);
  close_stream(&stream);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  g_assert_cmpstr(get_leaf_name(capture, 0, 0), ==, "after");
  g_assert_cmpstr(get_leaf_name(capture, 0, 1), ==, "before");
}

/* A program that another one became by an exec has none of its code, whatever stream tells of it. */
static void test_exec(void)
{
  File file = open_file();
  Stream outside = open_stream(&file, CAPTURE_STREAM_RECORDER, "recorder");
  Stream inside[2] = {open_stream(&file, CAPTURE_STREAM_SAMPLER, "a"),
                      open_stream(&file, CAPTURE_STREAM_SAMPLER, "b")};
  const guint64 address = CODE_BASE + 0x10;
  guint32 first;

  define_outside(&outside);
  add_sample(&outside, 150, &address, 1);
  first = outside.process;
  define_process(&outside, 200, CAPTURE_PROCESS_EXECED, "next");
  g_assert_cmpuint(outside.process, !=, first);
  define_thread(&outside, 200, "next");
  add_sample(&outside, 250, &address, 1);
  add_sample(&outside, 350, &address, 1);
  define_inside(&inside[0], 50);
  add_code(&inside[0], CODE_BASE, 0x100, 100, "old");
  define_inside(&inside[1], 210);
  add_code(&inside[1], CODE_BASE, 0x100, 300, "new");
  close_stream(&outside);
  close_stream(&inside[0]);
  close_stream(&inside[1]);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  guint n;
  profile_capture_get_processes(capture, &n);
  g_assert_cmpuint(n, ==, 3);
  g_assert_cmpstr(get_leaf_name(capture, 0, 0), ==, "old");
  g_assert_cmpstr(get_leaf_name(capture, 0, 1), ==, "0x7f0000001010");
  g_assert_cmpstr(get_leaf_name(capture, 0, 2), ==, "new");
}

/* Identifiers and code of one name and place are one function; others are not. */
static void test_functions(void)
{
  File file = open_file();
  Stream inside = open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  struct capture_record_function function = {.record = {sizeof function, CAPTURE_RECORD_FUNCTION, 0}};
  guint64 address = CODE_BASE + 0x10;

  define_inside(&inside, 50);
  function.name = add_string(&inside, "update");
  function.file = add_string(&inside, "program.lua");
  function.line = 7;
  function.id = capture_writer_next_id(inside.writer, CAPTURE_RECORD_FUNCTION);
  define(&inside, &function);
  add_code(&inside, CODE_BASE, 0x100, 100, "update");
  add_sample(&inside, 150, &address, 1);
  const guint64 identifiers[] = {function.id, add_string(&inside, "update"), 9999};
  for (guint i = 0; i < G_N_ELEMENTS(identifiers); i++) {
    struct capture_writer_sample sample = {.time = 160 + i, .event = inside.event, .weight = 1000};
    guint32 frame = take_id(capture_writer_frame(inside.writer, CAPTURE_SPACE_IDENTIFIERS, inside.process,
                                                 G_GUINT64_CONSTANT(0xe000000000000000) | identifiers[i]));
    sample.leaf = take_id(capture_writer_stack(inside.writer, 0, &frame, 1));
    g_assert_cmpint(capture_writer_sample(inside.writer, &sample), ==, 0);
  }
  close_stream(&inside);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  const guint32 *functions = profile_capture_get_node_functions(capture);
  const guint32 *leaf = profile_capture_get_event(capture, 0)->leaf;
  gsize n;
  const ProfileFunction *all = profile_capture_get_functions(capture, &n);
  g_assert_cmpuint(functions[leaf[0]], ==, functions[leaf[1]]);
  g_assert_cmpuint(functions[leaf[0]], !=, functions[leaf[2]]);
  g_assert_cmpstr(all[functions[leaf[0]]].range->file, ==, "program.lua");
  g_assert_cmpuint(all[functions[leaf[0]]].range->line, ==, 7);
  g_assert_null(all[functions[leaf[2]]].range->file);
  g_assert_cmpstr(get_leaf_name(capture, 0, 2), ==, "update");
  g_assert_cmpstr(get_leaf_name(capture, 0, 3), ==, "[unknown]");
}

/* What the program itself named, no file is looked for. */
static void test_naming(void)
{
  const ProfileNamingOptions options = {.no_store = TRUE};
  ProfileNamingResult result;
  File file = open_file();
  Stream inside = open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  const guint64 addresses[] = {CODE_BASE + 0x10, CODE_BASE + 0x20};

  define_inside(&inside, 50);
  add_code(&inside, CODE_BASE, 0x100, 100, "update");
  add_sample(&inside, 150, addresses, 2);
  close_stream(&inside);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  g_assert_true(profile_naming_resolve(capture, &options, &result, NULL, NULL));
  g_assert_cmpuint(result.binaries, ==, 0);
  g_assert_cmpstr(get_leaf_name(capture, 0, 0), ==, "update");
}

/* Where in a function's source, by the lines of its code; a return address belongs to its call. */
static void test_lines(void)
{
  struct {
    struct capture_record_code code;
    struct capture_code_range ranges[2];
  } record = {.code = {.record = {sizeof record, CAPTURE_RECORD_CODE, 2}, .start = CODE_BASE, .length = 64}};
  File file = open_file();
  Stream inside = open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  const guint64 addresses[] = {CODE_BASE + 16, CODE_BASE + 16};
  const guint32 *parents, *frames;
  const char *source, *inlined;
  guint32 line;
  gsize n;

  define_inside(&inside, 50);
  record.code.process = inside.process;
  record.code.name = add_string(&inside, "f");
  record.code.file = add_string(&inside, "f.js");
  record.code.time = 60;
  record.ranges[0] = (struct capture_code_range){.offset = 4, .line = 10};
  record.ranges[1] = (struct capture_code_range){.offset = 16, .line = 20};
  record.ranges[1].file = add_string(&inside, "other.js");
  record.ranges[1].function = add_string(&inside, "inner");
  define(&inside, &record.code);
  add_sample(&inside, 100, addresses, 2);
  close_stream(&inside);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  profile_capture_get_nodes(capture, &parents, &frames, &n);
  guint32 leaf = profile_capture_get_event(capture, 0)->leaf[0];
  g_assert_true(profile_capture_get_node_line(capture, leaf, &source, &line, &inlined));
  g_assert_cmpstr(source, ==, "other.js");
  g_assert_cmpuint(line, ==, 20);
  g_assert_cmpstr(inlined, ==, "inner");
  g_assert_true(profile_capture_get_node_line(capture, parents[leaf], &source, &line, &inlined));
  g_assert_cmpstr(source, ==, "f.js");
  g_assert_cmpuint(line, ==, 10);
  g_assert_null(inlined);
}

/* Two samplers in one process are two events; of one process after the other they are one. */
static void test_two_samplers(void)
{
  File file = open_file();
  Stream streams[3] = {open_stream(&file, CAPTURE_STREAM_SAMPLER, "program"),
                       open_stream(&file, CAPTURE_STREAM_SAMPLER, "luajit"),
                       open_stream(&file, CAPTURE_STREAM_SAMPLER, "later")};
  const guint64 times[3] = {100, 110, 300}, address = LIBRARY + 16;
  guint n;

  for (guint i = 0; i < 3; i++) {
    define_inside(&streams[i], times[i]);
    add_sample(&streams[i], times[i], &address, 1);
    add_sample(&streams[i], times[i] + 50, &address, 1);
    close_stream(&streams[i]);
  }
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  const ProfileEvent *events = profile_capture_get_events(capture, &n);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpstr(events[0].name, ==, "cpu-time");
  g_assert_cmpuint(events[0].n_samples, ==, 4);
  g_assert_cmpstr(events[1].name, ==, "cpu-time (luajit)");
  g_assert_cmpuint(events[1].n_samples, ==, 2);
  profile_capture_get_processes(capture, &n);
  g_assert_cmpuint(n, ==, 2);
}

static void add_mark(Stream *stream, guint64 time, guint32 kind, guint32 name, guint64 duration)
{
  struct capture_record_mark *mark;
  guint64 memory[7] = {0};

  mark = (struct capture_record_mark *)memory;
  *mark = (struct capture_record_mark){.record = {sizeof memory, CAPTURE_RECORD_MARK, 0},
                                       .time = time,
                                       .duration = duration,
                                       .thread = stream->thread,
                                       .kind = kind,
                                       .category = add_string(stream, "frame"),
                                       .name = name};
  g_assert_cmpint(capture_writer_record(stream->writer, &mark->record, time), ==, 0);
}

static void test_marks(void)
{
  static const struct {
    guint64 time, duration;
    const char *name;
    gboolean unfinished;
  } expected[] = {{100, 400, "draw", FALSE}, {200, 100, "draw", FALSE}, {250, 150, "layout", FALSE},
                  {600, 0, "key", FALSE},    {700, 70, "load", FALSE},  {800, 200, "draw", TRUE}};
  File file = open_file();
  Stream inside = open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  gsize n;

  define_inside(&inside, 50);
  guint32 draw = add_string(&inside, "draw"), layout = add_string(&inside, "layout");
  add_mark(&inside, 90, CAPTURE_MARK_END, draw, 0); /* begun before anybody recorded */
  add_mark(&inside, 100, CAPTURE_MARK_BEGIN, draw, 0);
  add_mark(&inside, 200, CAPTURE_MARK_BEGIN, draw, 0);
  add_mark(&inside, 250, CAPTURE_MARK_BEGIN, layout, 0);
  add_mark(&inside, 300, CAPTURE_MARK_END, draw, 0);
  add_mark(&inside, 400, CAPTURE_MARK_END, layout, 0);
  add_mark(&inside, 500, CAPTURE_MARK_END, draw, 0);
  add_mark(&inside, 700, CAPTURE_MARK_SPAN, add_string(&inside, "load"), 70);
  add_mark(&inside, 600, CAPTURE_MARK_INSTANT, add_string(&inside, "key"), 0);
  add_mark(&inside, 800, CAPTURE_MARK_BEGIN, draw, 0);
  close_stream(&inside);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  const ProfileMark *marks = profile_capture_get_marks(capture, &n);
  g_assert_cmpuint(n, ==, G_N_ELEMENTS(expected));
  for (gsize i = 0; i < n; i++) {
    g_assert_cmpuint(marks[i].time, ==, expected[i].time);
    g_assert_cmpuint(marks[i].duration, ==, expected[i].duration);
    g_assert_cmpstr(marks[i].name, ==, expected[i].name);
    g_assert_cmpstr(marks[i].category, ==, "frame");
    g_assert_cmpint(marks[i].is_unfinished, ==, expected[i].unfinished);
    g_assert_cmpint(marks[i].is_span, ==, expected[i].time != 600);
    g_assert_cmpuint(marks[i].thread, ==, 1);
  }
}

static void test_counters(void)
{
  struct {
    struct capture_record_counts counts;
    struct capture_count values[2];
  } record = {.counts = {.record = {sizeof record, CAPTURE_RECORD_COUNTS, 2}}};
  struct capture_record_counter counter = {.record = {sizeof counter, CAPTURE_RECORD_COUNTER, 0}};
  File file = open_file();
  Stream inside = open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  guint n;

  define_inside(&inside, 50);
  for (guint i = 0; i < 2; i++) {
    counter.id = record.values[i].counter = capture_writer_next_id(inside.writer, CAPTURE_RECORD_COUNTER);
    counter.process = i ? inside.process : 0;
    counter.name = add_string(&inside, i ? "heap" : "load");
    counter.flags = i ? CAPTURE_COUNTER_TOTALS : 0;
    define(&inside, &counter);
  }
  for (guint i = 0; i < 3; i++) {
    record.counts.time = 300 - i * 100;
    record.values[0].value = 0.5 * i;
    record.values[1].value = 10 - (double)i;
    g_assert_cmpint(capture_writer_record(inside.writer, &record.counts.record, record.counts.time), ==, 0);
  }
  close_stream(&inside);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);
  g_assert_cmpuint(n, ==, 2);
  g_assert_cmpstr(counters[1].name, ==, "heap");
  g_assert_cmpuint(counters[0].process, ==, 0);
  g_assert_cmpuint(counters[1].process, ==, 1);
  g_assert_true(counters[1].totals);
  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint(counters[1].time[i], ==, 100 + i * 100);
    g_assert_cmpfloat(counters[1].value[i], ==, 8 + i);
    g_assert_cmpfloat(counters[0].value[i], ==, 1 - 0.5 * i);
  }
}

static void test_log(void)
{
  guint64 memory[5] = {0};
  struct capture_record_log *log = (struct capture_record_log *)memory;
  File file = open_file();
  Stream inside = open_stream(&file, CAPTURE_STREAM_SAMPLER, "runtime");
  gsize n;

  define_inside(&inside, 50);
  *log = (struct capture_record_log){.record = {sizeof memory, CAPTURE_RECORD_LOG, 0},
                                     .time = 77,
                                     .thread = inside.thread,
                                     .severity = 4,
                                     .domain = add_string(&inside, "gc"),
                                     .length = 5};
  memcpy(log->text, "slow!", 5);
  g_assert_cmpint(capture_writer_record(inside.writer, &log->record, 77), ==, 0);
  close_stream(&inside);
  g_autoptr(ProfileCapture) capture = load_file(&file, 1000);
  const ProfileLogLine *lines = profile_capture_get_log(capture, &n);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpstr(lines[0].text, ==, "slow!");
  g_assert_cmpstr(lines[0].domain, ==, "gc");
  g_assert_cmpuint(lines[0].severity, ==, 4);
  g_assert_cmpuint(lines[0].thread, ==, 1);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/told/reused-addresses", test_reused_addresses);
  g_test_add_func("/told/one-address", test_one_address);
  g_test_add_func("/told/fork", test_fork);
  g_test_add_func("/told/exec", test_exec);
  g_test_add_func("/told/functions", test_functions);
  g_test_add_func("/told/naming", test_naming);
  g_test_add_func("/told/lines", test_lines);
  g_test_add_func("/told/two-samplers", test_two_samplers);
  g_test_add_func("/told/marks", test_marks);
  g_test_add_func("/told/counters", test_counters);
  g_test_add_func("/told/log", test_log);
  return g_test_run();
}
