/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-relay-header.h"

#include <string.h>

#define VERSION 1
#define NATIVE  (G_BYTE_ORDER == G_LITTLE_ENDIAN ? 'l' : 'B')
#define SWAPPED (G_BYTE_ORDER == G_LITTLE_ENDIAN ? 'B' : 'l')
/* D-Bus's own limits: of a message, and of a name. */
#define MESSAGE_MAX (128u << 20)
#define NAME_LENGTH 255
/* Of messages made here; nobody else sees it, and answers to it have no other. */
#define OUR_SERIAL G_MAXUINT32
/* No bus gives that name to anybody. */
#define ECHO_SENDER ":0.0"

#define FIELD(name) G_DBUS_MESSAGE_HEADER_FIELD_##name

/* Reads from bytes up to an end; alignment counts from their beginning. */
typedef struct {
  const guint8 *bytes;
  gsize at;
  gsize end;
  gboolean is_swapped;
} Reader;

static const guint8 *relay_header_take(Reader *reader, gsize alignment, gsize n)
{
  gsize at = (reader->at + alignment - 1) & ~(alignment - 1);

  if (at > reader->end || n > reader->end - at)
    return NULL;
  reader->at = at + n;
  return reader->bytes + at;
}

static gboolean take_number(Reader *reader, guint32 *ret_number)
{
  const guint8 *bytes = relay_header_take(reader, 4, sizeof *ret_number);

  if (!bytes)
    return FALSE;
  memcpy(ret_number, bytes, sizeof *ret_number);
  if (reader->is_swapped)
    *ret_number = GUINT32_SWAP_LE_BE(*ret_number);
  return TRUE;
}

/* So many bytes and a zero, which is the first one. NULL when they are not. */
static const char *take_text(Reader *reader, gsize length)
{
  const guint8 *bytes = relay_header_take(reader, 1, length + 1);

  return bytes && memchr(bytes, '\0', length + 1) == bytes + length ? (const char *)bytes : NULL;
}

/* A value of a basic type: as text, as a number, or as nothing. */
static gboolean take_value(Reader *reader, char type, const char **ret_text, guint32 *ret_number)
{
  const guint8 *length;
  guint32 n;

  switch (type) {
  case 's':
  case 'o':
    return take_number(reader, &n) && (*ret_text = take_text(reader, n));
  case 'g':
    return (length = relay_header_take(reader, 1, 1)) && (*ret_text = take_text(reader, *length));
  case 'u':
    return take_number(reader, ret_number);
  case 'b':
  case 'i':
  case 'h':
    return relay_header_take(reader, 4, 4) != NULL;
  case 'y':
    return relay_header_take(reader, 1, 1) != NULL;
  case 'n':
  case 'q':
    return relay_header_take(reader, 2, 2) != NULL;
  case 'x':
  case 't':
  case 'd':
    return relay_header_take(reader, 8, 8) != NULL;
  default:
    return FALSE;
  }
}

static gboolean keep_name(const char **name, char type, const char *text)
{
  *name = text;
  return type == 's' && strlen(text) <= NAME_LENGTH;
}

static gboolean read_field(CapturedRelayHeader *self, Reader *reader)
{
  const guint8 *code = relay_header_take(reader, 8, 1);
  const guint8 *type = relay_header_take(reader, 1, 3); /* a signature of one type */
  const char *text = NULL;
  guint32 number = 0;

  if (!code || !type || type[0] != 1 || type[2] != '\0' || !take_value(reader, (char)type[1], &text, &number))
    return FALSE;
  switch (*code) {
  case FIELD(SENDER):
    return keep_name(&self->sender, (char)type[1], text);
  case FIELD(DESTINATION):
    return keep_name(&self->destination, (char)type[1], text);
  case FIELD(REPLY_SERIAL):
    self->reply_serial = number;
    return type[1] == 'u';
  default:
    return TRUE;
  }
}

gboolean captured_relay_header_begin(CapturedRelayHeader *self, const guint8 *bytes)
{
  Reader reader = {
      .bytes = bytes, .at = 4, .end = CAPTURED_RELAY_HEADER_START, .is_swapped = bytes[0] == SWAPPED};
  guint32 body, fields;

  *self = (CapturedRelayHeader){.is_swapped = reader.is_swapped, .type = bytes[1], .flags = bytes[2]};
  if ((bytes[0] != NATIVE && bytes[0] != SWAPPED) || bytes[3] != VERSION || !take_number(&reader, &body) ||
      !take_number(&reader, &self->serial) || !take_number(&reader, &fields))
    return FALSE;
  if (self->type == G_DBUS_MESSAGE_TYPE_INVALID || self->serial == 0 || fields > MESSAGE_MAX ||
      body > MESSAGE_MAX)
    return FALSE;
  self->fields_end = CAPTURED_RELAY_HEADER_START + fields;
  self->size = ((self->fields_end + 7) & ~(gsize)7) + body;
  return self->size <= MESSAGE_MAX;
}

gboolean captured_relay_header_read(CapturedRelayHeader *self, const guint8 *bytes)
{
  Reader reader = {bytes, CAPTURED_RELAY_HEADER_START, self->fields_end, self->is_swapped};

  if (self->type > G_DBUS_MESSAGE_TYPE_SIGNAL)
    return FALSE;
  while (reader.at < reader.end)
    if (!read_field(self, &reader))
      return FALSE;
  return TRUE;
}

static gboolean is_answer(const CapturedRelayHeader *self)
{
  return self->type == G_DBUS_MESSAGE_TYPE_METHOD_RETURN || self->type == G_DBUS_MESSAGE_TYPE_ERROR;
}

gboolean captured_relay_header_is_awaited(const CapturedRelayHeader *self)
{
  return is_answer(self) || (self->type == G_DBUS_MESSAGE_TYPE_METHOD_CALL &&
                             !(self->flags & G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED));
}

/* Writes a message that has room. */
typedef struct {
  guint8 *bytes;
  gsize at;
} Writer;

static void relay_header_align(Writer *writer, gsize alignment)
{
  while (writer->at % alignment != 0)
    writer->bytes[writer->at++] = 0;
}

static void relay_header_put(Writer *writer, gsize alignment, const void *bytes, gsize n)
{
  relay_header_align(writer, alignment);
  memcpy(writer->bytes + writer->at, bytes, n);
  writer->at += n;
}

static void put_byte(Writer *writer, guint8 byte)
{
  relay_header_put(writer, 1, &byte, 1);
}

static void put_number(Writer *writer, guint32 number)
{
  relay_header_put(writer, 4, &number, sizeof number);
}

static void put_text(Writer *writer, const char *text)
{
  put_number(writer, (guint32)strlen(text));
  relay_header_put(writer, 1, text, strlen(text) + 1);
}

static void begin_field(Writer *writer, guint8 code, char type)
{
  const guint8 start[] = {code, 1, (guint8)type, 0};

  relay_header_put(writer, 8, start, sizeof start);
}

/* NULL: without that field. */
static void put_field(Writer *writer, guint8 code, char type, const char *text)
{
  if (!text)
    return;
  begin_field(writer, code, type);
  put_text(writer, text);
}

static void put_signature(Writer *writer, const char *signature)
{
  begin_field(writer, FIELD(SIGNATURE), 'g');
  put_byte(writer, (guint8)strlen(signature));
  relay_header_put(writer, 1, signature, strlen(signature) + 1);
}

static void relay_header_begin(Writer *writer, guint8 type)
{
  const guint8 start[CAPTURED_RELAY_HEADER_START] = {NATIVE, type, 0, VERSION};

  relay_header_put(writer, 1, start, sizeof start);
}

static void set_number(Writer *writer, gsize at, guint32 number)
{
  memcpy(writer->bytes + at, &number, sizeof number);
}

static void end_fields(Writer *writer)
{
  set_number(writer, 8, OUR_SERIAL);
  set_number(writer, 12, (guint32)(writer->at - CAPTURED_RELAY_HEADER_START));
  relay_header_align(writer, 8);
}

gsize captured_relay_header_make_error(const CapturedRelayHeader *self, const char *why, guint8 *bytes)
{
  Writer writer = {.bytes = bytes};
  gboolean answers = is_answer(self);

  relay_header_begin(&writer, G_DBUS_MESSAGE_TYPE_ERROR);
  put_field(&writer, FIELD(ERROR_NAME), 's', "org.freedesktop.DBus.Error.LimitsExceeded");
  begin_field(&writer, FIELD(REPLY_SERIAL), 'u');
  put_number(&writer, answers ? self->reply_serial : self->serial);
  put_field(&writer, FIELD(DESTINATION), 's', answers ? self->destination : self->sender);
  put_field(&writer, FIELD(SENDER), 's', answers ? self->sender : NULL);
  put_signature(&writer, "s");
  end_fields(&writer);
  gsize body = writer.at;
  put_text(&writer, why);
  set_number(&writer, 4, (guint32)(writer.at - body));
  return writer.at;
}

gsize captured_relay_header_make_echo(guint8 *bytes)
{
  Writer writer = {.bytes = bytes};

  relay_header_begin(&writer, G_DBUS_MESSAGE_TYPE_METHOD_CALL);
  put_field(&writer, FIELD(PATH), 'o', "/org/capturectl/Capture1");
  put_field(&writer, FIELD(INTERFACE), 's', "org.freedesktop.DBus.Properties");
  put_field(&writer, FIELD(MEMBER), 's', "Get");
  put_field(&writer, FIELD(SENDER), 's', ECHO_SENDER);
  put_signature(&writer, "ss");
  end_fields(&writer);
  gsize body = writer.at;
  put_text(&writer, "org.capturectl.Capture1.Manager");
  put_text(&writer, "Version");
  set_number(&writer, 4, (guint32)(writer.at - body));
  return writer.at;
}

gboolean captured_relay_header_is_echo(const CapturedRelayHeader *self)
{
  return is_answer(self) && self->reply_serial == OUR_SERIAL &&
         g_strcmp0(self->destination, ECHO_SENDER) == 0;
}
