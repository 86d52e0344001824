/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/stream/names.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/common/memory.h"
#include "helpers/recorder/common/child.h"
#include "helpers/recorder/common/clock.h"
#include "helpers/recorder/stream/names-private.h"

/* A build may run thousands of programs, each of them a file that is gone soon. */
#define FILES_MAX     16384u
#define ADDRESSES_MAX (8u << 20)           /* 64 MiB of them, whatever is sampled where */
#define PATIENCE      UINT64_C(3000000000) /* nanoseconds, as the next one */
#define SERVE_TIME    UINT64_C(2000000)
#define NO_FILE                                                                                              \
  (CAPTURE_BINARY_VDSO | CAPTURE_BINARY_KERNEL | CAPTURE_BINARY_KERNEL_MODULE | CAPTURE_BINARY_SPECIAL)

static char *copy_text(const char *text)
{
  size_t size = strlen(text) + 1;
  return memcpy(recorder_allocate(size, 1), text, size);
}

static uint32_t usual_readers(void)
{
  long processors = sysconf(_SC_NPROCESSORS_ONLN);
  return processors < 1                            ? 1
         : processors < RECORDER_NAMES_READERS_MAX ? (uint32_t)processors
                                                   : RECORDER_NAMES_READERS_MAX;
}

int recorder_names_create(struct recorder_names **ret, const struct recorder_names_options *options)
{
  struct recorder_names *names = recorder_allocate(1, sizeof *names);
  names->binaries = options->binaries;
  names->reader = options->reader != NULL ? copy_text(options->reader) : recorder_reader_find();
  names->kallsyms = options->kallsyms != NULL ? options->kallsyms : "/proc/kallsyms";
  names->patience = options->patience != 0 ? options->patience : PATIENCE;
  names->n_readers = usual_readers();
  for (uint32_t i = 0; i < RECORDER_NAMES_READERS_MAX; i++)
    names->readers[i].socket = -1;
  names->opener.socket = -1;
  int result = recorder_child_is_held() ? 0 : recorder_opener_start(&names->opener, NULL, 0);
  if (result < 0) {
    recorder_names_free(names);
    return result;
  }
  *ret = names;
  return 0;
}

void recorder_names_free(struct recorder_names *names)
{
  recorder_opener_stop(&names->opener);
  for (uint32_t i = 0; i < RECORDER_NAMES_READERS_MAX; i++)
    recorder_reader_stop(&names->readers[i]);
  for (struct recorder_named *named = names->all, *next; named != NULL; named = next) {
    next = named->next_all;
    named->binary->named = NULL;
    recorder_binaries_release(names->binaries, named->binary);
    recorder_addresses_clear(&named->offsets);
    if (named->fd >= 0)
      close(named->fd);
    free(named->request);
    free(named);
  }
  recorder_addresses_clear(&names->kernel);
  free(names->by_id);
  free(names->reader);
  free(names);
}

static struct recorder_named *named_new(struct recorder_names *names, struct recorder_binary *binary)
{
  struct recorder_named *named = recorder_allocate(1, sizeof *named);
  named->fd = -1;
  named->binary = binary;
  named->next_all = names->all;
  binary->references++;
  binary->named = named;
  names->all = named;
  names->n_all++;
  return named;
}

void recorder_names_see(struct recorder_names *names, int32_t pid, const struct recorder_mapping *mapping)
{
  struct recorder_binary *binary = mapping->binary;
  struct recorder_named *named = binary->named;
  if ((binary->key.flags & NO_FILE) != 0 || (named != NULL && named->state != RECORDER_NAMED_LOST) ||
      (named != NULL && named->pid == pid))
    return;
  if (named == NULL && names->n_all == FILES_MAX) {
    names->n_unseen++;
    return;
  }
  if (named == NULL)
    named = named_new(names, binary);
  named->pid = pid;
  named->request = recorder_opener_request_new(&binary->key, pid, mapping->start, mapping->end);
  recorder_names_ask(names, named);
}

void recorder_names_define(struct recorder_names *names, const struct recorder_binary *binary)
{
  if (binary->id >= names->by_id_capacity) {
    uint32_t capacity = 2 * binary->id + 64;
    names->by_id = recorder_reallocate(names->by_id, capacity, sizeof *names->by_id);
    memset(names->by_id + names->by_id_capacity, 0,
           (capacity - names->by_id_capacity) * sizeof *names->by_id);
    names->by_id_capacity = capacity;
  }
  names->by_id[binary->id] = binary->named;
}

/* What was called from there is looked up in the call, which ends before it. */
static void names_add(struct recorder_names *names, struct recorder_addresses *addresses, uint64_t address)
{
  size_t before = addresses->capacity;
  uint64_t dropped = addresses->dropped;
  if (names->n_addresses >= ADDRESSES_MAX && addresses->count + 2 > addresses->capacity) {
    names->n_dropped++;
    return;
  }
  if (address != 0)
    recorder_addresses_add(addresses, address - 1);
  recorder_addresses_add(addresses, address);
  names->n_addresses += addresses->capacity - before;
  names->n_dropped += addresses->dropped - dropped;
}

void recorder_names_add(struct recorder_names *names, const struct recorder_binary *binary, uint64_t offset)
{
  if (binary->named != NULL && binary->named->state != RECORDER_NAMED_PUBLIC)
    names_add(names, &binary->named->offsets, offset);
}

void recorder_names_collect(struct recorder_names *names, const capture_writer *writer)
{
  uint32_t kind, owner;
  uint64_t address;
  for (uint32_t i = 1; i <= capture_writer_n_frames(writer); i++) {
    capture_writer_get_frame(writer, i, &kind, &owner, &address);
    if (kind == CAPTURE_SPACE_KERNEL)
      names_add(names, &names->kernel, address);
    else if (kind == CAPTURE_SPACE_BINARY && owner < names->by_id_capacity && names->by_id[owner] != NULL)
      recorder_names_add(names, names->by_id[owner]->binary, address);
  }
  if (names->by_id_capacity != 0)
    memset(names->by_id, 0, names->by_id_capacity * sizeof *names->by_id);
}

void recorder_names_serve(struct recorder_names *names)
{
  if (names->opening != NULL || names->to_open.first != NULL)
    recorder_names_serve_until(names, recorder_clock_now() + SERVE_TIME);
}

static void name_kernel(struct recorder_names *names)
{
  struct recorder_kallsyms kallsyms;
  if (names->kernel.count == 0)
    return;
  recorder_addresses_sort(&names->kernel);
  if (recorder_kallsyms_read(&kallsyms, names->kallsyms) < 0) {
    recorder_names_write_binary(names, NULL, CAPTURE_NAMING_UNREADABLE);
    return;
  }
  recorder_names_write_kernel(names, &kallsyms);
  recorder_kallsyms_clear(&kallsyms);
}

/* What was sampled in files that nobody could open, or read in time. */
static void count_unnamed(struct recorder_names *names)
{
  for (struct recorder_named *named = names->all; named != NULL; named = named->next_all) {
    if (named->offsets.count == 0 || named->state == RECORDER_NAMED_PUBLIC || named->id != 0)
      continue;
    names->n_unnamed++;
    recorder_names_write_binary(names, named->binary, CAPTURE_NAMING_UNREADABLE);
  }
}

static void names_tell(struct recorder_names *names)
{
  if (names->n_unnamed != 0)
    recorder_output_say(
        names->output, "%u file%s that not everybody may read could not be read for %s names.",
        names->n_unnamed, names->n_unnamed == 1 ? "" : "s", names->n_unnamed == 1 ? "its" : "their");
  if (names->n_unseen != 0)
    recorder_output_say(
        names->output,
        "There were more than %u files that not everybody may read; functions in the others have no names.",
        FILES_MAX);
  if (names->n_dropped != 0)
    recorder_output_say(names->output,
                        "Samples were taken in more places than are kept; functions at some of them may "
                        "have no names.");
}

void recorder_names_finish(struct recorder_names *names, struct recorder_output *output,
                           recorder_names_tick tick, void *data)
{
  if (recorder_output_next_epoch(output) < 0)
    return;
  names->output = output;
  names->tick = tick;
  names->tick_data = data;
  names->deadline = recorder_clock_now() + names->patience;
  recorder_names_serve_until(names, names->deadline - names->patience / 2);
  name_kernel(names);
  recorder_names_read(names);
  count_unnamed(names);
  names_tell(names);
}
