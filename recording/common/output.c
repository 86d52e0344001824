/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/output.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/common/error.h"

/* As many as the kernel follows. */
#define LINKS_MAX 40

struct _RecordingOutput {
  char *path;      /* as given, for messages */
  char *name;      /* in directory */
  char *temporary; /* the name it has until it is published, NULL when it has none */
  int directory;
  int fd;
};

static gboolean output_fail(GError **error, const char *path, const char *why)
{
  g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_OUTPUT, _("Cannot write “%s”: %s."), path, why);
  return FALSE;
}

static gboolean fail_errno(GError **error, const char *path, int number)
{
  switch (number) {
  case ENOENT:
    return output_fail(error, path,
                       _("its directory does not exist; create it, or choose another file with -o"));
  case EACCES:
  case EPERM:
    return output_fail(error, path, _("permission denied; choose another file with -o"));
  case EROFS:
    return output_fail(error, path, _("the file system is read-only; choose another file with -o"));
  case ENOSPC:
  case EDQUOT:
    return output_fail(error, path, _("the file system is full; make room, or choose another file with -o"));
  default:
    return output_fail(error, path, g_strerror(number));
  }
}

static gboolean open_directory(RecordingOutput *self, const char *path, GError **error)
{
  g_autofree char *directory = g_path_get_dirname(path);

  self->name = g_path_get_basename(path);
  self->directory = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (self->directory < 0)
    return fail_errno(error, self->path, errno);
  return TRUE;
}

/* The last part only: directories are followed when the file is opened. */
char *recording_output_follow_links(const char *path)
{
  char *file = g_strdup(path);

  for (int i = 0; i < LINKS_MAX; i++) {
    g_autofree char *place = file;
    g_autofree char *target = g_file_read_link(place, NULL);
    g_autofree char *directory = g_path_get_dirname(place);

    if (!target)
      return g_steal_pointer(&place);
    file = g_path_is_absolute(target) ? g_strdup(target) : g_build_filename(directory, target, NULL);
  }
  return file;
}

static gboolean check_existing(RecordingOutput *self, GError **error)
{
  struct stat status;

  if (fstatat(self->directory, self->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
    return errno == ENOENT ? TRUE : fail_errno(error, self->path, errno);
  if (S_ISDIR(status.st_mode))
    return output_fail(error, self->path, _("it is a directory; name a file in it with -o"));
  if (S_ISLNK(status.st_mode))
    return output_fail(error, self->path,
                       _("it is a symbolic link that leads in a circle; choose another file with -o"));
  if (!S_ISREG(status.st_mode))
    return output_fail(error, self->path, _("it is not a regular file; choose another file with -o"));
  if (faccessat(self->directory, self->name, W_OK, AT_EACCESS) < 0)
    return fail_errno(error, self->path, errno);
  return TRUE;
}

static char *make_name(RecordingOutput *self)
{
  return g_strdup_printf(".%.200s.%08x", self->name, g_random_int());
}

/* For file systems that know no file without a name. */
static int create_named(RecordingOutput *self)
{
  g_autofree char *name = make_name(self);
  int fd = openat(self->directory, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd >= 0)
    self->temporary = g_steal_pointer(&name);
  return fd;
}

static gboolean output_create(RecordingOutput *self, GError **error)
{
  self->fd = openat(self->directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (self->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
    self->fd = create_named(self);
  return self->fd >= 0 ? TRUE : fail_errno(error, self->path, errno);
}

RecordingOutput *recording_output_new(const char *path, GError **error)
{
  g_autoptr(RecordingOutput) self = g_new0(RecordingOutput, 1);
  g_autofree char *real = recording_output_follow_links(path);

  self->path = g_strdup(path);
  self->directory = self->fd = -1;
  if (!open_directory(self, real, error) || !check_existing(self, error) || !output_create(self, error))
    return NULL;
  return g_steal_pointer(&self);
}

int recording_output_get_fd(RecordingOutput *self)
{
  return self->fd;
}

static int link_as(RecordingOutput *self, const char *name)
{
  g_autofree char *source = g_strdup_printf("/proc/self/fd/%d", self->fd);
  return linkat(AT_FDCWD, source, self->directory, name, AT_SYMLINK_FOLLOW);
}

static int rename_over(RecordingOutput *self)
{
  int result = renameat(self->directory, self->temporary, self->directory, self->name);
  if (result == 0)
    g_clear_pointer(&self->temporary, g_free);
  return result;
}

gboolean recording_output_publish(RecordingOutput *self, GError **error)
{
  int result = -1;

  if (self->temporary) {
    result = rename_over(self);
  } else {
    result = link_as(self, self->name);
    if (result < 0 && errno == EEXIST) {
      g_autofree char *name = make_name(self);
      result = link_as(self, name);
      if (result == 0) {
        self->temporary = g_steal_pointer(&name);
        result = rename_over(self);
      }
    }
  }
  return result == 0 ? TRUE : fail_errno(error, self->path, errno);
}

void recording_output_free(RecordingOutput *self)
{
  if (self->temporary)
    unlinkat(self->directory, self->temporary, 0);
  if (self->fd >= 0)
    close(self->fd);
  if (self->directory >= 0)
    close(self->directory);
  g_free(self->temporary);
  g_free(self->name);
  g_free(self->path);
  g_free(self);
}
