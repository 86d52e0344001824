/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dwarf/dwarf-unit-private.h"

#include <errno.h>
#include <string.h>

#include "dwarf/dwarf-abbreviations-private.h"
#include "dwarf/dwarf-constants-private.h"
#include "dwarf/dwarf-file-private.h"
#include "unwind/unwind-bytes-private.h"

#define LENGTH_64       0xffffffffu
#define LENGTH_RESERVED 0xfffffff0u
#define NO_BASE         UINT64_MAX

static bool unit_read_length(struct dwarf_unit *unit, const uint8_t **at, const uint8_t *end)
{
  uint32_t word;
  uint64_t length;

  if (!unwind_read_uint32(at, end, &word))
    return false;
  length = word;
  unit->offset_size = 4;
  if (word == LENGTH_64) {
    unit->offset_size = 8;
    if (!unwind_read_uint64(at, end, &length))
      return false;
  } else if (word >= LENGTH_RESERVED) {
    return false;
  }
  if (length > (size_t)(end - *at))
    return false;
  unit->end = *at + length;
  return true;
}

static bool unit_read_offset(const struct dwarf_unit *unit, const uint8_t **at, uint64_t *ret)
{
  uint32_t word;

  if (unit->offset_size == 8)
    return unwind_read_uint64(at, unit->end, ret);
  if (!unwind_read_uint32(at, unit->end, &word))
    return false;
  *ret = word;
  return true;
}

static bool unit_read_type(struct dwarf_unit *unit, const uint8_t **at)
{
  return unwind_read_uint64(at, unit->end, &unit->signature) && unit_read_offset(unit, at, &unit->type_at);
}

static bool unit_read_head_5(struct dwarf_unit *unit, const uint8_t **at)
{
  if (!unwind_read_uint8(at, unit->end, &unit->type) ||
      !unwind_read_uint8(at, unit->end, &unit->address_size) ||
      !unit_read_offset(unit, at, &unit->abbreviations_at))
    return false;
  switch (unit->type) {
  case UT_COMPILE:
  case UT_PARTIAL:
    return true;
  case UT_SKELETON:
  case UT_SPLIT_COMPILE:
    unit->has_signature = true;
    return unwind_read_uint64(at, unit->end, &unit->signature);
  case UT_TYPE:
  case UT_SPLIT_TYPE:
    return unit_read_type(unit, at);
  default:
    return false;
  }
}

static bool unit_read_head(struct dwarf_unit *unit, const uint8_t **at, bool is_type)
{
  if (!unwind_read_uint16(at, unit->end, &unit->version) || unit->version < 2 || unit->version > 5)
    return false;
  if (unit->version == 5)
    return unit_read_head_5(unit, at);
  unit->type = is_type ? UT_TYPE : UT_COMPILE;
  return unit_read_offset(unit, at, &unit->abbreviations_at) &&
         unwind_read_uint8(at, unit->end, &unit->address_size) && (!is_type || unit_read_type(unit, at));
}

int dwarf_unit_read_header(struct dwarf_unit *ret, struct dwarf_file *file, const struct dwarf_bytes *section,
                           const uint8_t *at, bool is_type)
{
  const uint8_t *end = (const uint8_t *)section->bytes + section->size;

  *ret = (struct dwarf_unit){
      .file = file, .start = at, .string_offsets_base = NO_BASE, .range_lists_base = NO_BASE};
  if (!unit_read_length(ret, &at, end) || !unit_read_head(ret, &at, is_type) ||
      (ret->address_size != 4 && ret->address_size != 8))
    return -EBADMSG;
  ret->entries = at;
  return 0;
}

static void unit_note_base(struct dwarf_unit *unit, uint16_t name, const struct dwarf_value *value)
{
  switch (name) {
  case AT_STR_OFFSETS_BASE:
    unit->string_offsets_base = value->number;
    break;
  case AT_ADDR_BASE:
  case AT_GNU_ADDR_BASE:
    unit->address_base = value->number;
    break;
  case AT_RNGLISTS_BASE:
    unit->range_lists_base = value->number;
    break;
  case AT_GNU_RANGES_BASE:
    unit->ranges_base = value->number;
    break;
  case AT_GNU_DWO_ID:
    unit->signature = value->number;
    unit->has_signature = true;
    break;
  default:
    break;
  }
}

static void unit_note(struct dwarf_unit *unit, uint16_t name, const struct dwarf_value *value,
                      struct dwarf_value *low_pc)
{
  switch (name) {
  case AT_LOW_PC:
    *low_pc = *value;
    break;
  case AT_HIGH_PC:
    unit->high_pc = *value;
    break;
  case AT_RANGES:
    unit->ranges = *value;
    break;
  case AT_STMT_LIST:
    unit->line_table = *value;
    break;
  case AT_COMP_DIR:
    unit->directory = *value;
    break;
  case AT_DWO_NAME:
  case AT_GNU_DWO_NAME:
    unit->split_name = *value;
    break;
  default:
    unit_note_base(unit, name, value);
  }
}

/* The one definition that is needed of each unit, most of which nobody asks for more. */
static bool unit_find_definition(const struct dwarf_unit *unit, uint64_t code,
                                 struct dwarf_definitions *definitions, struct dwarf_definition *ret)
{
  struct dwarf_bytes section = dwarf_unit_section(unit, DWARF_SECTION_ABBREV);
  const uint8_t *bytes = section.bytes;
  struct dwarf_attribute attribute;

  if (unit->abbreviations_at >= section.size)
    return false;
  *definitions =
      (struct dwarf_definitions){.at = bytes + unit->abbreviations_at, .end = bytes + section.size};
  while (dwarf_definitions_next(definitions, ret) > 0) {
    int more;

    if (ret->code == code)
      return true;
    while ((more = dwarf_definitions_next_attribute(definitions, &attribute)) > 0)
      continue;
    if (more < 0 || dwarf_budget_work(unit->file->budget, 1) < 0)
      return false;
  }
  return false;
}

static bool unit_read_first(struct dwarf_unit *unit, struct dwarf_value *low_pc)
{
  const uint8_t *at = unit->entries;
  struct dwarf_definitions definitions;
  struct dwarf_definition definition;
  struct dwarf_attribute attribute;
  uint64_t code;
  int more;

  if (!unwind_read_uleb(&at, unit->end, &code) ||
      !unit_find_definition(unit, code, &definitions, &definition))
    return false;
  unit->tag = definition.tag;
  while ((more = dwarf_definitions_next_attribute(&definitions, &attribute)) > 0) {
    struct dwarf_value value;

    if (!dwarf_form_read(unit, &attribute, &at, &value))
      return false;
    unit_note(unit, attribute.name, &value, low_pc);
  }
  return more == 0;
}

/* The address may stand in .debug_addr: it can be understood only when the base is known. */
int dwarf_unit_read(struct dwarf_unit *unit)
{
  struct dwarf_value low_pc = {0};

  if (unit->state != DWARF_UNIT_UNREAD)
    return unit->state == DWARF_UNIT_READ ? 0 : -EBADMSG;
  unit->state = unit_read_first(unit, &low_pc) ? DWARF_UNIT_READ : DWARF_UNIT_DAMAGED;
  if (unit->file->budget->out_of_time) {
    unit->state = DWARF_UNIT_UNREAD;
    return -ETIME;
  }
  unit->has_low_pc = dwarf_unit_get_address(unit, &low_pc, &unit->low_pc);
  return unit->state == DWARF_UNIT_READ ? 0 : -EBADMSG;
}

struct dwarf_bytes dwarf_unit_section(const struct dwarf_unit *unit, enum dwarf_section kind)
{
  return unit->contributions ? unit->contributions->sections[kind]
                             : dwarf_elf_section(&unit->file->elf, kind);
}

bool dwarf_unit_read_at(const struct dwarf_bytes *section, uint64_t offset, uint8_t size, uint64_t *ret)
{
  const uint8_t *bytes = section->bytes;

  if (offset > section->size || size > section->size - offset)
    return false;
  *ret = 0;
  memcpy(ret, bytes + offset, size);
  return true;
}

static bool unit_read_item(const struct dwarf_bytes *section, uint64_t base, uint64_t index, uint8_t size,
                           uint64_t *ret)
{
  uint64_t at;

  return !__builtin_mul_overflow(index, (uint64_t)size, &at) && !__builtin_add_overflow(base, at, &at) &&
         dwarf_unit_read_at(section, at, size, ret);
}

bool dwarf_unit_find_address(const struct dwarf_unit *unit, uint64_t index, uint64_t *ret)
{
  const struct dwarf_unit *holder = unit->skeleton ? unit->skeleton : unit;
  struct dwarf_bytes section = dwarf_elf_section(&holder->file->elf, DWARF_SECTION_ADDR);

  return unit_read_item(&section, holder->address_base, index, unit->address_size, ret);
}

bool dwarf_unit_get_address(const struct dwarf_unit *unit, const struct dwarf_value *value, uint64_t *ret)
{
  if (value->kind == DWARF_VALUE_ADDRESS_INDEX)
    return dwarf_unit_find_address(unit, value->number, ret);
  if (value->kind != DWARF_VALUE_ADDRESS)
    return false;
  *ret = value->number;
  return true;
}

static struct dwarf_string string_at(const struct dwarf_bytes *section, uint64_t offset)
{
  const char *text = section->bytes;
  size_t most;

  if (offset >= section->size)
    return (struct dwarf_string){0};
  text += offset;
  most = section->size - offset;
  return (struct dwarf_string){text, strnlen(text, most < DWARF_TEXT_MAX ? most : DWARF_TEXT_MAX)};
}

/* DWARF 5 has a header before the offsets, which the base counts; where no base is given it is the first one.
 */
static struct dwarf_string unit_find_string(const struct dwarf_unit *unit, uint64_t index)
{
  struct dwarf_bytes offsets = dwarf_unit_section(unit, DWARF_SECTION_STR_OFFSETS),
                     strings = dwarf_unit_section(unit, DWARF_SECTION_STR);
  uint64_t base = unit->string_offsets_base, offset;

  if (base == NO_BASE)
    base = unit->version < 5 ? 0 : 2 * (uint64_t)unit->offset_size;
  return unit_read_item(&offsets, base, index, unit->offset_size, &offset) ? string_at(&strings, offset)
                                                                           : (struct dwarf_string){0};
}

static struct dwarf_string unit_find_alternate_string(const struct dwarf_unit *unit, uint64_t offset)
{
  struct dwarf_bytes section;

  if (!unit->file->alternate) {
    unit->file->lacks_alternate = true;
    return (struct dwarf_string){0};
  }
  section = dwarf_elf_section(&unit->file->alternate->elf, DWARF_SECTION_STR);
  return string_at(&section, offset);
}

struct dwarf_string dwarf_unit_get_string(const struct dwarf_unit *unit, const struct dwarf_value *value)
{
  struct dwarf_bytes section;

  switch (value->kind) {
  case DWARF_VALUE_STRING:
    return value->string;
  case DWARF_VALUE_STRING_OFFSET:
  case DWARF_VALUE_STRING_LINE_OFFSET:
    section = dwarf_unit_section(unit, value->kind == DWARF_VALUE_STRING_OFFSET ? DWARF_SECTION_STR
                                                                                : DWARF_SECTION_LINE_STR);
    return string_at(&section, value->number);
  case DWARF_VALUE_STRING_INDEX:
    return unit_find_string(unit, value->number);
  case DWARF_VALUE_STRING_ALTERNATE:
    return unit_find_alternate_string(unit, value->number);
  default:
    return (struct dwarf_string){0};
  }
}
