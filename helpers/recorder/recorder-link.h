/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder's end of the socket to its caller; helpers/recorder-protocol.h is the protocol. */
#ifndef RECORDER_LINK_H
#define RECORDER_LINK_H

#include <stdbool.h>

#include "helpers/recorder/common/error.h"

#define RECORDER_CONFIGURE_MAX                                                                               \
  (sizeof(struct recorder_configure) + RECORDER_EVENTS_MAX * sizeof(struct recorder_event))
/* With RECORDER_OWN the opener's socket comes after the targets. */
#define RECORDER_PACKET_FDS_MAX (RECORDER_TARGETS_MAX + 1)

/* A received message; descriptors are the receiver's to close. */
struct recorder_packet {
  union {
    struct recorder_message message;
    struct recorder_configure configure;
    struct recorder_probe probe;
    char bytes[RECORDER_CONFIGURE_MAX];
  };
  int fds[RECORDER_PACKET_FDS_MAX];
  uint32_t n_fds;
};

/* Waits for a message. Returns 1, 0 at the end of the conversation, or -EPROTO with the error said. */
int recorder_link_receive(int socket, struct recorder_packet *packet, struct recorder_error *error);
/* Checks every field of a CONFIGURE message. 0 or -EPROTO with the error said. */
int recorder_link_check_configure(const struct recorder_packet *packet, struct recorder_error *error);
/* The same of a PROBE message. */
int recorder_link_check_probe(const struct recorder_packet *packet, struct recorder_error *error);
/* Sends a message of that type and size (its head is filled in here), with n_fds descriptors. With `wait` it
 * waits for room, else the message is lost when there is none. False when the caller is gone. */
bool recorder_link_send(int socket, void *message, uint32_t type, uint32_t size, const int *fds,
                        uint32_t n_fds, bool wait);

#endif
