/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-forms-private.h"

#include "dwarf/dwarf-constants-private.h"
#include "unwind/unwind-bytes-private.h"

enum layout {
  LAYOUT_UNKNOWN,
  LAYOUT_NOTHING,
  LAYOUT_1,
  LAYOUT_2,
  LAYOUT_3,
  LAYOUT_4,
  LAYOUT_8,
  LAYOUT_16,
  LAYOUT_ADDRESS,
  LAYOUT_OFFSET,
  LAYOUT_REFERENCE, /* an offset; DWARF 2 has an address there */
  LAYOUT_ULEB,
  LAYOUT_SLEB,
  LAYOUT_TERMINATED,
  LAYOUT_BLOCK_1,
  LAYOUT_BLOCK_2,
  LAYOUT_BLOCK_4,
  LAYOUT_BLOCK_ULEB,
  LAYOUT_INDIRECT
};

struct form {
  uint8_t layout;
  uint8_t kind;
};

static const struct form forms[] = {
    [FORM_ADDR] = {LAYOUT_ADDRESS, DWARF_VALUE_ADDRESS},
    [FORM_BLOCK2] = {LAYOUT_BLOCK_2, DWARF_VALUE_BYTES},
    [FORM_BLOCK4] = {LAYOUT_BLOCK_4, DWARF_VALUE_BYTES},
    [FORM_DATA2] = {LAYOUT_2, DWARF_VALUE_NUMBER},
    [FORM_DATA4] = {LAYOUT_4, DWARF_VALUE_NUMBER},
    [FORM_DATA8] = {LAYOUT_8, DWARF_VALUE_NUMBER},
    [FORM_STRING] = {LAYOUT_TERMINATED, DWARF_VALUE_STRING},
    [FORM_BLOCK] = {LAYOUT_BLOCK_ULEB, DWARF_VALUE_BYTES},
    [FORM_BLOCK1] = {LAYOUT_BLOCK_1, DWARF_VALUE_BYTES},
    [FORM_DATA1] = {LAYOUT_1, DWARF_VALUE_NUMBER},
    [FORM_FLAG] = {LAYOUT_1, DWARF_VALUE_NUMBER},
    [FORM_SDATA] = {LAYOUT_SLEB, DWARF_VALUE_NUMBER},
    [FORM_STRP] = {LAYOUT_OFFSET, DWARF_VALUE_STRING_OFFSET},
    [FORM_UDATA] = {LAYOUT_ULEB, DWARF_VALUE_NUMBER},
    [FORM_REF_ADDR] = {LAYOUT_REFERENCE, DWARF_VALUE_REFERENCE_SECTION},
    [FORM_REF1] = {LAYOUT_1, DWARF_VALUE_REFERENCE},
    [FORM_REF2] = {LAYOUT_2, DWARF_VALUE_REFERENCE},
    [FORM_REF4] = {LAYOUT_4, DWARF_VALUE_REFERENCE},
    [FORM_REF8] = {LAYOUT_8, DWARF_VALUE_REFERENCE},
    [FORM_REF_UDATA] = {LAYOUT_ULEB, DWARF_VALUE_REFERENCE},
    [FORM_INDIRECT] = {LAYOUT_INDIRECT, DWARF_VALUE_NONE},
    [FORM_SEC_OFFSET] = {LAYOUT_OFFSET, DWARF_VALUE_NUMBER},
    [FORM_EXPRLOC] = {LAYOUT_BLOCK_ULEB, DWARF_VALUE_BYTES},
    [FORM_FLAG_PRESENT] = {LAYOUT_NOTHING, DWARF_VALUE_NUMBER},
    [FORM_STRX] = {LAYOUT_ULEB, DWARF_VALUE_STRING_INDEX},
    [FORM_ADDRX] = {LAYOUT_ULEB, DWARF_VALUE_ADDRESS_INDEX},
    [FORM_REF_SUP4] = {LAYOUT_4, DWARF_VALUE_REFERENCE_ALTERNATE},
    [FORM_STRP_SUP] = {LAYOUT_OFFSET, DWARF_VALUE_STRING_ALTERNATE},
    [FORM_DATA16] = {LAYOUT_16, DWARF_VALUE_BYTES},
    [FORM_LINE_STRP] = {LAYOUT_OFFSET, DWARF_VALUE_STRING_LINE_OFFSET},
    [FORM_REF_SIG8] = {LAYOUT_8, DWARF_VALUE_REFERENCE_SIGNATURE},
    [FORM_IMPLICIT_CONST] = {LAYOUT_NOTHING, DWARF_VALUE_NUMBER},
    [FORM_LOCLISTX] = {LAYOUT_ULEB, DWARF_VALUE_NONE},
    [FORM_RNGLISTX] = {LAYOUT_ULEB, DWARF_VALUE_LIST_INDEX},
    [FORM_REF_SUP8] = {LAYOUT_8, DWARF_VALUE_REFERENCE_ALTERNATE},
    [FORM_STRX1] = {LAYOUT_1, DWARF_VALUE_STRING_INDEX},
    [FORM_STRX2] = {LAYOUT_2, DWARF_VALUE_STRING_INDEX},
    [FORM_STRX3] = {LAYOUT_3, DWARF_VALUE_STRING_INDEX},
    [FORM_STRX4] = {LAYOUT_4, DWARF_VALUE_STRING_INDEX},
    [FORM_ADDRX1] = {LAYOUT_1, DWARF_VALUE_ADDRESS_INDEX},
    [FORM_ADDRX2] = {LAYOUT_2, DWARF_VALUE_ADDRESS_INDEX},
    [FORM_ADDRX3] = {LAYOUT_3, DWARF_VALUE_ADDRESS_INDEX},
    [FORM_ADDRX4] = {LAYOUT_4, DWARF_VALUE_ADDRESS_INDEX},
};

static struct form form_find(uint16_t form)
{
  if (form < sizeof forms / sizeof forms[0])
    return forms[form];
  switch (form) {
  case FORM_GNU_ADDR_INDEX:
    return (struct form){LAYOUT_ULEB, DWARF_VALUE_ADDRESS_INDEX};
  case FORM_GNU_STR_INDEX:
    return (struct form){LAYOUT_ULEB, DWARF_VALUE_STRING_INDEX};
  case FORM_GNU_REF_ALT:
    return (struct form){LAYOUT_OFFSET, DWARF_VALUE_REFERENCE_ALTERNATE};
  case FORM_GNU_STRP_ALT:
    return (struct form){LAYOUT_OFFSET, DWARF_VALUE_STRING_ALTERNATE};
  default:
    return (struct form){LAYOUT_UNKNOWN, DWARF_VALUE_NONE};
  }
}

static int layout_get_size(enum layout layout, uint16_t version, uint8_t offset_size, uint8_t address_size)
{
  static const int8_t sizes[] = {[LAYOUT_NOTHING] = 0, [LAYOUT_1] = 1, [LAYOUT_2] = 2,  [LAYOUT_3] = 3,
                                 [LAYOUT_4] = 4,       [LAYOUT_8] = 8, [LAYOUT_16] = 16};

  switch (layout) {
  case LAYOUT_NOTHING:
  case LAYOUT_1:
  case LAYOUT_2:
  case LAYOUT_3:
  case LAYOUT_4:
  case LAYOUT_8:
  case LAYOUT_16:
    return sizes[layout];
  case LAYOUT_ADDRESS:
    return address_size;
  case LAYOUT_OFFSET:
    return offset_size;
  case LAYOUT_REFERENCE:
    return version <= 2 ? address_size : offset_size;
  default:
    return -1;
  }
}

int dwarf_form_size(uint16_t form, uint16_t version, uint8_t offset_size, uint8_t address_size)
{
  return layout_get_size(form_find(form).layout, version, offset_size, address_size);
}

void dwarf_form_note_size(struct dwarf_attribute *attribute, int size)
{
  if (size != 1 && size != 2 && size != 4 && size != 8)
    return;
  attribute->size = (uint8_t)size;
  attribute->kind = form_find(attribute->form).kind;
}

static bool layout_read_block_size(enum layout layout, const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
  uint8_t byte;
  uint16_t half;
  uint32_t word;

  switch (layout) {
  case LAYOUT_BLOCK_1:
    return unwind_read_uint8(at, end, &byte) && (*ret = byte, true);
  case LAYOUT_BLOCK_2:
    return unwind_read_uint16(at, end, &half) && (*ret = half, true);
  case LAYOUT_BLOCK_4:
    return unwind_read_uint32(at, end, &word) && (*ret = word, true);
  default:
    return unwind_read_uleb(at, end, ret);
  }
}

static bool layout_read_block(enum layout layout, const uint8_t **at, const uint8_t *end,
                              struct dwarf_string *ret)
{
  uint64_t size;

  if (!layout_read_block_size(layout, at, end, &size) || size > (size_t)(end - *at))
    return false;
  *ret = (struct dwarf_string){(const char *)*at, size};
  *at += size;
  return true;
}

static bool layout_read_terminated(const uint8_t **at, const uint8_t *end, struct dwarf_string *ret)
{
  const uint8_t *zero = memchr(*at, 0, (size_t)(end - *at));

  if (!zero)
    return false;
  *ret = (struct dwarf_string){(const char *)*at, (size_t)(zero - *at)};
  *at = zero + 1;
  return true;
}

/* A number of `size` bytes; of those with more than 8 the first 8. */
static bool layout_read_fixed(int size, const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
  *ret = 0;
  if (end - *at < size)
    return false;
  memcpy(ret, *at, size < 8 ? (size_t)size : 8);
  *at += size;
  return true;
}

static bool layout_read(const struct dwarf_unit *unit, enum layout layout, const uint8_t **at,
                        struct dwarf_value *ret)
{
  int size = layout_get_size(layout, unit->version, unit->offset_size, unit->address_size);

  if (size >= 0)
    return layout_read_fixed(size, at, unit->end, &ret->number);
  switch (layout) {
  case LAYOUT_ULEB:
    return unwind_read_uleb(at, unit->end, &ret->number);
  case LAYOUT_SLEB:
    return unwind_read_sleb(at, unit->end, (int64_t *)&ret->number);
  case LAYOUT_TERMINATED:
    return layout_read_terminated(at, unit->end, &ret->string);
  case LAYOUT_BLOCK_1:
  case LAYOUT_BLOCK_2:
  case LAYOUT_BLOCK_4:
  case LAYOUT_BLOCK_ULEB:
    return layout_read_block(layout, at, unit->end, &ret->string);
  default:
    return false;
  }
}

/* Of forms that name another form, one is followed: more have no use, and no end. */
static bool form_settle(const struct dwarf_unit *unit, uint16_t *form, const uint8_t **at)
{
  uint64_t other;

  if (*form != FORM_INDIRECT)
    return true;
  if (!unwind_read_uleb(at, unit->end, &other) || other > UINT16_MAX || other == FORM_INDIRECT ||
      other == FORM_IMPLICIT_CONST)
    return false;
  *form = (uint16_t)other;
  return true;
}

bool dwarf_form_skip(const struct dwarf_unit *unit, uint16_t form, const uint8_t **at)
{
  struct dwarf_value value;

  return form_settle(unit, &form, at) && layout_read(unit, form_find(form).layout, at, &value);
}

bool dwarf_form_read(const struct dwarf_unit *unit, const struct dwarf_attribute *attribute,
                     const uint8_t **at, struct dwarf_value *ret)
{
  uint16_t form = attribute->form;

  *ret = (struct dwarf_value){0};
  if (!form_settle(unit, &form, at) || !layout_read(unit, form_find(form).layout, at, ret))
    return false;
  ret->kind = form_find(form).kind;
  if (form == FORM_IMPLICIT_CONST)
    ret->number = (uint64_t)(int64_t)attribute->constant;
  if (form == FORM_FLAG_PRESENT)
    ret->number = 1;
  return true;
}
