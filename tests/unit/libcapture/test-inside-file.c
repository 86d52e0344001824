/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capture of a program's own among signals, fork, full disks and other captures. */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "own-file.h"

/* ── Signals and fork ─────────────────────────────────────────────────────────────────────────────────── */

static capture *in_handler;
static uint32_t handler_event;
static volatile sig_atomic_t n_handled;

static void handle(int number)
{
  char text[32] = "handler   ";
  uint64_t frame;

  text[8] = (char)('a' + n_handled % 26);
  text[9] = (char)('a' + n_handled / 26 % 26);
  frame = CAPTURE_IDENTIFIER(capture_string(in_handler, text, CAPTURE_NUL));
  errno = 99;
  capture_mark(in_handler, 0, (uint32_t)frame, "in a handler");
  sample(in_handler, handler_event, &frame, 1, 0, 0);
  if (errno != 99)
    abort();
  n_handled++;
}

static void test_signal_handler(void)
{
  const struct capture_options options = {.size = sizeof options, .max_nodes = 2000};
  const struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
  const struct itimerval every = {{0, 500}, {0, 500}}, never = {{0, 0}, {0, 0}};
  struct sigaction before;
  g_autoptr(Told) told = NULL;
  uint32_t event;
  uint64_t n = 0;
  Fixture f;

  set_up(&f, &options);
  g_assert_cmpint(capture_thread_begin(f.c, NULL), ==, 0);
  event = capture_event(f.c, "calls", CAPTURE_EVENT_COUNT, 1);
  handler_event = capture_event(f.c, "interruptions", CAPTURE_EVENT_COUNT, 1);
  in_handler = f.c;
  n_handled = 0;
  sigaction(SIGALRM, &action, &before);
  setitimer(ITIMER_REAL, &every, NULL);
  for (; n_handled < 300 && n < 100000; n++) {
    uint64_t frames[2] = {0x1000 + n % 3000, 0x9000};

    sample(f.c, event, frames, 2, 0, 0);
    capture_mark(f.c, 0, name(f.c, "ordinary"), NULL);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  sigaction(SIGALRM, &before, NULL);
  told = finish(&f);
  g_assert_cmpuint(told->samples->len + told->lost_samples, ==, n + (uint64_t)n_handled);
  g_assert_cmpuint(told->marks->len + told->lost_records, ==, n + (uint64_t)n_handled);
  g_assert_cmpuint(told_count_samples(told, "interruptions"), >, 0);
  g_assert_cmpuint(told_count_marks(told, "handler aa"), >, 0);
}

static void test_child_has_no_part_in_an_own_file(void)
{
  g_autoptr(Told) told = NULL;
  uint32_t event;
  Fixture f;
  int status;
  pid_t pid;

  set_up(&f, NULL);
  event = capture_event(f.c, "calls", CAPTURE_EVENT_COUNT, 1);
  capture_mark(f.c, 0, name(f.c, "parent"), NULL);
  pid = fork();
  if (pid == 0) {
    uint64_t frame = 1;
    bool recording = capture_is_recording(f.c);

    capture_mark(f.c, 0, name(f.c, "child"), NULL);
    sample(f.c, event, &frame, 1, 0, 0);
    capture_thread_begin(f.c, "child");
    capture_flush(f.c);
    capture_close(f.c);
    _exit(recording);
  }
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_cmpint(status, ==, 0);
  capture_mark(f.c, 0, name(f.c, "parent"), NULL);
  told = finish(&f);
  g_assert_cmpuint(told_count_marks(told, "parent"), ==, 2);
  g_assert_cmpuint(told_count_marks(told, "child"), ==, 0);
  g_assert_cmpuint(told->samples->len, ==, 0);
}

/* ── The file ─────────────────────────────────────────────────────────────────────────────────────────── */

static void test_small_pool_is_emptied(void)
{
  const struct capture_options options = {.size = sizeof options, .window_count = 8, .window_size = 8192};
  g_autoptr(Told) told = NULL;
  Fixture f;

  set_up(&f, &options);
  for (int i = 0; i < 20000; i++)
    capture_mark(f.c, 0, name(f.c, "mark"), "so that there is something to write");
  g_assert_cmpint(capture_flush(f.c), ==, 0);
  told = finish(&f);
  g_assert_cmpuint(told->lost_records, ==, 0);
  g_assert_cmpuint(told_count_marks(told, "mark"), ==, 20000);
}

static void test_full_disk(void)
{
  const struct capture_options options = {.size = sizeof options, .window_count = 8};
  capture *c = NULL;
  int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

  g_assert_cmpint(capture_create(&c, fd, &options), ==, -ESPIPE);
  g_assert_null(c);
  close(fd);
  fd = memfd_create("sealed", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  g_assert_cmpint(capture_create(&c, fd, &options), ==, 0);
  g_assert_cmpint(fcntl(fd, F_ADD_SEALS, F_SEAL_GROW), ==, 0);
  for (int i = 0; i < 20000; i++)
    capture_mark(c, 0, name(c, "mark"), "so that there is something to write");
  g_assert_cmpint(capture_flush(c), <, 0);
  capture_close(c);
  close(fd);
}

static void test_options(void)
{
  const struct capture_options bad[] = {{.size = sizeof bad[0], .max_nodes = 1u << 30},
                                        {.size = sizeof bad[0], .max_strings = 1u << 30},
                                        {.size = sizeof bad[0], .max_threads = 1u << 30},
                                        {.size = sizeof bad[0], .window_count = 5000},
                                        {.size = sizeof bad[0], .window_size = 1u << 30}};
  const struct capture_options shorter = {
      .size = offsetof(struct capture_options, max_nodes), .max_nodes = 1u << 30, .window_size = 1u << 30};
  Fixture f;

  for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
    capture *c = NULL;
    int fd = memfd_create("options", MFD_CLOEXEC);

    g_assert_cmpint(capture_create(&c, fd, &bad[i]), ==, -EINVAL);
    g_assert_null(c);
    close(fd);
  }
  set_up(&f, &shorter);
  told_free(finish(&f));
}

static void test_two_captures(void)
{
  g_autoptr(Told) first = NULL;
  g_autoptr(Told) second = NULL;
  Fixture a, b;

  set_up(&a, NULL);
  set_up(&b, NULL);
  g_assert_cmpint(capture_thread_begin(a.c, "in a"), ==, 0);
  g_assert_cmpint(capture_thread_begin(b.c, "in b"), ==, 0);
  for (int i = 0; i < 100; i++) {
    capture_mark(a.c, 0, name(a.c, "for a"), NULL);
    capture_mark(b.c, 0, name(b.c, "for b"), NULL);
  }
  first = finish(&a);
  second = finish(&b);
  g_assert_cmpuint(told_count_marks(first, "for a"), ==, 100);
  g_assert_cmpuint(told_count_marks(second, "for b"), ==, 100);
  g_assert_cmpuint(first->n_threads, ==, 1);
  g_assert_cmpuint(second->n_threads, ==, 1);
  g_assert_cmpstr(g_array_index(first->marks, ToldMark, 99).thread, ==, "in a");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/inside/signal", test_signal_handler);
  g_test_add_func("/inside/fork", test_child_has_no_part_in_an_own_file);
  g_test_add_func("/inside/file/small-pool", test_small_pool_is_emptied);
  g_test_add_func("/inside/file/full-disk", test_full_disk);
  g_test_add_func("/inside/options", test_options);
  g_test_add_func("/inside/two", test_two_captures);
  return g_test_run();
}
