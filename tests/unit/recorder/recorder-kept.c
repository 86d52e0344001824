/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recorder-kept.h"

#include <glib.h>
#include <sys/mman.h>
#include <unistd.h>

void kept_open(struct kept *kept, capture_pool *pool)
{
  struct capture_file_options options = {.size = sizeof options};

  g_assert_cmpint(capture_tap_open(&kept->tap, capture_pool_windows_fd(pool), capture_pool_control_fd(pool)),
                  ==, 0);
  kept->fd = memfd_create("test.capture", MFD_CLOEXEC);
  g_assert_cmpint(capture_file_create(&kept->file, kept->fd, &options), ==, 0);
  g_assert_cmpint(capture_file_add_stream(kept->file, CAPTURE_STREAM_RECORDER, 0, "recorder"), ==, 1);
}

static int append(const struct capture_taken *taken, void *data)
{
  struct capture_window_header header = taken->header;
  header.stream = 1;
  return capture_file_append(data, &header, taken->content);
}

void kept_collect(struct kept *kept)
{
  g_assert_cmpint(capture_tap_take(kept->tap, append, kept->file), >=, 0);
}

void kept_clear(struct kept *kept)
{
  capture_tap_close(kept->tap);
  capture_file_free(kept->file);
  close(kept->fd);
}
