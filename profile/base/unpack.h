/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files that were compressed as a whole, as a kernel's modules may be. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* More is not unpacked. */
#define PROFILE_UNPACK_MAX (G_GUINT64_CONSTANT(1) << 30)

/* Whether a name ends as those of files that profile_unpack reads. */
gboolean profile_unpack_is_packed(const char *name);

/* What an .xz or .zst file called so holds, in a memfd that the caller closes; -1 when it is damaged or
 * larger than the above, or when this ended early: it was cancelled, or `until` (as g_get_monotonic_time; 0:
 * never) came. Then *ret_is_late is set. fd stays the caller's. Blocking. */
int profile_unpack(int fd, const char *name, gint64 until, GCancellable *cancellable, gboolean *ret_is_late);

G_END_DECLS
