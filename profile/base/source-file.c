/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/source-file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/printable.h"
#include "profile/base/regular-file.h"

enum { MAX_LINE = 4096, TAB = 8 };

struct _ProfileSourceFile {
  ProfileSourceFileStatus status;
  ProfileSourceFileOrigin origin;
  char *path;
  struct timespec modified;
  GByteArray *text;
  GArray *ends; /* guint32: of each line, where its line feed is or the text ends */
};

static const char *const status_names[] = {"read",      "missing",  "denied",    "not-regular",
                                           "too-large", "relative", "unreadable"};
static const char *const origin_names[] = {"file", "capture", "server"};

/* Why nothing could be opened there. */
static ProfileSourceFileStatus explain_failure(const char *path)
{
  struct stat status;

  if (stat(path, &status) < 0)
    return errno == ENOENT || errno == ENOTDIR ? PROFILE_SOURCE_FILE_MISSING
           : errno == EACCES || errno == EPERM ? PROFILE_SOURCE_FILE_DENIED
                                               : PROFILE_SOURCE_FILE_UNREADABLE;
  return S_ISREG(status.st_mode) ? PROFILE_SOURCE_FILE_DENIED : PROFILE_SOURCE_FILE_NOT_REGULAR;
}

/* It may grow meanwhile. */
static ProfileSourceFileStatus read_all(GByteArray *text, int fd)
{
  guint8 piece[1 << 16];
  ssize_t n;

  while ((n = read(fd, piece, sizeof piece)) > 0) {
    if (text->len + (gsize)n > PROFILE_SOURCE_FILE_MAX)
      return PROFILE_SOURCE_FILE_TOO_LARGE;
    g_byte_array_append(text, piece, (guint)n);
  }
  return n < 0 ? PROFILE_SOURCE_FILE_UNREADABLE : PROFILE_SOURCE_FILE_READ;
}

static ProfileSourceFileStatus source_file_read(ProfileSourceFile *self, const char *path)
{
  ProfileSourceFileStatus status = PROFILE_SOURCE_FILE_UNREADABLE;
  struct stat found;
  int fd;

  if (!g_path_is_absolute(path))
    return PROFILE_SOURCE_FILE_RELATIVE;
  fd = profile_regular_file_open(path);
  if (fd < 0)
    return explain_failure(path);
  if (fstat(fd, &found) == 0) {
    self->modified = found.st_mtim;
    status =
        found.st_size > PROFILE_SOURCE_FILE_MAX ? PROFILE_SOURCE_FILE_TOO_LARGE : read_all(self->text, fd);
  }
  close(fd);
  if (status != PROFILE_SOURCE_FILE_READ)
    g_byte_array_set_size(self->text, 0);
  return status;
}

/* FALSE: it is not there, and what was said of the first place stays. */
static gboolean source_file_try(ProfileSourceFile *self, char *path)
{
  ProfileSourceFileStatus status = source_file_read(self, path);

  if (self->path && status != PROFILE_SOURCE_FILE_READ) {
    g_free(path);
    return FALSE;
  }
  g_free(self->path);
  self->path = path;
  self->status = status;
  return status == PROFILE_SOURCE_FILE_READ;
}

static void source_file_find_lines(ProfileSourceFile *self)
{
  const guint8 *bytes = self->text->data;
  guint32 begin = 0, size = self->text->len;

  while (begin < size) {
    const guint8 *feed = memchr(bytes + begin, '\n', size - begin);
    guint32 end = feed ? (guint32)(feed - bytes) : size;
    g_array_append_val(self->ends, end);
    begin = end + 1;
  }
}

/* Compilers write "/build/../src/a.c": a map may mean the path as it stands, or /src/a.c. */
static gboolean source_file_try_map(ProfileSourceFile *self, const ProfilePathMap *map, const char *path)
{
  g_autofree char *canonical =
      g_path_is_absolute(path) ? g_canonicalize_filename(path, NULL) : g_strdup(path);
  char *mapped = profile_path_map_apply(map, path);

  if (mapped && source_file_try(self, mapped))
    return TRUE;
  mapped = strcmp(canonical, path) == 0 ? NULL : profile_path_map_apply(map, canonical);
  return mapped && source_file_try(self, mapped);
}

ProfileSourceFile *profile_source_file_new(const char *path, const GArray *maps)
{
  ProfileSourceFile *self = g_new0(ProfileSourceFile, 1);
  gboolean found = FALSE;

  self->text = g_byte_array_new();
  self->ends = g_array_new(FALSE, FALSE, sizeof(guint32));
  for (guint i = 0; maps && i < maps->len && !found; i++)
    found = source_file_try_map(self, &g_array_index(maps, ProfilePathMap, i), path);
  if (!found)
    source_file_try(self, g_strdup(path));
  source_file_find_lines(self);
  return self;
}

ProfileSourceFile *profile_source_file_new_from_text(const char *path, ProfileSourceFileOrigin origin,
                                                     const void *text, gsize size)
{
  ProfileSourceFile *self = g_new0(ProfileSourceFile, 1);

  self->status = PROFILE_SOURCE_FILE_READ;
  self->origin = origin;
  self->path = g_strdup(path);
  self->text = g_byte_array_new();
  g_byte_array_append(self->text, text, (guint)MIN(size, PROFILE_SOURCE_FILE_MAX));
  self->ends = g_array_new(FALSE, FALSE, sizeof(guint32));
  source_file_find_lines(self);
  return self;
}

void profile_source_file_free(ProfileSourceFile *self)
{
  g_free(self->path);
  g_byte_array_unref(self->text);
  g_array_unref(self->ends);
  g_free(self);
}

ProfileSourceFileStatus profile_source_file_get_status(const ProfileSourceFile *self)
{
  return self->status;
}

const char *profile_source_file_get_status_name(const ProfileSourceFile *self)
{
  return status_names[self->status];
}

ProfileSourceFileOrigin profile_source_file_get_origin(const ProfileSourceFile *self)
{
  return self->origin;
}

const char *profile_source_file_get_origin_name(const ProfileSourceFile *self)
{
  return origin_names[self->origin];
}

const char *profile_source_file_get_path(const ProfileSourceFile *self)
{
  return self->path;
}

gint64 profile_source_file_get_modified(const ProfileSourceFile *self)
{
  return self->status == PROFILE_SOURCE_FILE_READ
             ? (gint64)self->modified.tv_sec * G_GINT64_CONSTANT(1000000000) + self->modified.tv_nsec
             : 0;
}

guint32 profile_source_file_get_n_lines(const ProfileSourceFile *self)
{
  return self->ends->len;
}

char *profile_source_file_get_line(const ProfileSourceFile *self, guint32 line)
{
  if (line == 0 || line > self->ends->len)
    return NULL;
  guint32 begin = line > 1 ? g_array_index(self->ends, guint32, line - 2) + 1 : 0;
  guint32 end = g_array_index(self->ends, guint32, line - 1);
  const char *text = (const char *)self->text->data + begin;
  gboolean is_long = end - begin > MAX_LINE;
  gsize length = is_long ? MAX_LINE : end - begin;
  if (!is_long && length > 0 && text[length - 1] == '\r')
    length--;
  g_autofree char *valid = g_utf8_make_valid(text, (gssize)length);
  return g_strconcat(valid, is_long ? "…" : NULL, NULL);
}

char *profile_source_file_get_printable_line(const ProfileSourceFile *self, guint32 line)
{
  g_autofree char *text = profile_source_file_get_line(self, line);
  g_autoptr(GString) blank = g_string_new(NULL);
  guint column = 0;

  if (!text)
    return NULL;
  for (const char *c = text; *c; c = g_utf8_next_char(c)) {
    guint width = *c == '\t' ? TAB - column % TAB : 1;
    if (*c == '\t')
      g_string_append_printf(blank, "%*s", (int)width, "");
    else
      g_string_append_len(blank, c, g_utf8_next_char(c) - c);
    column += width;
  }
  return profile_printable(blank->str);
}

gboolean profile_source_file_is_newer_than(const ProfileSourceFile *self, const char *binary)
{
  struct stat status;

  if (self->status != PROFILE_SOURCE_FILE_READ || !g_path_is_absolute(binary) || stat(binary, &status) < 0 ||
      !S_ISREG(status.st_mode))
    return FALSE;
  return self->modified.tv_sec != status.st_mtim.tv_sec ? self->modified.tv_sec > status.st_mtim.tv_sec
                                                        : self->modified.tv_nsec > status.st_mtim.tv_nsec;
}
