/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from what finds them, so that whoever is handed names links no parser. */
#include "unwind/names/unwind-names.h"

bool unwind_names_are_valid(const void *memory, size_t size)
{
  const struct unwind_names *names = memory;
  uint64_t end = 0;
  size_t head;

  if (size < sizeof *names || names->magic != UNWIND_NAMES_MAGIC || names->size != size ||
      names->status > UNWIND_NAMES_NONE || names->n > UNWIND_OFFSETS_MAX)
    return false;
  head = sizeof *names + names->n * sizeof names->names[0];
  if (head > size)
    return false;
  for (uint32_t i = 0; i < names->n; i++) {
    const struct unwind_name *name = &names->names[i];

    if (name->start < end || name->end <= name->start || name->at < head || name->at > size ||
        name->nameless > 1 || name->length == 0 || name->length > UNWIND_NAME_MAX ||
        name->length > size - name->at)
      return false;
    end = name->end;
  }
  return true;
}
