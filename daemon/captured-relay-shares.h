/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What each sender may have of the service while it has too much to do: the bus brings everybody's calls in
 * one queue, so whoever floods would make all others wait. A fixed amount of memory; one thread. Times are in
 * microseconds, of g_get_monotonic_time(). */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The service has too much to do when it was waited for that long, less an eighth of the time since. */
#define CAPTURED_RELAY_SHARES_PATIENCE 200000
/* What a sender has then, a second. */
#define CAPTURED_RELAY_SHARES_BYTES (16 << 10)
/* More senders than that have nothing; a user has 256 connections where the bus is as it comes. */
#define CAPTURED_RELAY_SHARES_SENDERS 2048
#define CAPTURED_RELAY_SHARES_NAME    24

typedef struct {
  gint64 waited;
  gint64 waited_at;
  gint64 second; /* what was used counts from then on */
  struct {
    char name[CAPTURED_RELAY_SHARES_NAME]; /* of long names the beginning, and then they share */
    gsize used;
  } senders[CAPTURED_RELAY_SHARES_SENDERS];
} CapturedRelayShares; /* begins as zeroes */

/* The service was waited for, until now. */
void captured_relay_shares_wait(CapturedRelayShares *self, gint64 waited, gint64 now);
/* Takes so many bytes of a sender's share if there are shares now; FALSE when it is used up. */
gboolean captured_relay_shares_take(CapturedRelayShares *self, const char *sender, gsize bytes, gint64 now);

G_END_DECLS
