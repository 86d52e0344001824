/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of .eh_frame and .debug_frame: CIEs, which functions share, and FDEs, one a function. */
#ifndef UNWIND_CFI_PRIVATE_H
#define UNWIND_CFI_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind-machine-private.h"

#define UNWIND_UNLIKELY(x) __builtin_expect(x, 0)

struct unwind_cie {
  bool used;  /* this place of the cache is taken */
  bool valid; /* it could be read, and is understood */
  bool augmented;
  bool signal;
  bool is_usual;    /* struct unwind_group knows what its functions' instructions do */
  uint8_t encoding; /* of addresses */
  uint32_t code_align;
  int64_t data_align;
  uint64_t offset;
  struct unwind_state initial;
};

#define UNWIND_CIES 64

struct unwind_section {
  const uint8_t *bytes;
  size_t size;
  uint64_t address; /* of bytes[0], which pointers may be relative to */
  bool debug;       /* .debug_frame */
  const struct unwind_machine *machine;
  struct unwind_cie cies[UNWIND_CIES]; /* those read last, by their offset */
  const struct unwind_cie *usual_cie;  /* the last one, if it is of the form that all compilers write */
  uint64_t usual_end; /* where the last function may begin that has the same form; 0 without such a CIE */
  uint64_t cies_size; /* of the records of those read; each counted once unless `cies_evicted` */
  bool cies_evicted;
};

/* A record's place; `at` and `end` delimit what follows its first fields. */
struct unwind_record {
  const uint8_t *at;
  const uint8_t *end;
  uint64_t size; /* all of it */
  uint64_t cie;  /* offset of its CIE */
  bool is_cie;
};

struct unwind_fde {
  uint64_t start;
  uint64_t end;
  uint64_t size; /* of the record */
  const struct unwind_cie *cie;
  const uint8_t *program;
  const uint8_t *program_end;
};

/* False where no record can be; a length of 0 is none either. */
bool unwind_cfi_read_record(const struct unwind_section *section, uint64_t offset, struct unwind_record *ret);

/* The CIE at an offset, NULL if it is damaged or not understood. Valid until another one is asked for. */
const struct unwind_cie *unwind_cfi_get_cie(struct unwind_section *section, uint64_t offset);

/* False if it is damaged, or no FDE. ret->size is set as soon as there is a record. */
bool unwind_cfi_read_any_fde(struct unwind_section *section, uint64_t offset, struct unwind_fde *ret);

/* Of the form that all compilers write the smallest, up to its instructions. */
#define UNWIND_USUAL_FDE_MIN 17

/* The same, at once where the function has the CIE of the one before and the form that all compilers write.
 */
static inline bool unwind_cfi_read_fde(struct unwind_section *section, uint64_t offset,
                                       struct unwind_fde *ret)
{
  struct {
    uint32_t length;
    uint32_t cie;
    int32_t start;
    int32_t range;
    uint8_t augmentation;
  } __attribute__((packed)) usual;
  if (UNWIND_UNLIKELY(offset >= section->usual_end))
    return unwind_cfi_read_any_fde(section, offset, ret);
  const uint8_t *record = section->bytes + offset;
  memcpy(&usual, record, sizeof usual);
  if (UNWIND_UNLIKELY(offset + 4 - usual.cie != section->usual_cie->offset ||
                      usual.length > section->size - offset - 4 ||
                      usual.length < sizeof usual - 4 + usual.augmentation || usual.range < 0 ||
                      usual.augmentation > 127))
    return unwind_cfi_read_any_fde(section, offset, ret);
  ret->start = section->address + offset + 8 + (uint64_t)(int64_t)usual.start;
  ret->size = (uint64_t)usual.length + 4;
  ret->cie = section->usual_cie;
  ret->program = record + sizeof usual + usual.augmentation;
  ret->program_end = record + ret->size;
  return !__builtin_add_overflow(ret->start, (uint32_t)usual.range, &ret->end);
}

/* A pointer at *at in the section, moving behind it. */
bool unwind_cfi_read_pointer(const struct unwind_section *section, const uint8_t **at, const uint8_t *end,
                             uint8_t encoding, uint64_t *ret);

#endif
