/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-elf-private.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf-decompress-private.h"
#include "dwarf/dwarf-object.h"

#define NAME_MAX_ 64

struct section {
  uint64_t flags;
  uint64_t address;
  uint64_t offset;
  uint64_t size;
  uint32_t name;
  uint32_t type;
  uint32_t link;
  uint32_t info;
};

static const char *const names[DWARF_N_SECTIONS] = {
    [DWARF_SECTION_ABBREV] = "abbrev",     [DWARF_SECTION_ADDR] = "addr",
    [DWARF_SECTION_CU_INDEX] = "cu_index", [DWARF_SECTION_INFO] = "info",
    [DWARF_SECTION_LINE] = "line",         [DWARF_SECTION_LINE_STR] = "line_str",
    [DWARF_SECTION_RANGES] = "ranges",     [DWARF_SECTION_RNGLISTS] = "rnglists",
    [DWARF_SECTION_STR] = "str",           [DWARF_SECTION_STR_OFFSETS] = "str_offsets",
    [DWARF_SECTION_SUP] = "sup",           [DWARF_SECTION_TYPES] = "types",
    [DWARF_SECTION_ALTLINK] = "altlink",
};

static bool elf_holds(const struct dwarf_elf *elf, uint64_t offset, uint64_t size)
{
  return offset <= elf->file.size && size <= elf->file.size - offset;
}

static struct section elf_read_section(const struct dwarf_elf *elf, uint32_t i)
{
  const uint8_t *at = (const uint8_t *)elf->file.bytes + elf->sections_at;

  if (elf->wide) {
    Elf64_Shdr section;

    memcpy(&section, at + (size_t)i * sizeof section, sizeof section);
    return (struct section){section.sh_flags, section.sh_addr, section.sh_offset, section.sh_size,
                            section.sh_name,  section.sh_type, section.sh_link,   section.sh_info};
  } else {
    Elf32_Shdr section;

    memcpy(&section, at + (size_t)i * sizeof section, sizeof section);
    return (struct section){section.sh_flags, section.sh_addr, section.sh_offset, section.sh_size,
                            section.sh_name,  section.sh_type, section.sh_link,   section.sh_info};
  }
}

static bool elf_read_stored(const struct dwarf_elf *elf, const struct section *section,
                            struct dwarf_bytes *ret)
{
  if (section->type == SHT_NOBITS || section->type == SHT_NULL ||
      !elf_holds(elf, section->offset, section->size))
    return false;
  *ret = (struct dwarf_bytes){(const uint8_t *)elf->file.bytes + section->offset, section->size};
  return true;
}

/* More sections than the header has bits for are counted in section 0. */
static void elf_find_sections(struct dwarf_elf *elf, uint64_t at, uint32_t n, uint32_t entry_size,
                              uint32_t names_at)
{
  size_t size = elf->wide ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
  struct section section;

  if (at == 0 || entry_size != size || !elf_holds(elf, at, size))
    return;
  elf->sections_at = at;
  section = elf_read_section(elf, 0);
  if (n == 0)
    n = (uint32_t)section.size;
  if (names_at == SHN_XINDEX)
    names_at = section.link;
  if (n > (elf->file.size - at) / size)
    return;
  elf->n_sections = n;
  if (names_at < n) {
    section = elf_read_section(elf, names_at);
    elf_read_stored(elf, &section, &elf->names);
  }
}

static bool elf_read_header(struct dwarf_elf *elf, uint64_t *ret_programs_at, uint32_t *ret_n_programs)
{
  union {
    Elf64_Ehdr wide;
    Elf32_Ehdr narrow;
  } header;

  if (elf->file.size < sizeof header.narrow)
    return false;
  memset(&header, 0, sizeof header);
  memcpy(&header, elf->file.bytes, elf->file.size < sizeof header ? elf->file.size : sizeof header);
  if (memcmp(header.wide.e_ident, ELFMAG, SELFMAG) != 0 || header.wide.e_ident[EI_DATA] != ELFDATA2LSB)
    return false;
  elf->wide = header.wide.e_ident[EI_CLASS] == ELFCLASS64;
  elf->is_object = header.wide.e_type == ET_REL;
  elf->machine = header.wide.e_machine;
  if (elf->wide) {
    elf_find_sections(elf, header.wide.e_shoff, header.wide.e_shnum, header.wide.e_shentsize,
                      header.wide.e_shstrndx);
    *ret_programs_at = header.wide.e_phoff;
    *ret_n_programs = header.wide.e_phentsize == sizeof(Elf64_Phdr) ? header.wide.e_phnum : 0;
    return true;
  }
  elf_find_sections(elf, header.narrow.e_shoff, header.narrow.e_shnum, header.narrow.e_shentsize,
                    header.narrow.e_shstrndx);
  *ret_programs_at = header.narrow.e_phoff;
  *ret_n_programs = header.narrow.e_phentsize == sizeof(Elf32_Phdr) ? header.narrow.e_phnum : 0;
  return header.wide.e_ident[EI_CLASS] == ELFCLASS32;
}

static size_t name_get_prefix(const char *name)
{
  static const char *const prefixes[] = {".debug_", ".zdebug_", ".gnu_debug"};

  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
      return strlen(prefixes[i]);
  return 0;
}

/* These two are not doubled in files that have sections of split units. */
static bool name_has_suffix(const char *name)
{
  return strcmp(name, ".debug_cu_index") != 0 && strcmp(name, ".gnu_debugaltlink") != 0;
}

/* The section's name without what all names begin and end with. False: it is none of DWARF's. */
static bool elf_read_name(const struct dwarf_elf *elf, const struct section *section, char ret[NAME_MAX_])
{
  const char *name = elf->names.bytes, *suffix = elf->split ? ".dwo" : "";
  size_t most, length, prefix;

  if (section->name >= elf->names.size)
    return false;
  name += section->name;
  most = elf->names.size - section->name;
  length = strnlen(name, most < NAME_MAX_ ? most : NAME_MAX_);
  if (length == most || length == NAME_MAX_)
    return false;
  if (!name_has_suffix(name))
    suffix = "";
  prefix = name_get_prefix(name);
  if (prefix == 0 || length <= prefix + strlen(suffix) || strcmp(name + length - strlen(suffix), suffix) != 0)
    return false;
  length -= prefix + strlen(suffix);
  memcpy(ret, name + prefix, length);
  ret[length] = '\0';
  return true;
}

static int elf_find_kind(const struct dwarf_elf *elf, const struct section *section)
{
  char name[NAME_MAX_];

  if (section->flags & SHF_ALLOC || !elf_read_name(elf, section, name))
    return -1;
  for (int kind = 0; kind < DWARF_N_SECTIONS; kind++)
    if (strcmp(names[kind], name) == 0)
      return kind;
  return -1;
}

static int elf_add_code(struct dwarf_elf *elf, uint64_t address, uint64_t size)
{
  uint64_t end;

  if (size == 0)
    return 0;
  if (__builtin_add_overflow(address, size, &end))
    end = UINT64_MAX;
  if (elf->n_code == elf->code_capacity) {
    void *grown = dwarf_budget_grow(elf->budget, elf->code, &elf->code_capacity, sizeof *elf->code);

    if (!grown)
      return -ENOMEM;
    elf->code = grown;
  }
  elf->code[elf->n_code++] = (struct dwarf_stretch){address, end};
  return 0;
}

/* Split units need nothing of it. */
static int elf_place_sections(struct dwarf_elf *elf)
{
  if (!elf->is_object || !elf->wide || elf->split || !dwarf_relocations_are_known(elf->machine))
    return 0;
  elf->placed = dwarf_budget_allocate(elf->budget, elf->n_sections, sizeof *elf->placed);
  if (!elf->placed)
    return -ENOMEM;
  for (uint32_t i = 1; i < elf->n_sections; i++) {
    struct section section = elf_read_section(elf, i);

    if (section.flags & SHF_ALLOC)
      elf->placed[i].address = dwarf_object_address(i, 0);
    if (section.type == SHT_RELA && section.info < elf->n_sections)
      elf->placed[section.info].relocations = i;
  }
  return 0;
}

static int elf_read_sections(struct dwarf_elf *elf)
{
  int error = elf_place_sections(elf);

  for (uint32_t i = 1; i < elf->n_sections && error == 0; i++) {
    struct section section = elf_read_section(elf, i);
    int kind = elf_find_kind(elf, &section);

    if (kind >= 0 && elf->first[kind] == 0)
      elf->first[kind] = i;
    if (section.flags & SHF_EXECINSTR && section.flags & SHF_ALLOC && error == 0)
      error = elf_add_code(elf, elf->placed ? elf->placed[i].address : section.address, section.size);
  }
  return error;
}

static int elf_read_program(struct dwarf_elf *elf, uint64_t at)
{
  const uint8_t *bytes = (const uint8_t *)elf->file.bytes + at;

  if (elf->wide) {
    Elf64_Phdr program;

    memcpy(&program, bytes, sizeof program);
    return program.p_type == PT_LOAD && program.p_flags & PF_X
               ? elf_add_code(elf, program.p_vaddr, program.p_memsz)
               : 0;
  } else {
    Elf32_Phdr program;

    memcpy(&program, bytes, sizeof program);
    return program.p_type == PT_LOAD && program.p_flags & PF_X
               ? elf_add_code(elf, program.p_vaddr, program.p_memsz)
               : 0;
  }
}

/* Segments begin with headers in many files; sections say better where code stands, so these are for files
 * without. */
static int elf_read_programs(struct dwarf_elf *elf, uint64_t at, uint32_t n)
{
  size_t size = elf->wide ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr);
  int error = 0;

  for (uint32_t i = 0; i < n && error == 0; i++) {
    if (!elf_holds(elf, at, (i + 1) * (uint64_t)size))
      break;
    error = elf_read_program(elf, at + i * size);
  }
  return error;
}

static int stretch_compare(const void *a, const void *b)
{
  const struct dwarf_stretch *x = a, *y = b;

  return x->start < y->start ? -1 : x->start > y->start;
}

static void elf_join_code(struct dwarf_elf *elf)
{
  uint32_t n = 0;

  if (elf->n_code > 1)
    qsort(elf->code, elf->n_code, sizeof *elf->code, stretch_compare);
  for (uint32_t i = 0; i < elf->n_code; i++) {
    if (n > 0 && elf->code[i].start <= elf->code[n - 1].end) {
      if (elf->code[i].end > elf->code[n - 1].end)
        elf->code[n - 1].end = elf->code[i].end;
    } else {
      elf->code[n++] = elf->code[i];
    }
  }
  elf->n_code = n;
}

int dwarf_elf_open(struct dwarf_elf *ret, const struct dwarf_bytes *bytes, bool split,
                   struct dwarf_budget *budget)
{
  struct dwarf_elf elf = {.file = *bytes, .budget = budget, .split = split};
  uint64_t programs_at = 0;
  uint32_t n_programs = 0;
  int error;

  if (!elf_read_header(&elf, &programs_at, &n_programs))
    return -ENOEXEC;
  error = elf_read_sections(&elf);
  if (error == 0 && elf.n_code == 0)
    error = elf_read_programs(&elf, programs_at, n_programs);
  if (error < 0) {
    dwarf_elf_close(&elf);
    return error;
  }
  elf_join_code(&elf);
  *ret = elf;
  return 0;
}

void dwarf_elf_close(struct dwarf_elf *elf)
{
  for (uint32_t i = 0; i < elf->n_memory; i++)
    free((void *)elf->memory[i].bytes);
  free(elf->memory);
  free(elf->placed);
  free(elf->code);
  *elf = (struct dwarf_elf){0};
}

/* Room for one more, before it is made. */
static bool elf_grow_memory(struct dwarf_elf *elf)
{
  void *grown;

  if (elf->n_memory < elf->memory_capacity)
    return true;
  grown = dwarf_budget_grow(elf->budget, elf->memory, &elf->memory_capacity, sizeof *elf->memory);
  if (!grown)
    return false;
  elf->memory = grown;
  return true;
}

static bool elf_decompress(struct dwarf_elf *elf, enum dwarf_compression kind, struct dwarf_bytes *bytes)
{
  if (!elf_grow_memory(elf) || dwarf_decompress(elf->budget, bytes, kind, bytes) < 0)
    return false;
  elf->memory[elf->n_memory++] = *bytes;
  return true;
}

static bool elf_copy(struct dwarf_elf *elf, struct dwarf_bytes *bytes)
{
  void *copy = elf_grow_memory(elf) ? dwarf_budget_allocate(elf->budget, bytes->size, 1) : NULL;

  if (!copy)
    return false;
  memcpy(copy, bytes->bytes, bytes->size);
  elf->memory[elf->n_memory++] = *bytes = (struct dwarf_bytes){copy, bytes->size};
  return true;
}

/* Bytes that are memory of ours. */
static bool elf_relocate(struct dwarf_elf *elf, uint32_t i, const struct dwarf_bytes *bytes)
{
  struct section section = elf_read_section(elf, elf->placed[i].relocations), symbols;
  struct dwarf_relocations relocations = {
      .sections = elf->placed, .n_sections = elf->n_sections, .machine = elf->machine};

  if (section.link >= elf->n_sections)
    return false;
  symbols = elf_read_section(elf, section.link);
  if (!elf_read_stored(elf, &section, &relocations.entries) ||
      !elf_read_stored(elf, &symbols, &relocations.symbols))
    return false;
  return dwarf_relocations_apply(&relocations, (uint8_t *)bytes->bytes, bytes->size, elf->budget) == 0;
}

static void elf_drop_last(struct dwarf_elf *elf)
{
  struct dwarf_bytes *last = &elf->memory[--elf->n_memory];

  dwarf_budget_free(elf->budget, (void *)last->bytes, last->size, 1);
}

static bool elf_read_content(struct dwarf_elf *elf, uint32_t i, struct dwarf_bytes *ret)
{
  struct section section = elf_read_section(elf, i);
  const char *name = (const char *)elf->names.bytes + section.name;
  bool good = elf_read_stored(elf, &section, ret);
  uint32_t n_memory = elf->n_memory;

  if (good && section.flags & SHF_COMPRESSED)
    good = elf_decompress(elf, elf->wide ? DWARF_COMPRESSION_64 : DWARF_COMPRESSION_32, ret);
  else if (good && strncmp(name, ".zdebug_", 8) == 0)
    good = elf_decompress(elf, DWARF_COMPRESSION_GNU, ret);
  if (good && elf->placed && elf->placed[i].relocations != 0) {
    good = (elf->n_memory > n_memory || elf_copy(elf, ret)) && elf_relocate(elf, i, ret);
    if (!good && elf->n_memory > n_memory)
      elf_drop_last(elf);
  }
  if (!good && section.type != SHT_NOBITS && !elf->budget->out_of_time)
    elf->budget->damaged = true;
  return good;
}

struct dwarf_bytes dwarf_elf_section(struct dwarf_elf *elf, enum dwarf_section kind)
{
  if (!elf->is_read[kind] && elf->first[kind] != 0 &&
      !elf_read_content(elf, elf->first[kind], &elf->sections[kind]))
    elf->sections[kind] = (struct dwarf_bytes){0};
  elf->is_read[kind] = !elf->budget->out_of_time; /* what time ended may be there the next time */
  return elf->sections[kind].bytes ? elf->sections[kind] : (struct dwarf_bytes){"", 0};
}

bool dwarf_elf_next(struct dwarf_elf *elf, enum dwarf_section kind, uint32_t *i, struct dwarf_bytes *ret)
{
  if (elf->first[kind] == 0)
    return false;
  for (uint32_t at = *i < elf->first[kind] ? elf->first[kind] : *i; at < elf->n_sections; at++) {
    struct section section = elf_read_section(elf, at);

    if (elf_find_kind(elf, &section) != (int)kind)
      continue;
    *i = at + 1;
    if (at == elf->first[kind]) {
      *ret = dwarf_elf_section(elf, kind);
      return true;
    }
    if (elf_read_content(elf, at, ret))
      return true;
  }
  return false;
}

bool dwarf_elf_has_code(const struct dwarf_elf *elf, uint64_t address)
{
  uint32_t first = 0, n = elf->n_code;

  while (n > 0) {
    uint32_t half = n / 2;

    if (elf->code[first + half].end <= address) {
      first += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return elf->n_code == 0 || (first < elf->n_code && elf->code[first].start <= address);
}
