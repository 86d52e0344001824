/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code, decoded by a process that may do nothing else. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profile/naming/elf-reader.h"

static ProfileElfReader *start(void)
{
  g_autofree char *program =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "helpers", "elf-reader", "capture-code-reader", NULL);

  return profile_elf_reader_new(program);
}

static int file_of(const void *bytes, gsize size)
{
  int fd = memfd_create("code", MFD_CLOEXEC);

  g_assert_cmpint(write(fd, bytes, size), ==, (gssize)size);
  return fd;
}

static void assert_text(const struct code_instructions *instructions, guint i, const char *text)
{
  const struct code_instruction *instruction = &code_instructions_get(instructions)[i];
  g_autofree char *said = g_strndup((const char *)instructions + instruction->text, instruction->text_length);

  g_assert_cmpstr(said, ==, text);
}

static void test_bytes(void)
{
  static const guint8 bytes[] = {0xe8, 0xf9, 0x0f, 0, 0, 0xc3};
  const struct elf_reader_code code = {0x1002, EM_X86_64};
  g_autoptr(ProfileElfReader) reader = start();
  g_autofree struct code_instructions *instructions = NULL;
  int fd = file_of(bytes, sizeof bytes);

  g_assert_cmpint(profile_elf_reader_disassemble(reader, fd, &code, NULL, &instructions), ==, 0);
  g_assert_cmpuint(instructions->n_instructions, ==, 2);
  assert_text(instructions, 0, "call 2000");
  assert_text(instructions, 1, "ret");
  g_assert_cmphex(code_instructions_get(instructions)[0].target, ==, 0x2000);
  g_assert_true(code_instructions_find(instructions, 0x1007) == &code_instructions_get(instructions)[1]);
  close(fd);
}

/* Nothing is said, and it serves on. */
static void assert_fails(ProfileElfReader *reader, int fd, struct elf_reader_code code, int error)
{
  struct code_instructions *instructions = NULL;

  g_assert_cmpint(profile_elf_reader_disassemble(reader, fd, &code, NULL, &instructions), ==, error);
  g_assert_null(instructions);
}

static void test_errors(void)
{
  g_autoptr(ProfileElfReader) reader = start();
  int some = file_of("\x90\x90", 2), large = file_of("", 0);

  g_assert_cmpint(ftruncate(large, 2 * CODE_BYTES_MAX), ==, 0);
  assert_fails(reader, some, (struct elf_reader_code){G_MAXUINT64, EM_X86_64}, -EINVAL);
  assert_fails(reader, large, (struct elf_reader_code){0, EM_X86_64}, -EFBIG);
  assert_fails(reader, some, (struct elf_reader_code){.machine = 0x10000}, -ECONNABORTED);
  close(some);
  close(large);
}

static void test_cancelled(void)
{
  g_autoptr(ProfileElfReader) reader = start();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  struct code_instructions *instructions = NULL;
  const struct elf_reader_code code = {0};
  int own = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

  g_cancellable_cancel(cancellable);
  g_assert_cmpint(profile_elf_reader_disassemble(reader, own, &code, cancellable, &instructions), ==,
                  -ECANCELED);
  g_assert_null(instructions);
  close(own);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/machine-code/bytes", test_bytes);
  g_test_add_func("/machine-code/errors", test_errors);
  g_test_add_func("/machine-code/cancelled", test_cancelled);
  return g_test_run();
}
