/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-reader.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/packet.h"
#include "helpers/recorder/recorder-child.h"
#include "helpers/recorder/recorder-clock.h"
#include "helpers/recorder/recorder-memory.h"

#define FD_IN_CHILD 3
#define PATIENCE    UINT64_C(5000000000)

/* In a process group of its own: what a terminal's user interrupts is the recording, which then needs its
 * last tables. */
static int set_attributes(posix_spawnattr_t *attributes)
{
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setpgroup(attributes, 0);
  return posix_spawnattr_setflags(attributes,
                                  POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

static int spawn(const char *program, int socket, pid_t *ret)
{
  char *argv[] = {(char *)"capture-elf-reader", (char *)"3", NULL}, *environment[] = {NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int result = posix_spawn_file_actions_init(&actions);
  if (result != 0)
    return -result;
  if ((result = posix_spawnattr_init(&attributes)) == 0) {
    if ((result = posix_spawn_file_actions_adddup2(&actions, socket, FD_IN_CHILD)) == 0 &&
        (result = set_attributes(&attributes)) == 0)
      result = posix_spawn(ret, program, &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return -result;
}

/* Installed, both stand in one directory; in a build directory, side by side. */
char *recorder_reader_find(void)
{
  char directory[PATH_MAX], path[PATH_MAX + 64];
  ssize_t length = readlink("/proc/self/exe", directory, sizeof directory - 1);
  directory[length > 0 ? length : 0] = '\0';
  char *slash = strrchr(directory, '/');
  if (slash != NULL)
    *slash = '\0';
  snprintf(path, sizeof path, "%s/../elf-reader/capture-elf-reader", directory);
  if (access(path, X_OK) < 0)
    snprintf(path, sizeof path, "%s/capture-elf-reader", directory);
  size_t size = strlen(path) + 1;
  return memcpy(recorder_allocate(1, size), path, size);
}

int recorder_reader_start(struct recorder_reader *reader, const char *program)
{
  int pair[2];
  *reader = (struct recorder_reader){.socket = -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    return -errno;
  int result = spawn(program, pair[1], &reader->pid);
  close(pair[1]);
  if (result < 0) {
    close(pair[0]);
    reader->pid = 0;
    return result;
  }
  reader->socket = pair[0];
  reader->deadline = recorder_clock_now() + PATIENCE;
  return 0;
}

void recorder_reader_stop(struct recorder_reader *reader)
{
  if (reader->pid == 0)
    return;
  close(reader->socket);
  recorder_child_end(reader->pid);
  *reader = (struct recorder_reader){.socket = -1};
}

static int ask(struct recorder_reader *reader, void *job, const struct elf_reader_message *message, int fd,
               uint32_t expected)
{
  int result = packet_send(reader->socket, message, message->size, fd, false);
  if (result < 0)
    return result;
  reader->job = job;
  reader->expected = expected;
  reader->deadline = recorder_clock_now() + PATIENCE;
  return 0;
}

int recorder_reader_compile(struct recorder_reader *reader, void *job, int fd, uint32_t flags)
{
  struct elf_reader_message message = {
      .type = ELF_READER_COMPILE, .size = sizeof message, .cookie = ++reader->cookie, .flags = flags};
  return ask(reader, job, &message, fd, ELF_READER_COMPILED);
}

int recorder_reader_name(struct recorder_reader *reader, void *job, int fd, const uint64_t *offsets,
                         uint32_t n)
{
  static struct elf_reader_name request;
  uint32_t size = (uint32_t)(offsetof(struct elf_reader_name, offsets) + n * sizeof *offsets);
  request.message = (struct elf_reader_message){
      .type = ELF_READER_NAME, .size = size, .cookie = ++reader->cookie, .n_offsets = n};
  memcpy(request.offsets, offsets, n * sizeof *offsets);
  return ask(reader, job, &request.message, fd, ELF_READER_NAMED);
}

static bool take_ready(struct recorder_reader *reader, const struct elf_reader_message *message, int fd)
{
  if (reader->ready || fd >= 0 || message->version != ELF_READER_PROTOCOL_VERSION)
    return false;
  reader->ready = true;
  reader->deadline = UINT64_MAX;
  return true;
}

static bool take_answer(struct recorder_reader *reader, const struct elf_reader_message *message, int fd,
                        struct recorder_reader_answer *ret)
{
  if (reader->job == NULL || message->cookie != reader->cookie || message->error > 0 ||
      message->error < -4095 || (message->error == 0) != (fd >= 0))
    return false;
  *ret = (struct recorder_reader_answer){.error = -message->error, .fd = fd, .size = message->length};
  reader->job = NULL;
  reader->deadline = UINT64_MAX;
  return true;
}

int recorder_reader_receive(struct recorder_reader *reader, struct recorder_reader_answer *ret)
{
  struct elf_reader_message message;
  int fd = -1;
  ssize_t size = packet_receive(reader->socket, &message, sizeof message, &fd, false);
  if (size == -EAGAIN)
    return recorder_clock_now() < reader->deadline ? 0 : -ETIMEDOUT;
  if (size <= 0)
    return size < 0 ? (int)size : -ECONNABORTED;
  bool is_whole = size == sizeof message && message.size == sizeof message;
  if (is_whole && message.type == ELF_READER_READY && take_ready(reader, &message, fd))
    return 0;
  if (is_whole && message.type == reader->expected && take_answer(reader, &message, fd, ret))
    return 1;
  if (fd >= 0)
    close(fd);
  return -EPROTO;
}
