/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fetch-source SERVERS BUILD-ID PATH: prints the text of a source file from debuginfod servers. */
#include "profile/fetch/fetch-file.h"

int main(int argc, char **argv)
{
  ProfileFetchFile fetch = {.size_max = 1 << 20, .seconds_max = 10};
  guint8 build_id[SYMBOL_FETCHER_BUILD_ID_MAX];
  g_autoptr(GError) error = NULL;
  g_autoptr(GBytes) text = NULL;
  guint size = 0;

  g_assert_cmpint(argc, ==, 4);
  fetch.servers = argv[1];
  fetch.deadline = g_get_monotonic_time() + 10 * G_USEC_PER_SEC;
  for (const char *hex = argv[2]; hex[0] && hex[1]; hex += 2)
    build_id[size++] = (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
  text = profile_fetch_source(&fetch, build_id, size, argv[3], NULL, &error);
  if (text)
    g_print("%.*s", (int)g_bytes_get_size(text), (const char *)g_bytes_get_data(text, NULL));
  else
    g_printerr("%s\n", error->message);
  return text ? 0 : 1;
}
