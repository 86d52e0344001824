/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-elf-private.h"

#include <errno.h>
#include <string.h>

static bool is_inside(const struct unwind_elf *elf, uint64_t offset, uint64_t size)
{
  return offset <= elf->size && size <= elf->size - offset;
}

Elf64_Shdr unwind_elf_section(const struct unwind_elf *elf, uint32_t i)
{
  Elf64_Shdr section;

  memcpy(&section, elf->bytes + elf->sections_at + (size_t)i * sizeof section, sizeof section);
  return section;
}

Elf64_Phdr unwind_elf_program(const struct unwind_elf *elf, uint32_t i)
{
  Elf64_Phdr program;

  memcpy(&program, elf->bytes + elf->programs_at + (size_t)i * sizeof program, sizeof program);
  return program;
}

/* More sections or segments than the header has bits for are counted in section 0. */
static void find_sections(struct unwind_elf *elf, const Elf64_Ehdr *header)
{
  Elf64_Shdr first;
  uint64_t n = header->e_shnum;

  if (elf->in_memory || header->e_shentsize != sizeof first ||
      !is_inside(elf, header->e_shoff, sizeof first) || header->e_shoff == 0)
    return;
  memcpy(&first, elf->bytes + header->e_shoff, sizeof first);
  if (n == 0)
    n = first.sh_size;
  if (n > (elf->size - header->e_shoff) / sizeof first)
    return;
  elf->sections_at = header->e_shoff;
  elf->n_sections = (uint32_t)n;
  elf->names = header->e_shstrndx == SHN_XINDEX ? first.sh_link : header->e_shstrndx;
}

static void find_programs(struct unwind_elf *elf, const Elf64_Ehdr *header)
{
  uint64_t n = header->e_phnum;

  if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phoff > elf->size)
    return;
  if (n == PN_XNUM && elf->n_sections > 0)
    n = unwind_elf_section(elf, 0).sh_info;
  if (n > (elf->size - header->e_phoff) / sizeof(Elf64_Phdr))
    n = (elf->size - header->e_phoff) / sizeof(Elf64_Phdr);
  elf->programs_at = header->e_phoff;
  elf->n_programs = (uint32_t)n;
}

/* What is in memory begins with the segment that holds the ELF header. */
static void find_memory_base(struct unwind_elf *elf)
{
  for (uint32_t i = 0; i < elf->n_programs; i++) {
    Elf64_Phdr program = unwind_elf_program(elf, i);

    if (program.p_type == PT_LOAD) {
      elf->memory_base = program.p_vaddr - program.p_offset;
      return;
    }
  }
}

int unwind_elf_open(struct unwind_elf *ret, const void *bytes, size_t size, bool in_memory)
{
  struct unwind_elf elf = {.bytes = bytes, .size = size, .in_memory = in_memory};
  Elf64_Ehdr header;

  if (size < sizeof header)
    return -ENOEXEC;
  memcpy(&header, bytes, sizeof header);
  if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB ||
      (header.e_machine != EM_X86_64 && header.e_machine != EM_AARCH64))
    return -ENOEXEC;
  elf.machine = header.e_machine;
  elf.type = header.e_type;
  elf.entry = header.e_entry;
  find_sections(&elf, &header);
  find_programs(&elf, &header);
  find_memory_base(&elf);
  *ret = elf;
  return 0;
}

static bool find_in_memory(const struct unwind_elf *elf, uint64_t address, struct unwind_bytes *ret)
{
  uint64_t at = address - elf->memory_base;

  if (at >= elf->size)
    return false;
  *ret = (struct unwind_bytes){elf->bytes + at, elf->size - at};
  return true;
}

bool unwind_elf_find_address(const struct unwind_elf *elf, uint64_t address, struct unwind_bytes *ret)
{
  if (elf->in_memory)
    return find_in_memory(elf, address, ret);
  for (uint32_t i = 0; i < elf->n_programs; i++) {
    Elf64_Phdr program = unwind_elf_program(elf, i);
    uint64_t into = address - program.p_vaddr;

    if (program.p_type != PT_LOAD || address < program.p_vaddr || into >= program.p_filesz ||
        program.p_offset >= elf->size || into >= elf->size - program.p_offset)
      continue;
    ret->bytes = elf->bytes + program.p_offset + into;
    ret->size = program.p_filesz - into;
    if (ret->size > elf->size - program.p_offset - into)
      ret->size = elf->size - program.p_offset - into;
    return true;
  }
  return false;
}

bool unwind_elf_section_bytes(const struct unwind_elf *elf, const Elf64_Shdr *section,
                              struct unwind_bytes *ret)
{
  if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL ||
      !is_inside(elf, section->sh_offset, section->sh_size))
    return false;
  *ret = (struct unwind_bytes){elf->bytes + section->sh_offset, section->sh_size};
  return true;
}

bool unwind_elf_find_section(const struct unwind_elf *elf, const char *name, Elf64_Shdr *ret)
{
  struct unwind_bytes names;
  size_t length = strlen(name) + 1;
  Elf64_Shdr section;

  if (elf->names >= elf->n_sections)
    return false;
  section = unwind_elf_section(elf, elf->names);
  if (!unwind_elf_section_bytes(elf, &section, &names))
    return false;
  for (uint32_t i = 1; i < elf->n_sections; i++) {
    section = unwind_elf_section(elf, i);
    if (section.sh_name < names.size && names.size - section.sh_name >= length &&
        memcmp(names.bytes + section.sh_name, name, length) == 0) {
      *ret = section;
      return true;
    }
  }
  return false;
}
