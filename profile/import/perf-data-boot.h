/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a perf.data tells of this very boot, so that this kernel's symbols are those of the file. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a file tells about the kernel that it was recorded under. */
typedef struct {
  const guint8 *build_id;
  gsize build_id_size; /* 0: not told; release and hostname have to do then, or else the times */
  guint64 text;        /* where its text begins */
  gint64 modified;     /* when the recording was last written, nanoseconds since 1970 */
  gint64 created;      /* when its file was made; 0 not known */
  guint64 first;       /* its first time by the clock of perf's records, which counts from boot on */
  const char *release; /* may be NULL */
  const char *hostname;
} ProfilePerfBoot;

/* True when that is the running kernel, at the same place in memory, started before `modified`. False too
 * when it hides its addresses. */
gboolean profile_perf_boot_is_this(const ProfilePerfBoot *boot);

G_END_DECLS
