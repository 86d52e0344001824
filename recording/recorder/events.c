/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recorder/events.h"

#include "helpers/kernel-event.h"

char **recording_events_list(void)
{
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  char name[KERNEL_EVENT_NAME_MAX];

  for (size_t i = 0; kernel_event_name(name, i); i++)
    g_strv_builder_add(builder, name);
  g_strv_builder_add(builder, "off-cpu");
  return g_strv_builder_end(builder);
}
