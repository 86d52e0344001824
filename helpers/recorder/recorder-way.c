/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-way.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/recorder/events/attr.h"

#define STACK_BYTES_DEFAULT 16384
#define MISS_STACK          28672
/* Kernel memory that is taken and cleared at once, which costs some ten milliseconds of the start. */
#define AREA_TARGETS (32u << 20)
#define AREA_SYSTEM  (64u << 20)
#define PROCESSES    8192

static uint32_t first_way(const struct recorder_configure *configure)
{
  if ((configure->flags & RECORDER_USER_STACKS) == 0)
    return RECORDER_UNWIND_NONE;
  return configure->unwind == RECORDER_UNWIND_AUTO ? RECORDER_UNWIND_BPF : configure->unwind;
}

static uint32_t next_way(uint32_t unwind)
{
  return unwind == RECORDER_UNWIND_BPF ? RECORDER_UNWIND_TABLES : RECORDER_UNWIND_FRAME_POINTERS;
}

/* Walks by tables know no limit of the kernel's. */
static uint32_t user_stack(const struct recorder_configure *configure)
{
  return configure->max_stack == 0 || configure->max_stack > WALK_FRAMES_MAX ? WALK_FRAMES_MAX
                                                                             : configure->max_stack;
}

/* The threshold of the event "off-cpu"; NULL: it is not recorded. */
static const uint64_t *off_cpu_threshold(const struct recorder_source *source)
{
  for (uint32_t i = 0; i < source->n_events; i++)
    if (source->events[i].off_cpu)
      return &source->events[i].period;
  return NULL;
}

static int open_bpf(struct recorder_way *way, const struct recorder_source *source,
                    struct recorder_error *error)
{
  const uint64_t *threshold = off_cpu_threshold(source);
  if (way->bpf != NULL || (threshold == NULL && source->unwind != RECORDER_UNWIND_BPF))
    return 0;
  const struct recorder_off_cpu_options off_cpu = {
      .threshold = threshold != NULL ? *threshold : 0,
      .everybody = (source->flags & RECORDER_SYSTEM_WIDE) != 0,
      .children = (source->flags & RECORDER_CHILDREN) != 0,
      .kernel = recorder_attr_has_kernel_stacks(source),
      .unwind = source->unwind,
  };
  const struct recorder_bpf_options options = {
      .area_size = (source->flags & RECORDER_SYSTEM_WIDE) != 0 ? AREA_SYSTEM : AREA_TARGETS,
      .max_stack = source->user_stack,
      .miss_stack = MISS_STACK,
      .processes = PROCESSES,
      .only_own_events = (source->flags & RECORDER_SYSTEM_WIDE) == 0,
      .interpreter = (source->flags & RECORDER_INTERPRETER) != 0,
      .off_cpu = threshold != NULL ? &off_cpu : NULL,
  };
  return recorder_bpf_open(&way->bpf, &options, error);
}

static int way_try(struct recorder_way *way, struct recorder_source *source, char *notes,
                   struct recorder_error *error)
{
  int result = open_bpf(way, source, error);
  if (result < 0)
    return result;
  source->bpf = way->bpf;
  return recorder_source_open(source, notes, error);
}

int recorder_way_open(struct recorder_way *way, struct recorder_source *source,
                      const struct recorder_configure *configure, char *notes, struct recorder_error *error)
{
  const struct recorder_source wanted = *source;
  *way = (struct recorder_way){.asked = configure->unwind};
  for (uint32_t unwind = first_way(configure);; unwind = next_way(unwind)) {
    char before[RECORDER_TEXT_MAX];
    memcpy(before, notes, sizeof before);
    *source = wanted;
    source->unwind = unwind;
    source->user_stack = user_stack(configure);
    source->stack_bytes = configure->stack_bytes != 0 ? configure->stack_bytes : STACK_BYTES_DEFAULT;
    recorder_attr_limit_stack(source, notes);
    int result = way_try(way, source, notes, error);
    if (result == 0 || way->asked != RECORDER_UNWIND_AUTO || unwind == RECORDER_UNWIND_FRAME_POINTERS ||
        unwind == RECORDER_UNWIND_NONE || (off_cpu_threshold(&wanted) != NULL && way->bpf == NULL))
      return result;
    recorder_source_close(source);
    recorder_way_close(way);
    memcpy(notes, before, sizeof before);
    recorder_notes_add(notes, "%s", error->text);
  }
}

int recorder_way_prepare(struct recorder_way *way, struct recorder_decoder *decoder,
                         struct recorder_opener *opener, struct recorder_error *error)
{
  char path[PATH_MAX];
  uint32_t unwind = decoder->source->unwind;
  if (unwind != RECORDER_UNWIND_BPF && unwind != RECORDER_UNWIND_TABLES)
    return 0;
  bool cached = opener == NULL && recorder_tables_default_cache(path, sizeof path);
  const struct recorder_unwinder_options options = {
      .bpf = unwind == RECORDER_UNWIND_BPF ? way->bpf : NULL,
      .binaries = &decoder->tasks.binaries,
      .tables = {.cache = cached ? path : NULL, .opener = opener},
  };
  struct recorder_unwinder *unwinder;
  int result = recorder_unwinder_create(&unwinder, &options);
  if (result < 0)
    return recorder_error_set(error, -result,
                              "Unwind tables cannot be made: %s; is capture-elf-reader there, beside the "
                              "recorder? Else record with “--unwind fp”.",
                              strerror(-result));
  recorder_decoder_set_unwinder(decoder, unwinder);
  return 0;
}

void recorder_way_close(struct recorder_way *way)
{
  if (way->bpf != NULL)
    recorder_bpf_close(way->bpf);
  way->bpf = NULL;
}
