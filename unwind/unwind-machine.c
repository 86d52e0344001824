/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-machine-private.h"

#define FP                                                                                                   \
  {                                                                                                          \
    .low = UNWIND_LOW_FP_AT, .high = UNWIND_HIGH_FP | UNWIND_FP_FROM_SP | UNWIND_FP_FROM_FP,                 \
    .one = 1ull << 48                                                                                        \
  }
#define BASE                                                                                                 \
  {                                                                                                          \
    .high = UNWIND_HIGH_BASE_AT | UNWIND_HIGH_BASE | UNWIND_BASE_FROM_SP | UNWIND_BASE_FROM_FP,              \
    .high_at = UNWIND_HIGH_BASE_AT, .one = 1ull << 50                                                        \
  }
#define RA                                                                                                   \
  {                                                                                                          \
    .high = UNWIND_HIGH_RA_AT | UNWIND_HIGH_RA | UNWIND_RA_FROM_SP, .high_at = UNWIND_HIGH_RA_AT,            \
    .one = 1ull << 52                                                                                        \
  }

static const struct unwind_machine machines[] = {
    {.elf = EM_X86_64,
     .sp = 7,
     .fp = 6,
     .base = 3,
     .ra = 16,
     .registers = 16,
     .tracked = {[3] = BASE, [6] = FP, [16] = RA},
     .tracked_index = {[3] = 1, [6] = 2, [16] = 3}},
    {.elf = EM_AARCH64,
     .sp = 31,
     .fp = 29,
     .base = 0xff,
     .ra = 30,
     .registers = 31,
     .tracked = {[29] = FP, [30] = RA},
     .tracked_index = {[29] = 1, [30] = 2}},
};

const struct unwind_machine *unwind_machine_find(uint16_t elf)
{
  for (unsigned int i = 0; i < sizeof machines / sizeof *machines; i++) {
    if (machines[i].elf == elf)
      return &machines[i];
  }
  return NULL;
}
