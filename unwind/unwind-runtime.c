/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-runtime-private.h"

/* A new runtime is a row here, and a case of walk-language.h. */
static bool (*const finders[])(const struct unwind_elf *elf, struct unwind_runtime *ret) = {
    unwind_runtime_find_python,
};

bool unwind_runtime_find(const struct unwind_elf *elf, struct unwind_runtime *ret)
{
  for (size_t i = 0; i < sizeof finders / sizeof finders[0]; i++) {
    *ret = (struct unwind_runtime){0};
    if (finders[i](elf, ret))
      return true;
  }
  return false;
}
