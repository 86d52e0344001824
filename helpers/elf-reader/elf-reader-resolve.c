/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/elf-reader/elf-reader-resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "helpers/elf-reader/elf-reader-file.h"

_Static_assert(ELF_READER_OFFSETS_MAX == DWARF_ADDRESSES_MAX, "all that may be asked can be answered");

static int resolver_map(struct elf_reader_resolver *resolver, int descriptor, struct dwarf_bytes *ret)
{
  struct dwarf_bytes file;
  int result =
      elf_reader_file_map(descriptor, ELF_READER_FILE_MAX - resolver->bytes, &file.bytes, &file.size);
  if (result < 0)
    return result;
  resolver->files[resolver->n_files++] = *ret = file;
  resolver->bytes += file.size;
  return 0;
}

static int resolver_map_all(struct elf_reader_resolver *resolver, const int *descriptors, uint32_t n,
                            uint32_t flags, struct dwarf_files *ret)
{
  const int *next = descriptors, *end = descriptors + n;
  int result = resolver_map(resolver, *next++, &ret->main);
  if (result < 0)
    return result;
  if (flags & ELF_READER_ALTERNATE)
    resolver_map(resolver, *next++, &ret->alternate);
  if (flags & ELF_READER_PACKAGE)
    resolver_map(resolver, *next++, &ret->package);
  ret->dwo = resolver->files + resolver->n_files;
  for (; next < end; next++) {
    struct dwarf_bytes dwo;
    if (resolver_map(resolver, *next, &dwo) == 0)
      ret->n_dwo++;
  }
  return 0;
}

int elf_reader_resolver_open(struct elf_reader_resolver *resolver, const int *descriptors, uint32_t n,
                             uint32_t flags)
{
  struct dwarf_files files = {0};
  elf_reader_resolver_clear(resolver);
  int result = resolver_map_all(resolver, descriptors, n, flags, &files);
  if (result == 0) {
    struct dwarf_limits limits = {.processor_time =
                                      elf_reader_resolve_seconds(resolver->bytes) * UINT64_C(1000000000)};
    result = dwarf_reader_open(&files, &limits, &resolver->reader);
  }
  if (result < 0)
    elf_reader_resolver_clear(resolver);
  return result;
}

int elf_reader_resolver_find(struct elf_reader_resolver *resolver, const uint64_t *addresses, uint32_t n,
                             uint64_t deadline, uint64_t *ret_length)
{
  struct dwarf_places *places;
  if (!resolver->reader)
    return -ENODATA;
  dwarf_reader_set_deadline(resolver->reader, deadline);
  int result = dwarf_reader_find(resolver->reader, addresses, n, &places);
  if (result < 0)
    return result;
  *ret_length = places->size;
  result = elf_reader_file_seal(places, places->size);
  free(places);
  return result;
}

void elf_reader_resolver_clear(struct elf_reader_resolver *resolver)
{
  if (resolver->reader)
    dwarf_reader_close(resolver->reader);
  for (uint32_t i = 0; i < resolver->n_files; i++)
    munmap((void *)resolver->files[i].bytes, resolver->files[i].size);
  resolver->reader = NULL;
  resolver->n_files = 0;
  resolver->bytes = 0;
}
