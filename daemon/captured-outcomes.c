/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-outcomes.h"

#include "helpers/recorder-protocol.h"
#include "libcapture/format/capture-outcome-names.h"

G_STATIC_ASSERT(G_N_ELEMENTS(capture_outcome_names) <= RECORDER_OUTCOMES);

GVariant *captured_outcomes_describe(const guint64 *samples)
{
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a{st}"));
  for (guint i = 0; i < G_N_ELEMENTS(capture_outcome_names); i++)
    if (samples[i] > 0)
      g_variant_builder_add(&builder, "{st}", capture_outcome_names[i], samples[i]);
  return g_variant_builder_end(&builder);
}
