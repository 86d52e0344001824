/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fetch-source SERVERS CAPTURE BINARY PATH: prints the text of a source file of a binary from debuginfod
 * servers. */
#include "profile/fetch/fetch.h"

static guint find_binary(ProfileCapture *capture, const char *name)
{
  guint n;
  const ProfileBinary *binaries = profile_capture_get_binaries(capture, &n);

  for (guint i = 0; i < n; i++) {
    g_autofree char *base = g_path_get_basename(binaries[i].path);
    if (g_str_equal(base, name))
      return i;
  }
  g_error("There is no binary %s.", name);
}

int main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileCapture) capture = NULL;
  g_autoptr(GBytes) text = NULL;

  g_assert_cmpint(argc, ==, 5);
  capture = profile_capture_load(argv[2], PROFILE_LOAD_DEFAULT, NULL, &error);
  g_assert_no_error(error);
  const ProfileFetchOptions options = {.servers = argv[1]};
  text = profile_fetch_source(capture, find_binary(capture, argv[3]), argv[4], &options, NULL, &error);
  if (text)
    g_print("%.*s", (int)g_bytes_get_size(text), (const char *)g_bytes_get_data(text, NULL));
  else
    g_printerr("%s\n", error->message);
  return text ? 0 : 1;
}
