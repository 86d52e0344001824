/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The beginning of a message, of any bytes: what is made of it is a message that GDBus reads. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "daemon/captured-relay-header.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void check_error(const CapturedRelayHeader *header)
{
  guint8 made[CAPTURED_RELAY_HEADER_MADE_MAX];
  CapturedRelayHeader again;
  gsize size = captured_relay_header_make_error(header, "Why.", made);

  if (!captured_relay_header_begin(&again, made) || again.size != size ||
      !captured_relay_header_read(&again, made) || again.type != G_DBUS_MESSAGE_TYPE_ERROR)
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  CapturedRelayHeader header;

  if (size < CAPTURED_RELAY_HEADER_START || !captured_relay_header_begin(&header, bytes))
    return 0;
  if (header.fields_end > header.size)
    abort();
  if (header.fields_end <= size && captured_relay_header_read(&header, bytes) &&
      captured_relay_header_is_awaited(&header))
    check_error(&header);
  return 0;
}
