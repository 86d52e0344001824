/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Has a file fetched by a process of its own (helpers/symbol-fetcher-protocol.h). Thread-safe. */
#pragma once

#include <gio/gio.h>

#include "helpers/symbol-fetcher-protocol.h"

G_BEGIN_DECLS

/* total 0: not known. From the thread that asked. */
typedef void (*ProfileFetchedFunc)(guint64 bytes, guint64 total, gpointer data);

/* A descriptor of the file, which is the caller's and which nobody has looked at; or -errno: -ECANCELED;
 * -ENOSYS when the program capture-symbol-fetcher, or $CAPTURE_SYMBOL_FETCHER, is not there; -ETIME when
 * request->seconds_max are over; -EPROTO when it died or was dishonest; else as it says. progress may be
 * NULL. The process is gone when this returns, which is at once when it is cancelled. Blocking. */
int profile_symbol_fetcher_run(const struct symbol_fetcher_request *request, ProfileFetchedFunc progress,
                               gpointer data, GCancellable *cancellable);

G_END_DECLS
