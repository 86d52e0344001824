/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions of aarch64 that Capstone 4 does not know and that are common: atomics of one instruction (LSE)
 * and returns that check pointers. */
#ifndef CODE_AARCH64_PRIVATE_H
#define CODE_AARCH64_PRIVATE_H

#include "code/code-line-private.h"

/* The name of a hint that stands for what people know as an instruction, such as paciasp; NULL: none. */
const char *code_aarch64_name_hint(uint32_t word);

/* False: not one of those. */
bool code_aarch64_decode(uint32_t word, struct code_line *line, enum code_kind *ret_kind);

#endif
