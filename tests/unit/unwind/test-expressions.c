/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trap 7: the expressions that occur in unwind information, and those that do not matter. */
#include "cfi-image.h"

static const struct cfi_elf usual = {0};

#define IMAGE_OF(...) image_of(CFI_BYTES(__VA_ARGS__))

static struct unwind_image image_of(const uint8_t *program, size_t size)
{
  struct cfi cfi = cfi_new();
  struct unwind_image image;

  cfi_add_fde(&cfi, cfi_add_cie(&cfi), 0, 64, program, size);
  image = cfi_finish(&cfi, &usual);
  g_assert_cmpuint(image.table->n_bad, ==, 0);
  return image;
}

/* The 11 bytes that linkers write for .plt (lit11) and .plt with IBT (lit10). */
static void test_plt(void)
{
  struct unwind_image image =
      IMAGE_OF(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22, 0x50, 0x0f, 11, 0x77, 8,
               0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x22, 0x50, 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f,
               0x1a, 0x3a, 0x2a, 0x33, 0x24, 0x1c);

  cfi_assert_rule(&image, 0, "plt+8/11 same same c-8 0");
  cfi_assert_rule(&image, 16, "plt+8/10 same same c-8 0");
  cfi_assert_rule(&image, 32, "unsupported+0 same same c-8 0");
  unwind_image_clear(&image);
}

/* glibc's __restore_rt: each register stands in the kernel's frame. */
#define GLIBC_SIGNAL                                                                                         \
  0x0f, 4, 0x77, 0xa0, 1, 6, 0x10, 6, 3, 0x77, 0xf8, 0, 0x10, 3, 3, 0x77, 0x80, 1, 0x10, 7, 3, 0x77, 0xa0,   \
      1, 0x10, 16, 3, 0x77, 0xa8, 1, 0x10, 12, 3, 0x77, 0xc8, 0

static void test_signal(void)
{
  static const uint8_t cie[] = {1, 'z', 'R', 'S', 0, 1, 0x78, 16, 1, 0x1b, 0};
  static const uint8_t program[] = {GLIBC_SIGNAL};
  struct cfi cfi = cfi_new();
  struct unwind_image image;

  cfi_add_record(&cfi, 0, cie, sizeof cie);
  cfi_add_fde(&cfi, 0, 0, 64, program, sizeof program);
  CFI_FDE(&cfi, 0, 64, 64, 0x0c, 7, 8, 0x90, 1);
  image = cfi_compile(&cfi, &usual);
  cfi_assert_rule(&image, 0, "signal+40 same same same 1");
  cfi_assert_rule(&image, 64, "sp+8 same same c-8 1");
  unwind_image_clear(&image);
  cfi_clear(&cfi);
}

/* What gcc writes where a function aligns its stack (dynamic realignment). */
static void test_drap(void)
{
  struct unwind_image image =
      IMAGE_OF(0x45, 0x0c, 10, 0, 0x41, 0x10, 6, 2, 0x76, 0, 0x41, 0x0f, 3, 0x76, 0x78, 6, 0x10, 3, 2, 0x76,
               0x70, 0x41, 0x0c, 10, 0, 0x41, 0x0c, 7, 8, 0xc6, 0xc3);

  cfi_assert_rule(&image, 5, "register+0/10 same same c-8 0");
  cfi_assert_rule(&image, 6, "register+0/10 f+0 same c-8 8");
  cfi_assert_rule(&image, 7, "fp-deref-8 f+0 f-16 c-8 8");
  cfi_assert_rule(&image, 8, "register+0/10 f+0 f-16 c-8 8");
  cfi_assert_rule(&image, 9, "sp+8 same same c-8 0");
  unwind_image_clear(&image);
}

/* OpenSSL keeps the old stack pointer on the stack; libgcrypt restores registers beside it. */
static void test_deref(void)
{
  struct unwind_image image = IMAGE_OF(0x0f, 6, 0x77, 0x98, 1, 6, 0x23, 8, 0x86, 2, 0x41, 0x0f, 3, 0x77, 0x78,
                                       6, 0x41, 0x10, 6, 3, 0x77, 0xa0, 1, 0x10, 3, 3, 0x77, 0xa8, 1, 0x41,
                                       0x86, 2, 0x41, 0x0c, 7, 16, 0x10, 6, 2, 0x77, 8);

  cfi_assert_rule(&image, 0, "sp-deref+152+8 c-16 same c-8 0");
  cfi_assert_rule(&image, 1, "sp-deref-8 c-16 same c-8 0");
  cfi_assert_rule(&image, 2, "sp-deref-8 s+160 s+168 c-8 16");
  cfi_assert_rule(&image, 3, "sp-deref-8 c-16 unsupported c-8 0");
  cfi_assert_rule(&image, 4, "sp+16 c-8 c+152 c-8 0");
  unwind_image_clear(&image);
}

/* The offset that was in force before an expression is so again when a register follows (libgcrypt). */
static void test_offset_outlives_expression(void)
{
  struct unwind_image image = IMAGE_OF(0x0e, 56, 0x41, 0x0d, 0, 0x41, 0x0f, 4, 0x77, 0x98, 1, 6, 0x0a, 0x41,
                                       0x0d, 7, 0x41, 0x0b, 0x0e, 24, 0x41, 0x0d, 7);

  cfi_assert_rule(&image, 0, "sp+56 same same c-8 0");
  cfi_assert_rule(&image, 1, "register+56/0 same same c-8 0");
  g_assert_cmpuint(cfi_find(&image, 2)->cfa, ==, UNWIND_CFA_SP_DEREF);
  cfi_assert_rule(&image, 3, "sp+56 same same c-8 0");
  g_assert_cmpuint(cfi_find(&image, 4)->cfa, ==, UNWIND_CFA_SP_DEREF);
  cfi_assert_rule(&image, 5, "sp+24 same same c-8 0");
  unwind_image_clear(&image);
}

/* A register and an offset, as an expression; others in the same words as the instructions that say it
 * shorter. */
static void test_simple(void)
{
  struct unwind_image image =
      IMAGE_OF(0x0f, 2, 0x77, 16, 0x41, 0x0f, 2, 0x76, 16, 0x86, 2, 0x41, 0x0f, 2, 0x73, 8, 0x41, 0x0f, 2,
               0x70, 8, 0x41, 0x0f, 3, 0x92, 7, 24, 0x41, 0x0c, 6, 32, 0x10, 6, 2, 0x76, 0x00);

  cfi_assert_rule(&image, 0, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 1, "fp+16 c-16 same c-8 4");
  cfi_assert_rule(&image, 2, "base+8 c-16 same c-8 0");
  cfi_assert_rule(&image, 3, "register+8/0 c-16 same c-8 0");
  cfi_assert_rule(&image, 4, "sp+24 c-16 same c-8 0");
  cfi_assert_rule(&image, 5, "fp+32 c-32 same c-8 0");
  unwind_image_clear(&image);
}

/* What is done to r12 is of no interest; what is not understood of rbp or the CFA is said so. */
static void test_others(void)
{
  struct unwind_image image =
      IMAGE_OF(0x10, 12, 9, 0x38, 0x1c, 0x0d, 0xe0, 0xff, 0xff, 0xff, 0x1a, 0x22, 0x16, 13, 1, 0x30, 0x41,
               0x10, 3, 2, 0x38, 0x1c, 0x41, 0x16, 6, 2, 0x77, 8, 0x41, 0x14, 6, 2, 0x14, 14, 2, 0x41, 0x0f,
               5, 0x77, 8, 0x79, 0, 0x22);

  cfi_assert_rule(&image, 0, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 1, "sp+8 same unsupported c-8 0");
  cfi_assert_rule(&image, 2, "sp+8 unsupported unsupported c-8 0");
  cfi_assert_rule(&image, 3, "sp+8 unsupported unsupported c-8 0");
  cfi_assert_rule(&image, 4, "unsupported+0 unsupported unsupported c-8 0");
  unwind_image_clear(&image);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/unwind/expressions/plt", test_plt);
  g_test_add_func("/unwind/expressions/signal", test_signal);
  g_test_add_func("/unwind/expressions/drap", test_drap);
  g_test_add_func("/unwind/expressions/deref", test_deref);
  g_test_add_func("/unwind/expressions/offset-outlives", test_offset_outlives_expression);
  g_test_add_func("/unwind/expressions/simple", test_simple);
  g_test_add_func("/unwind/expressions/others", test_others);
  return g_test_run();
}
