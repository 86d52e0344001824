/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the journal is told, in fields that can be asked for: CAPTURED_UID, CAPTURED_SESSION,
 * CAPTURED_TARGETS. */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* user may be (uid_t)-1, session (an object path) and targets (pids) NULL: not known. Any thread. */
void captured_log(uid_t user, const char *session, const char *targets, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

G_END_DECLS
