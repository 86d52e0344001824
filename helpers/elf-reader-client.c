/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader-client.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/helper-start.h"
#include "helpers/packet.h"

#define PATIENCE UINT64_C(5000000000)
/* Of processor time that a RESOLVE may take: debug files are read from the disk, while others use it and the
 * processors, too. */
#define PATIENCE_PER_SECOND UINT64_C(3000000000)
/* With a RESOLVE that is to end: it has to be told, and what was found to be sent. */
#define MOMENT UINT64_C(150000000)

static uint64_t elf_reader_client_now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

int elf_reader_client_start(struct elf_reader_client *client, const char *program)
{
  char *environment[] = {NULL};
  *client = (struct elf_reader_client){.socket = -1};
  int result = helper_start(program, environment, &client->pid, &client->socket);
  if (result == 0)
    client->deadline = elf_reader_client_now() + PATIENCE;
  return result;
}

pid_t elf_reader_client_release(struct elf_reader_client *client)
{
  pid_t pid = client->pid;
  if (pid != 0)
    close(client->socket);
  *client = (struct elf_reader_client){.socket = -1};
  return pid;
}

static int elf_reader_client_ask(struct elf_reader_client *client, void *job,
                                 const struct elf_reader_message *message, const int *fds, size_t n_fds)
{
  int result = packet_send_many(client->socket, message, message->size, fds, n_fds, false);
  if (result < 0)
    return result;
  client->job = job;
  client->expected = ELF_READER_READY + message->type;
  client->deadline = elf_reader_client_now() + PATIENCE;
  return 0;
}

int elf_reader_client_compile(struct elf_reader_client *client, void *job, int fd, uint32_t flags)
{
  struct elf_reader_message message = {
      .type = ELF_READER_COMPILE, .size = sizeof message, .cookie = ++client->cookie, .flags = flags};
  return elf_reader_client_ask(client, job, &message, &fd, 1);
}

static void question_fill(struct elf_reader_question *question, const struct elf_reader_message *message,
                          const uint64_t *offsets, uint32_t n)
{
  question->message = *message;
  question->message.size = (uint32_t)(offsetof(struct elf_reader_question, offsets) + n * sizeof *offsets);
  question->message.n_offsets = n;
  memcpy(question->offsets, offsets, n * sizeof *offsets);
}

int elf_reader_client_name(struct elf_reader_client *client, void *job, int fd, const uint64_t *offsets,
                           uint32_t n)
{
  static struct elf_reader_question request;
  question_fill(&request, &(struct elf_reader_message){.type = ELF_READER_NAME, .cookie = ++client->cookie},
                offsets, n);
  return elf_reader_client_ask(client, job, &request.message, &fd, 1);
}

static uint64_t elf_reader_client_measure(const int *fds, uint32_t n_fds)
{
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < n_fds; i++) {
    struct stat status;
    if (fstat(fds[i], &status) == 0 && status.st_size > 0)
      bytes += (uint64_t)status.st_size;
  }
  return bytes < ELF_READER_FILE_MAX ? bytes : ELF_READER_FILE_MAX;
}

int elf_reader_client_resolve(struct elf_reader_client *client, void *job, const int *fds, uint32_t n_fds,
                              uint32_t flags, const uint64_t *addresses, uint32_t n)
{
  struct elf_reader_question request;
  question_fill(&request,
                &(struct elf_reader_message){.type = ELF_READER_RESOLVE,
                                             .cookie = ++client->cookie,
                                             .flags = flags,
                                             .deadline = client->resolve_until},
                addresses, n);
  if ((flags & ELF_READER_AGAIN) == 0)
    client->resolved_bytes = elf_reader_client_measure(fds, n_fds);
  int result = elf_reader_client_ask(client, job, &request.message, fds, n_fds);
  uint64_t seconds = elf_reader_resolve_seconds(client->resolved_bytes) + ELF_READER_SECONDS_MAX;
  client->deadline += PATIENCE_PER_SECOND * seconds;
  if (client->resolve_until > 0 && client->deadline > client->resolve_until + MOMENT)
    client->deadline = client->resolve_until + MOMENT;
  return result;
}

int elf_reader_client_disassemble(struct elf_reader_client *client, void *job, int fd,
                                  const struct elf_reader_code *code)
{
  struct elf_reader_code_question question = {
      .message = {.type = ELF_READER_DISASSEMBLE, .size = sizeof question, .cookie = ++client->cookie},
      .code = *code};
  return elf_reader_client_ask(client, job, &question.message, &fd, 1);
}

static bool take_ready(struct elf_reader_client *client, const struct elf_reader_message *message, int fd)
{
  if (client->ready || fd >= 0 || message->version != ELF_READER_PROTOCOL_VERSION)
    return false;
  client->ready = true;
  client->deadline = UINT64_MAX;
  return true;
}

static bool take_answer(struct elf_reader_client *client, const struct elf_reader_message *message, int fd,
                        struct elf_reader_answer *ret)
{
  if (client->job == NULL || message->cookie != client->cookie || message->error > 0 ||
      message->error < -4095 || (message->error == 0) != (fd >= 0))
    return false;
  *ret = (struct elf_reader_answer){.error = message->error, .fd = fd, .size = message->length};
  client->job = NULL;
  client->deadline = UINT64_MAX;
  return true;
}

int elf_reader_client_receive(struct elf_reader_client *client, struct elf_reader_answer *ret)
{
  struct elf_reader_message message;
  int fd = -1;
  ssize_t size = packet_receive(client->socket, &message, sizeof message, &fd, false);
  if (size == -EAGAIN)
    return elf_reader_client_now() < client->deadline ? 0 : -ETIMEDOUT;
  if (size <= 0)
    return size < 0 ? (int)size : -ECONNABORTED;
  bool is_whole = size == sizeof message && message.size == sizeof message;
  if (is_whole && message.type == ELF_READER_READY && take_ready(client, &message, fd))
    return 0;
  if (is_whole && message.type == client->expected && take_answer(client, &message, fd, ret))
    return 1;
  if (fd >= 0)
    close(fd);
  return -EPROTO;
}
