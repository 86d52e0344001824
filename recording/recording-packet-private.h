/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets of the recorder's protocol: bytes, and descriptors with them. Neither blocks. */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* TRUE when all of it was sent; FALSE also when whoever is to read it has let too much pile up. The
 * descriptors stay the caller's. */
gboolean recording_packet_send(int socket, const void *bytes, gsize size, const int *fds, guint n_fds);
/* Fills in at most n_fds descriptors, the caller's from then on, and closes what came beyond; others become
 * -1. Returns the packet's size, 0 at the end, or a negative errno: -EAGAIN when there is none, -EBADMSG when
 * it was cut off. */
gssize recording_packet_receive(int socket, void *bytes, gsize size, int *ret_fds, guint n_fds);

G_END_DECLS
