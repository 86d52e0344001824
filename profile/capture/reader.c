/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/reader.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <inttypes.h>
#include <unistd.h>

#include "profile/base/zstd.h"

G_DEFINE_QUARK(profile - error - quark, profile_error)

static void keep_problem(const struct capture_problem *problem, void *data)
{
  if (data)
    g_ptr_array_add(data, g_strdup_printf(_("At byte %" PRIu64 ": %s."), problem->offset, problem->message));
}

static void set_open_error(GError **error, const char *path, int code)
{
  switch (code) {
  case -ENOMSG:
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_NOT_A_CAPTURE, _("“%s” is not a capture."), path);
    break;
  case -ENODATA:
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_NOT_A_CAPTURE, _("“%s” is too short to be a capture."),
                path);
    break;
  case -EPROTONOSUPPORT:
    g_set_error(
        error, PROFILE_ERROR, PROFILE_ERROR_VERSION,
        _("“%s” was written in a newer version of the format, or on a machine with another byte order."),
        path);
    break;
  case -EBADMSG:
    g_set_error(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED, _("The header of “%s” is damaged."), path);
    break;
  default:
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(-code), _("“%s” cannot be read: %s."), path,
                g_strerror(-code));
  }
}

capture_reader *profile_reader_open(const char *path, gboolean scan, GPtrArray *problems, GError **error)
{
  struct capture_reader_options options = {
      .size = sizeof options,
      .decompress = profile_zstd_decompress,
      .scan = scan,
      .problem = keep_problem,
      .problem_data = problems,
  };
  capture_reader *reader = NULL;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  int result = fd < 0 ? -errno : capture_reader_open(&reader, fd, &options);

  if (fd >= 0)
    close(fd);
  if (result < 0) {
    set_open_error(error, path, result);
    return NULL;
  }
  return reader;
}
