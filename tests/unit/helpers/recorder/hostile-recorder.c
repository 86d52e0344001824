/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recorder that does what the name of its first event says, instead of what its protocol says. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/recorder-protocol.h"
#include "tests/unit/helpers/peer.h"

static struct recorder_ready make_ready(void)
{
  return (struct recorder_ready){.message = {RECORDER_READY, sizeof(struct recorder_ready)},
                                 .n_events = 1,
                                 .unwind = RECORDER_UNWIND_BPF};
}

static struct recorder_ended make_ended(void)
{
  return (struct recorder_ended){.message = {RECORDER_ENDED, sizeof(struct recorder_ended)}};
}

static void say(int socket, uint32_t type, uint32_t claimed, size_t size, unsigned n)
{
  struct recorder_status packet = {.message = {type, claimed}};
  peer_send(socket, &packet, size, n);
}

/* Behaves until it was started. */
static void start_orderly(int socket)
{
  struct recorder_ready ready = make_ready();
  struct recorder_message start;
  peer_send(socket, &ready, sizeof ready, 2);
  peer_receive(socket, &start, sizeof start);
  say(socket, RECORDER_STARTED, sizeof start, sizeof start, 0);
}

static void send_ready(int socket, const char *how)
{
  struct recorder_ready ready = make_ready();
  if (strcmp(how, "many-events") == 0)
    ready.n_events = UINT32_MAX;
  else if (strcmp(how, "unwind") == 0)
    ready.unwind = 99;
  else if (strcmp(how, "unterminated") == 0)
    memset(ready.events, 'x', sizeof ready.events + sizeof ready.notes);
  peer_send(socket, &ready, sizeof ready,
            strcmp(how, "one-fd") == 0    ? 1
            : strcmp(how, "200-fds") == 0 ? 200
                                          : 2);
  if (strcmp(how, "twice") == 0)
    peer_send(socket, &ready, sizeof ready, 2);
}

static void send_ended(int socket)
{
  struct recorder_ended ended = make_ended();
  ended.reason = 4000000000u;
  ended.error = -77;
  memset(ended.text, 0xff, sizeof ended.text);
  peer_send(socket, &ended, sizeof ended, 0);
}

static void send_flood(int socket)
{
  start_orderly(socket);
  for (;;)
    say(socket, RECORDER_STATUS, sizeof(struct recorder_status), sizeof(struct recorder_status), 0);
}

static void misbehave(int socket, const char *how)
{
  static char large[1 << 16];
  if (strcmp(how, "short") == 0)
    peer_send(socket, "abc", 3, 0);
  else if (strcmp(how, "large") == 0)
    peer_send(socket, large, sizeof large, 0);
  else if (strcmp(how, "lies") == 0)
    say(socket, RECORDER_STATUS, 4096, sizeof(struct recorder_status), 0);
  else if (strcmp(how, "half") == 0)
    say(socket, RECORDER_STATUS, 16, 16, 0);
  else if (strcmp(how, "unknown") == 0)
    say(socket, 999, sizeof(struct recorder_message), sizeof(struct recorder_message), 0);
  else if (strcmp(how, "status-with-fds") == 0)
    say(socket, RECORDER_STATUS, sizeof(struct recorder_status), sizeof(struct recorder_status), 2);
  else if (strcmp(how, "started") == 0)
    say(socket, RECORDER_STARTED, sizeof(struct recorder_message), sizeof(struct recorder_message), 0);
  else if (strcmp(how, "ended") == 0)
    send_ended(socket);
  else if (strcmp(how, "flood") == 0)
    send_flood(socket);
  else if (strncmp(how, "ready-", 6) == 0)
    send_ready(socket, how + 6);
  else
    _exit(3);
}

int main(int argc, char **argv)
{
  static union {
    struct recorder_configure configure;
    char bytes[1 << 16];
  } packet;
  int socket = argc == 2 ? atoi(argv[1]) : -1;
  peer_receive(socket, &packet, sizeof packet);
  misbehave(socket, packet.configure.events[0].name);
  for (;;)
    peer_receive(socket, &packet, sizeof packet);
}
