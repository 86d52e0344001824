/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86 in AT&T's syntax as objdump prints it, from what Capstone prints (as LLVM does: "movq %rax, -8(%rbp)"
 * is "mov %rax,-0x8(%rbp)" here). */
#ifndef CODE_ATT_PRIVATE_H
#define CODE_ATT_PRIVATE_H

#include "code/code-line-private.h"
#include "code/code-machine-private.h"

/* Of what was decoded last. */
void code_att_write(const struct code_machine *machine, struct code_line *line);

#endif
