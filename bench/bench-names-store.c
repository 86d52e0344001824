/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What naming costs without a store of names, with an empty one and with a filled one, and whether the names
 * are the same. The cache of kernel symbols is filled in all three.
 *
 * bench-names-store [PERF.DATA]…: without any, the recording that the tests have.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/import/perf-data-import.h"
#include "profile/naming/names-store.h"
#include "profile/naming/naming-private.h"

#define ROUNDS 15

enum { NO_STORE, EMPTY, FILLED, N_WAYS };

static const char *const ways[N_WAYS] = {"no store", "empty store", "filled store"};

static void fail(const GError *error)
{
  fprintf(stderr, "%s\n", error->message);
  exit(1);
}

static ProfileCapture *import(const char *path)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfilePerfData) data = profile_perf_data_open(path, &error);
  g_autofree char *made = g_build_filename(g_get_user_cache_dir(), "capture", "imported", NULL);
  int fd = open(made, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  ProfileImportResult result = {0};
  ProfileCapture *capture;

  if (!data || !profile_perf_import(data, fd, NULL, &result, &error))
    fail(error);
  close(fd);
  g_free(result.warning);
  capture = profile_capture_load(made, PROFILE_LOAD_DEFAULT, NULL, &error);
  if (!capture)
    fail(error);
  return capture;
}

/* A directory in its place is no store. */
static void prepare(guint way)
{
  g_autofree char *path = profile_names_store_get_path();

  if (way == FILLED)
    return;
  g_rmdir(path);
  g_unlink(path);
  if (way == NO_STORE)
    g_mkdir(path, 0700);
}

static gboolean are_equal(const ProfileFunctionTable *a, const ProfileFunctionTable *b)
{
  gsize n, n_b;
  const ProfileFunctionRange *x = profile_function_table_get_ranges(a, &n);
  const ProfileFunctionRange *y = profile_function_table_get_ranges(b, &n_b);
  gboolean equal = profile_function_table_get_status(a) == profile_function_table_get_status(b) && n == n_b;

  for (gsize i = 0; i < n && equal; i++)
    equal = x[i].start == y[i].start && x[i].end == y[i].end && strcmp(x[i].name, y[i].name) == 0 &&
            strcmp(x[i].linkage_name, y[i].linkage_name) == 0 && g_strcmp0(x[i].file, y[i].file) == 0 &&
            x[i].line == y[i].line;
  return equal;
}

static void compare(const ProfileNamingTables *a, const ProfileNamingTables *b)
{
  for (guint i = 0; i < a->n; i++)
    if ((a->tables[i] == NULL) != (b->tables[i] == NULL) ||
        (a->tables[i] && !are_equal(a->tables[i], b->tables[i]))) {
      fprintf(stderr, "The store changes names.\n");
      exit(1);
    }
}

static double name(ProfileCapture *capture, ProfileNamingTables *ret)
{
  g_autoptr(GError) error = NULL;
  gint64 begin = g_get_monotonic_time();

  if (!profile_naming_make_tables(capture, NULL, ret, NULL, &error))
    fail(error);
  return (double)(g_get_monotonic_time() - begin) / 1000;
}

static int compare_times(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;

  return x < y ? -1 : x > y;
}

static void measure(const char *path)
{
  g_autoptr(ProfileCapture) capture = import(path);
  double times[N_WAYS][ROUNDS];
  ProfileNamingResult result = {0};

  for (guint round = 0; round < ROUNDS; round++) {
    ProfileNamingTables tables[N_WAYS] = {0};

    for (guint way = 0; way < N_WAYS; way++) {
      prepare(way);
      times[way][round] = name(capture, &tables[way]);
      compare(&tables[NO_STORE], &tables[way]);
    }
    result = tables[FILLED].result;
    for (guint way = 0; way < N_WAYS; way++)
      profile_naming_tables_clear(&tables[way]);
  }
  printf("%s: %u binaries, %u functions; medians of %d rounds\n", path, result.binaries, result.functions,
         ROUNDS);
  for (guint way = 0; way < N_WAYS; way++)
    qsort(times[way], ROUNDS, sizeof times[way][0], compare_times);
  for (guint way = 0; way < N_WAYS; way++)
    printf("  %-12s %8.2f ms, fastest %8.2f ms, %5.3f of no store\n", ways[way], times[way][ROUNDS / 2],
           times[way][0], times[way][ROUNDS / 2] / times[NO_STORE][ROUNDS / 2]);
}

static void remove_cache(const char *directory)
{
  g_autofree char *inner = g_build_filename(directory, "capture", NULL);
  g_autoptr(GDir) files = g_dir_open(inner, 0, NULL);
  const char *file;

  while ((file = g_dir_read_name(files))) {
    g_autofree char *path = g_build_filename(inner, file, NULL);
    g_remove(path);
  }
  g_rmdir(inner);
  g_rmdir(directory);
}

int main(int argc, char **argv)
{
  g_autofree char *directory = g_dir_make_tmp("bench-names-store-XXXXXX", NULL);
  g_autofree char *inner = g_build_filename(directory, "capture", NULL);

  g_setenv("XDG_CACHE_HOME", directory, TRUE);
  g_mkdir(inner, 0700);
  if (argc < 2)
    measure(EXAMPLE);
  for (int i = 1; i < argc; i++)
    measure(argv[i]);
  remove_cache(directory);
  return 0;
}
