/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What records consist of, in one table: for whoever checks, prints or follows records of any type. A new
 * type is a row here, beside its structure in libcapture/format and its text in docs/format.md.
 */
#ifndef CAPTURE_RECORD_LAYOUT_H
#define CAPTURE_RECORD_LAYOUT_H

#include <stdbool.h>

#include "libcapture/format/capture-format.h"

enum capture_field_form {
  CAPTURE_FIELD_END, /* of a list of fields */
  CAPTURE_FIELD_UNSIGNED,
  CAPTURE_FIELD_SIGNED,
  CAPTURE_FIELD_HEXADECIMAL, /* addresses and flags; of a double its bits */
  CAPTURE_FIELD_NODE,        /* an item of NODES */
  CAPTURE_FIELD_ITEMS,       /* record.count items */
  CAPTURE_FIELD_BUILD_ID,    /* room for CAPTURE_BUILD_ID_MAX bytes */
  CAPTURE_FIELD_TEXT,        /* and a NUL */
  CAPTURE_FIELD_NEXT_TEXT,   /* behind the text that is the field before */
  CAPTURE_FIELD_BYTES        /* behind the items */
};

/* What an identifier stands for. The identifiers of a sort count from 1 in each epoch. */
enum capture_sort {
  CAPTURE_SORT_NONE,
  CAPTURE_SORT_STRING, /* and functions */
  CAPTURE_SORT_SPACE,
  CAPTURE_SORT_FRAME,
  CAPTURE_SORT_NODE,
  CAPTURE_SORT_BINARY,
  CAPTURE_SORT_PROCESS,
  CAPTURE_SORT_THREAD,
  CAPTURE_SORT_EVENT,
  CAPTURE_SORT_COUNTER,
  CAPTURE_SORT_PLACE_FRAME,
  CAPTURE_N_SORTS
};

struct capture_field {
  const char *name;
  uint8_t form;   /* enum capture_field_form */
  uint8_t refers; /* enum capture_sort of what the epoch must define, or NONE: SPACE's owner depends on its
                     kind */
  uint8_t offset; /* in the record, or in the item */
  uint8_t size;   /* of a number: 4 or 8 bytes */
  uint8_t length_offset, length_size; /* of the number that says how long the field is; else 0 */
};

struct capture_record_layout {
  const char *name;
  uint8_t fixed;   /* bytes before the items */
  uint8_t item;    /* bytes per item, 0: the type has none */
  uint8_t defines; /* enum capture_sort of the identifier that is the first field, or NONE */
  const struct capture_field *fields; /* in the order of docs/dump.md */
  const struct capture_field *items;  /* the fields of an item, or NULL */
  const char *item_name;              /* where docs/dump.md has a line per item */
};

/* NULL if the format has no such type. Safe in every thread and in signal handlers, as all functions here. */
const struct capture_record_layout *capture_record_layout_find(uint16_t type);

/* The number in a field of a record or an item, not sign extended. */
uint64_t capture_field_number(const struct capture_field *field, const void *bytes);
/* How long a field with a length is, and where it begins in its record. Of hostile records both may lie
 * beyond the end: capture_record_is_valid() judges. */
uint64_t capture_field_length(const struct capture_field *field, const void *bytes);
uint64_t capture_field_position(const struct capture_field *field, const struct capture_record *record);

#endif
