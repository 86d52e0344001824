/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes to record, as pidfds that are proven to be pidfds. */
#pragma once

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <sys/types.h>

G_BEGIN_DECLS

typedef struct {
  guint n;
  int *pidfds;
  pid_t *pids; /* as good as a number is: it is the target's only while the pidfd lives */
} CapturedTargets;

/* Of handles into a message's descriptors (which may be NULL). CAPTURED_ERROR_INVALID_TARGET when one is no
 * pidfd of a process, or there twice, _TARGET_GONE when one has ended. */
CapturedTargets *captured_targets_new(const gint32 *handles, guint n, GUnixFDList *fds, GError **error);
void captured_targets_free(CapturedTargets *self);
/* FALSE with CAPTURED_ERROR_TARGET_GONE when one has ended. */
gboolean captured_targets_check_alive(const CapturedTargets *self, GError **error);
/* Their pids for a log, "12 34"; all of them may be many: the first few. */
char *captured_targets_describe(const CapturedTargets *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedTargets, captured_targets_free)

G_END_DECLS
