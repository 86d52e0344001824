/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What stands between the bus and the service. GDBus takes in whatever comes, as much as comes, and makes
 * many times as much of it before anybody is asked; the relay bounds that. It passes authentication on as it
 * is, and then messages of at most 64 KiB, with their descriptors, in both directions. Longer ones are thrown
 * away in pieces, and whoever waits for an answer gets LimitsExceeded. It reads no further while the service
 * has too much to do; how far that is, it knows by a call among the messages, which the service answers in
 * its turn. Two threads without capabilities, and a fixed amount of memory.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _CapturedRelay CapturedRelay;

/* Takes a socket that is connected to the bus, not authenticated, blocking. Gives the socket that GDBus
 * takes the bus's place for; closing either of the two ends the other. NULL with CAPTURED_ERROR_FAILED. */
CapturedRelay *captured_relay_new(int bus, int *ret_service, GError **error);
/* Passes on what the service wrote, hangs up, and waits until that is done. */
void captured_relay_free(CapturedRelay *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedRelay, captured_relay_free)

G_END_DECLS
