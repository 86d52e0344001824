/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/preload/preload-maps.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define DELETED " (deleted)"
/* The longest path, escaped newlines, and the fields before it. */
#define LINE_MAX_BYTES 20480

/* strtoull would look at the locale, and sets errno. */
static bool parse_number(char **at, unsigned base, uint64_t *ret)
{
  uint64_t number = 0;
  char *begin = *at;
  for (;; (*at)++) {
    unsigned digit = (unsigned char)**at;
    if (digit >= '0' && digit <= '9')
      digit -= '0';
    else if (digit >= 'a' && digit <= 'f')
      digit -= 'a' - 10;
    else
      break;
    if (digit >= base || __builtin_mul_overflow(number, base, &number))
      return false;
    number += digit;
  }
  *ret = number;
  return *at != begin;
}

static bool preload_maps_skip(char **at, char expected)
{
  return *(*at)++ == expected;
}

static void parse_path(char *at, struct preload_map *map)
{
  while (*at == ' ')
    at++;
  size_t length = strlen(at);
  map->is_deleted = length >= strlen(DELETED) && strcmp(at + length - strlen(DELETED), DELETED) == 0;
  if (map->is_deleted)
    at[length - strlen(DELETED)] = '\0';
  map->path = at;
}

bool preload_map_parse(char *line, struct preload_map *map)
{
  char *at = line;
  uint64_t major = 0, minor = 0, inode = 0;
  if (!parse_number(&at, 16, &map->start) || !preload_maps_skip(&at, '-') ||
      !parse_number(&at, 16, &map->end) || !preload_maps_skip(&at, ' ') || strnlen(at, 5) < 5 || at[2] != 'x')
    return false;
  at += 4;
  if (!preload_maps_skip(&at, ' ') || !parse_number(&at, 16, &map->offset) || !preload_maps_skip(&at, ' ') ||
      !parse_number(&at, 16, &major) || !preload_maps_skip(&at, ':') || !parse_number(&at, 16, &minor) ||
      !preload_maps_skip(&at, ' ') || !parse_number(&at, 10, &inode))
    return false;
  map->device = makedev((unsigned)major, (unsigned)minor);
  map->inode = (ino_t)inode;
  parse_path(at, map);
  return map->start < map->end;
}

/* What is read of the file, and how far it was handed on. */
struct reading {
  preload_map_fn fn;
  void *data;
  uint64_t end; /* of the last mapping */
  size_t filled;
  char bytes[LINE_MAX_BYTES];
};

static void take_line(struct reading *reading, char *line)
{
  struct preload_map map;
  /* The file is read in pieces, between which a mapping may have moved. */
  if (!preload_map_parse(line, &map) || map.start < reading->end || map.end >> 56 != 0)
    return;
  reading->end = map.end;
  reading->fn(&map, reading->data);
}

static void take_lines(struct reading *reading)
{
  char *line = reading->bytes, *end;
  size_t left = reading->filled;
  while ((end = memchr(line, '\n', left)) != NULL) {
    *end++ = '\0';
    left -= (size_t)(end - line);
    take_line(reading, line);
    line = end;
  }
  /* No line is so long. */
  reading->filled = left < sizeof reading->bytes ? left : 0;
  memmove(reading->bytes, line, reading->filled);
}

int preload_maps_read(preload_map_fn fn, void *data)
{
  static struct reading reading; /* too large for the stacks of some threads */
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  ssize_t n;
  if (fd < 0)
    return -errno;
  reading.fn = fn;
  reading.data = data;
  reading.end = 0;
  reading.filled = 0;
  do {
    n = read(fd, reading.bytes + reading.filled, sizeof reading.bytes - reading.filled);
    if (n > 0) {
      reading.filled += (size_t)n;
      take_lines(&reading);
    }
  } while (n > 0 || (n < 0 && errno == EINTR));
  int error = n < 0 ? -errno : 0;
  close(fd);
  return error;
}
