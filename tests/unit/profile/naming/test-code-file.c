/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code of the kernel, from a file as /proc/kcore is: two segments that do not follow one another. */
#include "profile/naming/code-file.h"

#include <elf.h>
#include <unistd.h>

#include <glib/gstdio.h>

#define TEXT    G_GUINT64_CONSTANT(0xffffffff81000000)
#define MODULES G_GUINT64_CONSTANT(0xffffffffc0000000)

/* Byte i of a segment is i, modulo 256. */
static char *write_core(void)
{
  struct {
    Elf64_Ehdr header;
    Elf64_Phdr segments[2];
    guint8 bytes[2][4096];
  } *core = g_malloc0(sizeof *core);
  char *path = NULL;
  int fd = g_file_open_tmp("kcore-XXXXXX", &path, NULL);

  core->header =
      (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                   .e_type = ET_CORE,
                   .e_machine = EM_X86_64,
                   .e_version = EV_CURRENT,
                   .e_phoff = sizeof core->header,
                   .e_ehsize = sizeof core->header,
                   .e_phentsize = sizeof core->segments[0],
                   .e_phnum = 2};
  for (guint i = 0; i < 2; i++) {
    core->segments[i] = (Elf64_Phdr){.p_type = PT_LOAD,
                                     .p_flags = PF_R | PF_X,
                                     .p_offset = (guint64)((guint8 *)core->bytes[i] - (guint8 *)core),
                                     .p_vaddr = i == 0 ? TEXT : MODULES,
                                     .p_filesz = 4096,
                                     .p_memsz = 4096};
    for (guint k = 0; k < 4096; k++)
      core->bytes[i][k] = (guint8)k;
  }
  g_assert_cmpint(write(fd, core, sizeof *core), ==, sizeof *core);
  close(fd);
  g_free(core);
  return path;
}

static void assert_bytes(const ProfileCodeFile *file, guint64 start, guint64 end, guint8 first)
{
  g_autoptr(GBytes) bytes = profile_code_file_read(file, start, end);

  g_assert_nonnull(bytes);
  g_assert_cmpuint(g_bytes_get_size(bytes), ==, end - start);
  g_assert_cmpuint(*(const guint8 *)g_bytes_get_data(bytes, NULL), ==, first);
}

static void test_kernel(void)
{
  g_autofree char *path = write_core();
  const ProfileNamer same = {.same_boot = TRUE}, other = {.same_boot = FALSE};
  g_autoptr(ProfileCodeFile) file = profile_code_file_new_for_kernel(&same, path);

  g_assert_nonnull(file);
  g_assert_cmpuint(profile_code_file_get_machine(file), ==, EM_X86_64);
  g_assert_cmphex(profile_code_file_get_address(file, TEXT + 7), ==, TEXT + 7);
  assert_bytes(file, TEXT + 7, TEXT + 4096, 7);
  assert_bytes(file, MODULES + 300, MODULES + 301, 44);
  g_assert_null(profile_code_file_read(file, TEXT, TEXT + 4097));
  g_assert_null(profile_code_file_read(file, TEXT - 1, TEXT + 1));
  g_assert_null(profile_code_file_read(file, TEXT, MODULES + 1));
  g_assert_null(profile_code_file_read(file, TEXT, TEXT));
  g_assert_null(profile_code_file_new_for_kernel(&other, path));
  g_assert_cmpint(truncate(path, 10), ==, 0);
  g_assert_null(profile_code_file_new_for_kernel(&same, path));
  g_unlink(path);
  g_assert_null(profile_code_file_new_for_kernel(&same, path));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/code-file/kernel", test_kernel);
  return g_test_run();
}
