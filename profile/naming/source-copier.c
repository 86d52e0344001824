/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/source-copier.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profile/base/regular-file.h"

typedef struct {
  ProfileSourceTexts *texts;
  const char *const *directories;
  gsize left; /* bytes */
} SourceCopier;

/* Where the file is that was opened, whatever happened to its path meanwhile. */
static gboolean is_below(int fd, const char *const *directories)
{
  g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd), *file = g_file_read_link(link, NULL);

  for (guint i = 0; file && directories[i]; i++) {
    g_autofree char *directory = realpath(directories[i], NULL);
    gsize length = directory ? strlen(directory) : 0;

    if (length > 0 && strncmp(file, directory, length) == 0 &&
        (file[length] == '/' || directory[length - 1] == '/'))
      return TRUE;
  }
  return FALSE;
}

static void source_copier_copy(SourceCopier *self, const char *path, int fd)
{
  g_autofree guint8 *piece = g_malloc(1 << 16);
  guint64 offset = 0;
  gssize n;

  while ((n = read(fd, piece, 1 << 16)) > 0) {
    if (offset + (guint64)n > PROFILE_SOURCE_COPY_MAX || (gsize)n > self->left) {
      profile_source_texts_add(self->texts, path, 0, piece, 0);
      return;
    }
    profile_source_texts_add(self->texts, path, offset, piece, (gsize)n);
    offset += (guint64)n;
    self->left -= (gsize)n;
  }
}

static void source_copier_try(SourceCopier *self, const char *path)
{
  int fd;

  if (!path || !g_path_is_absolute(path) || profile_source_texts_lookup(self->texts, path))
    return;
  fd = profile_regular_file_open(path);
  if (fd < 0)
    return;
  if (is_below(fd, self->directories))
    source_copier_copy(self, path, fd);
  close(fd);
}

static void subtract_text(gpointer path, gpointer text, gpointer data)
{
  SourceCopier *self = data;

  self->left -= MIN(self->left, ((GByteArray *)text)->len);
}

void profile_source_copier_add(ProfileSourceTexts *texts, const ProfilePlaces *places,
                               const char *const *directories)
{
  SourceCopier self = {.texts = texts, .directories = directories, .left = PROFILE_SOURCE_COPIES_MAX};
  guint32 n;
  const ProfilePlaceFrame *frames = profile_places_get_frames(places, &n);

  profile_source_texts_foreach(texts, subtract_text, &self);
  for (guint32 i = 0; i < n; i++) {
    source_copier_try(&self, frames[i].file);
    source_copier_try(&self, frames[i].declared_file);
  }
}
