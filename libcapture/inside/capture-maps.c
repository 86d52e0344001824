/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/inside/capture-maps-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_LENGTH 4352u /* a path and what stands before it */

struct line {
  uintptr_t start, end;
  char protection[4];
  bool is_main_stack;
};

static bool parse_hex(const char **at, uintptr_t *ret)
{
  const char *begin = *at;
  uintptr_t value = 0;

  for (;; (*at)++) {
    char c = **at;

    if (c >= '0' && c <= '9')
      value = value << 4 | (uintptr_t)(c - '0');
    else if (c >= 'a' && c <= 'f')
      value = value << 4 | (uintptr_t)(c - 'a' + 10);
    else
      break;
  }
  *ret = value;
  return *at != begin;
}

static bool parse_line(const char *text, struct line *ret)
{
  const char *at = text;

  if (!parse_hex(&at, &ret->start) || *at++ != '-' || !parse_hex(&at, &ret->end) || *at++ != ' ' ||
      strlen(at) < sizeof ret->protection)
    return false;
  memcpy(ret->protection, at, sizeof ret->protection);
  ret->is_main_stack = strstr(at, " [stack]") != NULL;
  return true;
}

/* Neighbours are joined, so that few ranges hold much. */
static void maps_add(struct capture_walk_text *ranges, uintptr_t start, uintptr_t end)
{
  if (ranges->count > 0 && ranges->ranges[ranges->count - 1].end == start)
    ranges->ranges[ranges->count - 1].end = end;
  else if (ranges->count < CAPTURE_WALK_TEXT_MAX)
    ranges->ranges[ranges->count++] = (struct capture_walk_range){.start = start, .end = end};
}

static void add_line(struct capture_maps *maps, const struct line *line, uintptr_t previous_end)
{
  bool is_readable = line->protection[0] == 'r';

  if (is_readable && line->protection[2] == 'x')
    maps_add(&maps->text, line->start, line->end);
  if (line->is_main_stack) {
    /* It may grow down to whatever stands below it. */
    maps->main_low = previous_end;
    maps->main_high = line->end;
  } else if (is_readable && line->protection[1] == 'w' && line->protection[3] == 'p' &&
             maps->stacks.count < CAPTURE_WALK_TEXT_MAX) {
    maps->stacks.ranges[maps->stacks.count++] =
        (struct capture_walk_range){.start = line->start, .end = line->end};
  }
}

/* Takes whole lines from the buffer; returns how many bytes are left at its beginning. */
static size_t take_lines(struct capture_maps *maps, char *buffer, size_t length, uintptr_t *previous_end)
{
  char *begin = buffer, *end;
  struct line line;

  while ((end = memchr(begin, '\n', length)) != NULL) {
    *end = '\0';
    if (parse_line(begin, &line)) {
      add_line(maps, &line, *previous_end);
      *previous_end = line.end;
    }
    length -= (size_t)(end + 1 - begin);
    begin = end + 1;
  }
  memmove(buffer, begin, length);
  return length;
}

int capture_maps_read(struct capture_maps *maps)
{
  char buffer[LINE_MAX_LENGTH];
  uintptr_t previous_end = 0;
  size_t length = 0;
  ssize_t n = 0;
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

  if (fd < 0)
    return -errno;
  maps->text.count = maps->stacks.count = 0;
  maps->main_low = maps->main_high = 0;
  while (length < sizeof buffer && (n = read(fd, buffer + length, sizeof buffer - length)) > 0)
    length = take_lines(maps, buffer, length + (size_t)n, &previous_end);
  if (n < 0)
    n = -errno;
  close(fd);
  return (int)n < 0 ? (int)n : 0;
}

static uintptr_t thread_pointer(void)
{
#if defined(__x86_64__)
  uintptr_t address;

  __asm__("mov %%fs:0, %0" : "=r"(address));
  return address;
#elif defined(__aarch64__) || defined(__riscv)
  return (uintptr_t)__builtin_thread_pointer();
#else
  return 0;
#endif
}

bool capture_maps_find_stack(const struct capture_maps *maps, uintptr_t sp, uintptr_t *ret_low,
                             uintptr_t *ret_high)
{
  uintptr_t pointer = thread_pointer() & ~(uintptr_t)15;

  if (sp >= maps->main_low && sp < maps->main_high) {
    *ret_low = maps->main_low;
    *ret_high = maps->main_high;
    return true;
  }
  for (uint32_t i = 0; i < maps->stacks.count; i++) {
    const struct capture_walk_range *range = &maps->stacks.ranges[i];

    /* A stack whose end is not known for sure is not read. */
    if (sp >= range->start && sp < range->end && pointer > sp && pointer <= range->end) {
      *ret_low = range->start;
      *ret_high = pointer;
      return true;
    }
  }
  return false;
}
