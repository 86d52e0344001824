/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Packets of a SOCK_SEQPACKET socket: some bytes, and descriptors with them. What processes of ours say to
 * each other goes this way, whoever of them is trusted: nothing that is received stays open by accident.
 * Sending and receiving is async-signal-safe and allocates nothing. libc only.
 */
#ifndef PACKET_H
#define PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* As many as the kernel attaches to one packet. */
#define PACKET_DESCRIPTORS_MAX 253

/* Sends size bytes and n_fds descriptors, which stay the caller's. Waits for room when `wait` says so. 0 or
 * -errno: -EAGAIN when there is no room, -EPIPE when nobody is there to read, -EINVAL when there are more
 * descriptors than a packet takes. */
int packet_send_many(int socket, const void *bytes, size_t size, const int *fds, size_t n_fds, bool wait);
/* The same with one descriptor; -1: none. */
int packet_send(int socket, const void *bytes, size_t size, int fd, bool wait);

/* Receives a packet of at most `capacity` bytes and n_fds descriptors. Those that came are the first of
 * ret_fds, close-on-exec and the caller's from then on; the rest is -1, all of it when no packet is returned.
 * Returns the packet's size, 0 at the end, or -errno: -EAGAIN when there is none and `wait` says not to wait
 * for it; -EBADMSG when it was longer or had more descriptors, all of which are closed. */
ssize_t packet_receive_many(int socket, void *bytes, size_t capacity, int *ret_fds, size_t n_fds, bool wait);
/* The same with one descriptor. */
ssize_t packet_receive(int socket, void *bytes, size_t capacity, int *ret_fd, bool wait);

/* A helper's end of the socket pair: the descriptor that its only argument is the number of. -1 unless that
 * is such a socket. */
int packet_find_socket(int argc, char **argv);

#endif
