/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The canonical text of a capture (docs/dump.md), on standard output. */
#pragma once

#include <glib.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

/* Prints one record with its items. */
void capturectl_dump_record(const struct capture_record *record);
/* Prints bytes as two hexadecimal digits each, "-" when there are none. */
void capturectl_dump_bytes(const void *bytes, gsize length);

G_END_DECLS
