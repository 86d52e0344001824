/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-events.h"

#include <string.h>

/* Those that come with every tick or cycle. */
static const char *const fast[] = {
    "cycles",
    "cpu-cycles",
    "ref-cycles",
    "bus-cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-instructions",
    "branch-misses",
    "stalled-cycles-frontend",
    "idle-cycles-frontend",
    "stalled-cycles-backend",
    "idle-cycles-backend",
    "cpu-clock",
    "task-clock",
    NULL,
};
/* Those that cost the program far more than a sample does. */
static const char *const slow[] = {
    "page-faults", "faults",         "minor-faults", "major-faults",     "context-switches",
    "cs",          "cpu-migrations", "migrations",   "alignment-faults", "emulation-faults",
    NULL,
};
static const char *const caches[] = {"L1-dcache-", "L1-icache-", "LLC-",  "dTLB-",
                                     "iTLB-",      "branch-",    "node-", NULL};
static const char *const accesses[] = {"loads",      "load-misses",     "stores", "store-misses",
                                       "prefetches", "prefetch-misses", NULL};

/* "cycles:u" and "cycles:pp" are cycles; no other modifier is known here. */
static char *strip_modifiers(const char *name)
{
  const char *colon = strchr(name, ':');

  if (colon && colon[1] != '\0' && colon[1 + strspn(colon + 1, "up")] == '\0')
    return g_strndup(name, (gsize)(colon - name));
  return g_strdup(name);
}

static gboolean is_cache(const char *name)
{
  for (guint i = 0; caches[i]; i++)
    if (g_str_has_prefix(name, caches[i]) && g_strv_contains(accesses, name + strlen(caches[i])))
      return TRUE;
  return FALSE;
}

gboolean captured_events_fit_own(const char *name)
{
  g_autofree char *bare = strip_modifiers(name);

  return *name == '\0' || g_strv_contains(fast, bare) || g_strv_contains(slow, bare) || is_cache(bare);
}

gboolean captured_events_is_too_fast(const char *name, guint64 period)
{
  g_autofree char *bare = strip_modifiers(name);

  return period > 0 && period < CAPTURED_OWN_PERIOD_MIN && !g_strv_contains(slow, bare);
}
