/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts as runtimes have them, to UTF-8. */
#ifndef RECORDER_TEXT_H
#define RECORDER_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* `size` bytes of characters of `width` bytes each (0: ASCII), which are anything. Controls and what is no
 * character become U+FFFD. Writes at most `room` bytes, no character in parts; returns how many. */
size_t recorder_text_convert(char *to, size_t room, const void *from, size_t size, unsigned int width);

#endif
