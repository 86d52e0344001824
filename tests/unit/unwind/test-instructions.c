/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What single instructions of unwind information mean, row by row. Byte 0x4N moves on by N; 0x0e, n sets the
 * CFA's offset. */
#include <elf.h>

#include "cfi-image.h"

#define NOTHING "none+0 same same same 0"

static const struct cfi_elf usual = {0};

/* An image of one function of 64 bytes. */
#define IMAGE_OF(...) image_of(CFI_BYTES(__VA_ARGS__))

static struct unwind_image image_of(const uint8_t *program, size_t size)
{
  struct cfi cfi = cfi_new();

  cfi_add_fde(&cfi, cfi_add_cie(&cfi), 0, 64, program, size);
  CFI_FDE(&cfi, 0, 128, 64, 0x44, 0x0e, 48); /* one that can be compiled in any case */
  return cfi_finish(&cfi, &usual);
}

static void test_rows(void)
{
  struct unwind_image image =
      IMAGE_OF(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x0a, 0x50, 0x0c, 7, 8, 0xc6, 0x41, 0x0b);

  cfi_assert_rule(&image, 0, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 1, "sp+16 c-16 same c-8 0");
  cfi_assert_rule(&image, 3, "sp+16 c-16 same c-8 0");
  cfi_assert_rule(&image, 4, "fp+16 c-16 same c-8 4");
  cfi_assert_rule(&image, 19, "fp+16 c-16 same c-8 4");
  cfi_assert_rule(&image, 20, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 21, "fp+16 c-16 same c-8 4");
  cfi_assert_rule(&image, 63, "fp+16 c-16 same c-8 4");
  cfi_assert_rule(&image, 64, NOTHING);
  cfi_assert_rule(&image, 131, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 132, "sp+48 same same c-8 0");
  g_assert_cmpuint(image.table->n_bad, ==, 0);
  unwind_image_clear(&image);
}

/* What begins like a move with a CFA offset behind it, and is none: rax is stored, or the move is by nothing.
 */
static void test_no_push(void)
{
  struct unwind_image image =
      IMAGE_OF(0x41, 0x0e, 16, 0x80, 0x0e, 0x48, 0x0e, 24, 0x40, 0x0e, 32, 0x42, 0x0e, 8);

  cfi_assert_rule(&image, 0, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 8, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 9, "sp+32 same same c-8 0");
  cfi_assert_rule(&image, 11, "sp+8 same same c-8 0");
  g_assert_cmpuint(image.table->n_bad, ==, 0);
  unwind_image_clear(&image);
}

/* What was noted when it occurred first holds the second time, and a register may be stored at the CFA
 * itself, which is where noting that it is restored stands. */
static void test_second_time(void)
{
  struct unwind_image image = IMAGE_OF(0x41, 0x86, 2, 0x41, 0xc6, 0x41, 0x86, 2, 0x41, 0xc6, 0x41, 0x86, 0,
                                       0x41, 0xc6, 0x41, 0x86, 0, 0x41, 0xd0, 0xc6);

  for (uint64_t place = 0; place < 4; place += 2) {
    cfi_assert_rule(&image, place, "sp+8 same same c-8 0");
    cfi_assert_rule(&image, place + 1, "sp+8 c-16 same c-8 0");
    cfi_assert_rule(&image, place + 4, "sp+8 same same c-8 0");
    cfi_assert_rule(&image, place + 5, "sp+8 c+0 same c-8 0");
  }
  cfi_assert_rule(&image, 8, "sp+8 same same c-8 0");
  unwind_image_clear(&image);
}

/* Offsets that groups have no place for are remembered too. */
static void test_far_offsets(void)
{
  struct unwind_image image =
      IMAGE_OF(0x0e, 0xd8, 4, 0x0a, 0x41, 0x0e, 0xf8, 3, 0x0a, 0x41, 0x0e, 0xf0, 3, 0x41, 0x0b, 0x41, 0x0b);

  cfi_assert_rule(&image, 0, "sp+600 same same c-8 0");
  cfi_assert_rule(&image, 1, "sp+504 same same c-8 0");
  cfi_assert_rule(&image, 2, "sp+496 same same c-8 0");
  cfi_assert_rule(&image, 3, "sp+504 same same c-8 0");
  cfi_assert_rule(&image, 4, "sp+600 same same c-8 0");
  unwind_image_clear(&image);
}

/* Trap 1: restore goes back to what the CIE says, not to the state before. */
static void test_restore(void)
{
  struct unwind_image image =
      IMAGE_OF(0x41, 0x86, 2, 0x41, 0x86, 3, 0x83, 4, 0x41, 0xc6, 0x41, 0x06, 3, 0x41, 0x90, 5, 0x41, 0xd0);

  cfi_assert_rule(&image, 1, "sp+8 c-16 same c-8 0");
  cfi_assert_rule(&image, 2, "sp+8 c-24 c-32 c-8 0");
  cfi_assert_rule(&image, 3, "sp+8 same c-32 c-8 0");
  cfi_assert_rule(&image, 4, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 5, "sp+8 same same c-40 0");
  cfi_assert_rule(&image, 6, "sp+8 same same c-8 0");
  unwind_image_clear(&image);
}

/* Trap 1: remembering saves the CFA too, and more than once. */
static void test_remember(void)
{
  struct unwind_image image = IMAGE_OF(0x0e, 16, 0x0a, 0x41, 0x0e, 24, 0x0a, 0x41, 0x0c, 6, 32, 0x0a, 0x41,
                                       0x83, 3, 0x0d, 3, 0x41, 0x0b, 0x41, 0x0b, 0x41, 0x0b);

  cfi_assert_rule(&image, 0, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 1, "sp+24 same same c-8 0");
  cfi_assert_rule(&image, 2, "fp+32 same same c-8 0");
  cfi_assert_rule(&image, 3, "base+32 same c-24 c-8 0");
  cfi_assert_rule(&image, 4, "fp+32 same same c-8 0");
  cfi_assert_rule(&image, 5, "sp+24 same same c-8 0");
  cfi_assert_rule(&image, 6, "sp+16 same same c-8 0");
  unwind_image_clear(&image);
}

/* However many states are remembered, it costs no more than the function; what is restored must have been
 * remembered. */
static void test_state_stack(void)
{
  uint8_t program[300];
  struct unwind_image image;

  memset(program, 0x0a, 60);
  memset(program + 60, 0x0b, 60);
  image = image_of(program, 120);
  g_assert_cmpuint(image.table->n_bad, ==, 0);
  unwind_image_clear(&image);

  memset(program, 0x0a, sizeof program);
  image = image_of(program, sizeof program);
  g_assert_cmpuint(image.table->n_bad, ==, 1);
  cfi_assert_rule(&image, 0, NOTHING);
  cfi_assert_rule(&image, 132, "sp+48 same same c-8 0");
  unwind_image_clear(&image);

  image = IMAGE_OF(0x0a, 0x0b, 0x0b);
  g_assert_cmpuint(image.table->n_bad, ==, 1);
  unwind_image_clear(&image);
}

/* Traps 2 and 3. */
static void test_undefined(void)
{
  struct unwind_image image = IMAGE_OF(0x41, 0x07, 6, 0x07, 3, 0x41, 0x08, 6, 0x08, 3, 0x41, 0x07, 16);

  cfi_assert_rule(&image, 0, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 1, "sp+8 undefined undefined c-8 0");
  cfi_assert_rule(&image, 2, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 3, "sp+8 same same undefined 0");
  unwind_image_clear(&image);
}

/* Trap 3: on x86-64 no rule for the return address is no way to a caller. */
static void test_no_return_address(void)
{
  static const uint8_t cie[] = {1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8};
  struct cfi cfi = cfi_new();
  struct unwind_image image;

  cfi_add_record(&cfi, 0, cie, sizeof cie);
  CFI_FDE(&cfi, 0, 0, 64, 0);
  image = cfi_compile(&cfi, &usual);
  cfi_assert_rule(&image, 0, "sp+8 same same undefined 0");
  unwind_image_clear(&image);
  cfi_clear(&cfi);
}

static void test_advances(void)
{
  struct cfi cfi = cfi_new();
  struct unwind_image image;

  CFI_FDE(&cfi, cfi_add_cie(&cfi), 0, 0x200000, 0x02, 0xff, 0x0e, 16, 0x03, 0x01, 0x80, 0x0e, 24, 0x04, 0, 0,
          0x10, 0, 0x0e, 32, 0x1d, 0x05, 0, 0, 0, 0, 0, 0, 0, 0x0e, 40);
  image = cfi_compile(&cfi, &usual);
  cfi_assert_rule(&image, 0xfe, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 0xff, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 0x80ff, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 0x8100, "sp+24 same same c-8 0");
  cfi_assert_rule(&image, 0x1080ff, "sp+24 same same c-8 0");
  cfi_assert_rule(&image, 0x108100, "sp+32 same same c-8 0");
  cfi_assert_rule(&image, 0x108105, "sp+40 same same c-8 0");
  cfi_assert_rule(&image, 0x1fffff, "sp+40 same same c-8 0");
  cfi_assert_rule(&image, 0x200000, NOTHING);
  unwind_image_clear(&image);
  cfi_clear(&cfi);
}

/* Trap 4: the address in the instruction is relative to itself, as those of functions are; it does not go
 * back. */
static void test_set_loc(void)
{
  uint8_t program[] = {0x01, 0, 0, 0, 0, 0x0e, 16};
  struct cfi cfi = cfi_new();
  uint32_t cie = cfi_add_cie(&cfi);
  uint32_t at = FRAME_START + cfi.bytes->len + 17 + 1, address = CODE_START + 32 - at;
  struct unwind_image image;

  memcpy(program + 1, &address, sizeof address);
  cfi_add_fde(&cfi, cie, 0, 64, program, sizeof program);
  cfi_add_fde(&cfi, cie, 64, 64, program, sizeof program);
  image = cfi_compile(&cfi, &usual);
  cfi_assert_rule(&image, 31, "sp+8 same same c-8 0");
  cfi_assert_rule(&image, 32, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 64 + 32 + 4, NOTHING);
  g_assert_cmpuint(image.table->n_bad, ==, 1);
  unwind_image_clear(&image);
  cfi_clear(&cfi);
}

/* Trap 8. */
static void test_large_offsets(void)
{
  struct unwind_image image =
      IMAGE_OF(0x0e, 0xd0, 0x84, 2, 0x41, 0x0e, 0xe0, 0xf8, 11, 0x41, 0x86, 0x80, 0x80, 2, 0x41, 0x86, 0x81,
               0x80, 2, 0x41, 0x0e, 0xff, 0xff, 0xff, 0xff, 7);

  cfi_assert_rule(&image, 0, "sp+33360 same same c-8 0");
  cfi_assert_rule(&image, 1, "sp+195680 same same c-8 0");
  cfi_assert_rule(&image, 2, "sp+195680 c-262144 same c-8 0");
  cfi_assert_rule(&image, 3, "sp+195680 unsupported same c-8 0");
  cfi_assert_rule(&image, 4, "sp+2147483647 unsupported same c-8 0");
  unwind_image_clear(&image);
  image = IMAGE_OF(0x0e, 0x80, 0x80, 0x80, 0x80, 8);
  g_assert_cmpuint(image.table->n_bad, ==, 1);
  unwind_image_clear(&image);
}

/* Trap 10. */
static void test_gnu(void)
{
  struct unwind_image image = IMAGE_OF(0x0e, 16, 0x41, 0x2e, 32, 0x41, 0x0e, 48, 0x41, 0x0c, 6, 16, 0x41,
                                       0x2e, 16, 0x41, 0x2f, 6, 2, 0x41, 0x11, 3, 0x7d, 0x41, 0x05, 6, 5);

  cfi_assert_rule(&image, 0, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 1, "sp+16 same same c-8 0");
  cfi_assert_rule(&image, 2, "sp+48 same same c-8 0");
  cfi_assert_rule(&image, 3, "fp+16 same same c-8 0");
  cfi_assert_rule(&image, 4, "fp+16 same same c-8 0");
  cfi_assert_rule(&image, 5, "fp+16 c+16 same c-8 0");
  cfi_assert_rule(&image, 6, "fp+16 c+16 c+24 c-8 0");
  cfi_assert_rule(&image, 7, "fp+16 c-40 c+24 c-8 0");
  unwind_image_clear(&image);
}

/* Trap 10: 0x2d says that the return address is signed, and then that it is not. x86-64 has no such thing. */
static void test_negate_ra_state(void)
{
  struct cfi cfi = cfi_new();
  struct unwind_image image;

  CFI_FDE(&cfi, cfi_add_cie_aarch64(&cfi), 0, 64, 0x41, 0x2d, 0x41, 0x0e, 16, 0x9d, 2, 0x9e, 1, 0x41, 0x0a,
          0x0d, 29, 0x41, 0x0b, 0x41, 0xde, 0xdd, 0x0e, 0, 0x41, 0x2d);
  image = cfi_compile(&cfi, &(struct cfi_elf){.machine = EM_AARCH64});
  g_assert_cmpuint(image.table->machine, ==, EM_AARCH64);
  cfi_assert_rule(&image, 0, "sp+0 same same same 0");
  cfi_assert_rule(&image, 4, "sp+0 same same same 2");
  cfi_assert_rule(&image, 8, "sp+16 c-16 same c-8 2");
  cfi_assert_rule(&image, 12, "fp+16 c-16 same c-8 6");
  cfi_assert_rule(&image, 16, "sp+16 c-16 same c-8 2");
  cfi_assert_rule(&image, 20, "sp+0 same same same 2");
  cfi_assert_rule(&image, 24, "sp+0 same same same 0");
  unwind_image_clear(&image);
  cfi_clear(&cfi);
  image = IMAGE_OF(0x41, 0x2d);
  g_assert_cmpuint(image.table->n_bad, ==, 1);
  unwind_image_clear(&image);
}

/* Trap 11: both conditions, row by row. */
static void test_frame_flag(void)
{
  struct unwind_image image = IMAGE_OF(0x0c, 6, 16, 0x41, 0x86, 2, 0x41, 0x0e, 32, 0x41, 0x0c, 7, 16, 0x41,
                                       0x0c, 6, 16, 0x86, 3, 0x41, 0x86, 2, 0x90, 3);

  cfi_assert_rule(&image, 0, "fp+16 same same c-8 0");
  cfi_assert_rule(&image, 1, "fp+16 c-16 same c-8 4");
  cfi_assert_rule(&image, 2, "fp+32 c-16 same c-8 0");
  cfi_assert_rule(&image, 3, "sp+16 c-16 same c-8 0");
  cfi_assert_rule(&image, 4, "fp+16 c-24 same c-8 0");
  cfi_assert_rule(&image, 5, "fp+16 c-16 same c-24 0");
  unwind_image_clear(&image);
}

/* Registers the CFA is counted from seldom, and a return address that is kept in one (vfork). */
static void test_registers(void)
{
  struct unwind_image image =
      IMAGE_OF(0x0d, 0, 0x41, 0x0c, 10, 0, 0x41, 0x0c, 3, 16, 0x41, 0x0c, 7, 0, 0x09, 16, 5, 0x41, 0x09, 6,
               11, 0x41, 0x0c, 40, 8, 0x41, 0x0c, 7, 24, 0x41, 0x08, 16);

  cfi_assert_rule(&image, 0, "register+8/0 same same c-8 0");
  cfi_assert_rule(&image, 1, "register+0/10 same same c-8 0");
  cfi_assert_rule(&image, 2, "base+16 same same c-8 0");
  cfi_assert_rule(&image, 3, "sp+0 same same r5 0");
  cfi_assert_rule(&image, 4, "sp+0 unsupported same r5 0");
  g_assert_cmpuint(cfi_find(&image, 5)->cfa, ==, UNWIND_CFA_UNSUPPORTED);
  cfi_assert_rule(&image, 6, "sp+24 unsupported same r5 0");
  cfi_assert_rule(&image, 7, "sp+24 unsupported same unsupported 0");
  unwind_image_clear(&image);
}

/* Trap 6: what is not an instruction, or is cut off, costs the function. */
static void test_damage(void)
{
  static const uint8_t programs[][12] = {
      {0x41, 0x3f},
      {0x41, 0x0e, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f},
      {0x41, 0x10, 6, 99},
      {0x41, 0x0f, 0xff, 0xff, 0xff, 0xff, 0x0f},
      {0x0e, 24, 0x41, 0x0e, 16, 0x41, 0x0e, 8, 0x41, 0x0b}};

  for (size_t i = 0; i < G_N_ELEMENTS(programs); i++) {
    struct unwind_image image = image_of(programs[i], sizeof programs[i]);

    g_assert_cmpuint(image.table->n_bad, ==, 1);
    cfi_assert_rule(&image, 0, NOTHING);
    cfi_assert_rule(&image, 32, NOTHING);
    cfi_assert_rule(&image, 128, "sp+8 same same c-8 0");
    cfi_assert_rule(&image, 132, "sp+48 same same c-8 0");
    unwind_image_clear(&image);
  }
}

/* The vDSO's way back from a signal handler: its description is of the frame record, not of the registers. */
static void test_sigreturn(void)
{
  static const uint8_t cie[] = {1, 'z', 'R', 'S', 0, 4, 0x78, 30, 1, 0x1b, 0x0c, 31, 0};
  struct cfi cfi = cfi_new();
  uint32_t signal = cfi_add_record(&cfi, 0, cie, sizeof cie);
  CFI_FDE(&cfi, signal, 0, 12, 0x0c, 29, 0, 0x9d, 0, 0x11, 30, 0x7f);
  CFI_FDE(&cfi, signal, 16, 12, 0x0c, 29, 0, 0x9d, 0, 0x11, 30, 0x7e);
  CFI_FDE(&cfi, cfi_add_cie_aarch64(&cfi), 32, 12, 0x0c, 29, 0, 0x9d, 0, 0x11, 30, 0x7f);
  struct unwind_image image = cfi_compile(&cfi, &(struct cfi_elf){.machine = EM_AARCH64});
  cfi_assert_rule(&image, 4, "signal+312 same same same 1");
  cfi_assert_rule(&image, 20, "fp+0 c+0 same c+16 1");
  cfi_assert_rule(&image, 36, "fp+0 c+0 same c+8 0");
  unwind_image_clear(&image);
  cfi_clear(&cfi);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/unwind/instructions/rows", test_rows);
  g_test_add_func("/unwind/instructions/no-push", test_no_push);
  g_test_add_func("/unwind/instructions/second-time", test_second_time);
  g_test_add_func("/unwind/instructions/far-offsets", test_far_offsets);
  g_test_add_func("/unwind/instructions/restore", test_restore);
  g_test_add_func("/unwind/instructions/remember", test_remember);
  g_test_add_func("/unwind/instructions/state-stack", test_state_stack);
  g_test_add_func("/unwind/instructions/undefined", test_undefined);
  g_test_add_func("/unwind/instructions/no-return-address", test_no_return_address);
  g_test_add_func("/unwind/instructions/advances", test_advances);
  g_test_add_func("/unwind/instructions/set-loc", test_set_loc);
  g_test_add_func("/unwind/instructions/large-offsets", test_large_offsets);
  g_test_add_func("/unwind/instructions/gnu", test_gnu);
  g_test_add_func("/unwind/instructions/negate-ra-state", test_negate_ra_state);
  g_test_add_func("/unwind/instructions/frame-flag", test_frame_flag);
  g_test_add_func("/unwind/instructions/registers", test_registers);
  g_test_add_func("/unwind/instructions/sigreturn", test_sigreturn);
  g_test_add_func("/unwind/instructions/damage", test_damage);
  return g_test_run();
}
