/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Headers of D-Bus messages, as far as whoever passes messages on looks at them, and the messages that he
 * makes himself. The bytes are hostile: nothing is read beyond them. Allocates nothing; any thread.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What every message begins with. */
#define CAPTURED_RELAY_HEADER_START 16
/* What a message made here takes at most. */
#define CAPTURED_RELAY_HEADER_MADE_MAX 1024

typedef struct {
  gboolean is_swapped; /* its numbers have the other byte order */
  guint8 type;         /* GDBusMessageType */
  guint8 flags;        /* GDBusMessageFlags */
  guint32 serial;      /* never 0 */
  gsize fields_end;    /* offset behind the fields */
  gsize size;          /* of the whole message */
  /* Of the fields; 0 and NULL where there is none. The names point into the bytes. */
  guint32 reply_serial;
  const char *sender;
  const char *destination;
} CapturedRelayHeader;

/* Takes the first CAPTURED_RELAY_HEADER_START bytes of a message. FALSE when they are no message's, or one's
 * that is longer than D-Bus allows: then nobody knows where the next one begins. */
gboolean captured_relay_header_begin(CapturedRelayHeader *self, const guint8 *bytes);
/* Takes the fields of a header that has begun; `bytes` are the message's up to fields_end, at least. FALSE
 * when they are not well formed or of types that no known field has, or when the message is of no known kind.
 */
gboolean captured_relay_header_read(CapturedRelayHeader *self, const guint8 *bytes);

/* Whether it is a call or an answer whose other side waits for something. */
gboolean captured_relay_header_is_awaited(const CapturedRelayHeader *self);
/* Makes the error LimitsExceeded that takes the place of an answer, or is the answer to a call; `why` is a
 * sentence of at most 200 bytes. `bytes` has room for CAPTURED_RELAY_HEADER_MADE_MAX; returns the size. */
gsize captured_relay_header_make_error(const CapturedRelayHeader *self, const char *why, guint8 *bytes);

/* Makes a call of the service that it answers from its main loop, after all that came before; likewise. */
gsize captured_relay_header_make_echo(guint8 *bytes);
/* Whether it is the service's answer to that. */
gboolean captured_relay_header_is_echo(const CapturedRelayHeader *self);

G_END_DECLS
