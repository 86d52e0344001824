/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-recover.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"

#define COPY_SIZE (1u << 20)

static gboolean set_error(GError **error, const char *path, int number)
{
  g_set_error(error, G_IO_ERROR, g_io_error_from_errno(number), _("“%s” could not be written: %s."), path,
              g_strerror(number));
  return FALSE;
}

static int write_all(int fd, const guint8 *bytes, gsize length)
{
  while (length > 0) {
    ssize_t n = write(fd, bytes, length);

    if (n < 0 && errno != EINTR)
      return errno;
    if (n > 0) {
      bytes += n;
      length -= n;
    }
  }
  return 0;
}

static int copy_bytes(int from, guint64 offset, guint64 length, int to, guint8 *buffer)
{
  while (length > 0) {
    ssize_t n = pread(from, buffer, MIN(length, COPY_SIZE), offset);
    int result = n > 0 ? write_all(to, buffer, n) : n == 0 ? EIO : errno;

    if (result == EINTR)
      continue;
    if (result != 0)
      return result;
    offset += n;
    length -= n;
  }
  return 0;
}

static gboolean is_content(const struct capture_window_header *header)
{
  return header->kind != CAPTURE_WINDOW_INDEX && header->kind != CAPTURE_WINDOW_FOOTER;
}

static int copy_parts(int from, const capture_reader *reader, const guint8 *whole, int to)
{
  g_autofree guint8 *buffer = g_malloc(COPY_SIZE);
  int result = copy_bytes(from, 0, sizeof(struct capture_file_header), to, buffer);

  for (gsize i = 0; result == 0 && i < capture_reader_n_parts(reader); i++) {
    const struct capture_part *part = capture_reader_part(reader, i);

    if (whole[i] && is_content(&part->header))
      result = copy_bytes(from, part->offset,
                          sizeof part->header +
                              ((part->header.stored + G_GUINT64_CONSTANT(7)) & ~G_GUINT64_CONSTANT(7)),
                          to, buffer);
  }
  return result;
}

static int add_index(int fd)
{
  struct capture_file_options options = {.size = sizeof options};
  capture_file *file;
  off_t end = lseek(fd, 0, SEEK_END);
  int result = end < 0 ? -errno : capture_file_continue(&file, fd, end, &options);

  if (result < 0)
    return -result;
  result = capture_file_add_index(file);
  capture_file_free(file);
  if (result == 0 && fsync(fd) < 0)
    result = -errno;
  return -result;
}

gboolean capturectl_recover(int fd, const capture_reader *reader, const guint8 *whole, const char *path,
                            GError **error)
{
  g_autofree char *temporary = g_strconcat(path, ".XXXXXX", NULL);
  int out = g_mkstemp_full(temporary, O_RDWR | O_CLOEXEC, 0600);
  int result;

  if (out < 0)
    return set_error(error, path, errno);
  result = copy_parts(fd, reader, whole, out);
  if (result == 0)
    result = add_index(out);
  close(out);
  if (result == 0 && g_rename(temporary, path) < 0)
    result = errno;
  if (result == 0)
    return TRUE;
  g_unlink(temporary);
  return set_error(error, path, result);
}
