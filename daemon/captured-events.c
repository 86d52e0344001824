/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-events.h"

#include <linux/perf_event.h>
#include <string.h>

#include "helpers/kernel-event.h"

/* "cycles:u" and "cycles:pp" are cycles; no other modifier is known here. */
static char *strip_modifiers(const char *name)
{
  const char *colon = strchr(name, ':');

  if (colon && colon[1] != '\0' && colon[1 + strspn(colon + 1, "up")] == '\0')
    return g_strndup(name, (gsize)(colon - name));
  return g_strdup(name);
}

gboolean captured_events_fit_own(const char *name)
{
  g_autofree char *bare = strip_modifiers(name);
  struct kernel_event event;

  return *name == '\0' || (kernel_event_find(&event, bare) && event.is_own);
}

/* Software's events, but for clocks, cost the program far more than a sample does. */
gboolean captured_events_is_too_fast(const char *name, guint64 period)
{
  g_autofree char *bare = strip_modifiers(name);
  struct kernel_event event;
  gboolean is_slow = kernel_event_find(&event, bare) && event.type == PERF_TYPE_SOFTWARE && !event.is_clock;

  return period > 0 && period < CAPTURED_OWN_PERIOD_MIN && !is_slow;
}
