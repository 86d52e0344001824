/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The few DWARF expressions that occur in unwind information, recognised by their shape. They are not
 * evaluated. */
#ifndef UNWIND_EXPRESSION_PRIVATE_H
#define UNWIND_EXPRESSION_PRIVATE_H

#include <stdint.h>

#include "unwind/unwind-cfi-private.h"

/* The state with the CFA that the expression computes: *(register + n), *(register + n) + m, register + n or
 * PLT entries'; UNWIND_CFA_UNSUPPORTED for any other. */
struct unwind_state unwind_expression_cfa(const struct unwind_machine *machine, struct unwind_state state,
                                          const uint8_t *at, const uint8_t *end);

/* The state in which a register is stored where the expression says: register + n. */
struct unwind_state unwind_expression_saved(const struct unwind_machine *machine, struct unwind_state state,
                                            uint64_t number, const uint8_t *at, const uint8_t *end);

#endif
