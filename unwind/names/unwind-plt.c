/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/names/unwind-plt-private.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define STUB_SIZE      16
#define HEADER_AARCH64 32

struct stub {
  uint64_t offset;
  uint64_t address;
  uint64_t number; /* in its section */
  const uint8_t *code;
  uint64_t size;
};

static struct unwind_items find_items(const struct unwind_elf *elf, const char *name, uint32_t type,
                                      size_t size)
{
  struct unwind_items items = {0};
  Elf64_Shdr section;

  if (unwind_elf_find_section(elf, name, &section) && section.sh_type == type &&
      unwind_elf_section_bytes(elf, &section, &items.bytes))
    items.n = items.bytes.size / size;
  return items;
}

static struct unwind_bytes find_names(const struct unwind_elf *elf)
{
  struct unwind_bytes names = {0};
  Elf64_Shdr dynamic, section;

  if (!unwind_elf_find_section(elf, ".dynsym", &dynamic) || dynamic.sh_link == 0 ||
      dynamic.sh_link >= elf->n_sections)
    return names;
  section = unwind_elf_section(elf, dynamic.sh_link);
  unwind_elf_section_bytes(elf, &section, &names);
  return names;
}

static void add_section(struct unwind_plt *plt, const struct unwind_elf *elf, const char *name)
{
  uint64_t header = elf->machine == EM_AARCH64 ? HEADER_AARCH64 : 0;
  struct unwind_bytes code;
  Elf64_Shdr section;

  if (!unwind_elf_find_section(elf, name, &section) || !unwind_elf_section_bytes(elf, &section, &code) ||
      code.size < header)
    return;
  plt->sections[plt->n_sections++] = (struct unwind_plt_section){
      .code = {code.bytes + header, code.size - header},
      .offset = section.sh_offset + header,
      .address = section.sh_addr + header,
      .step = elf->machine == EM_X86_64 && section.sh_entsize == 8 ? 8 : STUB_SIZE,
  };
}

void unwind_plt_open(struct unwind_plt *ret, const struct unwind_elf *elf)
{
  *ret = (struct unwind_plt){
      .machine = elf->machine,
      .relocations = find_items(elf, ".rela.plt", SHT_RELA, sizeof(Elf64_Rela)),
      .others = find_items(elf, ".rela.dyn", SHT_RELA, sizeof(Elf64_Rela)),
      .symbols = find_items(elf, ".dynsym", SHT_DYNSYM, sizeof(Elf64_Sym)),
      .names = find_names(elf),
  };
  add_section(ret, elf, ".plt");
  if (elf->machine != EM_X86_64)
    return;
  add_section(ret, elf, ".plt.sec");
  add_section(ret, elf, ".plt.got");
}

static Elf64_Rela get_relocation(const struct unwind_items *items, size_t i)
{
  Elf64_Rela relocation;

  memcpy(&relocation, items->bytes.bytes + i * sizeof relocation, sizeof relocation);
  return relocation;
}

static Elf64_Sym get_symbol(const struct unwind_items *items, size_t i)
{
  Elf64_Sym symbol;

  memcpy(&symbol, items->bytes.bytes + i * sizeof symbol, sizeof symbol);
  return symbol;
}

static bool fills_a_slot(const Elf64_Rela *relocation)
{
  uint64_t type = ELF64_R_TYPE(relocation->r_info);

  return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_IRELATIVE;
}

/* The last relocation of that slot. */
static bool find_slot(const struct unwind_plt *plt, uint64_t slot, Elf64_Rela *ret)
{
  for (size_t i = plt->others.n; i-- > 0;) {
    *ret = get_relocation(&plt->others, i);
    if (ret->r_offset == slot && fills_a_slot(ret))
      return true;
  }
  for (size_t i = plt->relocations.n; i-- > 0;) {
    *ret = get_relocation(&plt->relocations, i);
    if (ret->r_offset == slot)
      return true;
  }
  return false;
}

/* By `jmp *slot(%rip)`, else by the number that `push` hands to the resolver. */
static bool identify_x86_64(const struct unwind_plt *plt, const struct stub *stub, Elf64_Rela *ret)
{
  for (size_t i = 0; i + 6 <= stub->size; i++) {
    int32_t distance;

    if (stub->code[i] != 0xff || stub->code[i + 1] != 0x25)
      continue;
    memcpy(&distance, stub->code + i + 2, sizeof distance);
    return find_slot(plt, stub->address + i + 6 + (uint64_t)(int64_t)distance, ret);
  }
  for (size_t i = 0; i + 5 <= stub->size && i <= 4; i += 4) {
    uint32_t number;

    memcpy(&number, stub->code + i + 1, sizeof number);
    if (stub->code[i] != 0x68 || number >= plt->relocations.n)
      continue;
    *ret = get_relocation(&plt->relocations, number);
    return true;
  }
  return false;
}

static bool plt_identify(const struct unwind_plt *plt, const struct stub *stub, Elf64_Rela *ret)
{
  if (plt->machine == EM_X86_64)
    return identify_x86_64(plt, stub, ret);
  if (stub->number >= plt->relocations.n)
    return false;
  *ret = get_relocation(&plt->relocations, stub->number);
  return true;
}

static bool find_stub(const struct unwind_plt *plt, uint64_t offset, struct stub *ret)
{
  for (uint32_t i = 0; i < plt->n_sections; i++) {
    const struct unwind_plt_section *section = &plt->sections[i];
    uint64_t number = (offset - section->offset) / section->step, into = number * section->step;

    if (offset < section->offset || into >= section->code.size || section->code.size - into < section->step)
      continue;
    *ret = (struct stub){.offset = section->offset + into,
                         .address = section->address + into,
                         .number = number,
                         .code = section->code.bytes + into,
                         .size = section->step};
    return true;
  }
  return false;
}

/* A slot that is filled by calling a function here is called after it: it has the name of what it chooses. */
static uint64_t find_resolver(const struct unwind_plt *plt, uint64_t address)
{
  for (size_t i = 1; i < plt->symbols.n; i++) {
    Elf64_Sym symbol = get_symbol(&plt->symbols, i);

    if (ELF64_ST_TYPE(symbol.st_info) == STT_GNU_IFUNC && symbol.st_value == address)
      return i;
  }
  return 0;
}

static bool write_symbol(const struct unwind_plt *plt, uint64_t number, char *text, size_t room)
{
  Elf64_Sym symbol;
  size_t most;

  if (number == 0 || number >= plt->symbols.n)
    return false;
  symbol = get_symbol(&plt->symbols, number);
  if (symbol.st_name == 0 || symbol.st_name >= plt->names.size)
    return false;
  most = plt->names.size - symbol.st_name;
  snprintf(text, room, "%.*s@plt", (int)(most < room ? most : room),
           (const char *)plt->names.bytes + symbol.st_name);
  return true;
}

bool unwind_plt_find(const struct unwind_plt *plt, uint64_t offset, char *text, size_t room,
                     uint64_t *ret_start, uint64_t *ret_end)
{
  uint64_t number, addend;
  Elf64_Rela relocation;
  struct stub stub;

  if (!find_stub(plt, offset, &stub) || !plt_identify(plt, &stub, &relocation))
    return false;
  number = ELF64_R_SYM(relocation.r_info);
  addend = (uint64_t)relocation.r_addend;
  if (number == 0 && addend != 0)
    number = find_resolver(plt, addend);
  if (!write_symbol(plt, number, text, room)) {
    if (addend == 0)
      return false;
    snprintf(text, room, "*ABS*+0x%" PRIx64 "@plt", addend);
  }
  *ret_start = stub.offset;
  *ret_end = stub.offset + stub.size;
  return true;
}

void unwind_plt_cut(const struct unwind_plt *plt, uint64_t offset, uint64_t *start, uint64_t *end)
{
  struct stub stub;

  if (find_stub(plt, offset, &stub)) {
    *start = stub.offset > *start ? stub.offset : *start;
    *end = stub.offset + stub.size < *end ? stub.offset + stub.size : *end;
    return;
  }
  for (uint32_t i = 0; i < plt->n_sections; i++) {
    const struct unwind_plt_section *section = &plt->sections[i];
    uint64_t behind = section->offset + section->code.size;

    if (section->offset > offset && section->offset < *end)
      *end = section->offset;
    else if (section->offset <= offset && behind <= offset && behind > *start)
      *start = behind;
  }
}
