/* SPDX-License-Identifier: GPL-3.0-or-later */
/* jitdumps of processes that perf recorded. They are not in the perf.data, but each process mapped its own,
 * so that one which is still there is known by device and inode. Perf maps leave no such trace. */
#include <errno.h>
#include <glib/gi18n.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "profile/base/mapped-file.h"
#include "profile/base/regular-file.h"
#include "profile/import/jitdump.h"
#include "profile/import/perf-data-import-private.h"

#define PIECE_SIZE    ((gsize)1 << 20)
#define SIZE_MAX_KEPT ((gsize)1 << 30)

static gboolean is_jitdump_path(const char *path)
{
  const char *name = strrchr(path, '/');

  return name && g_str_has_prefix(name, "/jit-") && g_str_has_suffix(name, ".dump");
}

/* NULL when the file is gone, or is another one by now. */
static ProfileMappedFile *open_file(const ProfilePerfBinary *binary)
{
  int fd = profile_regular_file_open(binary->path);
  ProfileMappedFile *mapped = NULL;
  struct stat status;

  if (fd < 0)
    return NULL;
  if (fstat(fd, &status) == 0 && status.st_ino == binary->inode &&
      ((guint64)major(status.st_dev) << 32 | minor(status.st_dev)) == binary->device)
    mapped = profile_mapped_file_new(fd, NULL);
  close(fd);
  return mapped;
}

static int perf_data_import_jit_append(ProfilePerfImport *self, const ProfilePerfBinary *binary,
                                       const guint8 *bytes, gsize size)
{
  gint64 stream =
      capture_file_add_stream(self->file, CAPTURE_STREAM_FOREIGN, binary->first_pid, binary->path);
  struct capture_window_header header = {
      .kind = CAPTURE_WINDOW_FOREIGN,
      .flags = CAPTURE_WINDOW_CLOSED,
      .stream = (guint32)MAX(stream, 0),
      .epoch = 1,
      .event = CAPTURE_FOREIGN_JITDUMP,
  };
  int status = stream < 0 ? (int)stream : 0;

  for (gsize done = 0; done < size && status == 0; done += header.length) {
    header.sequence++;
    header.length = (guint32)MIN(size - done, PIECE_SIZE);
    status = capture_file_append(self->file, &header, bytes + done);
  }
  return status;
}

/* perf's own clock begins elsewhere and runs differently, so that times of the two files say nothing of one
 * another. */
static void warn_of_clock(ProfilePerfImport *self, const ProfilePerfBinary *binary)
{
  if (!self->result->warning)
    self->result->warning = g_strdup_printf(_("The functions in “%s” cannot be matched with the samples, "
                                              "whose times are of another clock; record with "
                                              "“perf record -k mono”."),
                                            binary->path);
}

static int add_one(ProfilePerfImport *self, const ProfilePerfBinary *binary, gboolean same_clock)
{
  g_autoptr(ProfileMappedFile) mapped = open_file(binary);
  const guint8 *bytes = mapped ? profile_mapped_file_get_bytes(mapped) : NULL;
  gsize size = mapped ? profile_mapped_file_get_size(mapped) : 0;
  ProfileJitdump dump;
  int status = 0;

  if (bytes && size <= SIZE_MAX_KEPT && profile_jitdump_open(&dump, bytes, size)) {
    if (same_clock)
      status = perf_data_import_jit_append(self, binary, bytes, size);
    else
      warn_of_clock(self, binary);
  }
  return status;
}

int profile_perf_import_add_jitdumps(ProfilePerfImport *self, gboolean same_clock)
{
  int status = 0;

  for (guint i = 0; i < self->import.binaries->len && status == 0; i++) {
    const ProfilePerfBinary *binary = self->import.binaries->pdata[i];

    if (binary->inode > 0 && is_jitdump_path(binary->path))
      status = add_one(self, binary, same_clock);
  }
  return status;
}
