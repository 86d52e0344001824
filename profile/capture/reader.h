/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens captures for reading, with decompression and with errors in words. */
#pragma once

#include <gio/gio.h>

#include "libcapture/file/capture-reader.h"

G_BEGIN_DECLS

/* Errors: GIO's for the file, PROFILE_ERROR for its content. */
#define PROFILE_ERROR (profile_error_quark())
GQuark profile_error_quark(void);
typedef enum {
  PROFILE_ERROR_NOT_A_CAPTURE,
  PROFILE_ERROR_VERSION,
  PROFILE_ERROR_DAMAGED,
  PROFILE_ERROR_UNSUPPORTED
} ProfileError;

/* Opens path; scan: do not trust the index. Damaged places that opening finds are appended to problems
 * (elements: char *, sentences), which may be NULL. Free with capture_reader_close. */
capture_reader *profile_reader_open(const char *path, gboolean scan, GPtrArray *problems, GError **error);

G_END_DECLS
