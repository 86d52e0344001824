/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/elf/module-files.h"

#include <fts.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/regular-file.h"
#include "profile/base/unpack.h"

struct _ProfileModuleFiles {
  char *release;
  gint64 until;
  GCancellable *cancellable;
  gboolean is_late;
  GPtrArray *paths; /* of all modules; NULL: not listed yet */
};

ProfileModuleFiles *profile_module_files_new(const char *release, gint64 until, GCancellable *cancellable)
{
  ProfileModuleFiles *self = g_new0(ProfileModuleFiles, 1);

  self->release = g_strdup(release);
  self->until = until;
  self->cancellable = cancellable ? g_object_ref(cancellable) : NULL;
  return self;
}

void profile_module_files_free(ProfileModuleFiles *self)
{
  g_clear_pointer(&self->paths, g_ptr_array_unref);
  g_clear_object(&self->cancellable);
  g_free(self->release);
  g_free(self);
}

const char *profile_module_skip_name(const char *file, const char *name)
{
  for (; *name; file++, name++)
    if (*file != *name && !(*file == '-' && *name == '_'))
      return NULL;
  return file;
}

static void list_tree(GPtrArray *paths, char *tree)
{
  char *const trees[] = {tree, NULL};
  FTS *walk = fts_open(trees, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
  const FTSENT *entry;

  while (walk && (entry = fts_read(walk)))
    if (entry->fts_info == FTS_F && strstr(entry->fts_name, ".ko"))
      g_ptr_array_add(paths, g_strdup(entry->fts_path));
  if (walk)
    fts_close(walk);
  g_free(tree);
}

/* Trees of debug files come first: those beside them mostly have none. */
static void module_files_list(ProfileModuleFiles *self)
{
  static const char *const roots[] = {"/usr/lib/debug/lib/modules", "/usr/lib/debug/usr/lib/modules",
                                      "/lib/modules"};

  self->paths = g_ptr_array_new_with_free_func(g_free);
  for (guint i = 0; self->release && !strchr(self->release, '/') && i < G_N_ELEMENTS(roots); i++)
    list_tree(self->paths, g_build_filename(roots[i], self->release, NULL));
}

static gboolean is_file_of(const char *path, const char *name)
{
  const char *rest = profile_module_skip_name(strrchr(path, '/') + 1, name);

  return rest && g_str_has_prefix(rest, ".ko") &&
         (!rest[3] || g_str_equal(rest, ".ko.debug") || profile_unpack_is_packed(rest));
}

static gboolean module_files_open(ProfileModuleFiles *self, const char *path, const guint8 *build_id,
                                  guint size, ProfileDebugFile *ret)
{
  int fd = profile_regular_file_open(path), unpacked = -1;

  if (fd >= 0 && !profile_regular_file_is_of_others(fd)) {
    if (!profile_unpack_is_packed(path))
      return profile_debug_file_take(fd, build_id, size, ret);
    unpacked = profile_unpack(fd, path, self->until, self->cancellable, &self->is_late);
  }
  if (fd >= 0)
    close(fd);
  return unpacked >= 0 && profile_debug_file_take(unpacked, build_id, size, ret);
}

gboolean profile_module_files_find(ProfileModuleFiles *self, const char *name, const guint8 *build_id,
                                   guint size, ProfileDebugFile *ret)
{
  if (profile_debug_file_find_by_build_id(build_id, size, ret))
    return TRUE;
  if (!self->paths)
    module_files_list(self);
  for (guint i = 0; i < self->paths->len; i++)
    if (is_file_of(self->paths->pdata[i], name) &&
        module_files_open(self, self->paths->pdata[i], build_id, size, ret))
      return TRUE;
  return FALSE;
}

gboolean profile_module_files_are_late(const ProfileModuleFiles *self)
{
  return self->is_late;
}
