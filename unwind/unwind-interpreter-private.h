/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executes the instructions of a function's description, which make its rows. */
#ifndef UNWIND_INTERPRETER_PRIVATE_H
#define UNWIND_INTERPRETER_PRIVATE_H

#include "unwind/unwind-cfi-private.h"
#include "unwind/unwind-rows-private.h"

/* From CIE's instructions: the state that all of its functions begin with. */
bool unwind_interpret_cie(const struct unwind_section *section, struct unwind_cie *cie, const uint8_t *at,
                          const uint8_t *end);

/* Adds the rows of a function that lie in [floor, limit), addresses from the rows' base. False if the
 * description is damaged or not understood; rows may have been added then. */
bool unwind_interpret_fde(const struct unwind_section *section, const struct unwind_fde *fde, uint64_t floor,
                          uint64_t limit, struct unwind_rows *rows);

#endif
