/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Speaks the recorder's protocol with made-up samples, and misbehaves as $FAKE_RECORDER says. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "helpers/recorder-protocol.h"
#include "libcapture/file/capture-writer.h"
#include "libcapture/pool/capture-pool.h"

static int channel;
static capture_pool *pool;
static capture_sink sink;
static capture_writer *writer;
static struct capture_writer_sample sample;
static const char *behaviour;

static uint64_t now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void die(const char *what)
{
  fprintf(stderr, "fake-recorder: %s: %s\n", what, strerror(errno));
  exit(70);
}

static void send_message(void *message, uint32_t type, size_t size)
{
  struct recorder_message *head = message;
  head->type = type;
  head->size = (uint32_t)size;
  if (send(channel, message, size, MSG_NOSIGNAL) != (ssize_t)size)
    exit(0);
}

static uint32_t receive(void)
{
  static union {
    struct recorder_message message;
    char bytes[1 << 16];
  } buffer;
  ssize_t n = recv(channel, &buffer, sizeof buffer, 0);
  if (n <= 0)
    exit(0);
  return buffer.message.type;
}

static void make_pool(void)
{
  struct capture_pool_options options = {.size = sizeof options};
  if (capture_pool_create(&pool, &options) < 0)
    die("pool");
  capture_sink_init_pool(&sink, pool);
  if (capture_writer_create(&writer, &sink, NULL) < 0)
    die("writer");
}

static void define(void)
{
  struct capture_record_process process = {
      .record = {.type = CAPTURE_RECORD_PROCESS, .size = sizeof process}};
  struct capture_record_thread thread = {.record = {.type = CAPTURE_RECORD_THREAD, .size = sizeof thread}};
  struct capture_record_event event = {.record = {.type = CAPTURE_RECORD_EVENT, .size = sizeof event}};
  int64_t name = capture_writer_string(writer, "fake", 4);

  process.id = capture_writer_next_id(writer, CAPTURE_RECORD_PROCESS);
  process.pid = thread.tid = 42;
  thread.id = capture_writer_next_id(writer, CAPTURE_RECORD_THREAD);
  thread.process = process.id;
  event.id = capture_writer_next_id(writer, CAPTURE_RECORD_EVENT);
  process.name = thread.name = event.name = (uint32_t)name;
  capture_writer_define(writer, &process.record);
  capture_writer_define(writer, &thread.record);
  capture_writer_define(writer, &event.record);
  int64_t frame = capture_writer_frame(writer, CAPTURE_SPACE_PROCESS, process.id, 0x401000);
  int64_t leaf = capture_writer_stack(writer, 0, &(uint32_t){(uint32_t)frame}, 1);
  if (leaf <= 0)
    die("define");
  sample.event = event.id;
  sample.thread = thread.id;
  sample.leaf = (uint32_t)leaf;
  sample.weight = 1;
}

static void send_ready(void)
{
  struct recorder_ready ready = {.n_cpus = 1,
                                 .n_events = 1,
                                 .unwind = RECORDER_UNWIND_FRAME_POINTERS,
                                 .events = {"fake"},
                                 .notes = "This is a note."};
  int fds[2] = {capture_pool_windows_fd(pool), capture_pool_control_fd(pool)};
  union {
    char bytes[CMSG_SPACE(sizeof fds)];
    struct cmsghdr align;
  } control = {0};
  struct iovec vector = {&ready, sizeof ready};
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);

  ready.message.type = RECORDER_READY;
  ready.message.size = sizeof ready;
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fds);
  memcpy(CMSG_DATA(header), fds, sizeof fds);
  if (sendmsg(channel, &message, MSG_NOSIGNAL) < 0)
    exit(0);
}

static void send_ended(uint32_t reason, int error, const char *text)
{
  struct recorder_ended ended = {.reason = reason, .error = error};
  snprintf(ended.text, sizeof ended.text, "%s", text);
  send_message(&ended, RECORDER_ENDED, sizeof ended);
  exit(0);
}

static void lose(void)
{
  struct capture_record_lost lost = {.record = {.type = CAPTURE_RECORD_LOST, .size = sizeof lost},
                                     .time = now(),
                                     .samples = 3,
                                     .records = 2,
                                     .reason = CAPTURE_LOST_RING,
                                     .cpu = CAPTURE_CPU_UNKNOWN};
  capture_writer_record(writer, &lost.record, lost.time);
}

static void add_samples(int n)
{
  for (int i = 0; i < n; i++) {
    sample.time = now();
    capture_writer_sample(writer, &sample);
  }
  capture_writer_commit(writer);
}

static void misbehave(int round)
{
  if (round == 2 && strcmp(behaviour, "lose") == 0)
    lose();
  if (round == 10 && strcmp(behaviour, "die") == 0)
    raise(SIGKILL);
  if (round == 10 && strcmp(behaviour, "gone") == 0)
    send_ended(RECORDER_END_TARGETS_GONE, 0, "");
  if (round == 10 && strcmp(behaviour, "fail") == 0)
    send_ended(RECORDER_END_FAILED, EIO, "The machine is on fire.");
  if (round == 10 && strcmp(behaviour, "garbage") == 0)
    send_message(&(struct recorder_ready){0}, RECORDER_STATUS, sizeof(struct recorder_ready));
  if (round == 10 && strcmp(behaviour, "again") == 0)
    send_ready();
}

/* Four times a second, as a recorder does that still finds names. */
static void tell_state(int times)
{
  for (int i = 0; i < times; i++) {
    send_message(&(struct recorder_status){.time = now()}, RECORDER_STATUS, sizeof(struct recorder_status));
    usleep(250000);
  }
}

static void sample_until_stopped(void)
{
  struct pollfd fd = {.fd = channel, .events = POLLIN};

  for (int round = 0; poll(&fd, 1, 10) == 0; round++) {
    misbehave(round);
    add_samples(10);
  }
  if (receive() != RECORDER_STOP)
    die("not a STOP");
  if (strcmp(behaviour, "mute") == 0)
    while (1)
      pause();
  if (strcmp(behaviour, "slow-end") == 0)
    tell_state(28);
  add_samples(7);
  capture_writer_destroy(writer);
  send_ended(RECORDER_END_STOPPED, 0, "");
}

int main(int argc, char **argv)
{
  behaviour = getenv("FAKE_RECORDER");
  channel = argc > 1 ? atoi(argv[1]) : -1;
  if (!behaviour || receive() != RECORDER_CONFIGURE)
    die("not a CONFIGURE");
  if (strcmp(behaviour, "refuse") == 0)
    send_ended(RECORDER_END_FAILED, ENOENT, "There is no event “nonsense”.");
  if (strcmp(behaviour, "die-early") == 0)
    exit(3);
  make_pool();
  define();
  send_ready();
  if (receive() != RECORDER_START)
    die("not a START");
  send_message(&(struct recorder_message){0}, RECORDER_STARTED, sizeof(struct recorder_message));
  sample_until_stopped();
}
