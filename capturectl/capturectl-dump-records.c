/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "capturectl/capturectl-dump.h"
#include "libcapture/file/capture-reader.h"
#include "libcapture/file/capture-record-layout.h"

void capturectl_dump_bytes(const void *bytes, gsize length)
{
  static const char digits[] = "0123456789abcdef";
  const guint8 *byte = bytes;

  if (length == 0)
    putchar('-');
  for (gsize i = 0; i < length; i++) {
    putchar(digits[byte[i] >> 4]);
    putchar(digits[byte[i] & 15]);
  }
}

static void print_text(const char *text, gsize length)
{
  putchar('"');
  for (gsize i = 0; i < length; i++) {
    guint8 byte = text[i];

    if (byte == '"' || byte == '\\')
      printf("\\%c", byte);
    else if (byte >= 0x20 && byte <= 0x7e)
      putchar(byte);
    else
      printf("\\x%02x", byte);
  }
  putchar('"');
}

/* An item of NODES as it stands there: FRAME, ^PARENT, +JOIN, and ?… for what has no meaning. */
static void print_node(guint32 item)
{
  static const char *const marks[] = {"", "?", "^", "+"};

  printf("%s%" PRIu32, marks[item >> 30], item & ~CAPTURE_NODE_TAG);
}

static void print_number(const struct capture_field *field, const guint8 *bytes)
{
  guint64 number = capture_field_number(field, bytes);

  switch (field->form) {
  case CAPTURE_FIELD_SIGNED:
    printf("%" PRId64, field->size == sizeof(gint32) ? (gint32)number : (gint64)number);
    break;
  case CAPTURE_FIELD_HEXADECIMAL:
    printf("0x%" PRIx64, number);
    break;
  case CAPTURE_FIELD_NODE:
    print_node((guint32)number);
    break;
  default:
    printf("%" PRIu64, number);
  }
}

/* A line per item, with the names of its fields. */
static void print_lines(const struct capture_record_layout *layout, const guint8 *items, guint n_items)
{
  for (guint i = 0; i < n_items; i++) {
    printf("\n    %s", layout->item_name);
    for (const struct capture_field *field = layout->items; field->form; field++) {
      printf(" %s=", field->name);
      print_number(field, items + i * layout->item);
    }
  }
}

static void print_list(const struct capture_record_layout *layout, const guint8 *items, guint n_items)
{
  if (n_items == 0)
    putchar('-');
  for (guint i = 0; i < n_items; i++)
    for (const struct capture_field *field = layout->items; field->form; field++) {
      if (field > layout->items || i > 0)
        putchar(field > layout->items ? ':' : ',');
      print_number(field, items + i * layout->item);
    }
}

static void print_field(const struct capture_record_layout *layout, const struct capture_field *field,
                        const struct capture_record *record)
{
  const guint8 *bytes = (const guint8 *)record;

  if (field->form == CAPTURE_FIELD_ITEMS && layout->item_name) {
    print_lines(layout, bytes + field->offset, record->count);
    return;
  }
  printf(" %s=", field->name);
  switch (field->form) {
  case CAPTURE_FIELD_ITEMS:
    print_list(layout, bytes + field->offset, record->count);
    break;
  case CAPTURE_FIELD_TEXT:
  case CAPTURE_FIELD_NEXT_TEXT:
    print_text((const char *)bytes + capture_field_position(field, record),
               capture_field_length(field, record));
    break;
  case CAPTURE_FIELD_BUILD_ID:
  case CAPTURE_FIELD_BYTES:
    capturectl_dump_bytes(bytes + capture_field_position(field, record), capture_field_length(field, record));
    break;
  default:
    print_number(field, bytes);
  }
}

static void print_unread(const struct capture_record *record, const char *word)
{
  printf("%s type=%u count=%u bytes=", word, record->type, record->count);
  capturectl_dump_bytes(record + 1, record->size - sizeof *record);
}

void capturectl_dump_record(const struct capture_record *record)
{
  const struct capture_record_layout *layout = capture_record_layout_find(record->type);

  printf("  ");
  if (!layout)
    print_unread(record, "record");
  else if (!capture_record_is_valid(record))
    print_unread(record, "invalid");
  else {
    printf("%s", layout->name);
    for (const struct capture_field *field = layout->fields; field->form; field++)
      print_field(layout, field, record);
  }
  putchar('\n');
}
