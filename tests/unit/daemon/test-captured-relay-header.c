/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers of messages: as GDBus and others write them, cut off, forged; and that GDBus reads the messages
 * made here. */
#include <string.h>

#include "daemon/captured-relay-header.h"

#define START CAPTURED_RELAY_HEADER_START
#define OTHER                                                                                                \
  (G_BYTE_ORDER == G_LITTLE_ENDIAN ? G_DBUS_MESSAGE_BYTE_ORDER_BIG_ENDIAN                                    \
                                   : G_DBUS_MESSAGE_BYTE_ORDER_LITTLE_ENDIAN)

typedef struct {
  guint8 *bytes;
  gsize size;
} Blob;

static void blob_clear(Blob *blob)
{
  g_free(blob->bytes);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Blob, blob_clear)

static Blob write_out(GDBusMessage *message)
{
  g_autoptr(GError) error = NULL;
  Blob blob;

  g_dbus_message_set_serial(message, 7);
  blob.bytes = g_dbus_message_to_blob(message, &blob.size, G_DBUS_CAPABILITY_FLAGS_UNIX_FD_PASSING, &error);
  g_assert_no_error(error);
  return blob;
}

static GDBusMessage *make_call(void)
{
  GDBusMessage *message = g_dbus_message_new_method_call("a.b", "/c", "d.e", "F");

  g_dbus_message_set_sender(message, ":1.5");
  g_dbus_message_set_body(message, g_variant_new("(s)", "text"));
  return message;
}

static GDBusMessage *make_answer(void)
{
  GDBusMessage *message = g_dbus_message_new();

  g_dbus_message_set_message_type(message, G_DBUS_MESSAGE_TYPE_METHOD_RETURN);
  g_dbus_message_set_reply_serial(message, 12);
  g_dbus_message_set_sender(message, ":1.6");
  g_dbus_message_set_destination(message, ":1.7");
  return message;
}

static gboolean look(CapturedRelayHeader *header, const guint8 *bytes)
{
  return captured_relay_header_begin(header, bytes) && captured_relay_header_read(header, bytes);
}

static void check_call(GDBusMessageByteOrder order)
{
  g_autoptr(GDBusMessage) message = make_call();
  CapturedRelayHeader header;

  g_dbus_message_set_byte_order(message, order);
  g_auto(Blob) blob = write_out(message);
  g_assert_true(look(&header, blob.bytes));
  g_assert_cmpuint(header.type, ==, G_DBUS_MESSAGE_TYPE_METHOD_CALL);
  g_assert_cmpuint(header.serial, ==, 7);
  g_assert_cmpuint(header.size, ==, blob.size);
  g_assert_cmpstr(header.sender, ==, ":1.5");
  g_assert_cmpstr(header.destination, ==, "a.b");
  g_assert_true(captured_relay_header_is_awaited(&header));
  g_dbus_message_set_flags(message, G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED);
  g_auto(Blob) silent = write_out(message);
  g_assert_true(look(&header, silent.bytes));
  g_assert_false(captured_relay_header_is_awaited(&header));
}

static void test_calls(void)
{
  check_call(G_DBUS_MESSAGE_BYTE_ORDER_LITTLE_ENDIAN);
  check_call(G_DBUS_MESSAGE_BYTE_ORDER_BIG_ENDIAN);
}

/* A header that is cut off behind one of its three fields is one of fewer fields; anywhere else it is none,
 * and nothing is read behind its end. */
static void test_truncated(void)
{
  g_autoptr(GDBusMessage) message = make_answer();
  g_auto(Blob) blob = write_out(message);
  CapturedRelayHeader whole, header;
  guint good = 0;

  g_assert_true(look(&whole, blob.bytes));
  for (gsize end = START; end < whole.fields_end; end++) {
    g_autofree guint8 *cut = g_memdup2(blob.bytes, end); /* for the address sanitizer */

    header = whole;
    header.fields_end = end;
    good += captured_relay_header_read(&header, cut);
  }
  g_assert_cmpuint(good, ==, 3);
}

/* A header with one field: these bytes. */
static gboolean read_field(const void *field, gsize size)
{
  CapturedRelayHeader header = {.type = G_DBUS_MESSAGE_TYPE_SIGNAL, .serial = 1, .fields_end = START + size};
  g_autofree guint8 *bytes = g_malloc0(START + size);

  memcpy(bytes + START, field, size);
  return captured_relay_header_read(&header, bytes);
}

#define READ_FIELD(...) read_field((const guint8[]){__VA_ARGS__}, sizeof((const guint8[]){__VA_ARGS__}))
#define NUMBER(n)       (n), 0, 0, 0

static void test_forged_fields(void)
{
  if (G_BYTE_ORDER != G_LITTLE_ENDIAN) {
    g_test_skip("the fields here are written for little endian");
    return;
  }
  g_assert_true(READ_FIELD(7, 1, 's', 0, NUMBER(1), 'a', 0));
  g_assert_true(READ_FIELD(9, 1, 'u', 0, NUMBER(1)));
  g_assert_true(READ_FIELD(99, 1, 'x', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
  /* lengths beyond the end, up to where numbers wrap */
  g_assert_false(READ_FIELD(7, 1, 's', 0, NUMBER(2), 'a', 0));
  g_assert_false(READ_FIELD(7, 1, 's', 0, 0xff, 0xff, 0xff, 0xff, 'a', 0));
  g_assert_false(READ_FIELD(7, 1, 's', 0, 0xfe, 0xff, 0xff, 0xff, 'a', 0));
  g_assert_false(READ_FIELD(8, 1, 'g', 0, 255, 0));
  /* texts that do not end where they say */
  g_assert_false(READ_FIELD(7, 1, 's', 0, NUMBER(2), 0, 'a', 0));
  g_assert_false(READ_FIELD(7, 1, 's', 0, NUMBER(1), 'a', 'b'));
  /* types that the fields do not have, and types of more than one */
  g_assert_false(READ_FIELD(7, 1, 'u', 0, NUMBER(1)));
  g_assert_false(READ_FIELD(6, 1, 'o', 0, NUMBER(1), '/', 0));
  g_assert_false(READ_FIELD(5, 1, 'i', 0, NUMBER(1)));
  g_assert_false(READ_FIELD(99, 1, 'v', 0, 1, 'y', 0, 0));
  g_assert_false(READ_FIELD(99, 2, 'a', 'y', 0, NUMBER(0)));
  g_assert_false(READ_FIELD(99, 0, 0, 0));
  g_assert_false(READ_FIELD(99, 1, 'y', 'y', 0));
  g_assert_false(READ_FIELD(99));
}

static void test_long_name(void)
{
  guint8 field[8 + 257] = {7, 1, 's', 0};
  guint32 length = 255;

  memset(field + 8, 'a', 256);
  field[8 + 255] = '\0';
  memcpy(field + 4, &length, sizeof length);
  g_assert_true(read_field(field, 8 + 256));
  field[8 + 255] = 'a';
  length = 256;
  memcpy(field + 4, &length, sizeof length);
  g_assert_false(read_field(field, 8 + 257));
}

static gboolean begin_with(gsize at, guint32 number)
{
  guint8 bytes[START] = {G_BYTE_ORDER == G_LITTLE_ENDIAN ? 'l' : 'B', 1, 0, 1};
  CapturedRelayHeader header;

  bytes[8] = 1;
  memcpy(bytes + at, &number, sizeof number);
  return captured_relay_header_begin(&header, bytes);
}

/* Lengths beyond D-Bus's, alone, together, and where their sum wraps. */
static void test_forged_starts(void)
{
  g_assert_true(begin_with(4, 0));
  g_assert_true(begin_with(4, (128 << 20) - START));
  g_assert_false(begin_with(4, (128 << 20) - START + 1));
  g_assert_false(begin_with(4, G_MAXUINT32));
  g_assert_false(begin_with(12, G_MAXUINT32));
  g_assert_false(begin_with(12, G_MAXUINT32 - START + 1));
  g_assert_false(begin_with(8, 0));
  g_assert_false(begin_with(0, 0x01000178)); /* x: no byte order */
  g_assert_false(begin_with(0, 0x0200016c)); /* no version */
  g_assert_false(begin_with(0, 0x0100006c)); /* no type */
}

static void test_unknown_kind(void)
{
  g_autoptr(GDBusMessage) message = make_call();
  g_auto(Blob) blob = write_out(message);
  CapturedRelayHeader header;

  blob.bytes[1] = 5;
  g_assert_true(captured_relay_header_begin(&header, blob.bytes));
  g_assert_false(captured_relay_header_read(&header, blob.bytes));
}

static GDBusMessage *read_made(const guint8 *bytes, gsize size)
{
  g_autoptr(GError) error = NULL;

  g_assert_cmpuint(size, <=, CAPTURED_RELAY_HEADER_MADE_MAX);
  GDBusMessage *message =
      g_dbus_message_new_from_blob((guchar *)bytes, size, G_DBUS_CAPABILITY_FLAGS_NONE, &error);
  g_assert_no_error(error);
  return message;
}

static void check_error(GDBusMessage *cause, guint32 reply_serial, const char *destination,
                        const char *sender)
{
  guint8 bytes[CAPTURED_RELAY_HEADER_MADE_MAX];
  g_auto(Blob) blob = write_out(cause);
  CapturedRelayHeader header;

  g_assert_true(look(&header, blob.bytes));
  g_autoptr(GDBusMessage) error = read_made(bytes, captured_relay_header_make_error(&header, "Why.", bytes));
  g_assert_cmpstr(g_dbus_message_get_error_name(error), ==, "org.freedesktop.DBus.Error.LimitsExceeded");
  g_assert_cmpuint(g_dbus_message_get_reply_serial(error), ==, reply_serial);
  g_assert_cmpstr(g_dbus_message_get_destination(error), ==, destination);
  g_assert_cmpstr(g_dbus_message_get_sender(error), ==, sender);
  g_assert_nonnull(g_dbus_message_get_arg0(error));
}

static void test_errors(void)
{
  g_autoptr(GDBusMessage) call = make_call(), answer = make_answer();
  g_autofree char *name = g_strnfill(255, 'a');

  check_error(call, 7, ":1.5", NULL);
  check_error(answer, 12, ":1.7", ":1.6");
  name[1] = '.';
  g_dbus_message_set_sender(answer, name);
  g_dbus_message_set_destination(answer, name);
  check_error(answer, 12, name, name);
}

static void test_echo(void)
{
  guint8 bytes[CAPTURED_RELAY_HEADER_MADE_MAX];
  g_autoptr(GDBusMessage) echo = read_made(bytes, captured_relay_header_make_echo(bytes));
  g_autoptr(GDBusMessage) reply = g_dbus_message_new_method_reply(echo);
  g_autoptr(GDBusMessage) other = make_answer();
  CapturedRelayHeader header;

  g_auto(Blob) ours = write_out(reply);
  g_assert_true(look(&header, ours.bytes));
  g_assert_true(captured_relay_header_is_echo(&header));
  g_auto(Blob) theirs = write_out(other);
  g_assert_true(look(&header, theirs.bytes));
  g_assert_false(captured_relay_header_is_echo(&header));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/captured/relay-header/calls", test_calls);
  g_test_add_func("/captured/relay-header/truncated", test_truncated);
  g_test_add_func("/captured/relay-header/forged-fields", test_forged_fields);
  g_test_add_func("/captured/relay-header/long-name", test_long_name);
  g_test_add_func("/captured/relay-header/forged-starts", test_forged_starts);
  g_test_add_func("/captured/relay-header/unknown-kind", test_unknown_kind);
  g_test_add_func("/captured/relay-header/errors", test_errors);
  g_test_add_func("/captured/relay-header/echo", test_echo);
  return g_test_run();
}
