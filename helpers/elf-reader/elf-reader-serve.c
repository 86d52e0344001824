/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-serve.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "helpers/elf-reader/elf-reader-disassemble.h"
#include "helpers/elf-reader/elf-reader-file.h"
#include "helpers/elf-reader/elf-reader-resolve.h"
#include "helpers/packet.h"
#include "unwind/unwind-compile.h"
#include "unwind/unwind-names.h"

_Static_assert(ELF_READER_OFFSETS_MAX == UNWIND_OFFSETS_MAX, "all that may be asked can be answered");
_Static_assert(ELF_READER_NAMED - ELF_READER_NAME == ELF_READER_COMPILED - ELF_READER_COMPILE &&
                   ELF_READER_RESOLVED - ELF_READER_RESOLVE == ELF_READER_COMPILED - ELF_READER_COMPILE &&
                   ELF_READER_DISASSEMBLED - ELF_READER_DISASSEMBLE ==
                       ELF_READER_COMPILED - ELF_READER_COMPILE,
               "an answer's type follows from its question's");

/* Of address space, and at most as much of memory, that is kept from one file to the next: enough for nearly
 * all of them. */
#define WORKSPACE_KEPT ((size_t)32 << 20)

/* What is kept from one request to the next. */
struct elf_reader_server {
  int socket;
  struct unwind_workspace workspace;
  struct elf_reader_resolver resolver;
};

/* With as many descriptors as it says, or brought. */
struct elf_reader_request {
  union {
    struct elf_reader_question question;
    struct elf_reader_code_question code;
  };
  int files[ELF_READER_DESCRIPTORS_MAX];
  uint32_t n_files;
};

/* The descriptor of the table, or -errno. */
static int elf_reader_serve_compile(const void *elf, size_t size, uint32_t flags,
                                    struct unwind_workspace *workspace, uint64_t *ret_length)
{
  const struct unwind_table *table;
  int result = unwind_compile_into(workspace, elf, size, (flags & ELF_READER_MEMORY) != 0, &table);
  if (result < 0)
    return result;
  *ret_length = table->size;
  return elf_reader_file_seal(table, table->size);
}

/* The descriptor of the names, or -errno. */
static int elf_reader_serve_name(const void *elf, size_t size, const uint64_t *offsets, uint32_t n,
                                 uint64_t *ret_length)
{
  struct unwind_names *names;
  int result = unwind_names_find(elf, size, offsets, n, &names);
  if (result < 0)
    return result;
  *ret_length = names->size;
  result = elf_reader_file_seal(names, names->size);
  free(names);
  return result;
}

static int elf_reader_serve_bytes(struct elf_reader_server *server, const struct elf_reader_request *request,
                                  const void *file, size_t size, uint64_t *ret_length)
{
  const struct elf_reader_question *question = &request->question;
  const struct elf_reader_message *message = &question->message;
  switch (message->type) {
  case ELF_READER_NAME:
    return elf_reader_serve_name(file, size, question->offsets, message->n_offsets, ret_length);
  case ELF_READER_DISASSEMBLE:
    return elf_reader_disassemble(file, size, message->flags, &request->code.code, ret_length);
  default:
    return elf_reader_serve_compile(file, size, message->flags, &server->workspace, ret_length);
  }
}

/* What is asked of one file. */
static int elf_reader_serve_file(struct elf_reader_server *server, const struct elf_reader_request *request,
                                 uint64_t *ret_length)
{
  const void *file;
  size_t size;
  int result = elf_reader_file_map(request->files[0], ELF_READER_FILE_MAX, &file, &size);
  if (result < 0)
    return result;
  result = elf_reader_serve_bytes(server, request, file, size, ret_length);
  munmap((void *)file, size);
  if (server->workspace.size > WORKSPACE_KEPT)
    unwind_workspace_clear(&server->workspace);
  return result;
}

static int limit_time(uint32_t seconds)
{
  const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
  return setitimer(ITIMER_PROF, &limit, NULL) < 0 ? -errno : 0;
}

/* How long it takes is known when the files are open, which takes no longer than anything else. */
static int elf_reader_serve_resolve(struct elf_reader_server *server,
                                    const struct elf_reader_request *request, uint64_t *ret_length)
{
  const struct elf_reader_question *question = &request->question;
  uint32_t flags = question->message.flags;
  struct elf_reader_resolver *resolver = &server->resolver;
  int result = flags & ELF_READER_AGAIN
                   ? 0
                   : elf_reader_resolver_open(resolver, request->files, request->n_files, flags);
  if (result == 0)
    result = limit_time(elf_reader_resolve_seconds(resolver->bytes) + ELF_READER_SECONDS_MAX);
  if (result == 0)
    result = elf_reader_resolver_find(resolver, question->offsets, question->message.n_offsets,
                                      question->message.deadline, ret_length);
  if ((flags & ELF_READER_KEEP) == 0)
    elf_reader_resolver_clear(resolver);
  return result;
}

/* The descriptor of the answer, or -errno. */
static int do_it(struct elf_reader_server *server, const struct elf_reader_request *request,
                 uint64_t *ret_length)
{
  if (request->question.message.type == ELF_READER_RESOLVE)
    return elf_reader_serve_resolve(server, request, ret_length);
  elf_reader_resolver_clear(&server->resolver);
  return elf_reader_serve_file(server, request, ret_length);
}

/* The type of the answer to a request. */
static uint32_t elf_reader_serve_expected(uint32_t type)
{
  return type + (ELF_READER_COMPILED - ELF_READER_COMPILE);
}

static int elf_reader_serve_answer(struct elf_reader_server *server, const struct elf_reader_request *request)
{
  const struct elf_reader_message *asked = &request->question.message;
  struct elf_reader_message message = {
      .type = elf_reader_serve_expected(asked->type), .size = sizeof message, .cookie = asked->cookie};
  int done = do_it(server, request, &message.length);
  message.error = done < 0 ? done : 0;
  message.length = done < 0 ? 0 : message.length;
  int result = packet_send(server->socket, &message, sizeof message, done < 0 ? -1 : done, true);
  if (done >= 0)
    close(done);
  return result;
}

static bool has_all_offsets(const struct elf_reader_message *message)
{
  return message->n_offsets <= ELF_READER_OFFSETS_MAX &&
         message->size ==
             offsetof(struct elf_reader_question, offsets) + message->n_offsets * sizeof(uint64_t);
}

static bool has_files_of_resolve(const struct elf_reader_message *message, uint32_t n_files)
{
  uint32_t flags = message->flags & ~(uint32_t)ELF_READER_KEEP;
  uint32_t n_beside = ((flags & ELF_READER_ALTERNATE) != 0) + ((flags & ELF_READER_PACKAGE) != 0);
  if (flags & ELF_READER_AGAIN)
    return flags == ELF_READER_AGAIN && n_files == 0;
  return (flags & ~(uint32_t)(ELF_READER_ALTERNATE | ELF_READER_PACKAGE)) == 0 && n_files > n_beside &&
         n_files <= 1 + n_beside + ELF_READER_SPLIT_MAX;
}

/* What only code without an ELF file needs is 0 in other questions. */
static bool has_code(const struct elf_reader_code_question *question, ssize_t size)
{
  bool bytes = question->message.flags == ELF_READER_BYTES;
  return size == sizeof *question && (bytes || question->message.flags == 0) &&
         question->message.n_offsets == 0 && question->code.machine <= UINT16_MAX &&
         question->code.reserved == 0 &&
         (bytes || (question->code.machine == 0 && question->code.address == 0));
}

static bool is_sound(const struct elf_reader_request *request, ssize_t size)
{
  const struct elf_reader_message *message = &request->question.message;
  if (size < (ssize_t)sizeof *message || message->size != (size_t)size)
    return false;
  switch (message->type) {
  case ELF_READER_COMPILE:
    return size == sizeof *message && (message->flags & ~(uint32_t)ELF_READER_MEMORY) == 0 &&
           request->n_files == 1;
  case ELF_READER_NAME:
    return has_all_offsets(message) && message->flags == 0 && request->n_files == 1;
  case ELF_READER_RESOLVE:
    return has_all_offsets(message) && has_files_of_resolve(message, request->n_files);
  case ELF_READER_DISASSEMBLE:
    return has_code(&request->code, size) && request->n_files == 1;
  default:
    return false;
  }
}

static int serve_one(struct elf_reader_server *server, const struct elf_reader_request *request, ssize_t size)
{
  if (!is_sound(request, size))
    return -EPROTO;
  int result = limit_time(ELF_READER_SECONDS_MAX);
  return result < 0 ? result : elf_reader_serve_answer(server, request);
}

static void close_files(struct elf_reader_request *request)
{
  for (uint32_t i = 0; i < request->n_files; i++)
    close(request->files[i]);
}

int elf_reader_serve(int socket)
{
  static struct elf_reader_request request;
  static struct elf_reader_server server;
  struct elf_reader_message message = {
      .type = ELF_READER_READY, .size = sizeof message, .version = ELF_READER_PROTOCOL_VERSION};
  server = (struct elf_reader_server){.socket = socket};
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
    result = serve_one(&server, &request, size);
    close_files(&request);
  }
  unwind_workspace_clear(&server.workspace);
  elf_reader_resolver_clear(&server.resolver);
  return result;
}
