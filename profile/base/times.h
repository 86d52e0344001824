/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Columns of times, which ascend. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Of times begin … end - 1 the first that is not below `time`; end when all are. Thread-safe. */
gsize profile_times_find(const guint64 *times, gsize begin, gsize end, guint64 time);

G_END_DECLS
