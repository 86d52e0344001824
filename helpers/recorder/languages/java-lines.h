/* SPDX-License-Identifier: GPL-3.0-or-later */
/* HotSpot's tables of lines. */
#ifndef RECORDER_JAVA_LINES_H
#define RECORDER_JAVA_LINES_H

#include <stddef.h>
#include <stdint.h>

/* The line of the bytecode that stands `at` bytes into a method, by the compressed table that ends its
 * ConstMethod, whose bytes are anything. version: HotSpot's. 0: the table does not say. */
uint32_t recorder_java_line(uint32_t version, const uint8_t *table, size_t size, uint32_t at);

#endif
