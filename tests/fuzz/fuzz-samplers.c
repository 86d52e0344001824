/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that joins a recording with any bytes in its windows, and goes on writing while they are
 * collected. An input is a list of steps: a byte says what is done, the bytes after it how.
 *
 *   0 OFFSET LENGTH BYTES   writes into the windows       1   a round of the collector
 *   2 BYTES                 a message on the socket       3   another program joins, soundly
 *   4 WINDOW                puts a window's times right, so that samples reach what is behind them
 *   5 CHANGES BYTES         another program joins with a HELLO whose bytes were changed, or cut off, and
 *                           up to three descriptors
 *
 * What it may not do is in the abort()s: end the collector, or leave a capture that a reader finds damaged.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libcapture/file/capture-reader.h"
#include "libcapture/pool/capture-announce.h"
#include "recording/inside/samplers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WINDOW_SIZE  4096
#define WINDOW_COUNT 4
#define LENGTH       (WINDOW_SIZE * WINDOW_COUNT)
#define SEALS        (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

typedef struct {
  const uint8_t *bytes;
  size_t left;
} Input;

typedef struct {
  int fd;
  capture_file *file;
  RecordingCollector *collector;
  RecordingSamplers *samplers;
  uint8_t *windows;
  int windows_fd;
  int control_fd;
  int socket;
} World;

static size_t take(Input *input, const uint8_t **ret, size_t size)
{
  size_t n = size < input->left ? size : input->left;

  *ret = input->bytes;
  input->bytes += n;
  input->left -= n;
  return n;
}

static uint32_t take_number(Input *input, size_t size)
{
  const uint8_t *bytes;
  uint32_t number = 0;
  size_t n = take(input, &bytes, size);

  memcpy(&number, bytes, n);
  return number;
}

static int make_memfd(size_t size, int seals, const void *content, size_t n, uint8_t **ret_map)
{
  int fd = memfd_create("fuzz", MFD_CLOEXEC | MFD_ALLOW_SEALING);

  if (fd < 0 || posix_fallocate(fd, 0, (off_t)size) != 0 || pwrite(fd, content, n, 0) != (ssize_t)n)
    abort();
  if (ret_map)
    *ret_map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (fcntl(fd, F_ADD_SEALS, seals) < 0)
    abort();
  return fd;
}

/* Says that with the first n of those descriptors: the windows, control, and another one. */
static int say(World *world, const void *bytes, size_t size, size_t n)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  _Alignas(struct cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {0};
  struct iovec vector = {(void *)bytes, size};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
  const int fds[] = {world->windows_fd, world->control_fd, world->fd};
  struct capture_settings settings;
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

  g_strlcpy(address.sun_path, recording_samplers_get_path(world->samplers), sizeof address.sun_path);
  if (n > 0) {
    message.msg_control = control;
    message.msg_controllen = CMSG_SPACE(n * sizeof(int));
    *CMSG_FIRSTHDR(&message) = (struct cmsghdr){
        .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(n * sizeof(int))};
    memcpy(CMSG_DATA(CMSG_FIRSTHDR(&message)), fds, n * sizeof(int));
  }
  if (connect(fd, (struct sockaddr *)&address, sizeof address) < 0)
    abort();
  /* Answered or sent away, but not left without either. */
  if (sendmsg(fd, &message, MSG_NOSIGNAL) >= 0)
    (void)!recv(fd, &settings, sizeof settings, 0);
  return fd;
}

static int join(World *world)
{
  const struct capture_hello hello = {
      .type = CAPTURE_ANNOUNCE_HELLO, .version = CAPTURE_ANNOUNCE_VERSION, .name = "fuzz"};

  return say(world, &hello, sizeof hello, 2);
}

static void set_up(World *world)
{
  struct capture_file_options options = {.size = sizeof options};
  const struct capture_pool_control control = {.magic = CAPTURE_POOL_MAGIC,
                                               .version = CAPTURE_POOL_VERSION,
                                               .window_size = WINDOW_SIZE,
                                               .window_count = WINDOW_COUNT};
  const RecordingSamplersSettings settings = {.flags = CAPTURE_SETTINGS_TABLES};

  world->fd = memfd_create("capture", MFD_CLOEXEC);
  if (capture_file_create(&world->file, world->fd, &options) < 0)
    abort();
  world->collector = recording_collector_new(world->file, NULL);
  world->samplers = recording_samplers_new(NULL);
  world->windows_fd = make_memfd(LENGTH, SEALS | F_SEAL_FUTURE_WRITE, "", 0, &world->windows);
  world->control_fd = make_memfd(sizeof control, SEALS, &control, sizeof control, NULL);
  recording_samplers_start(world->samplers, &settings, world->collector);
  world->socket = join(world);
}

static void collect(World *world)
{
  if (recording_collector_collect(world->collector, NULL) < 0)
    abort();
}

static void scribble(World *world, Input *input)
{
  uint32_t offset = take_number(input, 2) % LENGTH;
  const uint8_t *bytes;
  size_t n = take(input, &bytes, take_number(input, 1));

  memcpy(world->windows + offset, bytes, n < LENGTH - offset ? n : LENGTH - offset);
}

static void speak(World *world, Input *input)
{
  const uint8_t *bytes;
  size_t n = take(input, &bytes, take_number(input, 1));

  (void)!send(world->socket, bytes, n, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void put_times_right(World *world, Input *input)
{
  size_t offset = take_number(input, 1) % WINDOW_COUNT * (size_t)WINDOW_SIZE;
  struct capture_window_header *header = (struct capture_window_header *)(world->windows + offset);

  header->time_first = header->time_last = (uint64_t)g_get_monotonic_time() * 1000;
}

static void join_wrongly(World *world, Input *input)
{
  struct {
    struct capture_hello hello;
    uint8_t more[64];
  } message = {{.type = CAPTURE_ANNOUNCE_HELLO, .version = CAPTURE_ANNOUNCE_VERSION, .name = "fuzz"}, {0}};
  uint32_t how = take_number(input, 1);
  const uint8_t *bytes;

  for (uint32_t i = how >> 4; i > 0; i--) {
    uint32_t at = take_number(input, 1) % sizeof message;
    if (take(input, &bytes, 1) == 1)
      ((uint8_t *)&message)[at] = *bytes;
  }
  size_t size = how & 4 ? take_number(input, 1) % sizeof message : sizeof message.hello;
  close(say(world, &message, size, how & 3));
}

static void do_steps(World *world, Input *input)
{
  while (input->left > 0) {
    switch (take_number(input, 1) % 6) {
    case 0:
      scribble(world, input);
      break;
    case 1:
      collect(world);
      break;
    case 2:
      speak(world, input);
      break;
    case 3:
      close(join(world));
      break;
    case 4:
      put_times_right(world, input);
      break;
    case 5:
      join_wrongly(world, input);
      break;
    }
  }
}

static void note_problem(const struct capture_problem *problem, void *data)
{
  abort();
}

static void read_capture(int fd)
{
  const struct capture_reader_options options = {.size = sizeof options, .problem = note_problem};
  capture_reader *reader;
  void *buffer = NULL;
  size_t buffer_size = 0;

  if (capture_reader_open(&reader, fd, &options) < 0)
    abort();
  for (size_t i = 0; i < capture_reader_n_parts(reader); i++) {
    const uint8_t *content;
    size_t length;

    if (capture_reader_content(reader, i, &buffer, &buffer_size, &content, &length) < 0)
      abort();
  }
  free(buffer);
  capture_reader_close(reader);
}

static void tear_down(World *world)
{
  recording_samplers_free(world->samplers);
  collect(world);
  recording_collector_unref(world->collector);
  read_capture(world->fd);
  capture_file_free(world->file);
  munmap(world->windows, LENGTH);
  close(world->windows_fd);
  close(world->control_fd);
  close(world->socket);
  close(world->fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  Input input = {data, size};
  World world;

  set_up(&world);
  do_steps(&world, &input);
  tear_down(&world);
  return 0;
}
