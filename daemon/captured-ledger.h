/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What windows cost. Recorders make them, but callers keep them: the memory lives for as long as anybody has
 * a descriptor of it, even one that was opened with O_PATH, or a mapping. So its bytes count for the user who
 * asked for it until the kernel says that the file is gone. Main thread only.
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
/* Refers to the entry until the file behind the descriptor is gone; the descriptor stays the caller's. FALSE
 * with CAPTURED_ERROR_FAILED. */
gboolean captured_entry_watch(CapturedEntry *entry, int fd, GError **error);
CapturedEntry *captured_entry_ref(CapturedEntry *entry);
void captured_entry_unref(CapturedEntry *entry);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedEntry, captured_entry_unref)

G_END_DECLS
