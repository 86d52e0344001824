/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How tests have compilers and binutils make the files that they read. */
#ifndef RUN_SHELL_H
#define RUN_SHELL_H

#include <glib.h>

/* Runs a shell command in that directory; NULL is the current one. What it wrote, for g_free(). Aborts the
 * test if any part of the command fails. */
static inline char *run_shell(const char *directory, const char *format, ...) G_GNUC_PRINTF(2, 3);
static inline char *run_shell(const char *directory, const char *format, ...)
{
  va_list arguments;
  char *text;
  int status;
  g_autoptr(GError) error = NULL;
  g_autofree char *command = NULL;

  va_start(arguments, format);
  command = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  const char *argv[] = {"sh", "-ec", command, NULL};
  g_spawn_sync(directory, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &text, NULL, &status, &error);
  g_assert_no_error(error);
  g_assert_cmpint(status, ==, 0);
  return text;
}

#endif
