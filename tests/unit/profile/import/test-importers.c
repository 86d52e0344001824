/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of importers against what the desktop is told of the same formats. */
#include <string.h>

#include "profile/import/importer.h"

/* The bytes that a <match> of the MIME data names. Free it. */
static char *parse_match(const char *type, const char *value)
{
  if (strcmp(type, "string") == 0)
    return g_strdup(value);
  g_assert_cmpstr(type, ==, "little32");
  guint32 number = GUINT32_TO_LE((guint32)g_ascii_strtoull(value, NULL, 16));
  char *bytes = g_malloc0(sizeof number + 1);
  memcpy(bytes, &number, sizeof number);
  return bytes;
}

/* What the pattern captures, of the formats of others. */
static GPtrArray *find_all(const char *pattern, int groups)
{
  g_autofree char *path =
      g_test_build_filename(G_TEST_DIST, "..", "data", "org.capturectl.Viewer.mime.xml", NULL);
  g_autofree char *text = NULL;
  g_autoptr(GRegex) regex = g_regex_new(pattern, 0, 0, NULL);
  g_autoptr(GMatchInfo) match = NULL;
  GPtrArray *found = g_ptr_array_new_with_free_func(g_free);

  g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
  g_assert_nonnull(strstr(text, "application/x-perf-data"));
  g_regex_match(regex, strstr(text, "application/x-perf-data"), 0, &match);
  for (; g_match_info_matches(match); g_match_info_next(match, NULL))
    for (int i = 1; i <= groups; i++)
      g_ptr_array_add(found, g_match_info_fetch(match, i));
  return found;
}

static gboolean has_pattern(const ProfileImporter *importer, const char *glob)
{
  return g_strv_contains(importer->patterns, glob);
}

static void test_globs(void)
{
  g_autoptr(GPtrArray) globs = find_all("<glob pattern=\"([^\"]*)\"", 1);
  guint n, known = 0;
  const ProfileImporter *importers = profile_importers_get(&n);

  g_assert_cmpuint(globs->len, >=, n);
  for (guint i = 0; i < globs->len; i++) {
    guint before = known;
    for (guint k = 0; k < n; k++)
      known += has_pattern(&importers[k], globs->pdata[i]);
    g_assert_cmpuint(known, ==, before + 1);
  }
}

static void test_first_bytes(void)
{
  g_autoptr(GPtrArray) matches = find_all("<match type=\"([a-z0-9]*)\" value=\"([^\"]*)\" offset=\"0\"", 2);

  g_assert_cmpuint(matches->len, >=, 4);
  for (guint i = 0; i < matches->len; i += 2) {
    g_autofree char *bytes = parse_match(matches->pdata[i], matches->pdata[i + 1]);
    guint8 first[256] = {0};

    memcpy(first, bytes, strlen(bytes));
    g_assert_nonnull(profile_importers_recognise(first, sizeof first));
    first[0] ^= 1;
    g_assert_null(profile_importers_recognise(first, sizeof first));
  }
  g_assert_null(profile_importers_recognise((const guint8 *)"", 0));
}

static void test_names(void)
{
  g_autofree char *names = profile_importers_join(", ");

  g_assert_cmpstr(names, ==, "perf.data, .syscap");
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/importers/globs", test_globs);
  g_test_add_func("/importers/first-bytes", test_first_bytes);
  g_test_add_func("/importers/names", test_names);
  return g_test_run();
}
