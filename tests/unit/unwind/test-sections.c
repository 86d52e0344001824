/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How descriptions stand in a file: encodings, versions, lengths, order, damage, and where the section is
 * found. */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "cfi-image.h"

#define NOTHING  "none+0 same same same 0"
#define AT_START "sp+8 same same c-8 0"

static const struct cfi_elf usual = {0};

/* A function with a CIE of its own, whose addresses are encoded as the test says. */
static void add_encoded(struct cfi *cfi, uint8_t encoding, const void *address, const void *range,
                        size_t size)
{
  const uint8_t cie[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, encoding, 0x0c, 7, 8, 0x90, 1};
  g_autoptr(GByteArray) body = g_byte_array_new();
  uint32_t offset = cfi_add_record(cfi, 0, cie, sizeof cie), here = cfi->bytes->len;

  g_byte_array_append(body, address, (guint)size);
  g_byte_array_append(body, range, (guint)size);
  g_byte_array_append(body, (const guint8 *)"\0\x42\x0e\x10", 4);
  cfi_add_record(cfi, here + 4 - offset, body->data, body->len);
}

/* Where the address of the next function but one record stands. */
static uint64_t next_address(const struct cfi *cfi)
{
  return FRAME_START + cfi->bytes->len + 24 + 8;
}

/* Trap 4: the base counts for the address alone, the format for both. */
static void test_encodings(void)
{
  struct cfi cfi = cfi_new();
  uint64_t wide = CODE_START, relative, range = 16;
  uint32_t narrow = CODE_START + 0x100;
  struct unwind_image image;

  add_encoded(&cfi, 0x00, &wide, &range, 8);
  add_encoded(&cfi, 0x03, &narrow, &range, 4);
  narrow = (uint32_t)(CODE_START + 0x200 - next_address(&cfi));
  add_encoded(&cfi, 0x1b, &narrow, &range, 4);
  relative = CODE_START + 0x300 - next_address(&cfi);
  add_encoded(&cfi, 0x1c, &relative, &range, 8);
  relative = CODE_START + 0x400 - next_address(&cfi);
  add_encoded(&cfi, 0x10, &relative, &range, 8);
  add_encoded(&cfi, 0x30, &relative, &range, 8); /* relative to data: there is none to know */
  add_encoded(&cfi, 0x9b, &narrow, &range, 4);   /* where the address is stored */
  image = cfi_finish(&cfi, &usual);
  for (uint64_t start = 0; start < 0x500; start += 0x100) {
    cfi_assert_rule(&image, start, AT_START);
    cfi_assert_rule(&image, start + 2, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, start + 15, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, start + 16, NOTHING);
  }
  g_assert_cmpuint(image.table->n_bad, ==, 2);
  unwind_image_clear(&image);
}

/* Trap 5. */
static void test_versions(void)
{
  static const uint8_t version_3[] = {3, 'z', 'R', 0, 1, 0x78, 0x90, 0, 1, 0x1b, 0x0c, 7, 8, 0x90, 1};
  static const uint8_t version_4[] = {4, 'z', 'R', 0, 8, 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1};
  static const uint8_t letters[] = {1, 'z', 'P', 'L', 'R',  'S',  0,    1, 0x78, 16,   7, 0x9b,
                                    1, 2,   3,   4,   0x1b, 0x1b, 0x0c, 7, 8,    0x90, 1};
  static const uint8_t version_2[] = {2, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1};
  static const uint8_t column[] = {1, 'z', 'R', 0, 1, 0x78, 17, 1, 0x1b, 0x0c, 7, 8, 0x91, 1};
  struct cfi cfi = cfi_new();
  struct unwind_image image;

  CFI_FDE(&cfi, cfi_add_record(&cfi, 0, version_3, sizeof version_3), 0, 16, 0);
  CFI_FDE(&cfi, cfi_add_record(&cfi, 0, version_4, sizeof version_4), 16, 16, 0);
  CFI_FDE(&cfi, cfi_add_record(&cfi, 0, letters, sizeof letters), 32, 16, 0);
  CFI_FDE(&cfi, cfi_add_record(&cfi, 0, version_2, sizeof version_2), 48, 16, 0);
  CFI_FDE(&cfi, cfi_add_record(&cfi, 0, column, sizeof column), 64, 16, 0);
  image = cfi_finish(&cfi, &usual);
  cfi_assert_rule(&image, 0, AT_START);
  cfi_assert_rule(&image, 16, AT_START);
  cfi_assert_rule(&image, 32, "sp+8 same same c-8 1");
  cfi_assert_rule(&image, 48, NOTHING);
  g_assert_cmpuint(image.table->n_bad, ==, 2);
  unwind_image_clear(&image);
}

/* Trap 5: a length of 64 bits; in .debug_frame the CIE's offset is as wide then. */
static void test_wide_lengths(void)
{
  static const uint8_t cie[] = {0xff, 0xff, 0xff, 0xff, 24,   0,    0,    0,    0, 0, 0, 0,
                                0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 4, 0, 8, 0,
                                1,    0x78, 16,   0x0c, 7,    8,    0x90, 1,    0, 0, 0, 0};
  struct cfi cfi = cfi_new_debug();
  uint64_t length = 28, zero = 0, start = CODE_START, range = 16;
  struct unwind_image image;

  cfi_add(&cfi, cie, sizeof cie);
  cfi_add(&cfi, "\xff\xff\xff\xff", 4);
  cfi_add(&cfi, &length, 8);
  cfi_add(&cfi, &zero, 8);
  cfi_add(&cfi, &start, 8);
  cfi_add(&cfi, &range, 8);
  cfi_add(&cfi, "\x42\x0e\x10\0", 4);
  image = cfi_finish(&cfi, &usual);
  cfi_assert_rule(&image, 1, AT_START);
  cfi_assert_rule(&image, 2, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 16, NOTHING);
  unwind_image_clear(&image);
}

/* Three functions; how the second one is damaged is the test's. Returns where its record stands. */
static uint32_t add_three(struct cfi *cfi)
{
  uint32_t cie = cfi_add_cie(cfi), second;

  CFI_FDE(cfi, cie, 0, 16, 0x41, 0x0e, 16);
  second = cfi->bytes->len;
  CFI_FDE(cfi, cie, 16, 16, 0x41, 0x0e, 24);
  CFI_FDE(cfi, cie, 32, 16, 0x41, 0x0e, 32);
  return second;
}

/* Trap 6: with the linker's table and without, whatever is damaged of one function costs that one. */
static void test_damage(void)
{
  static const struct {
    uint32_t at;
    uint8_t byte;
  } damages[] = {{0, 0xf1}, {1, 0xff}, {3, 0x80}, {4, 0x99}, {7, 0x40}, {15, 0x80}, {16, 0x70}, {18, 0x3e}};

  for (size_t i = 0; i < 2 * G_N_ELEMENTS(damages); i++) {
    struct cfi cfi = cfi_new();
    uint32_t second = add_three(&cfi);
    struct cfi_elf how = {.search_table = i % 2 == 1};
    struct unwind_image image;

    if (how.search_table && damages[i / 2].at < 4)
      how.search_table = false; /* the table is made of the lengths */
    cfi.bytes->data[second + damages[i / 2].at] = damages[i / 2].byte;
    image = cfi_finish(&cfi, &how);
    g_assert_cmpuint(image.table->n_bad, >=, 1);
    cfi_assert_rule(&image, 0, AT_START);
    cfi_assert_rule(&image, 1, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, 17, NOTHING);
    cfi_assert_rule(&image, 32, AT_START);
    cfi_assert_rule(&image, 33, "sp+32 same same c-8 0");
    unwind_image_clear(&image);
  }
}

/* Trap 6: a length of zero in the middle, as of a C library's crtend.o that was not linked last. */
static void test_zero_length(void)
{
  for (int i = 0; i < 2; i++) {
    struct cfi cfi = cfi_new();
    uint32_t cie = cfi_add_cie(&cfi);
    struct unwind_image image;

    CFI_FDE(&cfi, cie, 0, 16, 0);
    if (i == 0)
      cfi_add(&cfi, "\0\0\0\0", 4);
    CFI_FDE(&cfi, cie, 16, 16, 0x41, 0x0e, 16);
    cfi_add(&cfi, "\0\0\0\0", 4);
    image = cfi_finish(&cfi, &usual);
    cfi_assert_rule(&image, 0, AT_START);
    cfi_assert_rule(&image, 17, "sp+16 same same c-8 0");
    g_assert_cmpuint(image.table->n_bad, ==, 0);
    unwind_image_clear(&image);
  }
}

/* Trap 9: in any order, with gaps, and of address zero. */
static void test_order(void)
{
  struct cfi cfi = cfi_new();
  uint32_t cie = cfi_add_cie(&cfi);
  struct unwind_image image;

  CFI_FDE(&cfi, cie, 96, 16, 0x41, 0x0e, 96);
  CFI_FDE(&cfi, cie, -(uint64_t)CODE_START, 64, 0x41, 0x0e, 16);
  CFI_FDE(&cfi, cie, 0, 16, 0x41, 0x0e, 16);
  CFI_FDE(&cfi, cie, 0x30000, 16, 0x41, 0x0e, 48);
  CFI_FDE(&cfi, cie, 16, 16, 0x41, 0x0e, 24);
  CFI_FDE(&cfi, cie, 48, 0, 0x41, 0x0e, 24);
  image = cfi_finish(&cfi, &usual);
  g_assert_cmpuint(image.table->n_bad, ==, 0);
  cfi_assert_rule(&image, 15, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 31, "sp+24 same same c-8 0");
  cfi_assert_rule(&image, 32, NOTHING);
  cfi_assert_rule(&image, 48, NOTHING);
  cfi_assert_rule(&image, 95, NOTHING);
  cfi_assert_rule(&image, 97, "sp+96 same same c-8 0");
  cfi_assert_rule(&image, 112, NOTHING);
  cfi_assert_rule(&image, 0x2ffff, NOTHING);
  cfi_assert_rule(&image, 0x30001, "sp+48 same same c-8 0");
  cfi_assert_rule(&image, 0x30010, NOTHING);
  cfi_assert_rule(&image, -(uint64_t)1, NOTHING);
  cfi_assert_rule(&image, -(uint64_t)CODE_START, NOTHING);
  unwind_image_clear(&image);
}

/* Trap 9: inside of another function the inner one holds, and behind it the outer one again. */
static void test_overlap(void)
{
  for (int i = 0; i < 2; i++) {
    struct cfi cfi = cfi_new();
    uint32_t cie = cfi_add_cie(&cfi);
    struct unwind_image image;

    CFI_FDE(&cfi, cie, 0, 64, 0x44, 0x0e, 16, 0x60, 0x0e, 24);
    CFI_FDE(&cfi, cie, 16, 8, 0x44, 0x0e, 80);
    CFI_FDE(&cfi, cie, 30, 2, 0x0e, 88);
    CFI_FDE(&cfi, cie, 60, 16, 0x0e, 96);
    image = cfi_finish(&cfi, &(struct cfi_elf){.search_table = i == 1});
    g_assert_cmpuint(image.table->n_bad, ==, 0);
    cfi_assert_rule(&image, 4, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, 15, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, 16, AT_START);
    cfi_assert_rule(&image, 20, "sp+80 same same c-8 0");
    cfi_assert_rule(&image, 24, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, 30, "sp+88 same same c-8 0");
    cfi_assert_rule(&image, 32, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, 36, "sp+24 same same c-8 0");
    cfi_assert_rule(&image, 59, "sp+24 same same c-8 0");
    cfi_assert_rule(&image, 60, "sp+96 same same c-8 0");
    cfi_assert_rule(&image, 75, "sp+96 same same c-8 0");
    cfi_assert_rule(&image, 76, NOTHING);
    unwind_image_clear(&image);
  }
}

/* Trap 12: by the program headers alone, by the section headers alone, and by neither (a stripped static
 * program). */
static void test_stripped(void)
{
  for (int i = 0; i < 4; i++) {
    struct cfi cfi = cfi_new();
    struct unwind_image image;

    add_three(&cfi);
    cfi_add(&cfi, "\0\0\0\0", 4);
    image = cfi_finish(&cfi, &(struct cfi_elf){.stripped = i & 1, .search_table = i & 2});
    cfi_assert_rule(&image, 1, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, 17, "sp+24 same same c-8 0");
    cfi_assert_rule(&image, 33, "sp+32 same same c-8 0");
    cfi_assert_rule(&image, 48, NOTHING);
    g_assert_cmpuint(image.table->n_bad, ==, 0);
    unwind_image_clear(&image);
  }
}

/* A search table that leaves a function out, or is not in order, is not believed. */
static void test_wrong_search_table(void)
{
  for (int i = 0; i < 2; i++) {
    struct cfi cfi = cfi_new();
    g_autoptr(GBytes) elf = NULL;
    g_autofree uint8_t *bytes = NULL;
    struct unwind_image image = {0};
    uint32_t at, n = 2;
    size_t size;

    add_three(&cfi);
    elf = cfi_to_elf(&cfi, &(struct cfi_elf){.search_table = true});
    bytes = g_memdup2(g_bytes_get_data(elf, NULL), size = g_bytes_get_size(elf));
    at = FRAME_START + ((cfi.bytes->len + 7) & ~7u);
    if (i == 0)
      memcpy(bytes + at + 8, &n, sizeof n);
    else
      memmove(bytes + at + 12, bytes + at + 20, 8);
    g_assert_cmpint(unwind_compile(bytes, size, &image), ==, 0);
    cfi_assert_rule(&image, 1, "sp+16 same same c-8 0");
    cfi_assert_rule(&image, 17, "sp+24 same same c-8 0");
    cfi_assert_rule(&image, 33, "sp+32 same same c-8 0");
    unwind_image_clear(&image);
    cfi_clear(&cfi);
  }
}

/* Trap 12: in a file of debugging information .eh_frame takes no room. */
static void test_no_bits(void)
{
  struct unwind_image image = {0};
  struct cfi cfi = cfi_new();

  add_three(&cfi);
  g_assert_cmpint(cfi_try_compile(&cfi, &(struct cfi_elf){.section_type = SHT_NOBITS}, &image), ==, -ENODATA);
  cfi_clear(&cfi);
}

static void test_debug_frame(void)
{
  struct cfi cfi = cfi_new_debug();
  struct unwind_image image;

  add_three(&cfi);
  image = cfi_finish(&cfi, &usual);
  cfi_assert_rule(&image, 1, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 33, "sp+32 same same c-8 0");
  cfi_assert_rule(&image, 48, NOTHING);
  unwind_image_clear(&image);
}

/* The section's content as it stands in a file: a header, and what comes out of the compressor. */
static void compress_section(struct cfi *cfi, uint32_t type)
{
  Elf64_Chdr header = {.ch_type = type, .ch_size = cfi->bytes->len, .ch_addralign = 8};
  uint8_t out[4096];
  uLongf size = sizeof out;

  if (type == ELFCOMPRESS_ZLIB)
    g_assert_cmpint(compress(out, &size, cfi->bytes->data, cfi->bytes->len), ==, Z_OK);
  else
    size = ZSTD_compress(out, sizeof out, cfi->bytes->data, cfi->bytes->len, 1);
  g_byte_array_set_size(cfi->bytes, 0);
  cfi_add(cfi, &header, sizeof header);
  cfi_add(cfi, out, size);
}

static void test_compressed(void)
{
  for (uint32_t type = 1; type <= 3; type++) {
    const struct cfi_elf how = {.section_flags = SHF_COMPRESSED};
    struct cfi cfi = cfi_new_debug();
    struct unwind_image image = {0};

    add_three(&cfi);
    compress_section(&cfi, type);
    if (type == 3) {
      g_assert_cmpint(cfi_try_compile(&cfi, &how, &image), ==, -ENODATA);
      cfi_clear(&cfi);
      return;
    }
    image = cfi_compile(&cfi, &how);
    cfi_assert_rule(&image, 17, "sp+24 same same c-8 0");
    unwind_image_clear(&image);
    cfi.bytes->data[sizeof(Elf64_Chdr) + 6] ^= 0xff;
    g_assert_cmpint(cfi_try_compile(&cfi, &how, &image), ==, -EBADMSG);
    memset(cfi.bytes->data + 8, 0x7f, 4); /* a size that nothing has */
    g_assert_cmpint(cfi_try_compile(&cfi, &how, &image), ==, -EBADMSG);
    cfi_clear(&cfi);
  }
}

static void test_refused(void)
{
  struct unwind_image image = {0};
  struct cfi cfi = cfi_new();
  g_autoptr(GBytes) elf = NULL;
  const uint8_t *bytes;
  size_t size;

  g_assert_cmpint(cfi_try_compile(&cfi, &(struct cfi_elf){.machine = EM_RISCV}, &image), ==, -ENOEXEC);
  g_assert_cmpint(cfi_try_compile(&cfi, &usual, &image), ==, -ENODATA);
  add_three(&cfi);
  elf = cfi_to_elf(&cfi, &usual);
  bytes = g_bytes_get_data(elf, &size);
  g_assert_cmpint(unwind_compile(bytes, 63, &image), ==, -ENOEXEC);
  g_assert_cmpint(unwind_compile("#!/bin/sh\n", 10, &image), ==, -ENOEXEC);
  g_assert_null(image.table);
  for (size_t cut = 64; cut < size; cut++) { /* wherever it is cut off */
    if (unwind_compile(bytes, cut, &image) == 0)
      unwind_image_clear(&image);
  }
  cfi_clear(&cfi);
}

/* The code a program begins with is a root where nothing describes it, also right behind a function. */
static void test_entry(void)
{
  for (uint64_t entry = 48; entry <= 56; entry += 8) {
    struct cfi cfi = cfi_new();
    struct unwind_image image;

    add_three(&cfi);
    image = cfi_finish(&cfi, &(struct cfi_elf){.entry = CODE_START + entry});
    g_assert_cmpuint(UNWIND_SAVED_RA(cfi_find(&image, entry)->saved), ==, UNWIND_SAVED_UNDEFINED);
    cfi_assert_rule(&image, 47, "sp+32 same same c-8 0");
    cfi_assert_rule(&image, entry - 1, entry == 48 ? "sp+32 same same c-8 0" : NOTHING);
    cfi_assert_rule(&image, 4096, NOTHING);
    unwind_image_clear(&image);
  }
}

/* Trap 29. */
static void test_million_rows(void)
{
  const uint32_t n = 1200000;
  g_autofree uint8_t *program = g_malloc(3 * n);
  struct cfi cfi = cfi_new();
  struct unwind_image image;

  for (uint32_t i = 0; i < n; i++)
    memcpy(program + 3 * i, (const uint8_t[]){0x40 | 16, 0x0e, i % 2 ? 8 : 16}, 3);
  cfi_add_fde(&cfi, cfi_add_cie(&cfi), 0, 16 * n + 16, program, 3 * n);
  image = cfi_finish(&cfi, &usual);
  g_assert_cmpuint(image.table->n_rows, ==, n + 2);
  g_assert_cmpuint(image.table->size, <, 5 * image.table->n_rows);
  for (uint32_t i = 0; i < n; i += 997)
    cfi_assert_rule(&image, 16 * i + 5, i % 2 ? "sp+16 same same c-8 0" : "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 16 * (uint64_t)n + 16, NOTHING);
  unwind_image_clear(&image);
}

/* Functions inside of functions inside of functions … may not cost the square of their number, nor may
 * damaged ones. */
static void test_bounded_work(void)
{
  for (int i = 0; i < 2; i++) {
    struct unwind_image image = {0};
    struct cfi cfi = cfi_new();
    uint32_t cie = cfi_add_cie(&cfi);

    for (uint32_t k = 0; k < 50000; k++)
      CFI_FDE(&cfi, cie, k, CODE_SIZE / 2, 0x04, 0, 0, 0, 1, 0x0e, 16, i ? 0x3f : 0x00);
    cfi_try_compile(&cfi, &usual, &image);
    unwind_image_clear(&image);
    cfi_clear(&cfi);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/unwind/sections/encodings", test_encodings);
  g_test_add_func("/unwind/sections/versions", test_versions);
  g_test_add_func("/unwind/sections/wide-lengths", test_wide_lengths);
  g_test_add_func("/unwind/sections/damage", test_damage);
  g_test_add_func("/unwind/sections/zero-length", test_zero_length);
  g_test_add_func("/unwind/sections/order", test_order);
  g_test_add_func("/unwind/sections/overlap", test_overlap);
  g_test_add_func("/unwind/sections/stripped", test_stripped);
  g_test_add_func("/unwind/sections/wrong-search-table", test_wrong_search_table);
  g_test_add_func("/unwind/sections/no-bits", test_no_bits);
  g_test_add_func("/unwind/sections/debug-frame", test_debug_frame);
  g_test_add_func("/unwind/sections/compressed", test_compressed);
  g_test_add_func("/unwind/sections/refused", test_refused);
  g_test_add_func("/unwind/sections/entry", test_entry);
  g_test_add_func("/unwind/sections/million-rows", test_million_rows);
  g_test_add_func("/unwind/sections/bounded-work", test_bounded_work);
  return g_test_run();
}
