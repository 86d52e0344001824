/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ruby, by the version that each build exports, and by the shape of what else is to be found: builds export
 * neither the interpreter nor, from 3.3 on, where the VM is. */
#include <string.h>

#include "unwind/unwind-functions.h"
#include "unwind/unwind-runtime-private.h"

/* In the order of enum unwind_ruby_field, of x86-64, as the headers of these versions give them (vm_core.h,
 * ractor_core.h, thread_pthread.h, iseq.h, rstring.h, rarray.h). */
static const struct version {
  uint32_t version;
  uint16_t fields[UNWIND_RUBY_FIELDS];
} versions[] = {
    {0x0301, {8, 568, 304, 40, 0, 88,  0,   8,   16, 64, 0,  16, 32, 16,
              8, 64,  80,  88, 1, 120, 136, 144, 16, 24, 16, 32, 16}},
    {0x0303, {8, 432, 256, 48, 40, 24,  0,   8,   16, 56, 0,  16, 32, 16,
              8, 64,  80,  88, 0,  112, 128, 136, 16, 24, 24, 32, 16}},
};

static bool set_version(const struct unwind_elf *elf, uint64_t address, struct unwind_runtime *runtime)
{
  int32_t numbers[2]; /* ruby_api_version */

  if (!unwind_runtime_read(elf, address, numbers, sizeof numbers))
    return false;
  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    if (versions[i].version != ((uint32_t)numbers[0] << 8 | (uint32_t)numbers[1]))
      continue;
    runtime->version = versions[i].version;
    memcpy(runtime->fields, versions[i].fields, sizeof versions[i].fields);
    return true;
  }
  return false;
}

/* Where it is hidden rb_gc_count begins by reading it: lea vm(%rip),%rax; mov (%rax),%rax, or mov
 * vm(%rip),%rax, behind an endbr64 as a rule. */
static bool find_vm(const struct unwind_elf *elf, uint64_t *ret)
{
  static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa}, load[] = {0x48, 0x8b, 0x00};
  uint8_t code[sizeof endbr + 7 + sizeof load];
  Elf64_Sym symbol;
  int32_t distance;

  if (unwind_runtime_find_symbol(elf, "ruby_current_vm_ptr", &symbol)) {
    *ret = symbol.st_value;
    return true;
  }
  if (!unwind_runtime_find_symbol(elf, "rb_gc_count", &symbol) ||
      !unwind_runtime_read(elf, symbol.st_value, code, sizeof code))
    return false;
  size_t at = memcmp(code, endbr, sizeof endbr) == 0 ? sizeof endbr : 0;
  bool is_lea = code[at + 1] == 0x8d;
  if (code[at] != 0x48 || (!is_lea && code[at + 1] != 0x8b) || code[at + 2] != 0x05 ||
      (is_lea && memcmp(code + at + 7, load, sizeof load) != 0))
    return false;
  memcpy(&distance, code + at + 3, sizeof distance);
  *ret = symbol.st_value + at + 7 + (uint64_t)(int64_t)distance;
  return true;
}

/* As many instructions the interpreter has at least: addresses one behind the other that all lie in it. No
 * other function of Ruby has half as many. */
#define INSTRUCTIONS_MIN 150

static const struct unwind_function *function_at(const struct unwind_functions *functions, uint64_t address)
{
  size_t low = 0, high = functions->n;

  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct unwind_function *function = &functions->functions[middle];
    if (address < function->address)
      high = middle;
    else if (address - function->address >= function->end - function->start)
      low = middle + 1;
    else
      return function;
  }
  return NULL;
}

static const struct unwind_function *find_interpreter(const struct unwind_functions *functions,
                                                      const struct unwind_bytes *relocations)
{
  const struct unwind_function *last = NULL;
  uint64_t expected = 0;
  uint32_t n = 0;
  Elf64_Rela relocation;

  for (size_t at = 0; relocations->size - at >= sizeof relocation; at += sizeof relocation) {
    memcpy(&relocation, relocations->bytes + at, sizeof relocation);
    if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_RELATIVE)
      continue;
    const struct unwind_function *function = function_at(functions, (uint64_t)relocation.r_addend);
    n = function != NULL && function == last && relocation.r_offset == expected ? n + 1 : 1;
    last = function;
    expected = relocation.r_offset + sizeof(uint64_t);
    if (n == INSTRUCTIONS_MIN)
      return function;
  }
  return NULL;
}

/* The one function that calls it, vm_exec; NULL if there are several. */
static const struct unwind_function *find_caller(const struct unwind_functions *functions,
                                                 const struct unwind_bytes *text, uint64_t address,
                                                 uint64_t wanted)
{
  const uint8_t call = 0xe8; /* then how far it is from the next instruction */
  const struct unwind_function *only = NULL;
  int32_t distance;

  for (size_t at = 0; text->size - at > sizeof distance; at++) {
    const uint8_t *found = memchr(text->bytes + at, call, text->size - at - sizeof distance);
    if (found == NULL)
      break;
    at = (size_t)(found - text->bytes);
    memcpy(&distance, found + 1, sizeof distance);
    if (address + at + 1 + sizeof distance + (uint64_t)(int64_t)distance != wanted)
      continue;
    const struct unwind_function *function = function_at(functions, address + at);
    if (function == NULL || (only != NULL && function != only))
      return NULL;
    only = function;
  }
  return only;
}

static bool find_code(const struct unwind_elf *elf, const struct unwind_functions *functions,
                      struct unwind_runtime *runtime)
{
  struct unwind_bytes relocations, text;
  Elf64_Shdr section;

  if (!unwind_elf_find_section(elf, ".rela.dyn", &section) ||
      !unwind_elf_section_bytes(elf, &section, &relocations))
    return false;
  const struct unwind_function *function = find_interpreter(functions, &relocations);
  if (function == NULL || !unwind_elf_find_section(elf, ".text", &section) ||
      !unwind_elf_section_bytes(elf, &section, &text))
    return false;
  runtime->type = function->address;
  runtime->names = function->address + (function->end - function->start);
  function = find_caller(functions, &text, section.sh_addr, function->address);
  if (function == NULL)
    return false;
  runtime->code_start = function->address;
  runtime->code_end = function->address + (function->end - function->start);
  return true;
}

static bool set_code(const struct unwind_elf *elf, struct unwind_runtime *runtime)
{
  struct unwind_functions functions;

  if (unwind_functions_find(elf->bytes, elf->size, &functions) != 0)
    return false;
  bool found = find_code(elf, &functions, runtime);
  unwind_functions_clear(&functions);
  return found;
}

bool unwind_runtime_find_ruby(const struct unwind_elf *elf, struct unwind_runtime *ret)
{
  Elf64_Sym version;

  ret->kind = UNWIND_RUNTIME_RUBY;
  return elf->machine == EM_X86_64 && !elf->in_memory &&
         unwind_runtime_find_symbol(elf, "ruby_api_version", &version) &&
         set_version(elf, version.st_value, ret) && find_vm(elf, &ret->address) && set_code(elf, ret);
}
