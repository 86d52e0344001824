/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The elf-readers' half of recorder_names. */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "helpers/common/image.h"
#include "helpers/elf-reader-protocol.h"
#include "helpers/recorder/stream/names-private.h"

#define FAILURES_MAX 3
#define TICK         5 /* milliseconds */

static void names_read_finish(struct recorder_named *named)
{
  close(named->fd);
  named->fd = -1;
  named->state = RECORDER_NAMED_DONE;
}

static enum capture_naming status_of(const struct unwind_names *found)
{
  static const enum capture_naming statuses[] = {[UNWIND_NAMES_SYMBOLS] = CAPTURE_NAMING_SYMBOLS,
                                                 [UNWIND_NAMES_DYNAMIC] = CAPTURE_NAMING_DYNAMIC,
                                                 [UNWIND_NAMES_NONE] = CAPTURE_NAMING_NONE};
  return statuses[found->status];
}

static bool write_found(struct recorder_names *names, struct recorder_named *named,
                        const struct unwind_names *found)
{
  if (named->id == 0)
    named->id = recorder_names_write_binary(names, named->binary, status_of(found));
  return named->id != 0 && recorder_names_write_functions(names, named, found);
}

/* False when the elf-reader said what no honest one says. */
static bool take_found(struct recorder_names *names, struct recorder_named *named,
                       const struct elf_reader_answer *answer)
{
  const struct unwind_names *found = NULL;
  if (answer->error != 0) {
    /* What is no ELF file has no names, and is none of a machine that is understood here. */
    if (answer->error == -ENOEXEC && named->id == 0)
      named->id = recorder_names_write_binary(names, named->binary, CAPTURE_NAMING_NONE);
    names_read_finish(named);
    return true;
  }
  int result = recorder_image_map_names(answer->fd, answer->size, &found);
  close(answer->fd);
  if (result < 0) {
    names_read_finish(named);
    return false;
  }
  named->n_read += named->n_asked;
  if (write_found(names, named, found) && named->n_read < named->offsets.count)
    recorder_named_push(&names->to_read, named);
  else
    names_read_finish(named);
  munmap((void *)found, answer->size);
  return true;
}

/* Whatever it died of was this file, as far as anybody can tell. */
static void lose_reader(struct recorder_names *names, struct elf_reader_client *reader)
{
  struct recorder_named *named = reader->job;
  if (!reader->ready)
    names->reader_failures++;
  recorder_reader_stop(reader);
  if (named != NULL)
    names_read_finish(named);
}

static void serve_reader(struct recorder_names *names, struct elf_reader_client *reader)
{
  struct elf_reader_answer answer;
  struct recorder_named *named = reader->job;
  int result = elf_reader_client_receive(reader, &answer);
  if (result < 0)
    lose_reader(names, reader);
  else if (result > 0 && !take_found(names, named, &answer))
    recorder_reader_stop(reader);
}

static void names_read_give(struct recorder_names *names, struct elf_reader_client *reader)
{
  struct recorder_named *named = recorder_named_pop(&names->to_read);
  size_t left = named->offsets.count - named->n_read;
  named->n_asked = left < ELF_READER_OFFSETS_MAX ? left : ELF_READER_OFFSETS_MAX;
  int result = elf_reader_client_name(reader, named, named->fd, named->offsets.items + named->n_read,
                                      (uint32_t)named->n_asked);
  if (result < 0) {
    reader->job = named;
    lose_reader(names, reader);
  }
}

/* True while anybody has something to do. */
static bool names_read_serve(struct recorder_names *names)
{
  bool busy = false;
  for (uint32_t i = 0; i < names->n_readers; i++) {
    struct elf_reader_client *reader = &names->readers[i];
    if (reader->pid != 0)
      serve_reader(names, reader);
    if (reader->pid == 0 && names->to_read.first != NULL && names->reader_failures < FAILURES_MAX &&
        elf_reader_client_start(reader, names->reader) < 0)
      names->reader_failures++;
    if (reader->pid != 0 && reader->ready && reader->job == NULL && names->to_read.first != NULL)
      names_read_give(names, reader);
    busy = busy || reader->job != NULL || (reader->pid != 0 && names->to_read.first != NULL);
  }
  return busy || (names->to_read.first != NULL && names->reader_failures < FAILURES_MAX);
}

static void wait_for_readers(struct recorder_names *names)
{
  struct pollfd fds[RECORDER_NAMES_READERS_MAX];
  uint32_t n = 0;
  for (uint32_t i = 0; i < names->n_readers; i++)
    if (names->readers[i].pid != 0)
      fds[n++] = (struct pollfd){.fd = names->readers[i].socket, .events = POLLIN};
  poll(fds, n, TICK);
}

void recorder_names_read(struct recorder_names *names)
{
  for (struct recorder_named *named = names->all; named != NULL; named = named->next_all) {
    if (named->state != RECORDER_NAMED_OPEN || named->offsets.count == 0)
      continue;
    recorder_addresses_sort(&named->offsets);
    recorder_named_push(&names->to_read, named);
  }
  while (names_read_serve(names) && recorder_names_go_on(names))
    wait_for_readers(names);
}
