/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-outcomes.h"

#include "helpers/recorder-protocol.h"

/* In the order of enum capture_outcome, and as “capturectl info” calls them. */
static const char *const names[RECORDER_OUTCOMES] = {
    "unknown",      "complete",  "frame-pointers", "truncated", "no-user-stack", "no-table", "unreadable",
    "not-resident", "bad-frame", "unsupported",    "no-stack",  "lost",          "late",
};

GVariant *captured_outcomes_describe(const guint64 *samples)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a{st}"));
  for (guint i = 0; i < RECORDER_OUTCOMES; i++)
    if (names[i] && samples[i] > 0)
      g_variant_builder_add(&builder, "{st}", names[i], samples[i]);
  return g_variant_builder_end(&builder);
}
