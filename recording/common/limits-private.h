/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Descriptors: a recording keeps the binaries it sees open, the programs it starts must not notice. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Raises this process's limit of open descriptors as far as permitted. Returns it. Thread-safe. */
guint recording_limits_raise(void);
/* For forked children, before exec: as it was. Async-signal-safe. */
void recording_limits_restore(void);

G_END_DECLS
