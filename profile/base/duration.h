/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a duration is written for people. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* "1.234 s", "56.78 ms", "9.012 µs" or "345 ns": four digits at most but for long ones. Free it. */
char *profile_duration_to_string(guint64 nanoseconds);

G_END_DECLS
