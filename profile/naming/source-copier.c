/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/source-copier.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/regular-file.h"

typedef struct {
  ProfileSourceTexts *texts;
  GHashTable *tried; /* const char *, of the places */
  GStrv directories; /* links followed */
  gsize left;        /* bytes */
} SourceCopier;

static GStrv follow_links(const char *const *directories)
{
  g_autoptr(GStrvBuilder) followed = g_strv_builder_new();

  for (guint i = 0; directories[i]; i++) {
    g_autofree char *directory = realpath(directories[i], NULL);

    if (directory)
      g_strv_builder_add(followed, directory);
  }
  return g_strv_builder_end(followed);
}

/* Where the file is that was opened, whatever happened to its path meanwhile. */
static gboolean source_copier_may_copy(const SourceCopier *self, int fd)
{
  g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd), *file = g_file_read_link(link, NULL);

  for (guint i = 0; file && self->directories[i]; i++) {
    const char *directory = self->directories[i];
    gsize length = strlen(directory);

    if (strncmp(file, directory, length) == 0 && (file[length] == '/' || directory[length - 1] == '/'))
      return TRUE;
  }
  return FALSE;
}

static void source_copier_copy(SourceCopier *self, const char *path, int fd)
{
  g_autofree guint8 *piece = g_malloc(1 << 16);
  gsize offset = 0;
  gssize n;

  while ((n = read(fd, piece, 1 << 16)) > 0) {
    if (offset + (gsize)n > MIN(PROFILE_SOURCE_COPY_MAX, self->left)) {
      profile_source_texts_add(self->texts, path, 0, piece, 0);
      return;
    }
    profile_source_texts_add(self->texts, path, offset, piece, (gsize)n);
    offset += (gsize)n;
  }
  self->left -= offset;
}

/* Once, as most lines of a file name it. */
static void source_copier_try(SourceCopier *self, const char *path)
{
  int fd;

  if (!path || !g_path_is_absolute(path) || !g_hash_table_add(self->tried, (gpointer)path))
    return;
  fd = profile_regular_file_open(path);
  if (fd < 0)
    return;
  if (source_copier_may_copy(self, fd))
    source_copier_copy(self, path, fd);
  close(fd);
}

static void source_copier_try_all(SourceCopier *self, const ProfilePlaces *places)
{
  guint32 n;
  const ProfilePlaceFrame *frames = profile_places_get_frames(places, &n);

  for (guint32 i = 0; i < n; i++) {
    source_copier_try(self, frames[i].file);
    source_copier_try(self, frames[i].declared_file);
  }
}

ProfileSourceTexts *profile_source_copier_copy(ProfilePlaces *const *places, guint n,
                                               const char *const *directories)
{
  SourceCopier self = {.texts = profile_source_texts_new(),
                       .tried = g_hash_table_new(g_str_hash, g_str_equal),
                       .directories = follow_links(directories),
                       .left = PROFILE_SOURCE_COPIES_MAX};

  for (guint i = 0; i < n; i++)
    if (places[i])
      source_copier_try_all(&self, places[i]);
  g_hash_table_unref(self.tried);
  g_strfreev(self.directories);
  return self.texts;
}
