/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs and a recording: how they come together, what is lost, many threads, fork. */
#include <errno.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host.h"
#include "libcapture/inside/capture-inside-private.h"
#include "told.h"

static uint32_t name(capture *c, const char *text)
{
  return capture_string(c, text, CAPTURE_NUL);
}

static int sample(capture *c, uint32_t event, uint64_t frame, uint64_t detail)
{
  const struct capture_sample_options options = {.size = sizeof options, .event = event, .detail = detail};
  struct capture_stack stack;
  int r = capture_sample_begin(c, &stack, &options);

  capture_sample_frame(&stack, frame);
  capture_sample_frame(&stack, 0x1234);
  capture_sample_end(&stack);
  return r;
}

static capture *connect_to(const struct capture_options *options)
{
  capture *c = NULL;

  g_assert_cmpint(capture_connect(&c, options), ==, 0);
  g_assert_nonnull(c);
  return c;
}

static Told *finish(struct host *host)
{
  int fd = host_finish(host);
  Told *told = told_read(fd);

  close(fd);
  return told;
}

static void test_together(void)
{
  const struct capture_options options = {.size = sizeof options, .name = "embedder"};
  struct host *host = host_new(HOST_SETTINGS, 0);
  g_autoptr(Told) told = NULL;
  capture *c = connect_to(&options);

  g_assert_true(capture_is_recording(c));
  capture_mark(c, 0, name(c, "here"), NULL);
  g_assert_cmpstr(host->programs[0].name, ==, "embedder");
  g_assert_cmpint(host->programs[0].pid, ==, getpid());
  capture_close(c);
  told = finish(host);
  g_assert_cmpuint(told_count_marks(told, "here"), ==, 1);
  g_assert_cmpint(GPOINTER_TO_INT(g_hash_table_lookup(told->pids, GUINT_TO_POINTER(1))), ==, getpid());
}

static void test_command_lines(void)
{
  for (guint i = 0; i < 2; i++) {
    struct host *host = host_new(HOST_SETTINGS, i ? CAPTURE_SETTINGS_NO_COMMAND_LINES : 0);
    g_autoptr(Told) told = NULL;

    capture_close(connect_to(NULL));
    told = finish(host);
    g_assert_cmpuint(told->n_command_lines, ==, 1 - i);
  }
}

static void test_counted(void)
{
  struct host *host = host_new(HOST_SETTINGS, 0);
  g_autoptr(Told) told = NULL;
  capture *first = connect_to(NULL), *second = connect_to(NULL);

  g_assert_true(first == second);
  capture_close(first);
  g_assert_true(capture_is_recording(second));
  capture_mark(second, 0, name(second, "still"), NULL);
  capture_close(second);
  first = connect_to(NULL);
  capture_mark(first, 0, name(first, "again"), NULL);
  capture_close(first);
  g_assert_cmpuint(host->n_programs, ==, 2);
  told = finish(host);
  g_assert_cmpuint(told_count_marks(told, "still"), ==, 1);
  g_assert_cmpuint(told_count_marks(told, "again"), ==, 1);
}

static void test_not_together(void)
{
  const struct {
    enum host_answer answer;
    int expected;
  } cases[] = {{HOST_REFUSES, -ECONNREFUSED}, {HOST_SILENT, -ETIMEDOUT}, {HOST_GARBAGE, -EPROTO}};
  g_autofree char *longest = g_strnfill(200, 'x');

  for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
    struct host *host = host_new(cases[i].answer, 0);
    capture *c = (capture *)-1;

    g_assert_cmpint(capture_connect(&c, NULL), ==, cases[i].expected);
    g_assert_null(c);
    told_free(finish(host));
  }
  for (int i = 0; i < 2; i++) {
    capture *c = (capture *)-1;

    g_setenv(CAPTURE_SOCKET_VARIABLE, i ? longest : "/nonexistent/socket", TRUE);
    g_assert_cmpint(capture_connect(&c, NULL), ==, i ? -ENAMETOOLONG : -ENOENT);
    g_assert_null(c);
  }
  g_unsetenv(CAPTURE_SOCKET_VARIABLE);
}

static void test_recording_ends(void)
{
  struct host *host = host_new(HOST_SETTINGS, 0);
  g_autoptr(Told) told = NULL;
  capture *c = connect_to(NULL);
  uint32_t event = capture_event(c, "calls", CAPTURE_EVENT_COUNT, 1);

  capture_mark(c, 0, name(c, "before"), NULL);
  host_end(host);
  g_assert_false(capture_is_recording(c));
  capture_mark(c, 0, name(c, "after"), NULL);
  g_assert_cmpint(sample(c, event, 1, 0), <, 0);
  capture_close(c);
  told = finish(host);
  g_assert_cmpuint(told_count_marks(told, "before"), ==, 1);
  g_assert_cmpuint(told_count_marks(told, "after"), ==, 0);
  g_assert_cmpuint(told->lost_records, ==, 0);
}

/* Nothing waits for a consumer that takes nothing, and what is lost is counted. */
static void test_consumer_stalls(void)
{
  const struct capture_options options = {.size = sizeof options, .window_count = 16, .max_nodes = 2000};
  struct host *host = host_new(HOST_SETTINGS, 0);
  g_autoptr(Told) told = NULL;
  capture *c = connect_to(&options);
  uint32_t event = capture_event(c, "calls", CAPTURE_EVENT_COUNT, 1);
  const uint64_t total = 20000;
  uint64_t total_marks = total;

  atomic_store(&host->stalls, true);
  for (uint64_t i = 0; i < total; i++) {
    sample(c, event, 0x10000 + i, 0);
    capture_mark(c, 0, name(c, "mark"), "which takes some room");
  }
  atomic_store(&host->stalls, false);
  /* What was lost is said with a later call; those that find no room yet are lost as well.
   * A busy machine's host takes a while until it has made room. */
  do {
    g_usleep(50000);
    capture_mark(c, 0, name(c, "mark"), NULL);
    total_marks++;
  } while (total_marks < total + 20);
  capture_close(c);
  told = finish(host);
  g_assert_cmpuint(told->lost_samples, >, 0);
  g_assert_cmpuint(told->lost_records, >, 0);
  g_assert_cmpuint(told->samples->len + told->lost_samples, ==, total);
  g_assert_cmpuint(told->marks->len + told->lost_records, ==, total_marks);
}

/* ── Threads ──────────────────────────────────────────────────────────────────────────────────────────── */

#define N_THREADS 64
#define N_ROUNDS  300

struct crew {
  capture *c;
  uint32_t event;
  _Atomic uint32_t next;
  _Atomic uint32_t refused;
};

/* All intern the same names in another order each; samples and marks tell who wrote them. */
static void *work(void *data)
{
  struct crew *crew = data;
  uint32_t number = atomic_fetch_add(&crew->next, 1);
  char text[32];

  g_snprintf(text, sizeof text, "thread %u", number);
  if (capture_thread_begin(crew->c, text) != 0)
    atomic_fetch_add(&crew->refused, 1);
  for (uint32_t i = 0; i < N_ROUNDS; i++) {
    uint32_t which = (i * 7 + number) % N_ROUNDS;
    uint32_t function;

    g_snprintf(text, sizeof text, "name %u", which);
    function = name(crew->c, text);
    if (i % 3 == 0)
      capture_mark(crew->c, 0, function, NULL);
    sample(crew->c, crew->event, CAPTURE_IDENTIFIER(function), (uint64_t)(number + 1) << 32 | which);
  }
  if (number % 2)
    capture_thread_end(crew->c);
  return NULL;
}

static void run_crew(struct crew *crew, uint32_t n)
{
  pthread_t threads[N_THREADS];

  for (uint32_t i = 0; i < n; i++)
    g_assert_cmpint(pthread_create(&threads[i], NULL, work, crew), ==, 0);
  for (uint32_t i = 0; i < n; i++)
    g_assert_cmpint(pthread_join(threads[i], NULL), ==, 0);
}

static void check_crew(const Told *told, uint64_t n)
{
  const uint64_t n_marks = n * (N_ROUNDS / 3);

  g_assert_cmpuint(told->samples->len + told->lost_samples, ==, n * N_ROUNDS);
  g_assert_cmpuint(told->marks->len + told->lost_records, ==, n_marks);
  g_assert_cmpuint(told->samples->len, >, 0);
  for (guint i = 0; i < told->samples->len; i++) {
    const ToldSample *found = &g_array_index(told->samples, ToldSample, i);
    g_autofree char *stack = g_strdup_printf("name %u;1234", (uint32_t)found->detail);
    g_autofree char *thread = g_strdup_printf("thread %u", (uint32_t)(found->detail >> 32) - 1);

    g_assert_cmpstr(found->stack, ==, stack);
    g_assert_cmpstr(found->thread, ==, thread);
  }
}

static void test_many_threads(void)
{
  const struct capture_options options = {
      .size = sizeof options, .max_nodes = 1500, .window_count = 256, .max_threads = N_THREADS};
  struct host *host = host_new(HOST_SETTINGS, 0);
  struct crew crew = {.c = connect_to(&options)};
  g_autoptr(Told) told = NULL;

  crew.event = capture_event(crew.c, "calls", CAPTURE_EVENT_COUNT, 1);
  for (int i = 0; i < 2; i++)
    run_crew(&crew, N_THREADS);
  capture_close(crew.c);
  g_assert_cmpuint(crew.refused, ==, 0);
  told = finish(host);
  check_crew(told, 2 * N_THREADS);
}

/* A thread that ended gives its place to others, said or not. */
static void test_places_of_threads(void)
{
  const struct capture_options options = {.size = sizeof options, .max_threads = 2};
  struct host *host = host_new(HOST_SETTINGS, 0);
  struct crew crew = {.c = connect_to(&options)};

  crew.event = capture_event(crew.c, "calls", CAPTURE_EVENT_COUNT, 1);
  for (int i = 0; i < 50; i++)
    run_crew(&crew, 2);
  g_assert_cmpuint(crew.refused, ==, 0);
  g_assert_cmpint(capture_thread_begin(crew.c, "main"), ==, 0);
  capture_thread_end(crew.c);
  capture_thread_end(crew.c);
  capture_close(crew.c);
  told_free(finish(host));
}

static void *hold_place(void *data)
{
  struct crew *crew = data;

  if (capture_thread_begin(crew->c, "holder") != 0)
    atomic_fetch_add(&crew->refused, 1);
  atomic_fetch_add(&crew->next, 1);
  while (atomic_load(&crew->next) < 3)
    g_usleep(1000);
  return NULL;
}

static void test_too_many_threads(void)
{
  const struct capture_options options = {.size = sizeof options, .max_threads = 2};
  struct host *host = host_new(HOST_SETTINGS, 0);
  struct crew crew = {.c = connect_to(&options)};
  g_autoptr(Told) told = NULL;
  pthread_t threads[3];

  for (int i = 0; i < 3; i++)
    g_assert_cmpint(pthread_create(&threads[i], NULL, hold_place, &crew), ==, 0);
  for (int i = 0; i < 3; i++)
    g_assert_cmpint(pthread_join(threads[i], NULL), ==, 0);
  g_assert_cmpuint(crew.refused, ==, 1);
  g_assert_cmpint(capture_thread_begin(crew.c, "main"), ==, 0);
  capture_close(crew.c);
  told = finish(host);
  g_assert_cmpuint(told->messages->len, ==, 1);
  g_assert_nonnull(strstr(told->messages->pdata[0], "max_threads"));
}

/* ── fork ─────────────────────────────────────────────────────────────────────────────────────────────── */

static void *fork_often(void *data)
{
  struct crew *crew = data;

  for (int i = 0; i < 10; i++) {
    int status;
    pid_t pid = fork();

    if (pid == 0) {
      bool recording = capture_is_recording(crew->c);

      for (int j = 0; j < 10; j++) {
        capture_mark(crew->c, 0, name(crew->c, "child"), NULL);
        sample(crew->c, crew->event, CAPTURE_IDENTIFIER(name(crew->c, "in the child")), 7);
      }
      capture_close(crew->c);
      _exit(recording);
    }
    if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
      abort();
    atomic_fetch_add(&crew->refused, (uint32_t)WEXITSTATUS(status));
  }
  return NULL;
}

/* Forks while other threads are in the midst of calls. */
static void fork_among_threads(struct crew *crew)
{
  pthread_t forker, others[4];

  g_assert_cmpint(pthread_create(&forker, NULL, fork_often, crew), ==, 0);
  for (int i = 0; i < 4; i++)
    g_assert_cmpint(pthread_create(&others[i], NULL, work, crew), ==, 0);
  for (int i = 0; i < 4; i++)
    g_assert_cmpint(pthread_join(others[i], NULL), ==, 0);
  g_assert_cmpint(pthread_join(forker, NULL), ==, 0);
}

static void test_children_that_are_followed(void)
{
  struct host *host = host_new(HOST_SETTINGS, CAPTURE_SETTINGS_CHILDREN);
  struct crew crew = {.c = connect_to(NULL)};
  g_autoptr(Told) told = NULL;
  guint in_children = 0;

  crew.event = capture_event(crew.c, "calls", CAPTURE_EVENT_COUNT, 1);
  fork_among_threads(&crew);
  capture_close(crew.c);
  g_assert_cmpuint(crew.refused, ==, 10); /* children that were recorded */
  g_assert_cmpuint(host->n_programs, ==, 11);
  told = finish(host);
  g_assert_cmpuint(told_count_marks(told, "child"), ==, 100);
  for (guint i = 0; i < told->samples->len; i++) {
    const ToldSample *found = &g_array_index(told->samples, ToldSample, i);

    if (found->detail != 7)
      continue;
    in_children++;
    g_assert_cmpstr(found->stack, ==, "in the child;1234");
    g_assert_cmpuint(found->stream, !=, 1);
  }
  g_assert_cmpuint(in_children, ==, 100);
}

static void test_children_that_are_not(void)
{
  struct host *host = host_new(HOST_SETTINGS, 0);
  struct crew crew = {.c = connect_to(NULL)};
  g_autoptr(Told) told = NULL;

  crew.event = capture_event(crew.c, "calls", CAPTURE_EVENT_COUNT, 1);
  fork_among_threads(&crew);
  capture_close(crew.c);
  g_assert_cmpuint(crew.refused, ==, 0);
  g_assert_cmpuint(host->n_programs, ==, 1);
  told = finish(host);
  g_assert_cmpuint(told_count_marks(told, "child"), ==, 0);
  check_crew(told, 4);
}

/* While another thread defines what the next epoch begins with, which is in the parent's stream alone. */
static void test_fork_at_the_end_of_an_epoch(void)
{
  struct host *host = host_new(HOST_SETTINGS, CAPTURE_SETTINGS_CHILDREN);
  capture *c = connect_to(NULL);
  g_autoptr(Told) told = NULL;
  int status;
  pid_t pid;

  capture_definition_add(&c->process, atomic_load(&c->epoch) + 1, 77);
  pid = fork();
  if (pid == 0) {
    capture_mark(c, 0, name(c, "child"), NULL);
    capture_close(c);
    _exit(0);
  }
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_cmpint(status, ==, 0);
  capture_close(c);
  told = finish(host);
  g_assert_cmpuint(told_count_marks(told, "child"), ==, 1);
  g_assert_cmpint(GPOINTER_TO_INT(g_hash_table_lookup(told->pids, GUINT_TO_POINTER(2))), ==, pid);
}

static void test_vfork_and_exec(void)
{
  struct host *host = host_new(HOST_SETTINGS, CAPTURE_SETTINGS_CHILDREN);
  capture *c = connect_to(NULL);
  g_autoptr(Told) told = NULL;
  uint32_t mark = name(c, "before exec");
  int status;
  pid_t pid;

  g_assert_cmpint(system("true"), ==, 0);
  pid = vfork();
  if (pid == 0) {
    capture_mark(c, 0, mark, NULL);
    execl("/bin/true", "true", (char *)NULL);
    _exit(1);
  }
  g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
  g_assert_cmpint(status, ==, 0);
  capture_mark(c, 0, mark, NULL);
  g_assert_true(capture_is_recording(c));
  g_assert_cmpuint(host->n_programs, ==, 1);
  capture_close(c);
  told = finish(host);
  g_assert_cmpuint(told_count_marks(told, "before exec"), ==, 2);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/inside/connect", test_together);
  g_test_add_func("/inside/connect/command-lines", test_command_lines);
  g_test_add_func("/inside/connect/counted", test_counted);
  g_test_add_func("/inside/connect/not", test_not_together);
  g_test_add_func("/inside/alone/ends", test_recording_ends);
  g_test_add_func("/inside/alone/stalls", test_consumer_stalls);
  g_test_add_func("/inside/alone/threads", test_many_threads);
  g_test_add_func("/inside/alone/places", test_places_of_threads);
  g_test_add_func("/inside/alone/too-many", test_too_many_threads);
  g_test_add_func("/inside/fork/followed", test_children_that_are_followed);
  g_test_add_func("/inside/fork/not-followed", test_children_that_are_not);
  g_test_add_func("/inside/fork/epoch", test_fork_at_the_end_of_an_epoch);
  g_test_add_func("/inside/fork/vfork", test_vfork_and_exec);
  return g_test_run();
}
