/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/inside/capture-inside-maps.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "libcapture/capture.h"

#define HEADERS_MAX    64u
#define DELETED        " (deleted)"
#define NOTE_PADDED(n) (((n) + 3u) & ~3u)

static bool read_number(const char **at, unsigned base, uint64_t *ret)
{
  uint64_t value = 0;
  const char *begin = *at;

  for (;; (*at)++) {
    char c = **at;
    unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                                            : 16;

    if (digit >= base)
      break;
    value = value * base + digit;
  }
  *ret = value;
  return *at != begin;
}

static bool inside_maps_skip(const char **at, char c)
{
  if (**at != c)
    return false;
  (*at)++;
  return true;
}

static bool read_rights(const char **at, struct capture_inside_maps_line *line)
{
  const char *rights = *at;

  if (strnlen(rights, 5) < 5 || rights[4] != ' ')
    return false;
  line->protection = (uint32_t)((rights[0] == 'r' ? PROT_READ : 0) | (rights[1] == 'w' ? PROT_WRITE : 0) |
                                (rights[2] == 'x' ? PROT_EXEC : 0));
  line->flags = rights[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
  *at += 5;
  return true;
}

static void read_path(const char *path, struct capture_inside_maps_line *line)
{
  const size_t deleted = strlen(DELETED);
  size_t length = strlen(path);

  line->file.flags = 0;
  if (length > deleted && memcmp(path + length - deleted, DELETED, deleted) == 0) {
    line->file.flags |= CAPTURE_BINARY_DELETED;
    length -= deleted;
  }
  if (strcmp(path, "[vdso]") == 0)
    line->file.flags |= CAPTURE_BINARY_VDSO;
  else if (length > 0 && (*path == '[' || strncmp(path, "//", 2) == 0 || strncmp(path, "/memfd:", 7) == 0))
    line->file.flags |= CAPTURE_BINARY_SPECIAL;
  line->path = path;
  line->path_length = (uint32_t)(length < 4095 ? length : 4095);
}

static bool inside_maps_parse(const char *at, struct capture_inside_maps_line *line)
{
  uint64_t major, minor;

  if (!read_number(&at, 16, &line->start) || !inside_maps_skip(&at, '-') ||
      !read_number(&at, 16, &line->end) || !inside_maps_skip(&at, ' ') || !read_rights(&at, line) ||
      !read_number(&at, 16, &line->offset) || !inside_maps_skip(&at, ' ') || !read_number(&at, 16, &major) ||
      !inside_maps_skip(&at, ':') || !read_number(&at, 16, &minor) || !inside_maps_skip(&at, ' ') ||
      !read_number(&at, 10, &line->file.inode))
    return false;
  line->file.device = major << 32 | minor;
  while (*at == ' ')
    at++;
  read_path(at, line);
  return true;
}

static bool is_same_file(const struct capture_inside_maps_line *a, const struct capture_inside_maps_line *b)
{
  return a->file.inode == b->file.inode && a->file.device == b->file.device;
}

struct reading {
  void (*fn)(const struct capture_inside_maps_line *line, void *data);
  void *data;
  struct capture_inside_maps_line image; /* the latest mapping of a file's beginning */
  uint64_t now;
};

static void take_line(struct reading *reading, const char *text)
{
  struct capture_inside_maps_line line = {.now = reading->now};

  if (!inside_maps_parse(text, &line))
    return;
  if (line.offset == 0)
    reading->image = line;
  if ((line.protection & PROT_EXEC) == 0)
    return;
  if (is_same_file(&line, &reading->image)) {
    line.image = reading->image.start;
    line.image_end = reading->image.end;
  }
  reading->fn(&line, reading->data);
}

/* Takes the whole lines; returns how many bytes of a last one are left, moved to the front. */
static size_t take_lines(struct reading *reading, char *buffer, size_t length)
{
  char *at = buffer, *line_end;

  while ((line_end = memchr(at, '\n', length)) != NULL) {
    *line_end = '\0';
    take_line(reading, at);
    length -= (size_t)(line_end + 1 - at);
    at = line_end + 1;
  }
  memmove(buffer, at, length);
  return length;
}

bool capture_inside_maps_read(struct capture_inside_maps_scratch *scratch,
                              void (*fn)(const struct capture_inside_maps_line *line, void *data), void *data)
{
  struct reading reading = {.fn = fn, .data = data, .now = capture_time()};
  int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
  const size_t size = sizeof scratch->text;
  size_t length = 0;
  ssize_t n;

  if (fd < 0)
    return false;
  while ((n = read(fd, scratch->text + length, size - length)) > 0 || (n < 0 && errno == EINTR)) {
    if (n > 0)
      length = take_lines(&reading, scratch->text, length + (size_t)n);
    if (length == size)
      break;
  }
  close(fd);
  return n == 0;
}

/* The build-id among notes. */
static uint32_t find_build_id(const uint8_t *notes, size_t length, uint8_t *build_id)
{
  ElfW(Nhdr) note;

  for (size_t at = 0; at + sizeof note <= length;) {
    size_t name, content;

    memcpy(&note, notes + at, sizeof note);
    name = at + sizeof note;
    content = name + NOTE_PADDED((size_t)note.n_namesz);
    at = content + NOTE_PADDED((size_t)note.n_descsz);
    if (at > length)
      return 0;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + name, "GNU", 4) == 0 &&
        note.n_descsz <= CAPTURE_BUILD_ID_MAX) {
      memcpy(build_id, notes + content, note.n_descsz);
      return note.n_descsz;
    }
  }
  return 0;
}

static bool read_memory(int fd, const struct capture_inside_maps_line *line, uint64_t offset, void *to,
                        size_t size)
{
  if (offset > line->image_end - line->image || size > line->image_end - line->image - offset)
    return false;
  return pread(fd, to, size, (off_t)(line->image + offset)) == (ssize_t)size;
}

static uint32_t read_build_id(int fd, struct capture_inside_maps_scratch *scratch,
                              const struct capture_inside_maps_line *line, uint8_t *build_id)
{
  ElfW(Ehdr) elf;
  ElfW(Phdr) header;
  uint8_t *notes = scratch->notes;
  uint32_t size = 0;

  if (!read_memory(fd, line, 0, &elf, sizeof elf) || memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0)
    return 0;
  for (uint32_t i = 0; i < elf.e_phnum && i < HEADERS_MAX && size == 0; i++) {
    size_t length;

    if (!read_memory(fd, line, elf.e_phoff + i * sizeof header, &header, sizeof header))
      return 0;
    length = header.p_filesz < sizeof scratch->notes ? header.p_filesz : sizeof scratch->notes;
    if (header.p_type == PT_NOTE && read_memory(fd, line, header.p_offset, notes, length))
      size = find_build_id(notes, length, build_id);
  }
  return size;
}

uint32_t capture_inside_maps_build_id(struct capture_inside_maps_scratch *scratch,
                                      const struct capture_inside_maps_line *line,
                                      uint8_t build_id[static CAPTURE_BUILD_ID_MAX])
{
  uint32_t size;
  int fd;

  if (line->image == 0)
    return 0;
  /* By the kernel: a file that was truncated since would end the process otherwise. */
  fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return 0;
  size = read_build_id(fd, scratch, line, build_id);
  close(fd);
  return size;
}
