/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The temporary file that a capture of a test is written to. What cannot be done fails the test. */
#pragma once

#include "libcapture/file/capture-file.h"
#include "profile/capture/capture.h"

G_BEGIN_DECLS

typedef struct {
  capture_file *file;
  char *path;
  int fd;
} TestFile;

/* A new one, of a recording that began at that time. */
TestFile test_file_open(guint64 time, gboolean compress);
/* The recording ended at that time. Returns the path of the capture, which the caller removes and frees. */
char *test_file_close(TestFile *file, guint64 end);
/* As test_file_close(); returns what was in it, where nothing is wrong. Then the file is gone. */
ProfileCapture *test_file_load(TestFile *file, guint64 end);
/* An identifier, which must be one. */
guint32 test_take_id(gint64 id);

G_END_DECLS
