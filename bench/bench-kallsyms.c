/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What parsing /proc/kallsyms costs a line beyond reading it, and what the cache costs instead. */
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/elf/kallsyms.h"

#define ROUNDS 31

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

static double median(double *values)
{
  qsort(values, ROUNDS, sizeof *values, compare);
  return values[ROUNDS / 2];
}

static double now(void)
{
  return (double)g_get_monotonic_time() * 1000;
}

/* The same bytes, read as the parser's caller reads them, and not looked at. */
static char *read_text(gsize *ret_length, double *ret_time)
{
  double start = now();
  FILE *file = fopen("/proc/kallsyms", "re");
  gsize room = 64 << 20;
  char *text = g_malloc(room);
  gsize length = 0;

  if (!file)
    g_error("/proc/kallsyms cannot be opened");
  setvbuf(file, NULL, _IONBF, 0);
  for (gssize n; (n = read(fileno(file), text + length, room - length)) > 0;)
    length += (gsize)n;
  fclose(file);
  *ret_time = now() - start;
  *ret_length = length;
  return text;
}

static gsize count_lines(const char *text, gsize length)
{
  gsize n = 0;

  for (gsize i = 0; i < length; i++)
    n += text[i] == '\n';
  return n;
}

int main(void)
{
  double read_times[ROUNDS], parse_times[ROUNDS], load_times[ROUNDS];
  g_autofree char *directory = g_dir_make_tmp("bench-kallsyms-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(directory, "kallsyms", NULL);
  guint8 key[32] = "bench";
  gsize lines = 0, symbols = 0;

  for (guint i = 0; i < ROUNDS; i++) {
    gsize length;
    char *text = read_text(&length, &read_times[i]);
    double start = now();
    g_autoptr(ProfileKallsyms) parsed = profile_kallsyms_new(text, length);

    parse_times[i] = now() - start;
    lines = count_lines(text, length);
    symbols = profile_kallsyms_get_n(parsed);
    if (i == 0 && !profile_kallsyms_save(parsed, path, key, NULL))
      g_error("%s cannot be written", path);
  }
  for (guint i = 0; i < ROUNDS; i++) {
    double start = now();
    g_autoptr(ProfileKallsyms) loaded = profile_kallsyms_load(path, key);
    ProfileKallsym symbol;

    profile_kallsyms_lookup(loaded, 0xffffffff81000000, &symbol);
    load_times[i] = now() - start;
  }
  g_unlink(path);
  g_rmdir(directory);
  printf("lines %zu, symbols kept %zu\n", lines, symbols);
  printf("read  %8.3f ms (median of %d)\n", median(read_times) / 1e6, ROUNDS);
  printf("parse %8.3f ms beyond reading, %.2f ns a line\n", median(parse_times) / 1e6,
         median(parse_times) / (double)lines);
  printf("cache %8.3f ms to load and look one address up: %.4f of parsing, %.5f of reading and parsing\n",
         median(load_times) / 1e6, median(load_times) / median(parse_times),
         median(load_times) / (median(read_times) + median(parse_times)));
  return 0;
}
