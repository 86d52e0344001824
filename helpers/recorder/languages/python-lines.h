/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPython's tables of lines. */
#ifndef RECORDER_PYTHON_LINES_H
#define RECORDER_PYTHON_LINES_H

#include <stddef.h>
#include <stdint.h>

/* The line of the instruction that stands `at` units of 2 bytes into a code object whose first line is
 * `first`: by its co_linetable, or co_lnotab before 3.10, whose bytes are anything. version: major << 8 |
 * minor. 0: the table does not say. */
uint32_t recorder_python_line(uint32_t version, const uint8_t *table, size_t size, uint32_t first,
                              uint32_t at);

#endif
