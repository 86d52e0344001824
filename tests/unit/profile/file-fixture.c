/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/profile/file-fixture.h"

#include <glib/gstdio.h>
#include <unistd.h>

#include "profile/base/zstd.h"

TestFile test_file_open(guint64 time, gboolean compress)
{
  const struct capture_file_options options = {.size = sizeof options,
                                               .compress = compress ? profile_zstd_compress : NULL,
                                               .time = time,
                                               .time_realtime = 1};
  TestFile file = {0};

  file.fd = g_file_open_tmp("test-XXXXXX.capture", &file.path, NULL);
  g_assert_cmpint(file.fd, >=, 0);
  g_assert_cmpint(capture_file_create(&file.file, file.fd, &options), ==, 0);
  return file;
}

char *test_file_close(TestFile *file, guint64 end)
{
  g_assert_cmpint(capture_file_end(file->file, CAPTURE_END_EXITED, 0, end), ==, 0);
  capture_file_free(file->file);
  close(file->fd);
  return g_steal_pointer(&file->path);
}

ProfileCapture *test_file_load(TestFile *file, guint64 end)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *path = test_file_close(file, end);
  ProfileCapture *capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, NULL, &error);

  g_assert_no_error(error);
  g_assert_null(profile_capture_get_problems(capture)[0]);
  g_remove(path);
  return capture;
}

guint32 test_take_id(gint64 id)
{
  g_assert_cmpint(id, >, 0);
  return (guint32)id;
}
