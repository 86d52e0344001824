/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names as class files have them. */
#ifndef RECORDER_JAVA_TEXT_H
#define RECORDER_JAVA_TEXT_H

#include <stddef.h>

/* As recorder_text_convert, from the modified UTF-8 of class files; at most RECORDER_RAW_FUNCTION_FILE bytes.
 * is_name: of a class or its method, which is written as Java does, java.util.Map for java/util/Map. */
size_t recorder_java_text(char *to, size_t room, const void *from, size_t size, int is_name);

#endif
