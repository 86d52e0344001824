/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/stream/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/common/memory.h"

#define TEXT_MIN    ((size_t)8 << 20)
#define TEXT_MAX    ((size_t)256 << 20)
#define ENTRIES_MIN ((size_t)1 << 18)
#define PAGE        UINT64_C(4096)

struct recorder_kallsyms_entry {
  uint64_t address;
  uint32_t name; /* where in the text its name begins */
};

/* How long the list is, it does not say. */
static int read_text(struct recorder_kallsyms *kallsyms, int fd)
{
  size_t room = TEXT_MIN;
  ssize_t got = 1;
  kallsyms->text = recorder_allocate(room, 1);
  while (got > 0 && kallsyms->length < TEXT_MAX) {
    if (kallsyms->length == room)
      kallsyms->text = recorder_reallocate(kallsyms->text, room *= 2, 1);
    got = read(fd, kallsyms->text + kallsyms->length, room - kallsyms->length);
    kallsyms->length += got > 0 ? (size_t)got : 0;
  }
  return got < 0 ? -errno : 0;
}

static void kallsyms_add(struct recorder_kallsyms *kallsyms, uint64_t address, size_t name)
{
  if (kallsyms->n == kallsyms->capacity) {
    kallsyms->capacity = kallsyms->capacity != 0 ? 2 * kallsyms->capacity : ENTRIES_MIN;
    kallsyms->entries = recorder_reallocate(kallsyms->entries, kallsyms->capacity, sizeof *kallsyms->entries);
  }
  kallsyms->entries[kallsyms->n++] = (struct recorder_kallsyms_entry){address, (uint32_t)name};
}

static int kallsyms_digit(char c)
{
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "ADDRESS T name", perhaps with "\t[module]" behind it. */
static void take_line(struct recorder_kallsyms *kallsyms, size_t at, size_t end)
{
  const char *text = kallsyms->text;
  uint64_t address = 0;
  size_t first = at;
  for (; at < end && at < first + 16 && kallsyms_digit(text[at]) >= 0; at++)
    address = address << 4 | (uint64_t)kallsyms_digit(text[at]);
  if (at == first || end - at < 4 || text[at] != ' ' || text[at + 2] != ' ')
    return;
  kallsyms->hidden = kallsyms->hidden && address == 0;
  if (memchr("TtWwDdBb", text[at + 1], 8) != NULL)
    kallsyms_add(kallsyms, address, at + 3);
}

static int kallsyms_compare(const void *a, const void *b)
{
  const struct recorder_kallsyms_entry *x = a, *y = b;
  if (x->address != y->address)
    return x->address < y->address ? -1 : 1;
  return x->name < y->name ? -1 : x->name > y->name;
}

static void take_text(struct recorder_kallsyms *kallsyms)
{
  kallsyms->hidden = true;
  for (size_t at = 0; at < kallsyms->length;) {
    const char *stop = memchr(kallsyms->text + at, '\n', kallsyms->length - at);
    size_t end = stop != NULL ? (size_t)(stop - kallsyms->text) : kallsyms->length;
    take_line(kallsyms, at, end);
    at = end + 1;
  }
  if (kallsyms->n != 0)
    qsort(kallsyms->entries, kallsyms->n, sizeof *kallsyms->entries, kallsyms_compare);
}

int recorder_kallsyms_read(struct recorder_kallsyms *ret, const char *path)
{
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  *ret = (struct recorder_kallsyms){0};
  if (fd < 0)
    return -errno;
  int result = read_text(ret, fd);
  close(fd);
  if (result == 0)
    take_text(ret);
  else
    recorder_kallsyms_clear(ret);
  return result;
}

void recorder_kallsyms_clear(struct recorder_kallsyms *kallsyms)
{
  free(kallsyms->text);
  free(kallsyms->entries);
  *kallsyms = (struct recorder_kallsyms){0};
}

static void read_name(const struct recorder_kallsyms *kallsyms, size_t i, struct recorder_kallsym *ret)
{
  size_t at = kallsyms->entries[i].name;
  const char *name = kallsyms->text + at;
  const char *stop = memchr(name, '\n', kallsyms->length - at);
  size_t length = stop != NULL ? (size_t)(stop - name) : kallsyms->length - at;
  const char *tab = memchr(name, '\t', length);
  *ret = (struct recorder_kallsym){.start = kallsyms->entries[i].address,
                                   .name = name,
                                   .name_length = tab != NULL ? (size_t)(tab - name) : length};
  if (tab == NULL || length - ret->name_length < 3 || tab[1] != '[' || name[length - 1] != ']')
    return;
  ret->module = tab + 2;
  ret->module_length = length - ret->name_length - 3;
}

static bool are_of_one_module(const struct recorder_kallsym *a, const struct recorder_kallsym *b)
{
  return a->module_length == b->module_length &&
         (a->module_length == 0 || memcmp(a->module, b->module, a->module_length) == 0);
}

static uint64_t find_end(const struct recorder_kallsyms *kallsyms, size_t next,
                         const struct recorder_kallsym *symbol)
{
  uint64_t page_end = (symbol->start + 2 * PAGE - 1) & ~(PAGE - 1);
  struct recorder_kallsym other;
  if (page_end <= symbol->start)
    page_end = UINT64_MAX;
  if (next == kallsyms->n)
    return page_end;
  read_name(kallsyms, next, &other);
  return are_of_one_module(symbol, &other) || other.start < page_end ? other.start : page_end;
}

bool recorder_kallsyms_find(const struct recorder_kallsyms *kallsyms, uint64_t address,
                            struct recorder_kallsym *ret)
{
  size_t low = 0, high = kallsyms->hidden ? 0 : kallsyms->n;
  struct recorder_kallsym symbol;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (kallsyms->entries[middle].address <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0)
    return false;
  read_name(kallsyms, low - 1, &symbol);
  symbol.end = find_end(kallsyms, low, &symbol);
  if (address >= symbol.end || symbol.name_length == 0)
    return false;
  *ret = symbol;
  return true;
}
