/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code, asked of the program capture-code-reader as a profile asks it. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib.h>

#include "code/code-instructions.h"
#include "helpers/packet.h"
#include "tests/unit/elf-reader/reader-fixture.h"

static struct elf_reader_code_question ask_code(guint32 flags, struct elf_reader_code code)
{
  struct elf_reader_code_question asked = {.message = reader_request(flags), .code = code};
  asked.message.type = ELF_READER_DISASSEMBLE;
  asked.message.size = sizeof asked;
  return asked;
}

/* The file stays open. How many instructions there are, or the error. */
static int disassemble(struct reader *reader, int file, struct elf_reader_code code)
{
  struct elf_reader_code_question asked = ask_code(0, code);
  struct elf_reader_message said;
  struct stat status;
  int fd = -1;
  g_assert_cmpint(packet_send(reader->socket, &asked, sizeof asked, file, true), ==, 0);
  g_assert_cmpint(packet_receive(reader->socket, &said, sizeof said, &fd, true), ==, sizeof said);
  g_assert_cmpint(said.type, ==, ELF_READER_DISASSEMBLED);
  g_assert_cmpuint(said.cookie, ==, asked.message.cookie);
  g_assert_true((said.error == 0) == (fd >= 0));
  if (fd < 0)
    return said.error;
  g_assert_cmpint(fcntl(fd, F_GET_SEALS), ==, ELF_READER_SEALS);
  g_autofree struct code_instructions *instructions = g_malloc(said.length);
  g_assert_cmpint(pread(fd, instructions, said.length, 0), ==, (gssize)said.length);
  close(fd);
  g_assert_true(code_instructions_are_valid(instructions, said.length));
  g_assert_cmpint(fstat(file, &status), ==, 0);
  g_assert_cmpuint(instructions->length, ==, status.st_size);
  return (int)instructions->n_instructions;
}

/* Confined as it is, it can do all that decoding takes: of each machine, the most at once, whatever it is. */
static void test_code(void)
{
  static const guint32 machines[] = {EM_X86_64, EM_386, EM_AARCH64, EM_ARM, EM_RISCV, EM_S390};
  int nops = reader_file_of("\x90\x90", 2), large = reader_file_of("\x90", CODE_BYTES_MAX + 1);
  int random = memfd_create("random", MFD_CLOEXEC), pair[2];
  g_autofree guint32 *words = g_malloc(CODE_BYTES_MAX);
  struct reader reader;
  for (guint i = 0; i < CODE_BYTES_MAX / sizeof *words; i++)
    words[i] = g_test_rand_int();
  g_assert_cmpint(write(random, words, CODE_BYTES_MAX), ==, CODE_BYTES_MAX);
  g_assert_cmpint(pipe(pair), ==, 0);
  reader_start(&reader);
  for (guint i = 0; i < G_N_ELEMENTS(machines); i++)
    g_assert_cmpint(disassemble(&reader, random, (struct elf_reader_code){0x1000, machines[i]}), >=,
                    CODE_BYTES_MAX / CODE_SIZE_MAX);
  g_assert_cmpint(disassemble(&reader, nops, (struct elf_reader_code){9, EM_X86_64}), ==, 2);
  g_assert_cmpint(disassemble(&reader, nops, (struct elf_reader_code){G_MAXUINT64, EM_X86_64}), ==, -EINVAL);
  g_assert_cmpint(disassemble(&reader, large, (struct elf_reader_code){0, EM_X86_64}), ==, -EFBIG);
  g_assert_cmpint(disassemble(&reader, pair[0], (struct elf_reader_code){0, EM_X86_64}), ==, -EINVAL);
  reader_stop(&reader);
  close(nops);
  close(large);
  close(random);
  close(pair[0]);
  close(pair[1]);
}

static void assert_code_ends(guint32 flags, struct elf_reader_code code, int file)
{
  struct elf_reader_code_question asked = ask_code(flags, code);
  reader_assert_ends(&asked, sizeof asked, file);
}

static void test_protocol_of_code(void)
{
  int file = open("/proc/self/exe", O_RDONLY);
  assert_code_ends(0, (struct elf_reader_code){.machine = EM_386}, -1);
  assert_code_ends(ELF_READER_MEMORY, (struct elf_reader_code){.machine = EM_386}, file);
  assert_code_ends(0, (struct elf_reader_code){.machine = 0x10000}, file);
  assert_code_ends(0, (struct elf_reader_code){.reserved = 1}, file);
  close(file);
}

/* Each program answers its own questions alone. */
static void test_questions_of_others(void)
{
  struct elf_reader_message compile = reader_request(0);
  int file = open("/proc/self/exe", O_RDONLY);
  reader_assert_ends(&compile, sizeof compile, file);
  reader_set_program("capture-elf-reader");
  assert_code_ends(0, (struct elf_reader_code){.machine = EM_386}, file);
  reader_set_program("capture-code-reader");
  close(file);
}

int main(int argc, char **argv)
{
  reader_set_program("capture-code-reader");
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/elf-reader-code/code", test_code);
  g_test_add_func("/elf-reader-code/protocol of code", test_protocol_of_code);
  g_test_add_func("/elf-reader-code/questions of others", test_questions_of_others);
  return g_test_run();
}
