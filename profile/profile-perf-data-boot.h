/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a perf.data tells of this very boot, so that this kernel's symbols are those of the file. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* True when the running kernel has this build-id, its text begins at `text`, and it was started before
 * `modified` (nanoseconds since 1970, when the recording was last written). False too when the kernel hides
 * its addresses. */
gboolean profile_perf_boot_is_this(const guint8 *build_id, gsize size, guint64 text, gint64 modified);

G_END_DECLS
