/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/names/unwind-names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/names/unwind-plt-private.h"
#include "unwind/names/unwind-symbols-private.h"
#include "unwind/unwind-decompress-private.h"
#include "unwind/unwind-functions.h"

#define SEGMENTS_MAX     1024 /* each symbol's address may be compared with all of them */
#define SECTION_NAME_MAX 256
#define TEXT_MIN         4096
#define VERSION_HIDDEN   0x8000 /* of .gnu.version: nothing new is linked with it */

struct segment {
  uint64_t address;
  uint64_t offset;
  uint64_t size;
};

struct job {
  struct unwind_elf elf;  /* the binary that ran */
  struct unwind_elf mini; /* what .gnu_debugdata holds */
  void *mini_memory;
  struct segment *segments; /* of elf */
  uint32_t n_segments;
  struct unwind_symbols symbols;
  struct unwind_plt plt;
  struct unwind_functions functions; /* for what has no symbol; read when the first such offset comes */
  bool has_functions;
  enum unwind_names_status status;

  struct unwind_name *names; /* texts count from 0 until all are there */
  uint32_t n_names;
  char *text;
  size_t text_size;
  size_t text_capacity;
};

static int find_segments(struct job *job)
{
  uint32_t n = job->elf.n_programs <= SEGMENTS_MAX ? job->elf.n_programs : 0;

  job->segments = malloc((n + 1) * sizeof *job->segments);
  if (!job->segments)
    return -ENOMEM;
  for (uint32_t i = 0; i < n; i++) {
    Elf64_Phdr program = unwind_elf_program(&job->elf, i);

    if (program.p_type == PT_LOAD)
      job->segments[job->n_segments++] =
          (struct segment){program.p_vaddr, program.p_offset,
                           program.p_memsz > program.p_filesz ? program.p_memsz : program.p_filesz};
  }
  return 0;
}

/* Memory beyond the file's part (.bss) counts too: symbols there still bound those before them. */
static uint64_t offset_of(const struct job *job, uint64_t address, const Elf64_Shdr *section)
{
  for (uint32_t i = 0; i < job->n_segments; i++) {
    const struct segment *segment = &job->segments[i];

    if (address >= segment->address && address - segment->address < segment->size)
      return address - segment->address + segment->offset;
  }
  return address - section->sh_addr + section->sh_offset;
}

static bool find_table(const struct unwind_elf *elf, uint32_t type, Elf64_Shdr *ret)
{
  for (uint32_t i = 1; i < elf->n_sections; i++) {
    *ret = unwind_elf_section(elf, i);
    if (ret->sh_type == type)
      return true;
  }
  return false;
}

/* Whether the section's name says that it holds code or data. */
static bool is_of_code_or_data(const struct unwind_elf *elf, const Elf64_Shdr *section)
{
  Elf64_Shdr names_section;
  struct unwind_bytes names;
  const char *name;
  size_t most;

  if (elf->names == 0 || elf->names >= elf->n_sections)
    return false;
  names_section = unwind_elf_section(elf, elf->names);
  if (!unwind_elf_section_bytes(elf, &names_section, &names) || section->sh_name >= names.size)
    return false;
  name = (const char *)names.bytes + section->sh_name;
  most = names.size - section->sh_name;
  most = strnlen(name, most < SECTION_NAME_MAX ? most : SECTION_NAME_MAX);
  return memmem(name, most, "text", 4) || memmem(name, most, "data", 4);
}

/* A label in a section of code or data is what assembly leaves without a type. */
static bool is_wanted(const struct unwind_elf *elf, const Elf64_Sym *symbol, const Elf64_Shdr *section)
{
  unsigned int visibility = ELF64_ST_VISIBILITY(symbol->st_other);

  switch (ELF64_ST_TYPE(symbol->st_info)) {
  case STT_FUNC:
  case STT_GNU_IFUNC:
  case STT_OBJECT:
    return true;
  case STT_NOTYPE:
    return visibility != STV_HIDDEN && visibility != STV_INTERNAL && is_of_code_or_data(elf, section);
  default:
    return false;
  }
}

/* $d, $x … of the ARM ABIs say what bytes are, and name nothing. */
static bool is_mapping_symbol(const struct unwind_elf *elf, const char *name, uint32_t length)
{
  return elf->machine == EM_AARCH64 && length >= 2 && name[0] == '$' && memchr("adtx", name[1], 4) &&
         (length == 2 || name[2] == '.');
}

/* A name for programs that were linked long ago, such as cfree: behind one '@', or by .gnu.version. */
static bool is_of_old_version(const char *name, uint32_t length, uint16_t version)
{
  const char *at = memchr(name, '@', length);

  return version & VERSION_HIDDEN || (at && at + 1 < name + length && at[1] != '@');
}

static int add_symbol(struct job *job, const struct unwind_elf *source, const Elf64_Sym *symbol,
                      const struct unwind_bytes *names, uint16_t version)
{
  const char *name = (const char *)names->bytes + symbol->st_name;
  Elf64_Shdr section;
  size_t most;
  uint32_t length;
  uint8_t binding = ELF64_ST_BIND(symbol->st_info);

  if (symbol->st_name == 0 || symbol->st_name >= names->size || symbol->st_shndx == SHN_UNDEF ||
      symbol->st_shndx >= source->n_sections)
    return 0;
  section = unwind_elf_section(source, symbol->st_shndx);
  if (section.sh_type == SHT_NOBITS && symbol->st_shndx < job->elf.n_sections)
    section = unwind_elf_section(&job->elf, symbol->st_shndx);
  if (!(section.sh_flags & SHF_ALLOC) || !is_wanted(source, symbol, &section))
    return 0;
  most = names->size - symbol->st_name;
  length = (uint32_t)strnlen(name, most < UNWIND_NAME_MAX ? most : UNWIND_NAME_MAX);
  if (is_mapping_symbol(source, name, length))
    return 0;
  if (is_of_old_version(name, length, version))
    binding = STB_WEAK;
  return unwind_symbols_add(&job->symbols, offset_of(job, symbol->st_value, &section), symbol->st_size,
                            binding, name, length);
}

/* Of .dynsym: the version of its symbol i; 0 where there are none. */
static uint16_t read_version(const struct unwind_bytes *versions, size_t i)
{
  uint16_t version = 0;

  if (i < versions->size / sizeof version)
    memcpy(&version, versions->bytes + i * sizeof version, sizeof version);
  return version;
}

/* 1, 0 where there is no such table, or -ENOMEM. */
static int add_table(struct job *job, const struct unwind_elf *source, uint32_t type)
{
  Elf64_Shdr table, names_section, versions_section;
  struct unwind_bytes symbols, names, versions = {0};

  if (!find_table(source, type, &table) || table.sh_link == 0 || table.sh_link >= source->n_sections)
    return 0;
  names_section = unwind_elf_section(source, table.sh_link);
  if (!unwind_elf_section_bytes(source, &table, &symbols) ||
      !unwind_elf_section_bytes(source, &names_section, &names))
    return 0;
  if (type == SHT_DYNSYM && find_table(source, SHT_GNU_versym, &versions_section))
    unwind_elf_section_bytes(source, &versions_section, &versions);
  for (size_t at = 0; symbols.size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    int error;

    memcpy(&symbol, symbols.bytes + at, sizeof symbol);
    error = add_symbol(job, source, &symbol, &names, read_version(&versions, at / sizeof symbol));
    if (error < 0)
      return error;
  }
  return 1;
}

static int add_mini_debug_info(struct job *job)
{
  struct unwind_bytes stream;
  Elf64_Shdr section;
  size_t size;

  if (!unwind_elf_find_section(&job->elf, ".gnu_debugdata", &section) ||
      !unwind_elf_section_bytes(&job->elf, &section, &stream) ||
      unwind_decompress_xz(&stream, &job->mini_memory, &size) < 0 ||
      unwind_elf_open(&job->mini, job->mini_memory, size, false) < 0)
    return 0;
  return add_table(job, &job->mini, SHT_SYMTAB);
}

static int read_symbols(struct job *job)
{
  int full = add_table(job, &job->elf, SHT_SYMTAB), dynamic;

  if (full == 0)
    full = add_mini_debug_info(job);
  if (full < 0)
    return full;
  unwind_symbols_settle(&job->symbols);
  dynamic = add_table(job, &job->elf, SHT_DYNSYM);
  if (dynamic < 0)
    return dynamic;
  unwind_symbols_settle(&job->symbols);
  job->status = full > 0             ? UNWIND_NAMES_SYMBOLS
                : job->symbols.n > 0 ? UNWIND_NAMES_DYNAMIC
                                     : UNWIND_NAMES_NONE;
  return 0;
}

static int add_text(struct job *job, const char *text, uint32_t length)
{
  if (length > job->text_capacity - job->text_size) {
    size_t capacity = 2 * job->text_capacity + length + TEXT_MIN;
    char *grown = realloc(job->text, capacity);

    if (!grown)
      return -ENOMEM;
    job->text = grown;
    job->text_capacity = capacity;
  }
  memcpy(job->text + job->text_size, text, length);
  job->text_size += length;
  return 0;
}

static int add_name(struct job *job, uint64_t start, uint64_t end, const char *text, uint32_t length)
{
  struct unwind_name name = {.start = start, .end = end, .at = (uint32_t)job->text_size, .length = length};
  int error;

  if (length == 0 || start >= end)
    return 0;
  error = add_text(job, text, length);
  if (error == 0)
    job->names[job->n_names++] = name;
  return error;
}

static uint64_t names_max(uint64_t a, uint64_t b)
{
  return a > b ? a : b;
}

static uint64_t names_min(uint64_t a, uint64_t b)
{
  return a < b ? a : b;
}

/* The function that holds an offset by the unwind information, or NULL, and the stretch that it has, or none.
 */
static int find_function(struct job *job, uint64_t offset, const struct unwind_function **ret,
                         uint64_t *ret_start, uint64_t *ret_end)
{
  if (!job->has_functions && unwind_functions_find(job->elf.bytes, job->elf.size, &job->functions) == -ENOMEM)
    return -ENOMEM;
  job->has_functions = true;
  *ret = unwind_functions_at(&job->functions, offset, ret_start, ret_end);
  return 0;
}

/* Go knows its name even so. */
static int add_unsymbolised(struct job *job, const struct unwind_function *function, uint64_t start,
                            uint64_t end)
{
  char text[32];
  int error;

  if (!function || start >= end)
    return 0;
  if (function->name)
    return add_name(job, start, end, function->name, function->length);
  snprintf(text, sizeof text, "fn@%" PRIx64, function->address);
  error = add_name(job, start, end, text, (uint32_t)strlen(text));
  if (error == 0)
    job->names[job->n_names - 1].nameless = 1;
  return error;
}

/* Begins where the last stretch ended, if it has to; sets where this one ends. */
static int add_hit(struct job *job, uint64_t offset, uint64_t named, uint64_t *ret_end)
{
  const struct unwind_function *function = NULL;
  uint64_t start, its_start = 0, its_end = UINT64_MAX;
  const struct unwind_symbol *symbol = unwind_symbols_find(&job->symbols, offset, &start, ret_end);
  int error = 0;

  unwind_plt_cut(&job->plt, offset, &start, ret_end);
  if (!symbol || (symbol->sizeless && job->status == UNWIND_NAMES_DYNAMIC))
    error = find_function(job, offset, &function, &its_start, &its_end);
  if (error < 0)
    return error;
  start = names_max(names_max(start, its_start), named);
  *ret_end = names_min(*ret_end, its_end);
  return symbol && symbol->start >= its_start ? add_name(job, start, *ret_end, symbol->name, symbol->length)
                                              : add_unsymbolised(job, function, start, *ret_end);
}

/* Each stretch once, though many offsets lie in it. Sections of stubs that overlap are damage; stretches
 * never do. */
static int add_hits(struct job *job, const uint64_t *offsets, size_t n)
{
  char text[UNWIND_NAME_MAX + 1];
  uint64_t start, end, named = 0;
  int error = 0;

  for (size_t i = 0; i < n && error == 0; i++) {
    if (offsets[i] < named)
      continue;
    if (unwind_plt_find(&job->plt, offsets[i], text, sizeof text, &start, &end))
      error = add_name(job, names_max(start, named), end, text, (uint32_t)strlen(text));
    else
      error = add_hit(job, offsets[i], named, &end);
    named = end;
  }
  return error;
}

static int make_image(const struct job *job, struct unwind_names **ret)
{
  size_t head = sizeof **ret + job->n_names * sizeof *job->names,
         size = (head + job->text_size + 7) & ~(size_t)7;
  struct unwind_names *names = calloc(1, size);

  if (!names)
    return -ENOMEM;
  *names = (struct unwind_names){
      .magic = UNWIND_NAMES_MAGIC, .size = (uint32_t)size, .status = job->status, .n = job->n_names};
  for (uint32_t i = 0; i < job->n_names; i++) {
    names->names[i] = job->names[i];
    names->names[i].at += (uint32_t)head;
  }
  if (job->text_size > 0)
    memcpy((char *)names + head, job->text, job->text_size);
  *ret = names;
  return 0;
}

static bool names_ascend(const uint64_t *offsets, size_t n)
{
  for (size_t i = 1; i < n; i++)
    if (offsets[i] <= offsets[i - 1])
      return false;
  return n <= UNWIND_OFFSETS_MAX;
}

int unwind_names_find(const void *elf, size_t size, const uint64_t *offsets, size_t n,
                      struct unwind_names **ret)
{
  struct job job = {0};
  int error = names_ascend(offsets, n) ? unwind_elf_open(&job.elf, elf, size, false) : -EINVAL;

  if (error < 0)
    return error;
  job.names = malloc((n + 1) * sizeof *job.names);
  error = job.names ? find_segments(&job) : -ENOMEM;
  if (error == 0)
    error = read_symbols(&job);
  unwind_plt_open(&job.plt, &job.elf);
  if (error == 0)
    error = add_hits(&job, offsets, n);
  if (error == 0)
    error = make_image(&job, ret);
  unwind_symbols_clear(&job.symbols);
  unwind_functions_clear(&job.functions);
  free(job.segments);
  free(job.mini_memory);
  free(job.names);
  free(job.text);
  return error;
}
