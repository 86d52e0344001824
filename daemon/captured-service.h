/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The service on the system bus, from its connection to its end. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Serves until nobody has needed it for that many seconds (0: for ever), until SIGTERM, or until the bus is
 * gone, and ends all sessions then. Returns the exit status. */
int captured_service_run(guint idle_seconds);

G_END_DECLS
