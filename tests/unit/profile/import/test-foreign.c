/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs left in formats of other profilers names what the recorder sampled, and stands beside it. */
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "libcapture/file/capture-writer.h"
#include "profile/capture/capture.h"
#include "profile/import/perf-map.h"
#include "tests/unit/profile/import/jitdump-bytes.h"

typedef struct {
  int fd;
  capture_file *file;
} Made;

static Made make_capture(void)
{
  const struct capture_file_options options = {.size = sizeof options, .time = 1};
  Made made = {.fd = memfd_create("test", MFD_CLOEXEC)};

  g_assert_cmpint(capture_file_create(&made.file, made.fd, &options), ==, 0);
  return made;
}

/* A recorder's samples: one a time and an address. */
static void add_samples(Made *made, guint n, const guint64 times[], const guint64 addresses[])
{
  gint64 stream = capture_file_add_stream(made->file, CAPTURE_STREAM_RECORDER, 0, "recorder");
  capture_sink *sink;
  capture_writer *writer;

  g_assert_cmpint(capture_file_sink_new(&sink, made->file, (guint32)stream, 0), ==, 0);
  g_assert_cmpint(capture_writer_create(&writer, sink, NULL), ==, 0);
  guint32 name = (guint32)capture_writer_string(writer, "js", 2);
  struct capture_record_process process = {.record = {.size = sizeof process, .type = CAPTURE_RECORD_PROCESS},
                                           .id = capture_writer_next_id(writer, CAPTURE_RECORD_PROCESS),
                                           .pid = PID,
                                           .name = name};
  struct capture_record_thread thread = {.record = {.size = sizeof thread, .type = CAPTURE_RECORD_THREAD},
                                         .id = capture_writer_next_id(writer, CAPTURE_RECORD_THREAD),
                                         .process = process.id,
                                         .tid = PID,
                                         .name = name};
  struct capture_record_event event = {.record = {.size = sizeof event, .type = CAPTURE_RECORD_EVENT},
                                       .id = capture_writer_next_id(writer, CAPTURE_RECORD_EVENT),
                                       .name = name};
  capture_writer_define(writer, &process.record);
  capture_writer_define(writer, &thread.record);
  capture_writer_define(writer, &event.record);
  for (guint i = 0; i < n; i++) {
    guint32 frame = (guint32)capture_writer_frame(writer, CAPTURE_SPACE_PROCESS, process.id, addresses[i]);
    const struct capture_writer_sample sample = {
        .time = times[i],
        .event = event.id,
        .thread = thread.id,
        .leaf = (guint32)capture_writer_stack(writer, 0, &frame, 1),
        .weight = 1,
    };
    g_assert_cmpint(capture_writer_sample(writer, &sample), ==, 0);
  }
  g_assert_cmpint(capture_writer_destroy(writer), ==, 0);
  capture_file_sink_free(sink);
}

/* Cut into two parts, as it comes when a file grows. */
static void add_foreign(Made *made, enum capture_foreign kind, const char *name, const guint8 *bytes,
                        gsize length)
{
  gint64 stream = capture_file_add_stream(made->file, CAPTURE_STREAM_FOREIGN, PID, name);
  guint32 half = (guint32)length / 16 * 8;
  struct capture_window_header header = {.kind = CAPTURE_WINDOW_FOREIGN,
                                         .stream = (guint32)stream,
                                         .epoch = 1,
                                         .event = (guint16)kind,
                                         .length = half};

  g_assert_cmpint(capture_file_append(made->file, &header, bytes), ==, 0);
  header.start = half;
  header.length = (guint32)length - half;
  header.flags = CAPTURE_WINDOW_CLOSED;
  g_assert_cmpint(capture_file_append(made->file, &header, bytes + half), ==, 0);
}

static ProfileCapture *load(Made *made)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", made->fd);
  ProfileCapture *capture;

  g_assert_cmpint(capture_file_add_index(made->file), ==, 0);
  capture = profile_capture_load(path, 0, NULL, &error);
  g_assert_no_error(error);
  capture_file_free(made->file);
  close(made->fd);
  return capture;
}

static const ProfileEvent *find_event(ProfileCapture *capture, const char *name)
{
  guint n;
  const ProfileEvent *events = profile_capture_get_events(capture, &n);

  for (guint i = 0; i < n; i++)
    if (g_str_equal(events[i].name, name))
      return &events[i];
  g_error("no event %s", name);
}

static const char *name_node(ProfileCapture *capture, guint32 node)
{
  return profile_capture_get_function_name(capture, profile_capture_get_node_functions(capture)[node]);
}

/* The names of the leaves of an event's samples, in the order of time, with blanks between. */
static char *name_leaves(ProfileCapture *capture, const char *event)
{
  const ProfileEvent *found = find_event(capture, event);
  GString *names = g_string_new(NULL);

  for (gsize i = 0; i < found->n_samples; i++)
    g_string_append_printf(names, "%s%s", i > 0 ? " " : "", name_node(capture, found->leaf[i]));
  return g_string_free(names, FALSE);
}

static void assert_no_problem(ProfileCapture *capture)
{
  g_assert_cmpstr(profile_capture_get_problems(capture)[0], ==, NULL);
}

/* Where two lines tell of one address, the later one holds, and it holds for all times. */
static void test_perf_map(void)
{
  static const char map[] =
      "1000 40 first\n0x1000 20 later one\nrubbish\n2000 0 nothing\n3000 40 third\n4000 1";
  Made made = make_capture();
  g_autoptr(ProfileCapture) capture = NULL;
  g_autofree char *names = NULL;

  add_samples(&made, 4, (guint64[]){10, 20, 30, 40}, (guint64[]){0x1010, 0x1030, 0x3000, 0x4000});
  add_foreign(&made, CAPTURE_FOREIGN_PERF_MAP, "/tmp/perf-77.map", (const guint8 *)map, sizeof map - 1);
  capture = load(&made);
  assert_no_problem(capture);
  names = name_leaves(capture, "js");
  g_assert_cmpstr(names, ==, "later one first third 0x4000");
}

static void test_perf_map_lines(void)
{
  static const char map[] =
      "fffffffffffffff0 10 at the end of addresses\n10000000000000000 1 too long a number\n"
      "10 1 with spaces  in it \r\n20 2\n 30 1 indented\n40 1 x";
  ProfileBytes bytes = {.at = (const guint8 *)map, .end = (const guint8 *)map + sizeof map - 1};
  ProfilePerfMapLine line;

  g_assert_true(profile_perf_map_next(&bytes, &line));
  g_assert_cmpuint(line.start, ==, 0x10);
  g_assert_cmpmem(line.name, line.name_length, "with spaces  in it ", 19);
  g_assert_true(profile_perf_map_next(&bytes, &line));
  g_assert_cmpuint(line.start, ==, 0x40);
  g_assert_cmpmem(line.name, line.name_length, "x", 1);
  g_assert_false(profile_perf_map_next(&bytes, &line));
}

/* One place holds two functions, one after the other; one of them moves. */
static void check_jitdump(gboolean swap)
{
  static const guint64 times[] = {50, 150, 150, 250, 350, 350};
  static const guint64 addresses[] = {0x1010, 0x1010, 0x2010, 0x1010, 0x1010, 0x3010};
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  Bytes dump = {bytes, swap};
  Made made = make_capture();
  g_autoptr(ProfileCapture) capture = NULL;
  g_autofree char *names = NULL;

  put_dump_header(&dump, 0);
  put_load(&dump, 100, 0x1000, 1, "one");
  put_prefix(&dump, 4, 8, 100);
  put_64(&dump, 0);
  put_load(&dump, 110, 0x2000, 2, "two");
  put_load(&dump, 200, 0x1000, 3, "three");
  put_move(&dump, 300, 0x1000, 0x3000, 3);
  put_prefix(&dump, 3, 0, 400);
  put_prefix(&dump, 0, 1000, 400);
  add_samples(&made, G_N_ELEMENTS(times), times, addresses);
  add_foreign(&made, CAPTURE_FOREIGN_JITDUMP, "/tmp/jit-77.dump", bytes->data, bytes->len);
  capture = load(&made);
  assert_no_problem(capture);
  names = name_leaves(capture, "js");
  g_assert_cmpstr(names, ==, "0x1010 one two three 0x1010 three");
}

static void test_jitdump(void)
{
  for (gboolean swap = FALSE; swap <= TRUE; swap++)
    check_jitdump(swap);
}

static void check_lines(GByteArray *bytes, const char *file)
{
  static const guint64 times[] = {150, 150, 250};
  static const guint64 addresses[] = {0x1010, 0x1030, 0x3021};
  static const guint32 expected[] = {10, 11, 11};
  Made made = make_capture();
  g_autoptr(ProfileCapture) capture = NULL;
  const ProfileEvent *event;

  add_samples(&made, G_N_ELEMENTS(times), times, addresses);
  add_foreign(&made, CAPTURE_FOREIGN_JITDUMP, "/tmp/jit-77.dump", bytes->data, bytes->len);
  capture = load(&made);
  event = find_event(capture, "js");
  for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
    const char *found, *inlined;
    guint32 line;

    g_assert_true(profile_capture_get_node_line(capture, event->leaf[i], &found, &line, &inlined));
    g_assert_cmpstr(found, ==, file);
    g_assert_cmpuint(line, ==, expected[i]);
    g_assert_null(inlined);
  }
}

/* V8 adds the length of an ELF header to addresses of lines; others do not. */
static void test_jitdump_lines(void)
{
  for (guint64 shift = 0; shift <= 0x40; shift += 0x40) {
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    Bytes dump = {bytes, FALSE};

    put_dump_header(&dump, 0);
    put_lines(&dump, 0x1000, shift);
    put_load(&dump, 100, 0x1000, 1, "one");
    put_move(&dump, 200, 0x1000, 0x3000, 1);
    check_lines(bytes, "a.js");
  }
}

/* A move is a few bytes, and would have whole tables of lines read again. */
static void test_jitdump_moves(void)
{
  enum { N = 1000 };
  g_autofree char *file = g_strnfill(60000, 'f');
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  Bytes dump = {bytes, FALSE};
  Made made = make_capture();
  guint n_with_lines = 0;
  gsize n;

  put_dump_header(&dump, 0);
  put_lines_of(&dump, 0x1000, 0, file);
  put_load(&dump, 100, 0x1000, 1, "one");
  for (guint64 i = 1; i <= N; i++)
    put_move(&dump, 100 + i, 0x1000 * i, 0x1000 * (i + 1), 1);
  add_samples(&made, 2, (guint64[]){150, 100 + N}, (guint64[]){0x1000 * 51, 0x1000 * (N + 1)});
  add_foreign(&made, CAPTURE_FOREIGN_JITDUMP, "/tmp/jit-77.dump", bytes->data, bytes->len);
  g_autoptr(ProfileCapture) capture = load(&made);
  g_autofree char *names = name_leaves(capture, "js");
  g_assert_cmpstr(names, ==, "one one");
  const ProfileCode *code = profile_capture_get_code(capture, &n);
  for (gsize i = 0; i < n; i++)
    n_with_lines += code[i].n_lines > 0;
  g_assert_cmpuint(n_with_lines, >, 1);
  g_assert_cmpuint(n_with_lines, <, 100);
}

/* Where names of files say nothing, the function's own says where it is. */
static void test_jitdump_lines_of_garbage(void)
{
  static const char *const names[][2] = {{"JS:*one /b c.js:3:9", "/b c.js"},
                                         {"JS:*get one node:fs:3:9", "node:fs"}};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    Bytes dump = {bytes, FALSE};

    put_dump_header(&dump, 0);
    put_lines_of_garbage(&dump, 0x1000);
    put_load(&dump, 100, 0x1000, 1, names[i][0]);
    put_move(&dump, 200, 0x1000, 0x3000, 1);
    check_lines(bytes, names[i][1]);
  }
}

/* Names hold at any time then, and a sentence says so. */
static void test_jitdump_other_clock(void)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  Bytes dump = {bytes, FALSE};
  Made made = make_capture();
  g_autoptr(ProfileCapture) capture = NULL;
  g_autofree char *names = NULL;

  put_dump_header(&dump, 1);
  put_load(&dump, 99999, 0x1000, 1, "one");
  add_samples(&made, 1, (guint64[]){50}, (guint64[]){0x1010});
  add_foreign(&made, CAPTURE_FOREIGN_JITDUMP, "/tmp/jit-77.dump", bytes->data, bytes->len);
  capture = load(&made);
  names = name_leaves(capture, "js");
  g_assert_cmpstr(names, ==, "one");
  g_assert_nonnull(strstr(profile_capture_get_problems(capture)[0], "clock"));
}

static void put_frame(Bytes *self, guint8 type, guint16 body, guint64 time)
{
  static const guint8 padding[7];

  put_16(self, 24 + body);
  put_16(self, G_MAXUINT16);
  put_32(self, PID);
  put_64(self, time);
  g_byte_array_append(self->bytes, &type, 1);
  g_byte_array_append(self->bytes, padding, sizeof padding);
}

static void put_field(Bytes *self, const char *text, gsize length)
{
  g_autofree char *field = g_malloc0(length);

  memcpy(field, text, strlen(text));
  g_byte_array_append(self->bytes, (const guint8 *)field, (guint)length);
}

static void put_syscap_header(Bytes *self)
{
  static const guint8 magic[] = {0x5e, 0x97, 0xca, 0xfd, 1, 0, 0, 0};
  static const guint8 rest[248];

  g_byte_array_append(self->bytes, magic, sizeof magic);
  self->bytes->data[self->bytes->len - 3] = self->swap == (G_BYTE_ORDER == G_BIG_ENDIAN);
  g_byte_array_append(self->bytes, rest, sizeof rest);
}

static void put_counter(Bytes *self, guint32 id, const char *name, gboolean is_double)
{
  gboolean little = self->swap == (G_BYTE_ORDER == G_BIG_ENDIAN);

  put_field(self, "heap", 32);
  put_field(self, name, 32);
  put_field(self, "what it is", 52);
  put_32(self, little ? id | (guint32)is_double << 24 : id << 8 | (guint32)is_double);
  put_64(self, 0);
}

static void put_told(Bytes *self)
{
  const double half = 0.5;
  guint64 bits;

  memcpy(&bits, &half, sizeof bits);
  put_frame(self, 8, 8 + 2 * 128, 5);
  put_32(self, self->swap ? 2 << 16 : 2);
  put_32(self, 0);
  put_counter(self, 3, "size", FALSE);
  put_counter(self, 4, "share", TRUE);
  put_frame(self, 9, 8 + 96, 60);
  put_32(self, self->swap ? 1 << 16 : 1);
  put_32(self, 0);
  for (guint32 i = 0; i < 8; i++)
    put_32(self, i == 0 ? 3 : i == 5 ? 4 : 0);
  for (guint32 i = 0; i < 8; i++)
    put_64(self, i == 0 ? (guint64)-7 : bits);
  put_frame(self, 10, 8 + 24 + 40 + 8, 70);
  put_64(self, 15);
  put_field(self, "gc", 24);
  put_field(self, "minor", 40);
  put_field(self, "why", 8);
  put_frame(self, 12, 40 + 8, 80);
  put_32(self, self->swap ? 16 << 16 : 16);
  put_32(self, 0);
  put_field(self, "Gjs", 32);
  put_field(self, "careful", 8);
}

static void check_counters(ProfileCapture *capture)
{
  guint n;
  const ProfileCounter *counters = profile_capture_get_counters(capture, &n);

  g_assert_cmpuint(n, ==, 2);
  for (guint i = 0; i < n; i++) {
    gboolean is_size = g_str_equal(counters[i].name, "size");

    g_assert_cmpstr(counters[i].category, ==, "heap");
    g_assert_cmpstr(counters[i].description, ==, "what it is");
    g_assert_cmpuint(counters[i].n, ==, 1);
    g_assert_cmpuint(counters[i].time[0], ==, 60);
    g_assert_true(counters[i].value[0] == (is_size ? -7.0 : 0.5));
    g_assert_false(counters[i].totals);
  }
}

static void check_mark_and_log(ProfileCapture *capture)
{
  gsize n;
  const ProfileMark *mark = profile_capture_get_marks(capture, &n);
  const ProfileLogLine *line;

  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpstr(mark->category, ==, "gc");
  g_assert_cmpstr(mark->name, ==, "minor");
  g_assert_cmpstr(mark->message, ==, "why");
  g_assert_cmpuint(mark->time, ==, 70);
  g_assert_cmpuint(mark->duration, ==, 15);
  g_assert_true(mark->is_span);
  line = profile_capture_get_log(capture, &n);
  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpstr(line->domain, ==, "Gjs");
  g_assert_cmpstr(line->text, ==, "careful");
  g_assert_cmpuint(line->severity, ==, 4);
}

/* Its samples are an event of their own, of the process that the recorder has sampled, too. */
static void check_syscap(gboolean swap)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  Bytes file = {bytes, swap};
  Made made = make_capture();
  g_autoptr(ProfileCapture) capture = NULL;
  g_autofree char *names = NULL;

  put_syscap_header(&file);
  put_told(&file);
  put_frame(&file, 2, 8 + 8, 50);
  put_32(&file, swap ? 1 << 16 : 1);
  put_32(&file, PID);
  put_64(&file, G_GUINT64_CONSTANT(0xe000000000000001));
  put_frame(&file, 7, 4 + 8 + 9, 90);
  put_32(&file, 1);
  put_64(&file, G_GUINT64_CONSTANT(0xe000000000000001));
  put_text(&file, "script:1");
  add_samples(&made, 1, (guint64[]){40}, (guint64[]){0x1010});
  add_foreign(&made, CAPTURE_FOREIGN_SYSCAP, "gjs", bytes->data, bytes->len);
  capture = load(&made);
  assert_no_problem(capture);
  names = name_leaves(capture, "gjs");
  g_assert_cmpstr(names, ==, "script:1");
  g_assert_cmpuint(find_event(capture, "gjs")->thread[0], ==, find_event(capture, "js")->thread[0]);
  check_counters(capture);
  check_mark_and_log(capture);
}

static void test_syscap(void)
{
  for (gboolean swap = FALSE; swap <= TRUE; swap++)
    check_syscap(swap);
}

/* A file of a program: a sample of its function 1, and the name of its function `told`. */
static void put_file(Bytes *file, gint32 pid, guint64 time, guint64 told, const char *name)
{
  static const guint64 identifiers = G_GUINT64_CONSTANT(0xe000000000000000);
  guint frame;

  put_syscap_header(file);
  frame = file->bytes->len;
  put_frame(file, 2, 8 + 8, time);
  memcpy(file->bytes->data + frame + 4, &pid, sizeof pid);
  put_32(file, 1);
  put_32(file, (guint32)pid);
  put_64(file, identifiers | 1);
  frame = file->bytes->len;
  put_frame(file, 7, 4 + 8 + 4, time);
  memcpy(file->bytes->data + frame + 4, &pid, sizeof pid);
  put_32(file, 1);
  put_64(file, identifiers | told);
  put_text(file, name);
}

/* Several programs wrote to one descriptor, each with a header; names are those of who told them. */
static void test_syscap_of_several(void)
{
  g_autoptr(GByteArray) bytes = g_byte_array_new();
  Bytes file = {bytes, FALSE};
  Made made = make_capture();
  g_autoptr(ProfileCapture) capture = NULL;
  g_autofree char *names = NULL;

  put_file(&file, 100, 10, 1, "one");
  put_file(&file, 200, 20, 1, "two");
  put_file(&file, 300, 30, 2, "not");
  add_foreign(&made, CAPTURE_FOREIGN_SYSCAP, "trace", bytes->data, bytes->len);
  capture = load(&made);
  assert_no_problem(capture);
  names = name_leaves(capture, "trace");
  g_assert_cmpstr(names, ==, "one two 0xe000000000000001");
}

/* Bytes that are none of these are told of, and harm nothing. */
static void test_nonsense(void)
{
  for (guint kind = 1; kind <= 4; kind++) {
    Made made = make_capture();
    g_autoptr(ProfileCapture) capture = NULL;
    g_autofree char *names = NULL;

    add_samples(&made, 1, (guint64[]){40}, (guint64[]){0x1010});
    add_foreign(&made, kind, "nonsense", (const guint8 *)"0123456789abcdef0123456789abcdef", 32);
    capture = load(&made);
    names = name_leaves(capture, "js");
    g_assert_cmpstr(names, ==, "0x1010");
    if (kind != CAPTURE_FOREIGN_PERF_MAP)
      g_assert_nonnull(strstr(profile_capture_get_problems(capture)[0], "nonsense"));
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/profile/foreign/perf-map", test_perf_map);
  g_test_add_func("/profile/foreign/perf-map-lines", test_perf_map_lines);
  g_test_add_func("/profile/foreign/jitdump", test_jitdump);
  g_test_add_func("/profile/foreign/jitdump-lines", test_jitdump_lines);
  g_test_add_func("/profile/foreign/jitdump-moves", test_jitdump_moves);
  g_test_add_func("/profile/foreign/jitdump-lines-of-garbage", test_jitdump_lines_of_garbage);
  g_test_add_func("/profile/foreign/jitdump-other-clock", test_jitdump_other_clock);
  g_test_add_func("/profile/foreign/syscap", test_syscap);
  g_test_add_func("/profile/foreign/syscap-of-several", test_syscap_of_several);
  g_test_add_func("/profile/foreign/nonsense", test_nonsense);
  return g_test_run();
}
