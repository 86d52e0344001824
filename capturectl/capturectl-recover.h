/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writing what is whole of a capture into a new one with an index. */
#pragma once

#include <gio/gio.h>

#include "libcapture/file/capture-reader.h"

G_BEGIN_DECLS

/*
 * Writes the header of the capture in fd, its whole parts (one byte a part of the reader, nonzero: take it)
 * and an index to the file path, which is replaced when everything is written; so path may be the capture's
 * own. Parts are copied as they are. How the recording ended stays what it was. False and an error that is a
 * sentence when that fails; then path is as it was.
 */
gboolean capturectl_recover(int fd, const capture_reader *reader, const guint8 *whole, const char *path,
                            GError **error);

G_END_DECLS
