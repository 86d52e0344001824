/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sampled programs and the recording that they tell: each program is a process of its own, the recording is
 * played here, and it dies, stalls or ends. */
#include <errno.h>
#include <glib.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "libcapture/capture.h"
#include "libcapture/file/capture-file.h"
#include "libcapture/pool/capture-announce.h"
#include "libcapture/pool/capture-pool.h"
#include "sampled.h"

#define ENOUGH 40

static volatile unsigned *n_calls; /* by all processes' handlers */
static volatile unsigned *n_of_child;
static bool is_child;
static volatile unsigned *go_on; /* 0: programs end */

typedef struct {
  char *directory;
  char *path;
  int listener;
} Recording;

typedef struct {
  pid_t pid;
  int socket;
  capture_tap *tap;
  struct capture_pool_control *control;
  int fd; /* the capture */
  capture_file *file;
  struct sampled sampled;
} Stream;

/* ── The recording ────────────────────────────────────────────────────────────────────────────────────── */

static void recording_open(Recording *r)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};

  r->directory = g_dir_make_tmp("sampler-XXXXXX", NULL);
  r->path = g_build_filename(r->directory, "socket", NULL);
  g_strlcpy(address.sun_path, r->path, sizeof address.sun_path);
  r->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  g_assert_cmpint(bind(r->listener, (struct sockaddr *)&address, sizeof address), ==, 0);
  g_assert_cmpint(listen(r->listener, 16), ==, 0);
  g_setenv(CAPTURE_SOCKET_VARIABLE, r->path, TRUE);
  *n_calls = *n_of_child = 0;
  *go_on = 1;
}

static void recording_close(Recording *r)
{
  g_unsetenv(CAPTURE_SOCKET_VARIABLE);
  close(r->listener);
  g_unlink(r->path);
  g_rmdir(r->directory);
  g_free(r->path);
  g_free(r->directory);
}

static void receive_hello(Stream *s, int fds[2])
{
  struct capture_hello hello;
  struct iovec iov = {&hello, sizeof hello};
  union {
    struct cmsghdr header;
    uint8_t space[CMSG_SPACE(2 * sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

  g_assert_cmpint(recvmsg(s->socket, &message, MSG_CMSG_CLOEXEC), ==, sizeof hello);
  g_assert_cmpuint(hello.type, ==, CAPTURE_ANNOUNCE_HELLO);
  g_assert_nonnull(CMSG_FIRSTHDR(&message));
  memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), 2 * sizeof(int));
  s->pid = hello.pid;
}

static uint32_t frequency = 2000;

static void stream_accept(Stream *s, const Recording *r, uint32_t flags)
{
  const struct capture_settings settings = {.type = CAPTURE_ANNOUNCE_SETTINGS,
                                            .version = CAPTURE_ANNOUNCE_VERSION,
                                            .flags = flags,
                                            .frequency = frequency};
  int fds[2];

  memset(s, 0, sizeof *s);
  s->socket = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC);
  g_assert_cmpint(s->socket, >=, 0);
  receive_hello(s, fds);
  g_assert_cmpint(capture_tap_open(&s->tap, fds[0], fds[1]), ==, 0);
  s->control = mmap(NULL, sizeof *s->control, PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
  g_assert_true(s->control != MAP_FAILED);
  close(fds[0]);
  close(fds[1]);
  s->fd = memfd_create("stream", MFD_CLOEXEC);
  g_assert_cmpint(capture_file_create(&s->file, s->fd, NULL), ==, 0);
  g_assert_cmpint(capture_file_add_stream(s->file, CAPTURE_STREAM_SAMPLER, s->pid, "test"), ==, 1);
  g_assert_cmpint(send(s->socket, &settings, sizeof settings, MSG_NOSIGNAL), ==, sizeof settings);
}

static int append(const struct capture_taken *taken, void *data)
{
  struct capture_window_header header = taken->header;

  header.stream = 1;
  return capture_file_append(data, &header, taken->content);
}

static void stream_drain(Stream *s)
{
  g_assert_cmpint(capture_tap_take(s->tap, append, s->file), >=, 0);
}

static gboolean stream_has_ended(const Stream *s)
{
  char byte;

  return recv(s->socket, &byte, 1, MSG_DONTWAIT) == 0;
}

static void stream_drain_until(Stream *s, unsigned calls)
{
  while (*n_calls < calls) {
    g_usleep(2000);
    stream_drain(s);
  }
}

/* After the program's end. */
static void stream_finish(Stream *s)
{
  while (!stream_has_ended(s))
    g_usleep(1000);
  stream_drain(s);
  g_assert_cmpint(capture_file_add_index(s->file), ==, 0);
  g_assert_cmpint(capture_file_end(s->file, CAPTURE_END_EXITED, 0, 0), ==, 0);
  capture_file_free(s->file);
  s->file = NULL;
  sampled_read(&s->sampled, s->fd);
}

/* As a recording that was killed leaves it. */
static void stream_die(Stream *s)
{
  if (s->control)
    munmap(s->control, sizeof *s->control);
  capture_tap_close(s->tap);
  close(s->socket);
  capture_file_free(s->file);
  close(s->fd);
  sampled_clear(&s->sampled);
  memset(s, 0, sizeof *s);
}

/* ── Programs ─────────────────────────────────────────────────────────────────────────────────────────── */

static void count_call(struct capture_stack *stack, const void *ucontext, void *data)
{
  (*n_calls)++;
  *n_of_child += is_child;
  capture_sample_native(stack, NULL);
}

static capture *join(void)
{
  /* Windows for about 800 samples. */
  const struct capture_options small = {.size = sizeof small, .window_size = 4096, .window_count = 8};
  const struct capture_sampler_options options = {
      .size = sizeof options, .clock = CAPTURE_SAMPLE_WALL_TIME, .stack = count_call};
  capture *c;

  if (capture_connect(&c, &small) < 0 || capture_thread_begin(c, "program") < 0 ||
      capture_sampler_start(c, &options) < 0)
    _exit(80);
  return c;
}

static void spin(void)
{
  volatile unsigned i = 0; /* a frame of its own, in which it is busy */

  while (*go_on)
    i = i + 1;
}

static void be_sampled(void)
{
  capture *c = join();

  spin();
  capture_close(c);
}

static void be_refused(void)
{
  capture *c;

  if (capture_connect(&c, NULL) < 0)
    _exit(80);
  if (capture_sampler_start(c, NULL) != -ECANCELED)
    _exit(81);
  capture_close(c);
}

static int wait_for(pid_t pid)
{
  int status;

  while (waitpid(pid, &status, 0) < 0)
    ;
  return status;
}

static void have_child(void)
{
  capture *c = join();
  pid_t pid = fork();

  if (pid == 0) {
    is_child = true;
    spin();
    capture_close(c);
    _exit(0);
  }
  spin();
  if (wait_for(pid) != 0)
    _exit(82);
  capture_close(c);
}

static volatile sig_atomic_t n_taken;

static void take_signal(int number)
{
  n_taken++;
}

/* Where a program has taken SIGPROF for itself, no timer of ours sends it to its children either. */
static void take_signal_and_fork(void)
{
  capture *c = join();
  pid_t pid;

  signal(SIGPROF, take_signal);
  capture_flush(c);
  pid = fork();
  if (pid == 0) {
    n_taken = 0;
    for (clock_t begun = clock(); clock() - begun < CLOCKS_PER_SEC / 20;)
      ;
    if (n_taken != 0)
      _exit(84);
    capture_close(c);
    _exit(0);
  }
  if (wait_for(pid) != 0)
    _exit(85);
  capture_close(c);
}

/* No timer is left after the recording has ended and somebody began, flushed, or ended. */
static void outlive(void)
{
  capture *c = join();
  unsigned before;

  spin();
  while (capture_is_recording(c))
    ;
  capture_flush(c);
  before = *n_calls;
  for (volatile unsigned i = 0; i < 100000000; i++)
    ;
  if (*n_calls != before)
    _exit(83);
  capture_close(c);
}

static pid_t program_start(void (*what)(void))
{
  pid_t pid = fork();

  g_assert_cmpint(pid, >=, 0);
  if (pid == 0) {
    what();
    _exit(0);
  }
  return pid;
}

/* ── Tests ────────────────────────────────────────────────────────────────────────────────────────────── */

static void test_sampled(void)
{
  Recording r;
  Stream s;
  pid_t pid;

  recording_open(&r);
  pid = program_start(be_sampled);
  stream_accept(&s, &r, CAPTURE_SETTINGS_SAMPLE);
  g_assert_cmpint(s.pid, ==, pid);
  stream_drain_until(&s, ENOUGH);
  *go_on = 0;
  g_assert_cmpint(wait_for(pid), ==, 0);
  stream_finish(&s);
  g_assert_cmpuint(s.sampled.count, >=, ENOUGH - 10);
  g_assert_cmpuint(s.sampled.samples[0].weight, >=, 500000);
  stream_die(&s);
  recording_close(&r);
}

static void test_refused(void)
{
  Recording r;
  Stream s;
  pid_t pid;

  recording_open(&r);
  pid = program_start(be_refused);
  stream_accept(&s, &r, 0);
  g_assert_cmpint(wait_for(pid), ==, 0);
  stream_die(&s);
  recording_close(&r);
}

/* A child has a stream of its own at once, and is sampled in it. */
static void test_fork(void)
{
  const uint32_t flags = CAPTURE_SETTINGS_SAMPLE | CAPTURE_SETTINGS_CHILDREN;
  unsigned calls;
  Stream s, child;
  Recording r;
  pid_t pid;

  recording_open(&r);
  pid = program_start(have_child);
  stream_accept(&s, &r, flags);
  stream_accept(&child, &r, flags);
  g_assert_cmpint(child.pid, !=, s.pid);
  /* Either may wait for a processor while the other one is sampled. */
  for (calls = *n_calls; *n_of_child < ENOUGH || *n_calls < calls + *n_of_child + ENOUGH;) {
    g_usleep(2000);
    stream_drain(&s);
    stream_drain(&child);
  }
  *go_on = 0;
  g_assert_cmpint(wait_for(pid), ==, 0);
  stream_finish(&s);
  stream_finish(&child);
  g_assert_cmpuint(s.sampled.count, >, 10);
  g_assert_cmpuint(child.sampled.count, >, 10);
  for (size_t i = 0; i < child.sampled.count; i++)
    g_assert_cmpint(child.sampled.samples[i].tid, ==, child.pid);
  stream_die(&s);
  stream_die(&child);
  recording_close(&r);
}

static void test_fork_of_who_took_the_signal(void)
{
  const uint32_t flags = CAPTURE_SETTINGS_SAMPLE | CAPTURE_SETTINGS_CHILDREN;
  Stream s, child;
  Recording r;
  pid_t pid;

  recording_open(&r);
  pid = program_start(take_signal_and_fork);
  stream_accept(&s, &r, flags);
  stream_accept(&child, &r, flags);
  g_assert_cmpint(wait_for(pid), ==, 0);
  stream_finish(&s);
  stream_finish(&child);
  g_assert_nonnull(strstr(child.sampled.messages, "has taken SIGPROF"));
  stream_die(&s);
  stream_die(&child);
  recording_close(&r);
}

static void test_not_followed(void)
{
  Recording r;
  Stream s;
  pid_t pid;

  recording_open(&r);
  pid = program_start(have_child);
  stream_accept(&s, &r, CAPTURE_SETTINGS_SAMPLE);
  stream_drain_until(&s, ENOUGH);
  *go_on = 0;
  g_assert_cmpint(wait_for(pid), ==, 0);
  stream_finish(&s);
  for (size_t i = 0; i < s.sampled.count; i++)
    g_assert_cmpint(s.sampled.samples[i].tid, ==, pid);
  stream_die(&s);
  recording_close(&r);
}

/* Whoever records is killed: the program goes on as if nothing had been. */
static void test_consumer_dies(void)
{
  unsigned calls;
  Recording r;
  Stream s;
  pid_t pid;

  recording_open(&r);
  pid = program_start(be_sampled);
  stream_accept(&s, &r, CAPTURE_SETTINGS_SAMPLE);
  stream_drain_until(&s, ENOUGH);
  stream_die(&s);
  /* Long enough for all windows to be full. */
  for (calls = *n_calls; *n_calls < calls + 2000;)
    g_usleep(2000);
  *go_on = 0;
  g_assert_cmpint(wait_for(pid), ==, 0);
  recording_close(&r);
}

/* It stalls: what finds no room is counted, and told when there is room again. */
static void test_consumer_stalls(void)
{
  Recording r;
  Stream s;
  pid_t pid;

  frequency = 20000;
  recording_open(&r);
  pid = program_start(be_sampled);
  stream_accept(&s, &r, CAPTURE_SETTINGS_SAMPLE);
  frequency = 2000;
  while (*n_calls < 5000)
    g_usleep(2000);
  stream_drain_until(&s, *n_calls + ENOUGH);
  *go_on = 0;
  g_assert_cmpint(wait_for(pid), ==, 0);
  stream_finish(&s);
  g_assert_cmpuint(s.sampled.lost, >, 0);
  g_assert_cmpuint(s.sampled.count + s.sampled.lost, >=, *n_calls);
  stream_die(&s);
  recording_close(&r);
}

/* The program is killed: what it had committed is there, whole. */
static void test_killed(void)
{
  Recording r;
  Stream s;
  pid_t pid;

  for (unsigned i = 0; i < 10; i++) {
    recording_open(&r);
    pid = program_start(be_sampled);
    stream_accept(&s, &r, CAPTURE_SETTINGS_SAMPLE);
    stream_drain_until(&s, 5 + i);
    kill(pid, SIGKILL);
    g_assert_true(WIFSIGNALED(wait_for(pid)));
    stream_finish(&s);
    g_assert_cmpuint(s.sampled.count, >=, 4 + i);
    stream_die(&s);
    recording_close(&r);
  }
}

static void test_ended(void)
{
  Recording r;
  Stream s;
  pid_t pid;

  recording_open(&r);
  pid = program_start(outlive);
  stream_accept(&s, &r, CAPTURE_SETTINGS_SAMPLE);
  stream_drain_until(&s, ENOUGH);
  __atomic_store_n(&s.control->ended, 1, __ATOMIC_RELEASE);
  *go_on = 0;
  g_assert_cmpint(wait_for(pid), ==, 0);
  stream_die(&s);
  recording_close(&r);
}

int main(int argc, char **argv)
{
  unsigned *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

  g_test_init(&argc, &argv, NULL);
  n_calls = shared;
  go_on = shared + 64;
  n_of_child = shared + 128;
  g_test_add_func("/sampler/stream/sampled", test_sampled);
  g_test_add_func("/sampler/stream/refused", test_refused);
  g_test_add_func("/sampler/stream/fork", test_fork);
  g_test_add_func("/sampler/stream/fork-taken", test_fork_of_who_took_the_signal);
  g_test_add_func("/sampler/stream/not-followed", test_not_followed);
  g_test_add_func("/sampler/stream/consumer-dies", test_consumer_dies);
  g_test_add_func("/sampler/stream/consumer-stalls", test_consumer_stalls);
  g_test_add_func("/sampler/stream/killed", test_killed);
  g_test_add_func("/sampler/stream/ended", test_ended);
  return g_test_run();
}
