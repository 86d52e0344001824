/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operands of x86 in AT&T's syntax as objdump prints them. */
#ifndef CODE_ATT_OPERANDS_PRIVATE_H
#define CODE_ATT_OPERANDS_PRIVATE_H

#include "code/code-line-private.h"
#include "code/code-machine-private.h"

/* With a space before them where there are any. Of a string instruction such as movsb segments are named. */
void code_att_operands_write(const struct code_machine *machine, bool string, struct code_line *line);

#endif
