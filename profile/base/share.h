/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How shares are written for people, wherever there is one. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* "12.3 %", in the user's language. Rounding makes no part the whole (">99.9 %") nor nothing ("<0.1 %"). Of
 * nothing: "0.0 %". Free it. Thread-safe. */
char *profile_share_to_string(guint64 part, guint64 whole);

G_END_DECLS
