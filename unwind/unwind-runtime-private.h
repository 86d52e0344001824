/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a language's runtime in a binary. */
#ifndef UNWIND_RUNTIME_PRIVATE_H
#define UNWIND_RUNTIME_PRIVATE_H

#include "unwind/unwind-elf-private.h"
#include "unwind/unwind-runtime.h"

/* Whether the file holds one that is understood; then it is *ret. */
bool unwind_runtime_find(const struct unwind_elf *elf, struct unwind_runtime *ret);

bool unwind_runtime_find_python(const struct unwind_elf *elf, struct unwind_runtime *ret);

#endif
