/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-link.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "helpers/recorder-options.h"
#include "libcapture/pool/capture-pool.h"

/* Beside the switches. */
#define KNOWN_FLAGS                                                                                          \
  (RECORDER_KERNEL_STACKS | RECORDER_USER_STACKS | RECORDER_EXCLUDE_KERNEL | RECORDER_OWN | RECORDER_NAMES | \
   RECORDER_PLACED_LATER)
#define WINDOW_SIZE_MAX (16u << 20)
#define RING_PAGES_MAX  (1u << 16)

int recorder_link_receive(int socket, struct recorder_packet *packet, struct recorder_error *error)
{
  ssize_t size = packet_receive_many(socket, packet->bytes, sizeof packet->bytes, packet->fds,
                                     RECORDER_PACKET_FDS_MAX, true);
  if (size == 0)
    return 0;
  if (size < 0 && size != -EBADMSG)
    return recorder_error_set(error, EPROTO, "The recorder cannot read its socket: %s.",
                              strerror((int)-size));
  if (size < (ssize_t)sizeof packet->message || packet->message.size != (size_t)size)
    return recorder_error_set(error, EPROTO, "The recorder was sent a message of a wrong size.");
  packet->n_fds = 0;
  while (packet->n_fds < RECORDER_PACKET_FDS_MAX && packet->fds[packet->n_fds] >= 0)
    packet->n_fds++;
  return 1;
}

static bool configure_knows_flags(uint32_t flags)
{
  uint32_t known = KNOWN_FLAGS;
  for (size_t i = 0; i < sizeof recorder_switches / sizeof recorder_switches[0]; i++)
    known |= recorder_switches[i].flag;
  return (flags & ~known) == 0;
}

static const char *configure_fault(const struct recorder_configure *configure, uint32_t size, uint32_t n_fds)
{
  if (size < sizeof *configure)
    return "is too short";
  if (configure->version != RECORDER_PROTOCOL_VERSION)
    return "has another version: install recorder and caller together";
  if (configure->n_events == 0 || configure->n_events > RECORDER_EVENTS_MAX ||
      size != sizeof *configure + configure->n_events * sizeof configure->events[0])
    return "has a wrong number of events";
  if (!configure_knows_flags(configure->flags))
    return "has unknown flags";
  if (configure->window_size % (uint32_t)sysconf(_SC_PAGESIZE) != 0 ||
      configure->window_size > WINDOW_SIZE_MAX || configure->window_count > CAPTURE_POOL_SLOTS_MAX)
    return "has windows of a wrong size or number";
  if (configure->window_count != 0 && configure->window_count < configure->n_events + 2)
    return "has too few windows for its events";
  if ((configure->ring_pages & (configure->ring_pages - 1)) != 0 || configure->ring_pages > RING_PAGES_MAX)
    return "has a wrong ring size";
  if (configure->max_stack > UINT16_MAX)
    return "has too deep a stack";
  if (configure->unwind > RECORDER_UNWIND_NONE)
    return "asks for an unknown way to unwind";
  if (configure->stack_bytes % 8 != 0 || configure->stack_bytes > RECORDER_STACK_BYTES_MAX)
    return "asks for a wrong number of stack bytes";
  uint32_t own = (configure->flags & RECORDER_OWN) != 0;
  if (own != 0 && (configure->flags & RECORDER_SYSTEM_WIDE) != 0)
    return "asks for the whole system and for one's own processes alone";
  if (own != 0 && (configure->flags & RECORDER_NAMES) != 0)
    return "asks for names of what its caller can read himself";
  if (configure->n_targets + own != n_fds || configure->n_targets > RECORDER_TARGETS_MAX ||
      (configure->n_targets == 0) != ((configure->flags & RECORDER_SYSTEM_WIDE) != 0))
    return "has a wrong number of targets";
  for (uint32_t i = 0; i < configure->n_events; i++)
    if (memchr(configure->events[i].name, '\0', RECORDER_EVENT_NAME_MAX) == NULL)
      return "has an event name without an end";
  return NULL;
}

int recorder_link_check_configure(const struct recorder_packet *packet, struct recorder_error *error)
{
  if (packet->message.type != RECORDER_CONFIGURE)
    return recorder_error_set(error, EPROTO, "The recorder was not configured first.");
  const char *fault = configure_fault(&packet->configure, packet->message.size, packet->n_fds);
  return fault == NULL ? 0 : recorder_error_set(error, EPROTO, "The recorder's configuration %s.", fault);
}

int recorder_link_check_probe(const struct recorder_packet *packet, struct recorder_error *error)
{
  if (packet->message.size == sizeof packet->probe && packet->n_fds == 0)
    return 0;
  return recorder_error_set(error, EPROTO, "The recorder was sent a probe of a wrong size.");
}

bool recorder_link_send(int socket, void *message, uint32_t type, uint32_t size, const int *fds,
                        uint32_t n_fds, bool wait)
{
  *(struct recorder_message *)message = (struct recorder_message){type, size};
  int result = packet_send_many(socket, message, size, fds, n_fds, wait);
  return result == 0 || result == -EAGAIN || result == -ENOBUFS;
}
