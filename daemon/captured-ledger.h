/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What windows cost. Recorders make them, but callers keep them: the memory lives for as long as anybody has
 * a descriptor of it, even one that was opened with O_PATH, a mapping, or pages of it in a pipe or in the
 * queue of a socket. So its bytes count for the user who asked for it until the kernel says that all of these
 * are gone: that nobody has the file open (a lease), that its pages are nowhere else (a seal), and, when our
 * own descriptors are closed, that the file is gone (inotify). Main thread only.
 */
#pragma once

#include <gio/gio.h>

#include "daemon/captured-idle.h"

G_BEGIN_DECLS

#define CAPTURED_WINDOW_BYTES_PER_USER_MAX (G_GUINT64_CONSTANT(64) << 20)
#define CAPTURED_WINDOW_BYTES_MAX          (G_GUINT64_CONSTANT(256) << 20)
/* Whoever has no more than this may have it even when others have taken three quarters of all: two recordings
 * as they usually are. */
#define CAPTURED_WINDOW_BYTES_SHARE (G_GUINT64_CONSTANT(17) << 20)

#define CAPTURED_TYPE_LEDGER (captured_ledger_get_type())
G_DECLARE_FINAL_TYPE(CapturedLedger, captured_ledger, CAPTURED, LEDGER, GObject)

/* Bytes that count for a user, until nobody holds a reference. */
typedef struct _CapturedEntry CapturedEntry;

/* While anything counts, `idle` is held: a service that began anew would know nothing of it. NULL with
 * CAPTURED_ERROR_FAILED. */
CapturedLedger *captured_ledger_new(CapturedIdle *idle, GError **error);

/* The bytes count from now on. NULL with CAPTURED_ERROR_LIMIT_EXCEEDED when they are too many. */
CapturedEntry *captured_ledger_enter(CapturedLedger *self, uid_t user, guint64 bytes, GError **error);
/* Refers to the entry until nobody has anything of the file behind the descriptor, which it takes: a memfd
 * that no other user may open, and that is not sealed against more seals. What others are given has to be
 * opened by captured_entry_open. FALSE with CAPTURED_ERROR_FAILED. */
gboolean captured_entry_add(CapturedEntry *entry, int fd, GError **error);
/* Opens the file behind a descriptor once more, so that a lease shows it; -1 with errno. */
int captured_entry_open(int fd, int flags);
CapturedEntry *captured_entry_ref(CapturedEntry *entry);
void captured_entry_unref(CapturedEntry *entry);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedEntry, captured_entry_unref)

G_END_DECLS
