/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "code/code-range.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "code/code-instructions.h"

/* What counts of both classes' headers. */
struct range_headers {
  uint64_t at;
  uint32_t entry_size;
  uint32_t n;
  bool narrow;
};

struct range_segment {
  uint32_t type;
  uint64_t offset;
  uint64_t address;
  uint64_t size;
};

static bool range_read(const void *file, size_t size, uint64_t at, void *ret, size_t n)
{
  if (at > size || size - at < n)
    return false;
  memcpy(ret, (const char *)file + at, n);
  return true;
}

static bool range_read_narrow(const void *elf, size_t size, struct range_headers *ret, uint16_t *ret_machine)
{
  Elf32_Ehdr header;

  if (!range_read(elf, size, 0, &header, sizeof header))
    return false;
  *ret = (struct range_headers){header.e_phoff, header.e_phentsize, header.e_phnum, true};
  *ret_machine = header.e_machine;
  return true;
}

static bool range_read_wide(const void *elf, size_t size, struct range_headers *ret, uint16_t *ret_machine)
{
  Elf64_Ehdr header;

  if (!range_read(elf, size, 0, &header, sizeof header))
    return false;
  *ret = (struct range_headers){header.e_phoff, header.e_phentsize, header.e_phnum, false};
  *ret_machine = header.e_machine;
  return true;
}

static bool range_read_headers(const void *elf, size_t size, struct range_headers *ret, uint16_t *ret_machine)
{
  unsigned char ident[EI_NIDENT];

  if (!range_read(elf, size, 0, ident, sizeof ident) || memcmp(ident, ELFMAG, SELFMAG) != 0 ||
      ident[EI_DATA] != ELFDATA2LSB)
    return false;
  if (ident[EI_CLASS] == ELFCLASS32)
    return range_read_narrow(elf, size, ret, ret_machine);
  return ident[EI_CLASS] == ELFCLASS64 && range_read_wide(elf, size, ret, ret_machine);
}

static bool range_read_segment(const void *elf, size_t size, const struct range_headers *headers, uint32_t i,
                               struct range_segment *ret)
{
  uint64_t at = headers->at + (uint64_t)i * headers->entry_size;
  Elf32_Phdr narrow;
  Elf64_Phdr wide;

  if (at < headers->at)
    return false;
  if (headers->narrow) {
    if (headers->entry_size < sizeof narrow || !range_read(elf, size, at, &narrow, sizeof narrow))
      return false;
    *ret = (struct range_segment){narrow.p_type, narrow.p_offset, narrow.p_vaddr, narrow.p_filesz};
    return true;
  }
  if (headers->entry_size < sizeof wide || !range_read(elf, size, at, &wide, sizeof wide))
    return false;
  *ret = (struct range_segment){wide.p_type, wide.p_offset, wide.p_vaddr, wide.p_filesz};
  return true;
}

static uint64_t range_find_address(const void *elf, size_t size, const struct range_headers *headers,
                                   uint64_t offset)
{
  struct range_segment segment;

  for (uint32_t i = 0; i < headers->n && range_read_segment(elf, size, headers, i, &segment); i++)
    if (segment.type == PT_LOAD && offset >= segment.offset && offset - segment.offset < segment.size)
      return segment.address + (offset - segment.offset);
  return offset;
}

int code_range_cut(const void *file, size_t size, uint64_t offset, uint64_t length, struct code_range *ret)
{
  if (offset > size || length > size - offset)
    return -ERANGE;
  if (length > CODE_BYTES_MAX)
    return -EFBIG;
  ret->bytes = (const char *)file + offset;
  ret->size = (size_t)length;
  return 0;
}

int code_range_find(const void *elf, size_t size, uint64_t offset, uint64_t length, struct code_range *ret)
{
  struct code_range range = {0};
  struct range_headers headers = {0};
  int result;

  if (!range_read_headers(elf, size, &headers, &range.machine))
    return -ENOEXEC;
  result = code_range_cut(elf, size, offset, length, &range);
  if (result < 0)
    return result;
  range.address = range_find_address(elf, size, &headers, offset);
  *ret = range;
  return 0;
}
