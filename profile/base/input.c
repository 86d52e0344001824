/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/input.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/nanoseconds.h"

/* A pipe cannot be mapped, and must end before memory does. */
#define PIPE_BYTES_MAX ((gsize)4 * 1024 * 1024 * 1024)
#define PIPE_BLOCK     ((gsize)1024 * 1024)

static gboolean input_fail(int code, GError **error)
{
  g_set_error(error, G_IO_ERROR, g_io_error_from_errno(code), _("The pipe could not be read: %s."),
              g_strerror(code));
  return FALSE;
}

/* For a byte more at least; in all for no more than one beyond what is allowed, which tells that there is too
 * much. False: there is no memory. */
static gboolean make_room(guint8 **bytes, gsize used, gsize *room)
{
  gsize wanted = MIN(MAX(2 * used, PIPE_BLOCK), PIPE_BYTES_MAX + 1);
  guint8 *larger = used < *room ? *bytes : g_try_realloc(*bytes, wanted);

  if (!larger)
    return FALSE;
  *room = used < *room ? *room : wanted;
  *bytes = larger;
  return TRUE;
}

static gboolean read_all(int fd, guint8 **bytes, gsize *used, GError **error)
{
  gsize room = 0;

  while (*used <= PIPE_BYTES_MAX) {
    if (!make_room(bytes, *used, &room))
      return input_fail(ENOMEM, error);
    ssize_t got = read(fd, *bytes + *used, room - *used);
    if (got == 0)
      return TRUE;
    if (got < 0 && errno != EINTR)
      return input_fail(errno, error);
    *used += (gsize)MAX(got, 0);
  }
  return input_fail(EFBIG, error);
}

static gboolean take_pipe(ProfileInput *self, int fd, GError **error)
{
  g_autofree guint8 *bytes = NULL;

  if (!read_all(fd, &bytes, &self->size, error))
    return FALSE;
  self->bytes = g_steal_pointer(&bytes);
  self->modified = g_get_real_time() * 1000;
  return TRUE;
}

static gint64 get_created(int fd)
{
  struct statx status;

  if (statx(fd, "", AT_EMPTY_PATH, STATX_BTIME, &status) < 0 || !(status.stx_mask & STATX_BTIME))
    return 0;
  return profile_nanoseconds(status.stx_btime.tv_sec, status.stx_btime.tv_nsec);
}

static gboolean take_file(ProfileInput *self, int fd, const struct stat *status, GError **error)
{
  g_autoptr(GError) why = NULL;

  if (S_ISDIR(status->st_mode)) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_IS_DIRECTORY,
                _("“%s” is a directory; name one of the data files in it."), self->name);
    return FALSE;
  }
  self->modified = profile_nanoseconds(status->st_mtim.tv_sec, status->st_mtim.tv_nsec);
  if (!S_ISREG(status->st_mode))
    return take_pipe(self, fd, error);
  self->created = get_created(fd);
  self->mapped = profile_mapped_file_new(fd, &why);
  if (!self->mapped) {
    g_set_error(error, why->domain, why->code, _("“%s” cannot be opened: %s."), self->name, why->message);
    return FALSE;
  }
  self->bytes = profile_mapped_file_get_bytes(self->mapped);
  self->size = profile_mapped_file_get_size(self->mapped);
  return TRUE;
}

ProfileInput *profile_input_open(const char *path, GError **error)
{
  g_autoptr(ProfileInput) self = g_new0(ProfileInput, 1);
  gboolean is_pipe = strcmp(path, "-") == 0;
  int fd = is_pipe ? dup(STDIN_FILENO) : g_open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  struct stat status;
  gboolean taken = FALSE;

  self->name = g_strdup(is_pipe ? _("standard input") : path);
  if (fd < 0 || fstat(fd, &status) < 0)
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), _("“%s” cannot be opened: %s."), self->name,
                g_strerror(errno));
  else
    taken = take_file(self, fd, &status, error);
  if (fd >= 0)
    close(fd);
  return taken ? g_steal_pointer(&self) : NULL;
}

void profile_input_free(ProfileInput *self)
{
  if (!self)
    return;
  if (self->mapped)
    profile_mapped_file_unref(self->mapped);
  else
    g_free((gpointer)self->bytes);
  g_free(self->name);
  g_free(self);
}
