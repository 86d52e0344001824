/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/opener/opener-build-id.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

/* Headers and notes stand in a file's first page, nearly always: one read. */
#define PAGE         4096u
#define SEGMENTS_MAX 256u

/* The last page that was read. */
struct page {
  int fd;
  uint64_t offset;
  size_t size;
  char bytes[PAGE];
};

/* Where `size` bytes from offset on are in memory, as far as the file has that many in one page; NULL when
 * not. */
static const char *opener_build_id_look(struct page *page, uint64_t offset, size_t size)
{
  if (size > PAGE || offset > INT64_MAX - PAGE)
    return NULL;
  if (offset < page->offset || offset - page->offset > page->size ||
      page->size - (offset - page->offset) < size) {
    ssize_t got = pread(page->fd, page->bytes, PAGE, (off_t)offset);
    page->offset = offset;
    page->size = got > 0 ? (size_t)got : 0;
  }
  return page->size - (offset - page->offset) < size ? NULL : page->bytes + (offset - page->offset);
}

static bool opener_build_id_copy(struct page *page, uint64_t offset, void *ret, size_t size)
{
  const char *bytes = opener_build_id_look(page, offset, size);
  if (bytes != NULL)
    memcpy(ret, bytes, size);
  return bytes != NULL;
}

/* Notes of `length` bytes from offset on; those behind a page are not looked at. */
static uint32_t find_note(struct page *page, uint64_t offset, uint64_t length, uint8_t *ret)
{
  uint64_t at = 0, most = length < PAGE ? length : PAGE;
  while (most - at >= sizeof(Elf64_Nhdr)) {
    Elf64_Nhdr note;
    char name[sizeof "GNU"];
    if (!opener_build_id_copy(page, offset + at, &note, sizeof note))
      return 0;
    uint64_t description = at + sizeof note + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3));
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof name && note.n_descsz != 0 &&
        note.n_descsz <= CAPTURE_BUILD_ID_MAX && description + note.n_descsz <= length &&
        opener_build_id_copy(page, offset + at + sizeof note, name, sizeof name) &&
        memcmp(name, "GNU", sizeof name) == 0 &&
        opener_build_id_copy(page, offset + description, ret, note.n_descsz))
      return note.n_descsz;
    at = description + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3));
    if (at > most)
      return 0;
  }
  return 0;
}

uint32_t opener_build_id_read(int fd, uint8_t build_id[CAPTURE_BUILD_ID_MAX])
{
  struct page page = {.fd = fd};
  Elf64_Ehdr header;
  if (!opener_build_id_copy(&page, 0, &header, sizeof header) ||
      memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_phentsize != sizeof(Elf64_Phdr))
    return 0;
  for (unsigned i = 0; i < header.e_phnum && i < SEGMENTS_MAX; i++) {
    Elf64_Phdr segment;
    uint64_t at;
    if (__builtin_add_overflow(header.e_phoff, i * sizeof segment, &at) ||
        !opener_build_id_copy(&page, at, &segment, sizeof segment))
      return 0;
    if (segment.p_type != PT_NOTE || segment.p_offset > INT64_MAX - 2 * PAGE)
      continue;
    uint32_t size = find_note(&page, segment.p_offset, segment.p_filesz, build_id);
    if (size != 0)
      return size;
  }
  return 0;
}
