/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-reader.h"

#include <errno.h>
#include <glib/gi18n.h>
#include <unistd.h>

#include "capturectl/capturectl-command.h"
#include "profile/base/zstd.h"

static void set_reader_error(GError **error, const char *path, int result)
{
  if (result == -ENOMSG)
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, _("“%s” is not a capture."), path);
  else if (result == -EPROTONOSUPPORT)
    g_set_error(
        error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
        _("“%s” was written by a newer version or on a machine of another byte order and cannot be read "
          "by this version (%s)."),
        path, CAPTURE_VERSION);
  else if (result == -ENODATA)
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                _("“%s” ends within its header: nothing of the capture is left."), path);
  else if (result == -EBADMSG)
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                _("The header of “%s” is damaged, so it cannot be read."), path);
  else
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(-result), _("“%s” cannot be read: %s."), path,
                g_strerror(-result));
}

capture_reader *capturectl_reader_open_fd(int fd, const char *path, const CapturectlReaderOptions *options,
                                          GError **error)
{
  struct capture_reader_options reader_options = {.size = sizeof reader_options,
                                                  .decompress = profile_zstd_decompress};
  capture_reader *reader;
  int result;

  if (options) {
    reader_options.scan = options->scan;
    reader_options.problem = options->problem;
    reader_options.problem_data = options->problem_data;
  }
  result = capture_reader_open(&reader, fd, &reader_options);
  if (result == 0)
    return reader;
  set_reader_error(error, path, result);
  return NULL;
}

capture_reader *capturectl_reader_open(const char *path, const CapturectlReaderOptions *options,
                                       GError **error)
{
  capture_reader *reader;
  int fd = capturectl_open_capture(path, error);

  if (fd < 0)
    return NULL;
  reader = capturectl_reader_open_fd(fd, path, options, error);
  close(fd);
  return reader;
}
