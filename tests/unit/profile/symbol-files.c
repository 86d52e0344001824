/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/profile/symbol-files.h"

#include <glib/gstdio.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

const char symbol_files_program[] = "#include <stdio.h>\n"
                                    "#include <stdlib.h>\n"
                                    "volatile int n;\n"
                                    "__attribute__((noinline)) static int inner(int x)\n"
                                    "{ return x * n; }\n"
                                    "__attribute__((noinline)) int outer(const char *s)\n"
                                    "{ puts(s); return inner(strtol(s, NULL, 10)); }\n"
                                    "__asm__(\".section .text.unsized,\\\"ax\\\"\\n\\t.globl "
                                    "unsized\\nunsized:\\n\\tret\\n\\tret\\n\\t.text\\n\");\n"
                                    "int main(int argc, char **argv)\n"
                                    "{ return argc > 1 ? outer(argv[1]) : 0; }\n";

char *symbol_files_enter(void)
{
  char *directory = g_dir_make_tmp("symbol-files-XXXXXX", NULL);

  g_assert_nonnull(directory);
  g_assert_cmpint(g_chdir(directory), ==, 0);
  return directory;
}

void symbol_files_leave(char *directory)
{
  g_assert_cmpint(g_chdir("/"), ==, 0);
  symbol_files_run("rm -r '%s'", directory);
  g_free(directory);
}

void symbol_files_run(const char *format, ...)
{
  va_list arguments;
  g_autofree char *command = NULL;
  g_autofree char *output = NULL;
  const char *shell[] = {"/bin/sh", "-c", NULL, NULL};
  g_autoptr(GError) error = NULL;
  int status;

  va_start(arguments, format);
  command = g_strdup_vprintf(format, arguments);
  va_end(arguments);
  shell[2] = command;
  g_spawn_sync(NULL, (char **)shell, NULL, G_SPAWN_DEFAULT, NULL, NULL, &output, NULL, &status, &error);
  g_assert_no_error(error);
  if (status != 0)
    g_error("%s: %s", command, output);
}

void symbol_files_write(const char *name, const char *text)
{
  g_assert_true(g_file_set_contents(name, text, -1, NULL));
}

guint64 symbol_files_address(const char *file, const char *symbol)
{
  const char *command[] = {"nm", file, NULL};
  g_autofree char *output = NULL;
  g_auto(GStrv) lines = NULL;

  g_spawn_sync(NULL, (char **)command, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output, NULL, NULL, NULL);
  lines = g_strsplit(output, "\n", -1);
  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) fields = g_strsplit(lines[i], " ", 3);

    if (g_strv_length(fields) == 3 && g_str_equal(fields[2], symbol))
      return g_ascii_strtoull(fields[0], NULL, 16);
  }
  g_error("%s has no symbol %s", file, symbol);
}
