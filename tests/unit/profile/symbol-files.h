/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF files for tests, made by the compiler in a directory of their own. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Makes a temporary directory and goes there. */
char *symbol_files_enter(void);
/* Leaves it and removes it with all that is in it. */
void symbol_files_leave(char *directory);
/* Runs a shell command, which must succeed. */
void symbol_files_run(const char *format, ...) G_GNUC_PRINTF(1, 2);
/* Writes text to a file in the current directory. */
void symbol_files_write(const char *name, const char *text);
/* A small C program: main, static `inner`, exported `outer`, a label without a size, calls to puts and
 * strtol. */
extern const char symbol_files_program[];
/* The address of a symbol, as nm says. */
guint64 symbol_files_address(const char *file, const char *symbol);

G_END_DECLS
