/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an instruction does to the flow of control. */
#ifndef CODE_KIND_PRIVATE_H
#define CODE_KIND_PRIVATE_H

#include "code/code-instructions.h"
#include "code/code-machine-private.h"

/* Fills in kind and target of what was decoded last. */
void code_kind_find(const struct code_machine *machine, struct code_instruction *ret);

#endif
