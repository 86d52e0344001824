/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening a capture for the verbs that look at its parts. */
#pragma once

#include <gio/gio.h>

#include "libcapture/file/capture-reader.h"

G_BEGIN_DECLS

G_DEFINE_AUTOPTR_CLEANUP_FUNC(capture_reader, capture_reader_close)

/* What a verb may ask for; everything may be left zero. */
typedef struct {
  gboolean scan; /* do not use the index */
  capture_problem_fn problem;
  void *problem_data;
} CapturectlReaderOptions;

/* Opens path with zstd. NULL and an error that is a whole sentence otherwise; options may be NULL. */
capture_reader *capturectl_reader_open(const char *path, const CapturectlReaderOptions *options,
                                       GError **error);
/* As capturectl_reader_open, of a descriptor that stays the caller's; path is for errors. */
capture_reader *capturectl_reader_open_fd(int fd, const char *path, const CapturectlReaderOptions *options,
                                          GError **error);

G_END_DECLS
