/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-questions.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "helpers/elf-reader/elf-reader-file.h"
#include "helpers/elf-reader/elf-reader-resolve.h"
#include "unwind/names/unwind-names.h"
#include "unwind/unwind-compile.h"

_Static_assert(ELF_READER_OFFSETS_MAX == UNWIND_OFFSETS_MAX, "all that may be asked can be answered");

/* Of address space, and at most as much of memory, that is kept from one file to the next: enough for nearly
 * all of them. */
#define WORKSPACE_KEPT ((size_t)32 << 20)

/* What is kept from one request to the next. */
static struct unwind_workspace workspace;
static struct elf_reader_resolver resolver;

/* The descriptor of the table, or -errno. */
static int elf_reader_serve_compile(const void *elf, size_t size, uint32_t flags, uint64_t *ret_length)
{
  const struct unwind_table *table;
  int result = unwind_compile_into(&workspace, elf, size, (flags & ELF_READER_MEMORY) != 0, &table);
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

/* What is asked of one file. */
static int elf_reader_serve_file(const struct elf_reader_request *request, uint64_t *ret_length)
{
  const struct elf_reader_question *question = &request->question;
  const struct elf_reader_message *message = &question->message;
  const void *file;
  size_t size;
  int result = elf_reader_file_map(request->files[0], ELF_READER_FILE_MAX, &file, &size);
  if (result < 0)
    return result;
  if (message->type == ELF_READER_NAME)
    result = elf_reader_serve_name(file, size, question->offsets, message->n_offsets, ret_length);
  else
    result = elf_reader_serve_compile(file, size, message->flags, ret_length);
  munmap((void *)file, size);
  if (workspace.size > WORKSPACE_KEPT)
    unwind_workspace_clear(&workspace);
  return result;
}

/* How long it takes is known when the files are open, which takes no longer than anything else. */
static int elf_reader_serve_resolve(const struct elf_reader_request *request, uint64_t *ret_length)
{
  const struct elf_reader_question *question = &request->question;
  uint32_t flags = question->message.flags;
  int result = flags & ELF_READER_AGAIN
                   ? 0
                   : elf_reader_resolver_open(&resolver, request->files, request->n_files, flags);
  if (result == 0)
    result = elf_reader_limit_time(elf_reader_resolve_seconds(resolver.bytes) + ELF_READER_SECONDS_MAX);
  if (result == 0)
    result = elf_reader_resolver_find(&resolver, question->offsets, question->message.n_offsets,
                                      question->message.deadline, ret_length);
  if ((flags & ELF_READER_KEEP) == 0)
    elf_reader_resolver_clear(&resolver);
  return result;
}

static int elf_reader_questions_answer(const struct elf_reader_request *request, uint64_t *ret_length)
{
  if (request->question.message.type == ELF_READER_RESOLVE)
    return elf_reader_serve_resolve(request, ret_length);
  elf_reader_resolver_clear(&resolver);
  return elf_reader_serve_file(request, ret_length);
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

static bool elf_reader_questions_are_sound(const struct elf_reader_request *request)
{
  const struct elf_reader_message *message = &request->question.message;
  switch (message->type) {
  case ELF_READER_COMPILE:
    return message->size == sizeof *message && (message->flags & ~(uint32_t)ELF_READER_MEMORY) == 0 &&
           request->n_files == 1;
  case ELF_READER_NAME:
    return has_all_offsets(message) && message->flags == 0 && request->n_files == 1;
  case ELF_READER_RESOLVE:
    return has_all_offsets(message) && has_files_of_resolve(message, request->n_files);
  default:
    return false;
  }
}

const struct elf_reader_service elf_reader_questions = {"capture-elf-reader", elf_reader_questions_are_sound,
                                                        elf_reader_questions_answer};
