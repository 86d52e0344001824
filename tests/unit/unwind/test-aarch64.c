/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known on aarch64 of code that nothing describes, or that is described wrongly. */
#include <elf.h>

#include "cfi-image.h"

#define LINK  "sp+0 same same same 0"
#define FRAME "sp+16 c-16 same c-8 0"

#define NOP        0xd503201fu
#define LANDING    0xd503245fu /* bti c */
#define SIGN       0xd503233fu /* paciasp */
#define CHECK      0xd50323bfu /* autiasp */
#define PUSH_PLT   0xa9bf7bf0u /* stp x16, x30, [sp, #-16]! */
#define PUSH_FRAME 0xa9bf7bfdu /* stp x29, x30, [sp, #-16]! */
#define POP_FRAME  0xa8c17bfdu /* ldp x29, x30, [sp], #16 */
#define CALL       0x94000100u
#define RETURN     0xd65f03c0u

/* A file with that section, and a function far behind it. */
static struct unwind_image compile(const char *section, const uint32_t *code, uint32_t n)
{
  struct cfi cfi = cfi_new();

  CFI_FDE(&cfi, cfi_add_cie_aarch64(&cfi), 0x1000, 16, 0);
  return cfi_finish(&cfi,
                    &(struct cfi_elf){.machine = EM_AARCH64, .section = section, .code = code, .n_code = n});
}

#define COMPILE(section, ...)                                                                                \
  compile(section, (const uint32_t[]){__VA_ARGS__}, sizeof(const uint32_t[]){__VA_ARGS__} / 4)

/* The first stub pushes two registers for the resolver; the others leave the stack alone. */
static void test_plt(void)
{
  struct unwind_image image =
      COMPILE(".plt", LANDING, PUSH_PLT, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP, NOP);

  cfi_assert_rule(&image, 0, LINK);
  cfi_assert_rule(&image, 4, LINK);
  cfi_assert_rule(&image, 8, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 28, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 32, LINK);
  cfi_assert_rule(&image, 44, LINK);
  cfi_assert_rule(&image, 48, "none+0 same same same 0");
  unwind_image_clear(&image);
}

/* Of a program that is linked statically. */
static void test_plt_without_resolver(void)
{
  struct unwind_image image = COMPILE(".plt", NOP, NOP, NOP, NOP);

  cfi_assert_rule(&image, 0, LINK);
  cfi_assert_rule(&image, 12, LINK);
  unwind_image_clear(&image);
}

static void test_init(void)
{
  struct unwind_image image = COMPILE(".init", SIGN, PUSH_FRAME, NOP, CALL, POP_FRAME, CHECK, RETURN);

  cfi_assert_rule(&image, 4, LINK);
  cfi_assert_rule(&image, 8, FRAME);
  cfi_assert_rule(&image, 16, FRAME);
  cfi_assert_rule(&image, 20, LINK);
  cfi_assert_rule(&image, 24, LINK);
  unwind_image_clear(&image);
}

static void test_init_of_another_kind(void)
{
  struct unwind_image image = COMPILE(".init", NOP, NOP, CALL, RETURN);

  cfi_assert_rule(&image, 0, "none+0 same same same 0");
  unwind_image_clear(&image);
}

/* _dl_runtime_resolve of glibc 2.36: its description puts the return address above the CFA. */
static void test_return_address_above(void)
{
  struct cfi cfi = cfi_new();
  struct unwind_image image;

  CFI_FDE(&cfi, cfi_add_cie_aarch64(&cfi), 0, 16, 0x41, 0x11, 30, 0x7f, 0x41, 0x0e, 0xd0, 0x01);
  image = cfi_finish(&cfi, &(struct cfi_elf){.machine = EM_AARCH64});
  cfi_assert_rule(&image, 0, LINK);
  cfi_assert_rule(&image, 4, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 8, "sp+224 same same c-8 0");
  unwind_image_clear(&image);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/unwind/aarch64/plt", test_plt);
  g_test_add_func("/unwind/aarch64/plt-without-resolver", test_plt_without_resolver);
  g_test_add_func("/unwind/aarch64/init", test_init);
  g_test_add_func("/unwind/aarch64/init-of-another-kind", test_init_of_another_kind);
  g_test_add_func("/unwind/aarch64/return-address-above", test_return_address_above);
  return g_test_run();
}
