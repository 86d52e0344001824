/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/unwind.h"

const char *recording_unwind_to_string(RecordingUnwind unwind)
{
  static const char *const names[] = {"auto", "fp", "dwarf", "bpf", "none"};
  return names[(guint)unwind < G_N_ELEMENTS(names) ? unwind : RECORDING_UNWIND_AUTO];
}
