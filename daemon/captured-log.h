/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the journal is told, in fields that can be asked for: CAPTURED_UID, CAPTURED_SESSION,
 * CAPTURED_TARGETS_MAX. */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* session (an object path) and targets (pids) may be NULL. Any thread. */
void captured_log(GLogLevelFlags level, uid_t user, const char *session, const char *targets,
                  const char *format, ...) G_GNUC_PRINTF(5, 6);

G_END_DECLS
