/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-locate-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "unwind/unwind-bytes-private.h"
#include "unwind/unwind-constants-private.h"
#include "unwind/unwind-decompress-private.h"

/* The pointer to .eh_frame and the search table; both may be missing. */
static bool read_search_table(const struct unwind_elf *elf, const Elf64_Phdr *program,
                              struct unwind_source *source, uint64_t *ret_eh_frame)
{
  struct unwind_section header = {.address = program->p_vaddr};
  struct unwind_bytes bytes;
  const uint8_t *at, *end;
  uint8_t encodings[4];
  uint64_t n;

  if (!unwind_elf_find_address(elf, program->p_vaddr, &bytes) || bytes.size < sizeof encodings)
    return false;
  header.bytes = bytes.bytes;
  header.size = bytes.size < program->p_memsz ? bytes.size : program->p_memsz;
  if (header.size < sizeof encodings)
    return false;
  memcpy(encodings, header.bytes, sizeof encodings);
  at = header.bytes + sizeof encodings;
  end = header.bytes + header.size;
  if (encodings[0] != 1 || !unwind_cfi_read_pointer(&header, &at, end, encodings[1], ret_eh_frame))
    return false;
  if (encodings[3] != (DW_EH_PE_datarel | DW_EH_PE_sdata4) ||
      !unwind_cfi_read_pointer(&header, &at, end, encodings[2], &n) ||
      n > (uint64_t)(end - at) / sizeof(struct unwind_order_entry))
    return true;
  source->order = (struct unwind_order){.entries = at,
                                        .n = (uint32_t)n,
                                        .start_origin = program->p_vaddr,
                                        .fde_origin = program->p_vaddr - *ret_eh_frame};
  return true;
}

static void set_section(const struct unwind_elf *elf, struct unwind_source *source,
                        const struct unwind_bytes *bytes, uint64_t address, bool debug)
{
  source->section = (struct unwind_section){.bytes = bytes->bytes,
                                            .size = bytes->size < INT32_MAX ? bytes->size : INT32_MAX,
                                            .address = address,
                                            .debug = debug,
                                            .machine = unwind_machine_find(elf->machine)};
}

/* Where it begins is in the program headers; where it ends only section headers say, else a length of zero
 * does. */
static bool locate_by_programs(const struct unwind_elf *elf, const Elf64_Shdr *section,
                               struct unwind_source *source)
{
  struct unwind_bytes bytes;
  uint64_t address;

  for (uint32_t i = 0; i < elf->n_programs; i++) {
    Elf64_Phdr program = unwind_elf_program(elf, i);

    if (program.p_type != PT_GNU_EH_FRAME || !read_search_table(elf, &program, source, &address) ||
        !unwind_elf_find_address(elf, address, &bytes))
      continue;
    source->until_zero = !section || section->sh_addr != address || section->sh_size > bytes.size;
    if (!source->until_zero)
      bytes.size = section->sh_size;
    set_section(elf, source, &bytes, address, false);
    return true;
  }
  source->order = (struct unwind_order){0};
  return false;
}

/* Whether .eh_frame may begin there: a CIE as compilers write it, and a function of this file's code after
 * it. */
static bool is_beginning(struct unwind_section *section, struct unwind_range code)
{
  struct unwind_record record;
  struct unwind_fde fde;

  return unwind_cfi_read_record(section, 0, &record) && record.is_cie && record.end - record.at > 4 &&
         record.at[0] == 1 && record.at[1] == 'z' && unwind_cfi_get_cie(section, 0) &&
         unwind_cfi_read_fde(section, record.size, &fde) && fde.start >= code.start && fde.end <= code.end;
}

static bool search_segment(const struct unwind_elf *elf, uint64_t address, struct unwind_range code,
                           struct unwind_source *source)
{
  struct unwind_bytes bytes, left;
  uint64_t word;

  if (!unwind_elf_find_address(elf, address, &bytes))
    return false;
  for (size_t at = -address & 3; bytes.size >= at + 16; at += 4) {
    memcpy(&word, bytes.bytes + at, sizeof word);
    if (word >> 32 != 0 || word < 12 || word > 256 || bytes.bytes[at + 8] != 1)
      continue;
    left = (struct unwind_bytes){bytes.bytes + at, bytes.size - at};
    set_section(elf, source, &left, address + at, false);
    if (is_beginning(&source->section, code)) {
      source->until_zero = true;
      return true;
    }
  }
  return false;
}

static bool locate_by_search(const struct unwind_elf *elf, struct unwind_range code,
                             struct unwind_source *source)
{
  for (uint32_t i = 0; i < elf->n_programs; i++) {
    Elf64_Phdr program = unwind_elf_program(elf, i);

    if (program.p_type == PT_LOAD && search_segment(elf, program.p_vaddr, code, source))
      return true;
  }
  return false;
}

bool unwind_locate_eh_frame(const struct unwind_elf *elf, struct unwind_range code, struct unwind_source *ret)
{
  struct unwind_bytes bytes;
  Elf64_Shdr section;
  bool has_section = unwind_elf_find_section(elf, ".eh_frame", &section);

  *ret = (struct unwind_source){0};
  if (has_section && !unwind_elf_section_bytes(elf, &section, &bytes))
    return false; /* a file of debugging information: what it describes is elsewhere */
  if (locate_by_programs(elf, has_section ? &section : NULL, ret))
    return true;
  if (!has_section)
    return elf->n_sections == 0 && locate_by_search(elf, code, ret);
  set_section(elf, ret, &bytes, section.sh_addr, false);
  return true;
}

int unwind_locate_debug_frame(const struct unwind_elf *elf, struct unwind_source *ret)
{
  struct unwind_source source = {0};
  struct unwind_bytes bytes;
  Elf64_Shdr section;
  int error;

  if (!unwind_elf_find_section(elf, ".debug_frame", &section) ||
      !unwind_elf_section_bytes(elf, &section, &bytes))
    return -ENODATA;
  if (section.sh_flags & SHF_COMPRESSED) {
    error = unwind_decompress(&bytes, &source.owned, &source.owned_size);
    if (error < 0)
      return error;
    bytes = (struct unwind_bytes){source.owned, source.owned_size};
  }
  set_section(elf, &source, &bytes, 0, true);
  *ret = source;
  return 0;
}

void unwind_source_clear(struct unwind_source *source)
{
  if (source->owned)
    munmap(source->owned, source->owned_size);
  *source = (struct unwind_source){0};
}
