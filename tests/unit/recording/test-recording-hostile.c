/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that do not keep to the protocol. Each is sent away; one that was there before does not notice,
 * and the fixture sees that no descriptor is left. */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/recording/samplers-fixture.h"

#define SEALS         (F_SEAL_SHRINK | F_SEAL_GROW)
#define WINDOWS_SEALS (SEALS | F_SEAL_FUTURE_WRITE)

typedef struct {
  Fixture recording;
  Program honest;
  capture_pool *pool; /* sound, for those that lie about something else */
} Hostile;

static void set_up(Hostile *h, gconstpointer data)
{
  fixture_set_up(&h->recording, NULL);
  fixture_start(&h->recording);
  program_join(&h->honest, &h->recording, "honest");
  g_assert_cmpint(capture_pool_create(&h->pool, NULL), ==, 0);
}

static void tear_down(Hostile *h, gconstpointer data)
{
  capture_pool_destroy(h->pool);
  program_write_samples(&h->honest, 7);
  program_leave(&h->honest);
  recording_samplers_stop(h->recording.samplers);
  g_assert_cmpint(recording_collector_collect(h->recording.collector, NULL), ==, 0);
  g_assert_cmpuint(fixture_count_samples(&h->recording, "honest"), ==, 7);
  fixture_tear_down(&h->recording, NULL);
}

static void assert_sent_away(int socket)
{
  char bytes[256];

  g_assert_cmpint(program_receive(socket, bytes, sizeof bytes, NULL), ==, 0);
  close(socket);
}

/* Says that with those descriptors, and is sent away. */
static void say(Hostile *h, gconstpointer bytes, gsize size, const int *fds, guint n_fds)
{
  int socket = program_connect(&h->recording);

  g_assert_true(program_send(socket, bytes, size, fds, n_fds));
  assert_sent_away(socket);
}

static void say_hello(Hostile *h, const int *fds, guint n_fds)
{
  struct capture_hello hello;

  program_fill_hello(&hello, "hostile");
  say(h, &hello, sizeof hello, fds, n_fds);
}

static void test_wrong_messages(Hostile *h, gconstpointer data)
{
  const int fds[] = {capture_pool_windows_fd(h->pool), capture_pool_control_fd(h->pool)};
  struct capture_hello hello, wrong;
  char longer[4096] = {0};

  program_fill_hello(&hello, "hostile");
  say(h, "x", 1, fds, 2);
  say(h, &hello, sizeof hello - 1, fds, 2);
  memcpy(longer, &hello, sizeof hello);
  say(h, longer, sizeof longer, fds, 2);
  say(h, longer, sizeof hello + 1, fds, 2);
  wrong = hello;
  wrong.type = CAPTURE_ANNOUNCE_TABLE_WANTED;
  say(h, &wrong, sizeof wrong, fds, 2);
  wrong = hello;
  wrong.version++;
  say(h, &wrong, sizeof wrong, fds, 2);
  wrong = hello;
  memset(wrong.name, 'x', sizeof wrong.name);
  say(h, &wrong, sizeof wrong, fds, 2);
}

static void test_wrong_numbers_of_descriptors(Hostile *h, gconstpointer data)
{
  int windows = capture_pool_windows_fd(h->pool), control = capture_pool_control_fd(h->pool);
  const int many[] = {windows, control, windows, control, windows, control, windows, control};

  say_hello(h, NULL, 0);
  say_hello(h, many, 1);
  say_hello(h, many, 3);
  say_hello(h, many, 8);
}

static void test_descriptors_that_are_no_windows(Hostile *h, gconstpointer data)
{
  int windows = capture_pool_windows_fd(h->pool), control = capture_pool_control_fd(h->pool), pair[2];
  g_assert_cmpint(pipe2(pair, O_CLOEXEC), ==, 0);
  const int strange[] = {open("/dev/zero", O_RDWR | O_CLOEXEC),
                         open("/", O_RDONLY | O_CLOEXEC),
                         open("/proc/self/exe", O_RDONLY | O_CLOEXEC),
                         open("/", O_PATH | O_CLOEXEC),
                         pair[0],
                         pair[1]};

  for (guint i = 0; i < G_N_ELEMENTS(strange); i++) {
    say_hello(h, (const int[]){strange[i], control}, 2);
    say_hello(h, (const int[]){windows, strange[i]}, 2);
    close(strange[i]);
  }
  say_hello(h, (const int[]){control, windows}, 2);
}

static int make_memfd(guint flags, guint64 size, gboolean whole, guint seals, gconstpointer content, gsize n)
{
  int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING | flags);

  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(ftruncate(fd, (off_t)size), ==, 0);
  if (whole)
    g_assert_cmpint(fallocate(fd, 0, 0, (off_t)size), ==, 0);
  if (n > 0)
    g_assert_cmpint(pwrite(fd, content, n, 0), ==, n);
  g_assert_cmpint(fcntl(fd, F_ADD_SEALS, seals), ==, 0);
  return fd;
}

static void say_hello_with(Hostile *h, int windows, int control)
{
  say_hello(h, (const int[]){windows, control}, 2);
  close(windows);
  close(control);
}

static int make_windows(guint64 size)
{
  return make_memfd(0, size, TRUE, WINDOWS_SEALS, NULL, 0);
}

static int make_control(guint32 size, guint32 count)
{
  struct capture_pool_control control = {.magic = CAPTURE_POOL_MAGIC,
                                         .version = CAPTURE_POOL_VERSION,
                                         .window_size = size,
                                         .window_count = count};

  return make_memfd(0, sizeof control, TRUE, SEALS, &control, sizeof control);
}

static void test_windows_that_could_be_taken_away(Hostile *h, gconstpointer data)
{
  static const guint missing[] = {F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_FUTURE_WRITE};

  for (guint i = 0; i < G_N_ELEMENTS(missing); i++)
    say_hello_with(h, make_memfd(0, 65536, TRUE, WINDOWS_SEALS & ~missing[i], NULL, 0),
                   make_control(16384, 4));
  /* Not all there, so that reading it may fail where memory is short. */
  say_hello_with(h, make_memfd(0, 65536, FALSE, WINDOWS_SEALS, NULL, 0), make_control(16384, 4));
  /* More than one program may bring. */
  say_hello_with(h, make_memfd(0, 1u << 30, FALSE, WINDOWS_SEALS, NULL, 0), make_control(1u << 20, 1024));
}

static void test_sizes_that_lie(Hostile *h, gconstpointer data)
{
  static const guint32 sizes[][2] = {
      {16384, 5},           {16384, 3},  {16384, 0},       {0, 4},
      {1, 65536},           {65536, 2},  {0x80000000u, 2}, {0xffffffffu, 0xffffffffu},
      {0xfffff000u, 0x10u}, {4096, 1009}};
  guint8 garbage[4096];

  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    say_hello_with(h, make_windows(65536), make_control(sizes[i][0], sizes[i][1]));
  memset(garbage, 0xa5, sizeof garbage);
  say_hello_with(h, make_windows(65536), make_memfd(0, sizeof garbage, TRUE, SEALS, garbage, sizeof garbage));
  say_hello_with(h, make_windows(65536), make_memfd(0, 8192, TRUE, SEALS, NULL, 0));
  say_hello_with(h, make_windows(65536), make_memfd(0, 0, FALSE, SEALS, NULL, 0));
}

static void test_words_out_of_turn(Hostile *h, gconstpointer data)
{
  struct capture_hello hello;
  struct capture_table_message table = {.type = CAPTURE_ANNOUNCE_TABLE_WANTED};
  const int fds[] = {capture_pool_windows_fd(h->pool), capture_pool_control_fd(h->pool)};
  Program program;

  program_fill_hello(&hello, "twice");
  program_join(&program, &h->recording, "twice");
  g_assert_true(program_send(program.socket, &hello, sizeof hello, fds, 2));
  assert_sent_away(dup(program.socket));
  program_leave(&program);
  /* Tables are for the preload library, and its alone. */
  program_join(&program, &h->recording, "embedder");
  g_assert_true(program_send(program.socket, &table, sizeof table, fds, 1));
  assert_sent_away(dup(program.socket));
  program_leave(&program);
  for (guint n = 2; n < 4; n++) {
    const int more[] = {fds[0], fds[1], fds[0]};
    program_join(&program, &h->recording, "preload");
    g_assert_true(program_send(program.socket, &table, sizeof table, more, n));
    assert_sent_away(dup(program.socket));
    program_leave(&program);
  }
  table.type = CAPTURE_ANNOUNCE_TABLE;
  program_join(&program, &h->recording, "preload");
  g_assert_true(program_send(program.socket, &table, sizeof table, fds, 1));
  assert_sent_away(dup(program.socket));
  program_leave(&program);
}

/* Silence is not waited for for ever, and one process cannot hold all places. */
static void test_silence(Hostile *h, gconstpointer data)
{
  int sockets[40];

  for (guint i = 0; i < G_N_ELEMENTS(sockets); i++)
    sockets[i] = program_connect(&h->recording);
  for (guint i = 0; i < G_N_ELEMENTS(sockets); i++)
    assert_sent_away(sockets[i]);
  g_assert_cmpuint(recording_samplers_get_n_refused(h->recording.samplers), >=, G_N_ELEMENTS(sockets) - 16);
  g_assert_cmpuint(recording_samplers_get_n_programs(h->recording.samplers), ==, 1);
}

/* A child that connects as often as one process may, says so, and is silent. */
static pid_t fork_silent(Hostile *h, int told)
{
  pid_t pid = fork();

  g_assert_cmpint(pid, >=, 0);
  if (pid > 0)
    return pid;
  for (guint i = 0; i < 16; i++)
    program_connect(&h->recording);
  (void)!write(told, "x", 1);
  for (;;)
    pause();
}

/* More who are silent than are waited for: they make room for who speaks. */
static void test_silent_crowd(Hostile *h, gconstpointer data)
{
  pid_t children[20];
  Program program;
  int told[2];
  char byte;

  g_assert_cmpint(pipe2(told, O_CLOEXEC), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS(children); i++)
    children[i] = fork_silent(h, told[1]);
  for (guint i = 0; i < G_N_ELEMENTS(children); i++)
    g_assert_cmpint(read(told[0], &byte, 1), ==, 1);
  program_join(&program, &h->recording, "late");
  program_leave(&program);
  g_assert_cmpuint(recording_samplers_get_n_refused(h->recording.samplers), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS(children); i++) {
    kill(children[i], SIGKILL);
    waitpid(children[i], NULL, 0);
  }
  close(told[0]);
  close(told[1]);
}

/* A stream that makes no sense is given up, and the capture says so. */
static void write_nonsense(Hostile *h, const struct capture_window_header *fill, gconstpointer content,
                           gsize length)
{
  RecordingCounts before, after;
  Program program;

  recording_collector_get_counts(h->recording.collector, &before);
  program_join(&program, &h->recording, "\033[2Jnonsense");
  program_write_window(&program, fill, content, length);
  program_write_samples(&program, 3);
  g_assert_cmpint(recording_collector_collect(h->recording.collector, NULL), ==, 0);
  program_leave(&program);
  recording_collector_get_counts(h->recording.collector, &after);
  g_assert_cmpuint(before.samples, ==, after.samples);
}

static void test_windows_of_others(Hostile *h, gconstpointer data)
{
  static const guint16 kinds[] = {0,
                                  CAPTURE_WINDOW_FOREIGN,
                                  CAPTURE_WINDOW_META,
                                  CAPTURE_WINDOW_NAMES,
                                  CAPTURE_WINDOW_INDEX,
                                  CAPTURE_WINDOW_FOOTER,
                                  9,
                                  0xffff};
  const guint8 content[64] = {0};

  for (guint i = 0; i < G_N_ELEMENTS(kinds); i++)
    write_nonsense(h, &(struct capture_window_header){.kind = kinds[i], .epoch = 1}, content, sizeof content);
  g_assert_true(fixture_has_message(&h->recording, "is not valid"));
  g_assert_true(fixture_has_message(&h->recording, "?[2Jnonsense"));
  g_assert_false(fixture_has_message(&h->recording, "\033"));
}

static void test_records_that_lie(Hostile *h, gconstpointer data)
{
  static const guint32 sizes[] = {0, 4, 7, 12, 64, 0x7ffffff8, 0xfffffff8, 0xffffffff};
  static const guint16 types[] = {
      CAPTURE_RECORD_STREAM,       CAPTURE_RECORD_METADATA,       CAPTURE_RECORD_NAMED_BINARY,
      CAPTURE_RECORD_FUNCTIONS,    CAPTURE_RECORD_PLACE_FRAMES,   CAPTURE_RECORD_PLACE,
      CAPTURE_RECORD_MACHINE_CODE, CAPTURE_RECORD_PLACES_OUTCOME, CAPTURE_RECORD_SOURCE_TEXT};
  static const guint16 kinds[] = {CAPTURE_WINDOW_DICTIONARY, CAPTURE_WINDOW_RECORDS};

  for (guint k = 0; k < G_N_ELEMENTS(kinds); k++) {
    const struct capture_window_header fill = {.kind = kinds[k], .epoch = 1};
    for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
      struct capture_record record[4] = {{.size = sizes[i], .type = CAPTURE_RECORD_STRING}};
      write_nonsense(h, &fill, record, sizeof record);
    }
    for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
      struct capture_record record[2] = {{.size = sizeof record, .type = types[i]}};
      write_nonsense(h, &fill, record, sizeof record);
    }
    write_nonsense(h, &fill, "odd", 3);
  }
}

/* A program speaks of itself: what it says of others would be believed of them. */
static void test_records_of_others(Hostile *h, gconstpointer data)
{
  static const guint16 types[] = {CAPTURE_RECORD_KERNEL_SYMBOL, CAPTURE_RECORD_THROTTLE, CAPTURE_RECORD_FORK,
                                  CAPTURE_RECORD_EXIT, CAPTURE_RECORD_CPU};
  const struct capture_window_header fill = {.kind = CAPTURE_WINDOW_DICTIONARY, .epoch = 1};
  const struct capture_record_process process = {
      .record = {.size = sizeof process, .type = CAPTURE_RECORD_PROCESS}, .id = 1, .pid = getppid()};
  const struct capture_record_mapping mapping = {
      .record = {.size = sizeof mapping, .type = CAPTURE_RECORD_MAPPING}, .end = G_MAXUINT64};

  for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
    struct capture_record record[8] = {{.size = sizeof record, .type = types[i]}};
    write_nonsense(h, &fill, record, sizeof record);
  }
  write_nonsense(h, &fill, &process, sizeof process);
  write_nonsense(h, &fill, &mapping, sizeof mapping);
}

static void test_samples_that_lie(Hostile *h, gconstpointer data)
{
  static const guint16 sizes[] = {0, 1, 8, 15, 17, 33, 48, 0xffff};
  guint64 now = (guint64)g_get_monotonic_time() * 1000;
  const guint8 entries[96] = {0};

  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    write_nonsense(
        h,
        &(struct capture_window_header){
            .kind = CAPTURE_WINDOW_SAMPLES, .entry_size = sizes[i], .time_first = now, .time_last = now},
        entries, sizeof entries);
  struct capture_window_header fill = {
      .kind = CAPTURE_WINDOW_SAMPLES, .entry_size = 16, .time_first = now, .time_last = now};
  write_nonsense(h, &fill, entries, 95);
  fill.time_last = G_MAXUINT64;
  write_nonsense(h, &fill, entries, 96);
  fill.time_first = G_MAXUINT64;
  write_nonsense(h, &fill, entries, 96);
  fill.time_first = fill.time_last = 1;
  write_nonsense(h, &fill, entries, 96);
}

typedef struct {
  guint8 *windows;
  gsize length;
  gint stop;
} Scribbler;

/* Changes what is being read, as fast as it can. */
static gpointer scribble(gpointer data)
{
  Scribbler *self = data;
  guint32 state = 12345;

  while (!g_atomic_int_get(&self->stop)) {
    for (guint i = 0; i < 4096; i++) {
      state = state * 1664525 + 1013904223;
      gsize window = (state >> 20) % (self->length / 16384) * 16384;
      gsize at = window + ((state >> 8) % 3 ? (state >> 4) % 64 : (state >> 4) % 16384);
      __atomic_store_n(&self->windows[at], (guint8)(state >> 24), __ATOMIC_RELAXED);
    }
  }
  return NULL;
}

static int join_with(Hostile *h, int windows, int control)
{
  struct capture_settings settings;
  struct capture_hello hello;
  int socket = program_connect(&h->recording);

  program_fill_hello(&hello, "scribbler");
  g_assert_true(program_send(socket, &hello, sizeof hello, (const int[]){windows, control}, 2));
  g_assert_cmpint(program_receive(socket, &settings, sizeof settings, NULL), ==, sizeof settings);
  return socket;
}

static void test_windows_changed_while_read(Hostile *h, gconstpointer data)
{
  const gsize length = 16384 * 8;

  for (guint i = 0; i < 20; i++) {
    int control = make_control(16384, 8);
    int windows = make_memfd(0, length, TRUE, 0, NULL, 0);
    Scribbler scribbler = {.length = length};
    scribbler.windows = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, windows, 0);
    g_assert_true(scribbler.windows != MAP_FAILED);
    g_assert_cmpint(fcntl(windows, F_ADD_SEALS, WINDOWS_SEALS), ==, 0);
    int socket = join_with(h, windows, control);
    GThread *thread = g_thread_new("scribbler", scribble, &scribbler);
    for (guint j = 0; j < 50; j++)
      g_assert_cmpint(recording_collector_collect(h->recording.collector, NULL), ==, 0);
    g_atomic_int_set(&scribbler.stop, 1);
    g_thread_join(thread);
    munmap(scribbler.windows, length);
    close(windows);
    close(control);
    close(socket);
  }
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*test)(Hostile *, gconstpointer);
  } tests[] = {
      {"wrong-messages", test_wrong_messages},
      {"wrong-numbers-of-descriptors", test_wrong_numbers_of_descriptors},
      {"descriptors-that-are-no-windows", test_descriptors_that_are_no_windows},
      {"windows-that-could-be-taken-away", test_windows_that_could_be_taken_away},
      {"sizes-that-lie", test_sizes_that_lie},
      {"words-out-of-turn", test_words_out_of_turn},
      {"silence", test_silence},
      {"silent-crowd", test_silent_crowd},
      {"windows-of-others", test_windows_of_others},
      {"records-that-lie", test_records_that_lie},
      {"records-of-others", test_records_of_others},
      {"samples-that-lie", test_samples_that_lie},
      {"windows-changed-while-read", test_windows_changed_while_read},
  };

  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_autofree char *path = g_strconcat("/recording/hostile/", tests[i].path, NULL);
    g_test_add(path, Hostile, NULL, set_up, tests[i].test, tear_down);
  }
  return g_test_run();
}
