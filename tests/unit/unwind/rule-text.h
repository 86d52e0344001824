/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef RULE_TEXT_H
#define RULE_TEXT_H

#include <stddef.h>

#include "unwind/unwind-table.h"

/* A rule as text: the CFA, where fp, base and the return address are, flags. At most 96 bytes. */
void rule_text(const struct unwind_rule *rule, char *text, size_t size);

#endif
