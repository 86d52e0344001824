/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-serve.h"

#include <errno.h>
#include <sys/time.h>
#include <unistd.h>

#include "helpers/packet.h"

int elf_reader_limit_time(uint32_t seconds)
{
  const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  return setitimer(ITIMER_PROF, &limit, NULL) < 0 ? -errno : 0;
}

static int elf_reader_serve_answer(int socket, const struct elf_reader_service *service,
                                   const struct elf_reader_request *request)
{
  const struct elf_reader_message *asked = &request->question.message;
  struct elf_reader_message message = {
      .type = ELF_READER_READY + asked->type, .size = sizeof message, .cookie = asked->cookie};
  int done = service->answer(request, &message.length);
  message.error = done < 0 ? done : 0;
  message.length = done < 0 ? 0 : message.length;
  int result = packet_send(socket, &message, sizeof message, done < 0 ? -1 : done, true);
  if (done >= 0)
    close(done);
  return result;
}

static int elf_reader_serve_one(int socket, const struct elf_reader_service *service,
                                const struct elf_reader_request *request, ssize_t size)
{
  const struct elf_reader_message *message = &request->question.message;
  if (size < (ssize_t)sizeof *message || message->size != (size_t)size || !service->is_sound(request))
    return -EPROTO;
  int result = elf_reader_limit_time(ELF_READER_SECONDS_MAX);
  return result < 0 ? result : elf_reader_serve_answer(socket, service, request);
}

static void close_files(struct elf_reader_request *request)
{
  for (uint32_t i = 0; i < request->n_files; i++)
    close(request->files[i]);
}

int elf_reader_serve(int socket, const struct elf_reader_service *service)
{
  static struct elf_reader_request request;
  struct elf_reader_message message = {
      .type = ELF_READER_READY, .size = sizeof message, .version = ELF_READER_PROTOCOL_VERSION};
  int result = packet_send(socket, &message, sizeof message, -1, true);
  while (result == 0) {
    ssize_t size = packet_receive_many(socket, &request.question, sizeof request.question, request.files,
                                       ELF_READER_DESCRIPTORS_MAX, true);
    if (size <= 0) {
      result = (int)size;
      break;
    }
    for (request.n_files = 0; request.n_files < ELF_READER_DESCRIPTORS_MAX; request.n_files++)
      if (request.files[request.n_files] < 0)
        break;
    result = elf_reader_serve_one(socket, service, &request, size);
    close_files(&request);
  }
  return result;
}
