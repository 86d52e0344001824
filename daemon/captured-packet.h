/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets of a SOCK_SEQPACKET socket pair, with descriptors. Nothing here waits. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* As many as the kernel attaches to one packet. */
#define CAPTURED_PACKET_DESCRIPTORS_MAX 253

/* FALSE when there is no room, or nobody to read it; the descriptors stay the caller's. */
gboolean captured_packet_send(int socket, const void *bytes, gsize size, const int *fds, guint n_fds);
/* Receives a packet of at most `capacity` bytes. Up to `max_fds` descriptors go to fds, close-on-exec and the
 * caller's, -1 where there are fewer; *ret_n_fds is how many came. Returns its size; 0 at the end, or when it
 * was longer, or had more descriptors; -1: there is none for now. */
gssize captured_packet_receive(int socket, void *bytes, gsize capacity, int *fds, guint max_fds,
                               guint *ret_n_fds);

G_END_DECLS
