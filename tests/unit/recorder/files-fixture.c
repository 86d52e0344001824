/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "files-fixture.h"

#include <dlfcn.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <sys/mount.h>

void files_own_mounts(void)
{
  if (unshare(CLONE_NEWNS) == 0)
    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
}

const char *files_library(void)
{
  static Dl_info info; /* what it points to lasts as long as the library is loaded */
  g_assert_cmpint(dladdr((void *)g_main_context_iteration, &info), !=, 0);
  return info.dli_fname;
}

void files_remove_all(const char *path)
{
  g_autoptr(GDir) directory = g_dir_open(path, 0, NULL);
  const char *name;
  while (directory != NULL && (name = g_dir_read_name(directory)) != NULL) {
    g_autofree char *below = g_build_filename(path, name, NULL);
    if (g_file_test(below, G_FILE_TEST_IS_DIR) && !g_file_test(below, G_FILE_TEST_IS_SYMLINK))
      files_remove_all(below);
    else
      g_unlink(below);
  }
  g_rmdir(path);
}
