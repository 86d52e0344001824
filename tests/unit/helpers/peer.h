/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What helpers that do not keep to their protocols have in common. */
#ifndef PEER_H
#define PEER_H

#include <stddef.h>
#include <stdint.h>

/* Sends a packet with n copies of a descriptor, at most 200. */
void peer_send(int socket, const void *bytes, size_t size, unsigned n);
/* Waits for a packet, and closes descriptors that came along; ends the process at the end. */
size_t peer_receive(int socket, void *bytes, size_t capacity);

#endif
