/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds every part of a capture against docs/format.md. */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-reader.h"

G_BEGIN_DECLS

/* offset: of the part in the file. message: one clause without a full stop. */
typedef void (*CapturectlProblemFunc)(guint64 offset, const char *message, gpointer data);

typedef struct {
  gsize parts, whole_parts;
  guint64 samples, whole_samples; /* whole: all that the sample leads to is there */
} CapturectlCheckCounts;

/* Looks at all parts of the reader and tells each problem, in file order. whole: one byte a part, set to
 * whether its content can be read. */
void capturectl_check_parts(const capture_reader *reader, CapturectlProblemFunc problem, gpointer data,
                            guint8 *whole, CapturectlCheckCounts *ret);

G_END_DECLS
