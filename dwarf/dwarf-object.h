/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses in object files, such as kernel modules. Nobody has placed their sections yet: so each section
 * that is loaded counts as if it stood alone in the 4 GiB that its number says. */
#ifndef DWARF_OBJECT_H
#define DWARF_OBJECT_H

#include <stdint.h>

/* Of a byte of a section. */
static inline uint64_t dwarf_object_address(uint32_t section, uint32_t offset)
{
  return (uint64_t)section << 32 | offset;
}

#endif
