/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-relay-shares.h"

#include <string.h>

/* So that it is over soon. */
#define WAITED_MAX (2 * CAPTURED_RELAY_SHARES_PATIENCE)

static gint64 relay_shares_settle(CapturedRelayShares *self, gint64 now)
{
  self->waited = MAX(self->waited - (now - self->waited_at) / 8, 0);
  self->waited_at = now;
  return self->waited;
}

void captured_relay_shares_wait(CapturedRelayShares *self, gint64 waited, gint64 now)
{
  self->waited = MIN(relay_shares_settle(self, now) + waited, WAITED_MAX);
}

/* What the sender has used, or NULL when there are too many senders. */
static gsize *relay_shares_find(CapturedRelayShares *self, const char *sender)
{
  char name[CAPTURED_RELAY_SHARES_NAME];

  g_strlcpy(name, sender, sizeof name);
  guint first = g_str_hash(name);
  for (guint i = 0; i < CAPTURED_RELAY_SHARES_SENDERS; i++) {
    guint at = (first + i) % CAPTURED_RELAY_SHARES_SENDERS;

    if (self->senders[at].name[0] == '\0')
      memcpy(self->senders[at].name, name, sizeof name);
    if (strcmp(self->senders[at].name, name) == 0)
      return &self->senders[at].used;
  }
  return NULL;
}

gboolean captured_relay_shares_take(CapturedRelayShares *self, const char *sender, gsize bytes, gint64 now)
{
  if (self->waited == 0 || relay_shares_settle(self, now) <= CAPTURED_RELAY_SHARES_PATIENCE)
    return TRUE;
  if (now - self->second >= G_USEC_PER_SEC) {
    memset(self->senders, 0, sizeof self->senders);
    self->second = now;
  }
  gsize *used = relay_shares_find(self, sender);
  if (!used || bytes > CAPTURED_RELAY_SHARES_BYTES - *used)
    return FALSE;
  *used += bytes;
  return TRUE;
}
