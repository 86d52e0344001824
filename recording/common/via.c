/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/via.h"

const char *recording_via_to_string(RecordingVia via)
{
  static const char *const names[] = {"auto", "direct", "daemon", "preload"};
  return names[(guint)via < G_N_ELEMENTS(names) ? via : RECORDING_VIA_AUTO];
}
