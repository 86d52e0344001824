/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that keep to the protocol: joining, leaving, tables. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "tests/unit/recording/samplers-fixture.h"

static void test_one_joins(Fixture *f, gconstpointer data)
{
  Program program;

  fixture_start(f);
  program_join(&program, f, "lua");
  program_write_samples(&program, 10);
  program_leave(&program);
  fixture_await_samples(f, 10);
  recording_samplers_stop(f->samplers);
  g_assert_cmpint(recording_collector_collect(f->collector, NULL), ==, 0);
  g_assert_cmpuint(fixture_count_samples(f, "lua"), ==, 10);
  g_assert_cmpuint(recording_samplers_get_n_programs(f->samplers), ==, 1);
}

static void test_directory_is_private(Fixture *f, gconstpointer data)
{
  struct stat status;

  g_assert_cmpint(stat(f->directory, &status), ==, 0);
  g_assert_cmpuint(status.st_mode & 07777, ==, 0700);
}

/* A directory like a recording's, as old as that; *ret_socket is its socket, bound. */
static char *make_left_behind(Fixture *f, const char *name, guint seconds, int *ret_socket)
{
  const struct timespec times[2] = {{.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
  g_autofree char *place = g_path_get_dirname(f->directory);
  g_autofree char *entry = g_strdup_printf("capture-socket-%s-%d", name, (int)getpid());
  char *directory = g_build_filename(place, entry, NULL);
  struct sockaddr_un address = {.sun_family = AF_UNIX};

  g_assert_cmpint(mkdir(directory, 0700), ==, 0);
  g_snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", directory);
  *ret_socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  g_assert_cmpint(bind(*ret_socket, (struct sockaddr *)&address, sizeof address), ==, 0);
  g_assert_cmpint(utimensat(AT_FDCWD, directory, times, 0), ==, 0);
  return directory;
}

static void clear_left_behind(const char *directory, int socket)
{
  g_autofree char *path = g_build_filename(directory, "socket", NULL);

  if (socket >= 0)
    close(socket);
  unlink(path);
  rmdir(directory);
}

/* Where nobody listens any more the next recording clears up. */
static void test_deserted_go(Fixture *f, gconstpointer data)
{
  int deserted_socket, young_socket, used_socket;
  g_autofree char *deserted = make_left_behind(f, "deserted", 3600, &deserted_socket);
  g_autofree char *young = make_left_behind(f, "young", 0, &young_socket);
  g_autofree char *used = make_left_behind(f, "used", 3600, &used_socket);

  close(deserted_socket);
  close(young_socket);
  g_assert_cmpint(listen(used_socket, 1), ==, 0);
  recording_samplers_free(recording_samplers_new(NULL));
  g_assert_false(g_file_test(deserted, G_FILE_TEST_EXISTS));
  g_assert_true(g_file_test(young, G_FILE_TEST_EXISTS));
  g_assert_true(g_file_test(used, G_FILE_TEST_EXISTS));
  clear_left_behind(young, -1);
  clear_left_behind(used, used_socket);
}

/* The command may run before anybody listens, but not before somebody can be reached. */
static void test_early_one_waits(Fixture *f, gconstpointer data)
{
  struct capture_settings settings;
  struct capture_hello hello;
  capture_pool *pool;
  int socket = program_connect(f);

  g_assert_cmpint(capture_pool_create(&pool, NULL), ==, 0);
  program_fill_hello(&hello, "early");
  const int fds[] = {capture_pool_windows_fd(pool), capture_pool_control_fd(pool)};
  g_assert_true(program_send(socket, &hello, sizeof hello, fds, 2));
  fixture_start(f);
  g_assert_cmpint(program_receive(socket, &settings, sizeof settings, NULL), ==, sizeof settings);
  capture_pool_destroy(pool);
  close(socket);
}

/* What a program had committed outlives it, also when nobody looked at it before it went. */
static void test_last_words_are_taken(Fixture *f, gconstpointer data)
{
  Program programs[5];

  fixture_start(f);
  for (guint i = 0; i < G_N_ELEMENTS(programs); i++) {
    program_join(&programs[i], f, "short");
    program_write_samples(&programs[i], 100);
    program_leave(&programs[i]);
  }
  recording_samplers_stop(f->samplers);
  g_assert_cmpint(recording_collector_collect(f->collector, NULL), ==, 0);
  g_assert_cmpuint(fixture_count_samples(f, "short"), ==, 500);
}

static const struct capture_pool_control *map_control(const Program *program)
{
  void *map = mmap(NULL, sizeof(struct capture_pool_control), PROT_READ, MAP_SHARED,
                   capture_pool_control_fd(program->pool), 0);

  g_assert_true(map != MAP_FAILED);
  return map;
}

static void test_end_is_told(Fixture *f, gconstpointer data)
{
  Program program;
  char byte;

  fixture_start(f);
  program_join(&program, f, "lua");
  const struct capture_pool_control *control = map_control(&program);
  recording_samplers_stop(f->samplers);
  g_assert_cmpint(program_receive(program.socket, &byte, 1, NULL), ==, 0);
  g_assert_cmpuint(control->ended, ==, 0);
  recording_collector_end(f->collector);
  g_assert_cmpuint(control->ended, !=, 0);
  munmap((void *)control, sizeof *control);
  program_leave(&program);
}

/* As a build does it. What is kept of each is its part of the file and nothing else. */
static void test_thousands_come_and_go(Fixture *f, gconstpointer data)
{
  const guint warm = 200, many = 3000;
  struct mallinfo2 before, after;

  fixture_start(f);
  for (guint i = 0; i < warm + many; i++) {
    Program program;
    if (i == warm)
      before = mallinfo2();
    program_join(&program, f, "cc1");
    program_write_samples(&program, 1);
    program_leave(&program);
    if (i % 50 == 0)
      g_assert_cmpint(recording_collector_collect(f->collector, NULL), ==, 0);
  }
  fixture_await_samples(f, warm + many);
  after = mallinfo2();
  /* The index grows by 48 bytes for each of two parts. */
  g_assert_cmpuint(after.uordblks, <, before.uordblks + many * 300);
  g_assert_cmpuint(recording_samplers_get_n_programs(f->samplers), ==, warm + many);
  g_assert_cmpuint(recording_samplers_get_n_refused(f->samplers), ==, 0);
}

static void test_only_one_process(Fixture *f, gconstpointer data)
{
  Program program;
  char byte;

  recording_samplers_confine(f->samplers, getpid());
  fixture_start(f);
  program_join(&program, f, "itself");
  program_leave(&program);
  recording_samplers_stop(f->samplers);
  g_assert_cmpint(recording_collector_collect(f->collector, NULL), ==, 0);

  recording_samplers_free(f->samplers);
  g_free(f->directory);
  f->samplers = recording_samplers_new(NULL);
  f->directory = g_path_get_dirname(recording_samplers_get_path(f->samplers));
  recording_samplers_confine(f->samplers, getpid() + 1);
  fixture_start(f);
  int socket = program_connect(f);
  g_assert_cmpint(program_receive(socket, &byte, 1, NULL), ==, 0);
  close(socket);
}

static void want_table(Program *program, int fd, guint64 cookie)
{
  const struct capture_table_message message = {.type = CAPTURE_ANNOUNCE_TABLE_WANTED, .cookie = cookie};

  g_assert_true(program_send(program->socket, &message, sizeof message, &fd, 1));
}

/* The error; *ret_inode is of the memfd, if there is one. */
static int receive_table(Program *program, guint64 cookie, ino_t *ret_inode)
{
  struct capture_table_message message;
  struct stat status;
  int fd;

  g_assert_cmpint(program_receive(program->socket, &message, sizeof message, &fd), ==, sizeof message);
  g_assert_cmpuint(message.type, ==, CAPTURE_ANNOUNCE_TABLE);
  g_assert_cmpuint(message.cookie, ==, cookie);
  g_assert_cmpint(message.error == 0, ==, fd >= 0);
  if (fd < 0)
    return message.error;
  g_assert_cmpint(fcntl(fd, F_GET_SEALS) & ELF_READER_SEALS, ==, ELF_READER_SEALS);
  g_assert_cmpint(fstat(fd, &status), ==, 0);
  g_assert_cmpuint((guint64)status.st_size, ==, message.length);
  if (ret_inode)
    *ret_inode = status.st_ino;
  close(fd);
  return 0;
}

static int open_self(void)
{
  int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

  g_assert_cmpint(fd, >=, 0);
  return fd;
}

static void test_tables_are_made_once(Fixture *f, gconstpointer data)
{
  Program first, second;
  ino_t one = 0, other = 0;

  fixture_start(f);
  program_join(&first, f, "preload one");
  program_join(&second, f, "preload two");
  for (guint64 i = 0; i < 5; i++) {
    int fd = open_self();
    want_table(&first, fd, 100 + i);
    want_table(&second, fd, 200 + i);
    close(fd);
  }
  for (guint64 i = 0; i < 5; i++) {
    g_assert_cmpint(receive_table(&first, 100 + i, &one), ==, 0);
    g_assert_cmpint(receive_table(&second, 200 + i, &other), ==, 0);
    g_assert_cmpuint(one, ==, other);
  }
  program_leave(&first);
  program_leave(&second);
}

/* Nobody has to send the vDSO: there is one, whose table is made once. */
static void test_table_of_the_vdso(Fixture *f, gconstpointer data)
{
  const struct capture_table_message message = {.type = CAPTURE_ANNOUNCE_TABLE_WANTED, .cookie = 7};
  Program programs[2];
  ino_t inodes[2] = {0, 0};

  fixture_start(f);
  for (guint i = 0; i < 2; i++) {
    program_join(&programs[i], f, "preload");
    g_assert_true(program_send(programs[i].socket, &message, sizeof message, NULL, 0));
    g_assert_cmpint(receive_table(&programs[i], 7, &inodes[i]), ==, 0);
  }
  g_assert_cmpuint(inodes[0], ==, inodes[1]);
  for (guint i = 0; i < 2; i++)
    program_leave(&programs[i]);
}

static int open_memfd(const char *content)
{
  int fd = memfd_create("file", MFD_CLOEXEC);

  g_assert_cmpint(write(fd, content, strlen(content)), ==, strlen(content));
  return fd;
}

static void test_files_without_tables(Fixture *f, gconstpointer data)
{
  Program program;
  int pair[2];

  g_assert_cmpint(pipe2(pair, O_CLOEXEC), ==, 0);
  const int fds[] = {open("/", O_RDONLY | O_CLOEXEC), open("/dev/zero", O_RDONLY | O_CLOEXEC), pair[0],
                     open_memfd("no elf file"), open_memfd("")};

  fixture_start(f);
  program_join(&program, f, "preload");
  for (guint i = 0; i < G_N_ELEMENTS(fds); i++) {
    want_table(&program, fds[i], i);
    g_assert_cmpint(receive_table(&program, i, NULL), <, 0);
    close(fds[i]);
  }
  close(pair[1]);
  program_leave(&program);
}

/* Answers wait for a program that does not read; it gets all of them, in order. */
static void test_answers_wait(Fixture *f, gconstpointer data)
{
  const guint n = 3000;
  Program program;
  int fd = open_self();

  fixture_start(f);
  program_join(&program, f, "preload");
  want_table(&program, fd, 0);
  g_assert_cmpint(receive_table(&program, 0, NULL), ==, 0);
  for (guint i = 1; i <= n; i++)
    want_table(&program, fd, i);
  for (guint i = 1; i <= n; i++)
    g_assert_cmpint(receive_table(&program, i, NULL), ==, 0);
  close(fd);
  program_leave(&program);
}

/* One that is gone before its tables are there. */
static void test_asker_leaves(Fixture *f, gconstpointer data)
{
  Program leaver, stayer;
  int fd = open_self();

  fixture_start(f);
  program_join(&leaver, f, "preload one");
  program_join(&stayer, f, "preload two");
  want_table(&leaver, fd, 1);
  program_leave(&leaver);
  want_table(&stayer, fd, 2);
  g_assert_cmpint(receive_table(&stayer, 2, NULL), ==, 0);
  close(fd);
  program_leave(&stayer);
}

int main(int argc, char **argv)
{
  static const struct {
    const char *path;
    void (*test)(Fixture *, gconstpointer);
  } tests[] = {
      {"one-joins", test_one_joins},
      {"directory-is-private", test_directory_is_private},
      {"deserted-go", test_deserted_go},
      {"early-one-waits", test_early_one_waits},
      {"last-words-are-taken", test_last_words_are_taken},
      {"end-is-told", test_end_is_told},
      {"thousands-come-and-go", test_thousands_come_and_go},
      {"only-one-process", test_only_one_process},
      {"tables/made-once", test_tables_are_made_once},
      {"tables/vdso", test_table_of_the_vdso},
      {"tables/files-without", test_files_without_tables},
      {"tables/answers-wait", test_answers_wait},
      {"tables/asker-leaves", test_asker_leaves},
  };

  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_autofree char *path = g_strconcat("/recording/samplers/", tests[i].path, NULL);
    g_test_add(path, Fixture, NULL, fixture_set_up, tests[i].test, fixture_tear_down);
  }
  return g_test_run();
}
