/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prints of addresses, in hexadecimal digits on standard input, what `addr2line -a -i -f` does.
 *
 * usage: dwarf-lines FILE [--alternate FILE] [--package FILE] [--dwo FILE]... [--missing] [--declared] [--stretches] */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/dwarf-find.h"

static const char *const outcomes[] = {"complete", "out of time", "out of memory", "damaged"};

static bool show_missing, show_declared, show_stretches;
static int n_digits = 16;

static struct dwarf_bytes map_file(const char *path)
{
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  void *bytes = MAP_FAILED;

  if (fd >= 0 && fstat(fd, &status) == 0)
    bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (bytes == MAP_FAILED) {
    fprintf(stderr, "dwarf-lines: %s: %s\n", path, strerror(errno));
    exit(2);
  }
  close(fd);
  return (struct dwarf_bytes){bytes, (size_t)status.st_size};
}

static int address_compare(const void *a, const void *b)
{
  const uint64_t *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

static uint64_t *read_addresses(size_t *ret_n)
{
  size_t n = 0, capacity = 1024;
  uint64_t *addresses = malloc(capacity * sizeof *addresses);

  while (scanf("%" SCNx64, &addresses[n]) == 1)
    if (++n == capacity) {
      capacity *= 2;
      addresses = realloc(addresses, capacity * sizeof *addresses);
    }
  *ret_n = n;
  return addresses;
}

static void print_text(const struct dwarf_places *places, const struct dwarf_text *text)
{
  if (text->length == 0)
    printf("??");
  else
    printf("%.*s", (int)text->length, (const char *)places + text->at);
}

static void print_frame(const struct dwarf_places *places, const struct dwarf_frame *frame)
{
  print_text(places, &frame->function);
  if (show_declared) {
    printf(" declared in ");
    print_text(places, &frame->declared_file);
    printf(":%u", frame->declared_line);
  }
  printf("\n");
  print_text(places, &frame->file);
  if (frame->line != 0)
    printf(":%u\n", frame->line);
  else
    printf(":?\n");
}

static void print_address(const struct dwarf_places *places, uint64_t address)
{
  const struct dwarf_place *place = places ? dwarf_places_find(places, address) : NULL;

  printf("0x%0*" PRIx64 "\n", n_digits, address);
  if (!place) {
    printf("??\n??:0\n");
    return;
  }
  if (show_stretches)
    printf("0x%" PRIx64 "-0x%" PRIx64 "\n", place->start, place->end);
  for (uint32_t i = 0; i < place->n_frames; i++)
    print_frame(places, &dwarf_places_get_frames(places)[place->first_frame + i]);
}

static void print_missing(const struct dwarf_places *places)
{
  const struct dwarf_missing *missing = dwarf_places_get_missing(places);

  for (uint32_t i = 0; i < places->n_missing; i++) {
    printf("missing ");
    print_text(places, &missing[i].path);
    if (missing[i].build_id_size == 0)
      printf(" %016" PRIx64, missing[i].dwo_id);
    else
      printf(" ");
    for (uint32_t j = 0; j < missing[i].build_id_size; j++)
      printf("%02x", missing[i].build_id[j]);
    printf("\n");
  }
}

static size_t find_part(const uint64_t *sorted, size_t n, uint64_t address)
{
  size_t part = 0;

  while ((part + 1) * DWARF_ADDRESSES_MAX < n && sorted[(part + 1) * DWARF_ADDRESSES_MAX] <= address)
    part++;
  return part;
}

static struct dwarf_places **find_all(struct dwarf_reader *reader, const uint64_t *sorted, size_t n)
{
  size_t n_parts = n / DWARF_ADDRESSES_MAX + 1;
  struct dwarf_places **parts = calloc(n_parts, sizeof *parts);

  for (size_t i = 0; i < n_parts; i++) {
    size_t first = i * DWARF_ADDRESSES_MAX, left = n - first;
    int error = dwarf_reader_find(reader, sorted + first, left < DWARF_ADDRESSES_MAX ? left : DWARF_ADDRESSES_MAX,
                                  &parts[i]);

    if (error < 0)
      fprintf(stderr, "dwarf-lines: %s\n", strerror(-error));
    else if (!dwarf_places_are_valid(parts[i], parts[i]->size))
      abort();
    else if (parts[i]->outcome != DWARF_COMPLETE)
      fprintf(stderr, "dwarf-lines: %s\n", outcomes[parts[i]->outcome]);
  }
  return parts;
}

static void print_all(struct dwarf_places **parts, const uint64_t *addresses, const uint64_t *sorted, size_t n,
                      size_t n_sorted)
{
  if (show_missing)
    for (size_t i = 0; i <= n_sorted / DWARF_ADDRESSES_MAX; i++)
      if (parts[i])
        print_missing(parts[i]);
  for (size_t i = 0; i < n && !show_missing; i++)
    print_address(parts[find_part(sorted, n_sorted, addresses[i])], addresses[i]);
}

static void run(const struct dwarf_files *files)
{
  size_t n, n_sorted = 0;
  uint64_t *addresses = read_addresses(&n), *sorted = malloc((n + 1) * sizeof *sorted);
  struct dwarf_reader *reader;
  struct dwarf_places **parts;
  int error = dwarf_reader_open(files, NULL, &reader);

  if (error < 0) {
    fprintf(stderr, "dwarf-lines: %s\n", strerror(-error));
    exit(1);
  }
  if (((const unsigned char *)files->main.bytes)[EI_CLASS] == ELFCLASS32)
    n_digits = 8;
  memcpy(sorted, addresses, n * sizeof *sorted);
  qsort(sorted, n, sizeof *sorted, address_compare);
  for (size_t i = 0; i < n; i++)
    if (i == 0 || sorted[i] != sorted[i - 1])
      sorted[n_sorted++] = sorted[i];
  parts = find_all(reader, sorted, n_sorted);
  print_all(parts, addresses, sorted, n, n_sorted);
  for (size_t i = 0; i <= n_sorted / DWARF_ADDRESSES_MAX; i++)
    free(parts[i]);
  free(parts);
  free(sorted);
  free(addresses);
  dwarf_reader_close(reader);
}

int main(int n_arguments, char **arguments)
{
  struct dwarf_bytes *dwo = calloc((size_t)n_arguments, sizeof *dwo);
  struct dwarf_files files = {.dwo = dwo};

  for (int i = 1; i < n_arguments; i++) {
    const char *next = i + 1 < n_arguments ? arguments[i + 1] : NULL;

    if (strcmp(arguments[i], "--missing") == 0)
      show_missing = true;
    else if (strcmp(arguments[i], "--declared") == 0)
      show_declared = true;
    else if (strcmp(arguments[i], "--stretches") == 0)
      show_stretches = true;
    else if (strcmp(arguments[i], "--alternate") == 0 && next)
      files.alternate = map_file(arguments[++i]);
    else if (strcmp(arguments[i], "--package") == 0 && next)
      files.package = map_file(arguments[++i]);
    else if (strcmp(arguments[i], "--dwo") == 0 && next)
      dwo[files.n_dwo++] = map_file(arguments[++i]);
    else
      files.main = map_file(arguments[i]);
  }
  if (!files.main.bytes) {
    fprintf(stderr, "usage: dwarf-lines FILE [--alternate FILE] [--package FILE] [--dwo FILE]...\n");
    return 2;
  }
  run(&files);
  free(dwo);
  return 0;
}
