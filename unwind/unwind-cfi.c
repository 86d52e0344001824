/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-cfi-private.h"

#include "unwind/unwind-bytes-private.h"
#include "unwind/unwind-constants-private.h"
#include "unwind/unwind-interpreter-private.h"

#define FORMAT(encoding) ((encoding)&0x0f)
#define BASE(encoding)   ((encoding)&0x70)

static bool read_value(const uint8_t **at, const uint8_t *end, uint8_t format, uint64_t *ret)
{
  uint16_t half;
  uint32_t word;
  int64_t number;

  switch (format) {
  case DW_EH_PE_absptr:
  case DW_EH_PE_udata8:
  case DW_EH_PE_sdata8:
    return unwind_read_uint64(at, end, ret);
  case DW_EH_PE_uleb128:
    return unwind_read_uleb(at, end, ret);
  case DW_EH_PE_sleb128:
    if (!unwind_read_sleb(at, end, &number))
      return false;
    *ret = (uint64_t)number;
    return true;
  case DW_EH_PE_udata2:
  case DW_EH_PE_sdata2:
    if (!unwind_read_uint16(at, end, &half))
      return false;
    *ret = format == DW_EH_PE_udata2 ? half : (uint64_t)(int64_t)(int16_t)half;
    return true;
  case DW_EH_PE_udata4:
  case DW_EH_PE_sdata4:
    if (!unwind_read_uint32(at, end, &word))
      return false;
    *ret = format == DW_EH_PE_udata4 ? word : (uint64_t)(int64_t)(int32_t)word;
    return true;
  default:
    return false;
  }
}

bool unwind_cfi_read_pointer(const struct unwind_section *section, const uint8_t **at, const uint8_t *end,
                             uint8_t encoding, uint64_t *ret)
{
  uint64_t address = section->address + (uint64_t)(*at - section->bytes);
  uint64_t value;

  if (encoding == DW_EH_PE_aligned || encoding & DW_EH_PE_indirect ||
      !read_value(at, end, FORMAT(encoding), &value))
    return false;
  if (BASE(encoding) == DW_EH_PE_pcrel)
    value += address;
  else if (BASE(encoding) != DW_EH_PE_absptr)
    return false;
  *ret = value;
  return true;
}

/* .eh_frame counts back to the CIE from the field itself; .debug_frame counts from the section's beginning.
 */
static bool read_cie_pointer(const struct unwind_section *section, bool wide, struct unwind_record *record)
{
  uint64_t here = (uint64_t)(record->at - section->bytes);
  uint64_t pointer;
  uint32_t word;

  if (wide && section->debug) {
    if (!unwind_read_uint64(&record->at, record->end, &pointer))
      return false;
    record->is_cie = pointer == UINT64_MAX;
  } else {
    if (!unwind_read_uint32(&record->at, record->end, &word))
      return false;
    pointer = word;
    record->is_cie = section->debug ? word == UINT32_MAX : word == 0;
  }
  record->cie = section->debug ? pointer : here - pointer;
  return record->is_cie || (section->debug ? pointer < section->size : pointer <= here);
}

bool unwind_cfi_read_record(const struct unwind_section *section, uint64_t offset, struct unwind_record *ret)
{
  const uint8_t *end = section->bytes + section->size;
  struct unwind_record record;
  uint64_t length;
  uint32_t word;

  if (offset >= section->size)
    return false;
  record.at = section->bytes + offset;
  if (!unwind_read_uint32(&record.at, end, &word))
    return false;
  length = word;
  if (word == UINT32_MAX && !unwind_read_uint64(&record.at, end, &length))
    return false;
  if (length == 0 || length > (uint64_t)(end - record.at))
    return false;
  record.end = record.at + length;
  record.size = (uint64_t)(record.end - section->bytes) - offset;
  if (!read_cie_pointer(section, word == UINT32_MAX, &record))
    return false;
  *ret = record;
  return true;
}

/* Pointers to language-specific things are of any encoding and of no interest. */
static bool skip_pointer(const struct unwind_section *section, const uint8_t **at, const uint8_t *end,
                         uint8_t encoding)
{
  uint64_t offset = (uint64_t)(*at - section->bytes), ignored;

  if (encoding == DW_EH_PE_omit)
    return true;
  if (encoding == DW_EH_PE_aligned) {
    offset = -(section->address + offset) & 7;
    if (offset > (uint64_t)(end - *at))
      return false;
    *at += offset;
  }
  return read_value(at, end, FORMAT(encoding), &ignored);
}

/* What the letters after 'z' announce. A letter that is not known hides those behind it, but not where the
 * instructions begin. */
static bool read_augmentation(const struct unwind_section *section, struct unwind_cie *cie,
                              const char *letters, const uint8_t **at, const uint8_t *end)
{
  uint64_t length;
  uint8_t encoding;

  if (!unwind_read_uleb(at, end, &length) || length > (uint64_t)(end - *at))
    return false;
  end = *at + length;
  for (const uint8_t *data = *at; *letters != 0; letters++) {
    if (*letters == 'R') {
      if (!unwind_read_uint8(&data, end, &cie->encoding))
        return false;
    } else if (*letters == 'P') {
      if (!unwind_read_uint8(&data, end, &encoding) || !skip_pointer(section, &data, end, encoding))
        return false;
    } else if (*letters == 'L') {
      if (!unwind_read_uint8(&data, end, &encoding))
        return false;
    } else if (*letters == 'S') {
      cie->signal = true;
    } else if (*letters != 'B' && *letters != 'G') {
      break;
    }
  }
  *at = end;
  return true;
}

static bool read_version_4(const uint8_t **at, const uint8_t *end)
{
  uint8_t address_size, segment_size;

  return unwind_read_uint8(at, end, &address_size) && unwind_read_uint8(at, end, &segment_size) &&
         address_size == 8 && segment_size == 0;
}

static bool read_alignments(struct unwind_cie *cie, const uint8_t **at, const uint8_t *end)
{
  uint64_t code_align;

  if (!unwind_read_uleb(at, end, &code_align) || code_align == 0 || code_align > 255 ||
      !unwind_read_sleb(at, end, &cie->data_align))
    return false;
  cie->code_align = (uint32_t)code_align;
  return true;
}

static bool read_return_column(uint8_t version, const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
  uint8_t byte;

  if (version != 1)
    return unwind_read_uleb(at, end, ret);
  if (!unwind_read_uint8(at, end, &byte))
    return false;
  *ret = byte;
  return true;
}

static bool read_cie(const struct unwind_section *section, const struct unwind_record *record,
                     struct unwind_cie *cie)
{
  const uint8_t *at = record->at, *end = record->end;
  const char *letters;
  uint64_t column, pointer;
  uint8_t version;

  if (!unwind_read_uint8(&at, end, &version) || (version != 1 && version != 3 && version != 4))
    return false;
  letters = (const char *)at;
  at = memchr(at, 0, (size_t)(end - at));
  if (!at)
    return false;
  at++;
  if (version == 4 && !read_version_4(&at, end))
    return false;
  if (strcmp(letters, "eh") == 0) {
    if (!unwind_read_uint64(&at, end, &pointer))
      return false;
    letters += 2;
  }
  if (!read_alignments(cie, &at, end) || !read_return_column(version, &at, end, &column) ||
      column != section->machine->ra)
    return false;
  cie->augmented = *letters == 'z';
  if (*letters != 0 && (!cie->augmented || !read_augmentation(section, cie, letters + 1, &at, end)))
    return false;
  return unwind_interpret_cie(section, cie, at, end);
}

static struct unwind_cie *load_cie(struct unwind_section *section, struct unwind_cie *place, uint64_t offset)
{
  struct unwind_record record;

  section->cies_evicted = section->cies_evicted || place->used;
  *place = (struct unwind_cie){.used = true, .offset = offset};
  section->usual_end = 0;
  if (unwind_cfi_read_record(section, offset, &record) && record.is_cie) {
    section->cies_size += record.size;
    place->valid = read_cie(section, &record, place);
  }
  return place;
}

const struct unwind_cie *unwind_cfi_get_cie(struct unwind_section *section, uint64_t offset)
{
  struct unwind_cie *cie = &section->cies[(offset >> 2 ^ offset >> 8) % UNWIND_CIES];

  if (!cie->used || cie->offset != offset)
    cie = load_cie(section, cie, offset);
  if (!cie->valid)
    return NULL;
  if (cie->encoding == (DW_EH_PE_pcrel | DW_EH_PE_sdata4) && cie->augmented && !section->debug &&
      section->size > UNWIND_USUAL_FDE_MIN) {
    section->usual_cie = cie;
    section->usual_end = section->size - UNWIND_USUAL_FDE_MIN;
  }
  return cie;
}

bool unwind_cfi_read_any_fde(struct unwind_section *section, uint64_t offset, struct unwind_fde *ret)
{
  struct unwind_record record;
  uint64_t range, length;

  ret->size = 0;
  if (!unwind_cfi_read_record(section, offset, &record))
    return false;
  ret->size = record.size;
  if (record.is_cie)
    return false;
  ret->cie = unwind_cfi_get_cie(section, record.cie);
  if (!ret->cie ||
      !unwind_cfi_read_pointer(section, &record.at, record.end, ret->cie->encoding, &ret->start) ||
      !read_value(&record.at, record.end, FORMAT(ret->cie->encoding), &range) ||
      __builtin_add_overflow(ret->start, range, &ret->end))
    return false;
  if (ret->cie->augmented) {
    if (!unwind_read_uleb(&record.at, record.end, &length) || length > (uint64_t)(record.end - record.at))
      return false;
    record.at += length;
  }
  ret->program = record.at;
  ret->program_end = record.end;
  return true;
}
