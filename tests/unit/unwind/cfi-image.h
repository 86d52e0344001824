/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ELF files made by hand, byte by byte, that hold nothing but unwind information. */
#ifndef CFI_IMAGE_H
#define CFI_IMAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#include "unwind/unwind-compile.h"

/* Where the files have their code, and how much. */
#define CODE_START  0x100000u
#define CODE_SIZE   0x4000000u
#define CODE_OFFSET 0x2000u

/* Where .eh_frame stands, in the file and in memory. */
#define FRAME_START 0x1000u

struct cfi {
  GByteArray *bytes;
  bool debug; /* .debug_frame */
};

/* What may be unusual of a file; all zero is an x86-64 file with section headers and no search table. */
struct cfi_elf {
  uint16_t machine;
  bool stripped;          /* no section headers */
  bool search_table;      /* .eh_frame_hdr */
  uint32_t section_type;  /* of .eh_frame, SHT_PROGBITS when 0 */
  uint64_t section_flags; /* of .debug_frame */
  uint64_t entry;
  const char *section; /* one more, of instructions at CODE_START */
  const uint32_t *code;
  uint32_t n_code;
};

struct cfi cfi_new(void);
struct cfi cfi_new_debug(void);
void cfi_clear(struct cfi *cfi);

void cfi_add(struct cfi *cfi, const void *bytes, size_t size);
/* A record: length, `id` and what follows, filled up with DW_CFA_nop. Returns its offset. */
uint32_t cfi_add_record(struct cfi *cfi, uint32_t id, const void *bytes, size_t size);
/* Version 1, code alignment 1, data alignment -8, "zR" with addresses relative to themselves, the return
 * address at CFA - 8 and the CFA sp + 8. Of aarch64: version 1, CFA sp + 0. */
uint32_t cfi_add_cie(struct cfi *cfi);
uint32_t cfi_add_cie_aarch64(struct cfi *cfi);
/* A function at CODE_START + start, with that CIE. */
void cfi_add_fde(struct cfi *cfi, uint32_t cie, uint64_t start, uint32_t size, const void *program,
                 size_t program_size);
/* As two arguments: the bytes, and how many they are. */
#define CFI_BYTES(...)                                                                                       \
  (const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[])                                                    \
  {                                                                                                          \
    __VA_ARGS__                                                                                              \
  }
#define CFI_FDE(cfi, cie, start, size, ...) cfi_add_fde(cfi, cie, start, size, CFI_BYTES(__VA_ARGS__))

GBytes *cfi_to_elf(const struct cfi *cfi, const struct cfi_elf *how);

/* Compiles, checks that the table is valid, and frees the file. */
struct unwind_image cfi_compile(const struct cfi *cfi, const struct cfi_elf *how);
/* The same, and what it was made of is cleared. */
struct unwind_image cfi_finish(struct cfi *cfi, const struct cfi_elf *how);
int cfi_try_compile(const struct cfi *cfi, const struct cfi_elf *how, struct unwind_image *ret);

/* The rule at CODE_START + place. */
const struct unwind_rule *cfi_find(const struct unwind_image *image, uint64_t place);

/* Asserts a rule as tests/unit/unwind/dump-table shows it, but for the address: "sp+16 c-16 same c-8 0". */
void cfi_assert_rule(const struct unwind_image *image, uint64_t place, const char *text);

#endif
