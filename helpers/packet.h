/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packets of a SOCK_SEQPACKET socket pair: some bytes, and at most one descriptor. Async-signal-safe, no
 * allocation. */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Sends size bytes and, unless fd is -1, that descriptor, which stays the caller's. Waits for room when
 * `wait` says so. 0 or -errno: -EAGAIN when there is no room, -EPIPE when nobody is there to read. */
int packet_send(int socket, const void *bytes, size_t size, int fd, bool wait);
/* Receives a packet of at most `capacity` bytes; *ret_fd is the descriptor that came along, close-on-exec and
 * the caller's from then on, or -1. Returns its size, 0 at the end, or -errno: -EAGAIN when there is none and
 * `wait` says not to wait for it; -EBADMSG when it was longer or had more than one descriptor, all of which
 * are closed. */
ssize_t packet_receive(int socket, void *bytes, size_t capacity, int *ret_fd, bool wait);

#endif
