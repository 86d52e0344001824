/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of functions in an ELF file: whatever it holds, they are names of stretches that hold what was asked
 * for; and what another process says is names. */
#include <stdlib.h>

#include "unwind/names/unwind-names.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile unsigned char sink;

static void read_all(const struct unwind_names *names)
{
  for (uint32_t i = 0; i < names->n; i++)
    for (uint32_t j = 0; j < names->names[i].length; j++)
      sink += ((const unsigned char *)names)[names->names[i].at + j];
}

static int is_asked_for(const struct unwind_name *name, const uint64_t *offsets, size_t n)
{
  for (size_t i = 0; i < n; i++)
    if (name->start <= offsets[i] && offsets[i] < name->end)
      return 1;
  return 0;
}

static void check(const struct unwind_names *names, const uint64_t *offsets, size_t n)
{
  if (!unwind_names_are_valid(names, names->size) || unwind_names_are_valid(names, names->size - 1))
    abort();
  for (uint32_t i = 0; i < names->n; i++)
    if (!is_asked_for(&names->names[i], offsets, n))
      abort();
  read_all(names);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static uint64_t offsets[512];
  struct unwind_names *names;
  size_t n = 0;

  for (uint64_t offset = 0; n < sizeof offsets / sizeof offsets[0] - 1; offset += size / 500 + 1)
    offsets[n++] = offset;
  offsets[n++] = UINT64_MAX;
  if (unwind_names_find(data, size, offsets, n, &names) == 0) {
    check(names, offsets, n);
    ((unsigned char *)names)[size * 7919 % names->size] ^= 0x10;
    if (unwind_names_are_valid(names, names->size))
      read_all(names);
    free(names);
  }
  if (size >= sizeof *names && unwind_names_are_valid(data, size))
    read_all((const struct unwind_names *)data);
  return 0;
}
