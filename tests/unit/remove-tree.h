/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How tests tidy up. */
#ifndef REMOVE_TREE_H
#define REMOVE_TREE_H

#include <glib/gstdio.h>

/* Removes that file, or that directory with all below it; what links lead to stays. */
static inline void remove_tree(const char *path)
{
  gboolean is_link = g_file_test(path, G_FILE_TEST_IS_SYMLINK);
  g_autoptr(GDir) directory = is_link ? NULL : g_dir_open(path, 0, NULL);

  for (const char *name; directory && (name = g_dir_read_name(directory));) {
    g_autofree char *below = g_build_filename(path, name, NULL);
    remove_tree(below);
  }
  g_remove(path);
}

#endif
