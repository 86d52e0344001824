/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PHP, by the symbols that each build of it exports. Where it runs in threads, these are others. */
#include <string.h>

#include "unwind/unwind-runtime-private.h"

/* In the order of enum unwind_php_field, of 64-bit machines, as the headers of these versions give them
 * (Zend/zend_globals.h, zend_compile.h, zend.h, zend_types.h). */
static const struct version {
  uint32_t version;
  const char *symbol; /* that this version was the first to export */
  uint32_t size;      /* of executor_globals up to a field that is known; later patches add at the end */
  uint16_t fields[UNWIND_PHP_FIELDS];
} versions[] = {
    {0x0804, "zend_object_make_lazy", 1800, {488, 0, 24, 40, 48, 0, 8, 16, 104, 96, 168, 176, 24, 8, 16, 24}},
    {0x0803, "zend_call_stack_init", 0, {0}},
    {0x0802,
     "php_random_algo_mt19937",
     1728,
     {488, 0, 24, 40, 48, 0, 8, 16, 88, 80, 152, 160, 24, 8, 16, 24}},
};

/* What patches add at most; with more, it is laid out otherwise. */
#define ADDED_MAX 256

static bool set_fields(const struct unwind_elf *elf, uint64_t size, struct unwind_runtime *runtime)
{
  Elf64_Sym symbol;

  for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
    if (!unwind_runtime_find_symbol(elf, versions[i].symbol, &symbol))
      continue;
    runtime->version = versions[i].version;
    memcpy(runtime->fields, versions[i].fields, sizeof versions[i].fields);
    return versions[i].size != 0 && size >= versions[i].size && size - versions[i].size <= ADDED_MAX;
  }
  return false;
}

bool unwind_runtime_find_php(const struct unwind_elf *elf, struct unwind_runtime *ret)
{
  Elf64_Sym globals, code;

  if (!unwind_runtime_find_symbol(elf, "executor_globals", &globals) ||
      !unwind_runtime_find_symbol(elf, "execute_ex", &code) || code.st_size > UINT64_MAX - code.st_value)
    return false;
  ret->kind = UNWIND_RUNTIME_PHP;
  ret->address = globals.st_value;
  ret->code_start = code.st_value;
  ret->code_end = code.st_value + code.st_size;
  return set_fields(elf, globals.st_size, ret);
}
