/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where code of ELF files is, whatever their headers say. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include <glib.h>

#include "code/code-instructions.h"
#include "code/code-range.h"

struct wide {
  Elf64_Ehdr header;
  Elf64_Phdr programs[2];
  uint8_t code[64];
};

struct narrow {
  Elf32_Ehdr header;
  Elf32_Phdr program;
  uint8_t code[64];
};

static struct wide make_wide(void)
{
  struct wide file = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                                 .e_machine = EM_AARCH64,
                                 .e_phoff = sizeof file.header,
                                 .e_phentsize = sizeof *file.programs,
                                 .e_phnum = 2},
                      .programs = {{.p_type = PT_NOTE, .p_filesz = sizeof file, .p_vaddr = 0x1000},
                                   {.p_type = PT_LOAD,
                                    .p_offset = offsetof(struct wide, code),
                                    .p_vaddr = 0x40000000,
                                    .p_filesz = 32}}};

  return file;
}

static void test_wide(void)
{
  struct wide file = make_wide();
  struct code_range range;

  g_assert_cmpint(code_range_find(&file, sizeof file, offsetof(struct wide, code) + 4, 8, &range), ==, 0);
  g_assert_cmpuint(range.address, ==, 0x40000004);
  g_assert_cmpuint(range.machine, ==, EM_AARCH64);
  g_assert_cmpuint(range.size, ==, 8);
  g_assert_true(range.bytes == file.code + 4);
}

static void test_narrow(void)
{
  struct narrow file = {.header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS32, ELFDATA2LSB},
                                   .e_machine = EM_386,
                                   .e_phoff = sizeof file.header,
                                   .e_phentsize = sizeof file.program,
                                   .e_phnum = 1},
                        .program = {.p_type = PT_LOAD,
                                    .p_offset = offsetof(struct narrow, code),
                                    .p_vaddr = 0x8048000,
                                    .p_filesz = 64}};
  struct code_range range;

  g_assert_cmpint(code_range_find(&file, sizeof file, offsetof(struct narrow, code) + 63, 1, &range), ==, 0);
  g_assert_cmpuint(range.address, ==, 0x804803f);
  g_assert_cmpuint(range.machine, ==, EM_386);
}

/* As in a kernel module, and in what damaged headers describe. */
static void test_no_segment(void)
{
  struct wide file = make_wide();
  uint64_t behind = offsetof(struct wide, code) + 32;
  struct code_range range;

  g_assert_cmpint(code_range_find(&file, sizeof file, behind, 8, &range), ==, 0);
  g_assert_cmpuint(range.address, ==, behind);
  file.header.e_phoff = UINT64_MAX - 8;
  file.header.e_phnum = UINT16_MAX;
  g_assert_cmpint(code_range_find(&file, sizeof file, behind, 8, &range), ==, 0);
  g_assert_cmpuint(range.address, ==, behind);
  file = make_wide();
  file.header.e_phentsize = 1;
  g_assert_cmpint(code_range_find(&file, sizeof file, behind - 8, 8, &range), ==, 0);
  g_assert_cmpuint(range.address, ==, behind - 8);
}

static void test_outside(void)
{
  struct wide file = make_wide();
  struct code_range range;

  g_assert_cmpint(code_range_find(&file, sizeof file, 0, sizeof file, &range), ==, 0);
  g_assert_cmpint(code_range_find(&file, sizeof file, sizeof file, 0, &range), ==, 0);
  g_assert_cmpint(code_range_find(&file, sizeof file, 0, sizeof file + 1, &range), ==, -ERANGE);
  g_assert_cmpint(code_range_find(&file, sizeof file, sizeof file, 1, &range), ==, -ERANGE);
  g_assert_cmpint(code_range_find(&file, sizeof file, UINT64_MAX, 2, &range), ==, -ERANGE);
  g_assert_cmpint(code_range_find(&file, sizeof file, 2, UINT64_MAX, &range), ==, -ERANGE);
}

static void test_large(void)
{
  size_t size = CODE_BYTES_MAX + 100;
  g_autofree char *bytes = g_malloc0(size);
  struct code_range range;

  g_assert_cmpint(code_range_cut(bytes, size, 100, CODE_BYTES_MAX, &range), ==, 0);
  g_assert_cmpint(code_range_cut(bytes, size, 99, CODE_BYTES_MAX + 1, &range), ==, -EFBIG);
}

static void test_no_elf(void)
{
  struct wide file = make_wide();
  struct code_range range;

  for (size_t size = 0; size < sizeof file.header; size++)
    g_assert_cmpint(code_range_find(&file, size, 0, 0, &range), ==, -ENOEXEC);
  file.header.e_ident[EI_DATA] = ELFDATA2MSB;
  g_assert_cmpint(code_range_find(&file, sizeof file, 0, 0, &range), ==, -ENOEXEC);
  file = make_wide();
  file.header.e_ident[EI_CLASS] = 3;
  g_assert_cmpint(code_range_find(&file, sizeof file, 0, 0, &range), ==, -ENOEXEC);
  file = make_wide();
  file.header.e_ident[0] = 0;
  g_assert_cmpint(code_range_find(&file, sizeof file, 0, 0, &range), ==, -ENOEXEC);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/code-range/wide", test_wide);
  g_test_add_func("/code-range/narrow", test_narrow);
  g_test_add_func("/code-range/no-segment", test_no_segment);
  g_test_add_func("/code-range/outside", test_outside);
  g_test_add_func("/code-range/large", test_large);
  g_test_add_func("/code-range/no-elf", test_no_elf);
  return g_test_run();
}
