/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which debuginfod servers this machine knows, and whether the person permits asking them: who they are asked
 * for tells what runs here. What was permitted holds for these servers alone, and for all programs of the
 * user's. Thread-safe.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* $DEBUGINFOD_URLS, else what the distribution has in /etc/debuginfod: addresses with a space between. NULL:
 * there is none, or the variable is empty. Free it. */
char *profile_debug_servers_get(void);
/* Those in the files *.urls of a directory. */
char *profile_debug_servers_read(const char *directory);

/* Whether the person has said yes to these servers. */
gboolean profile_debug_servers_are_allowed(const char *servers);
/* Keeps that they did, in $XDG_CONFIG_HOME/capture/debug-servers. */
gboolean profile_debug_servers_allow(const char *servers, GError **error);

G_END_DECLS
