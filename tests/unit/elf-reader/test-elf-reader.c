/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The program capture-elf-reader, asked as the recorder asks it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "dwarf/dwarf-places.h"
#include "helpers/elf-reader-protocol.h"
#include "helpers/packet.h"
#include "tests/unit/elf-reader/reader-fixture.h"
#include "tests/unit/remove-tree.h"
#include "tests/unit/run-shell.h"
#include "unwind/names/unwind-names.h"
#include "unwind/unwind-compile.h"

/* Takes over the file. Returns 0 with *ret_table, or the error. */
static int compile(struct reader *reader, int file, guint32 flags, int *ret_table)
{
  struct elf_reader_message asked = reader_request(flags), said;
  *ret_table = -1;
  g_assert_cmpint(file, >=, 0);
  g_assert_cmpint(packet_send(reader->socket, &asked, sizeof asked, file, true), ==, 0);
  close(file);
  g_assert_cmpint(packet_receive(reader->socket, &said, sizeof said, ret_table, true), ==, sizeof said);
  g_assert_cmpint(said.type, ==, ELF_READER_COMPILED);
  g_assert_cmpuint(said.cookie, ==, asked.cookie);
  g_assert_cmpint(said.error, <=, 0);
  if (said.error == 0)
    g_assert_cmpint(lseek(*ret_table, 0, SEEK_END), ==, (off_t)said.length);
  else
    g_assert_cmpint(*ret_table, ==, -1);
  return said.error;
}

static void assert_compiles(struct reader *reader, int file, guint32 flags, gboolean has_rows)
{
  int fd;
  g_assert_cmpint(compile(reader, file, flags, &fd), ==, 0);
  gsize size = (gsize)lseek(fd, 0, SEEK_END);
  g_assert_cmpint(fcntl(fd, F_GET_SEALS), ==, ELF_READER_SEALS);
  g_assert_cmpint(ftruncate(fd, 0), <, 0);
  g_assert_cmpint(pwrite(fd, "x", 1, 0), <, 0);
  struct unwind_table *table = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
  g_assert_true(table != MAP_FAILED);
  g_assert_true(unwind_table_is_valid(table, size, true));
  if (has_rows)
    g_assert_cmpuint(table->n_rows, >, 0);
  munmap(table, size);
  close(fd);
}

static void assert_fails(struct reader *reader, int file, int error)
{
  int fd;
  g_assert_cmpint(compile(reader, file, 0, &fd), ==, error);
}

static void test_compile(void)
{
  struct reader reader;
  reader_start(&reader);
  assert_compiles(&reader, open("/proc/self/exe", O_RDONLY), 0, TRUE);
  assert_compiles(&reader, open("/bin/sh", O_RDONLY), 0, TRUE);
  reader_stop(&reader);
}

static void test_vdso(void)
{
  struct reader reader;
  int file = memfd_create("vdso", MFD_CLOEXEC);
  reader_start(&reader);
  g_assert_cmpint(write(file, (const void *)getauxval(AT_SYSINFO_EHDR), 4096), ==, 4096);
  assert_compiles(&reader, file, ELF_READER_MEMORY, TRUE);
  reader_stop(&reader);
}

static void test_no_elf(void)
{
  struct reader reader;
  int pair[2];
  g_autofree char *directory = g_dir_make_tmp("capture-test-XXXXXX", NULL);
  g_autofree char *fifo = g_build_filename(directory, "fifo", NULL);
  g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
  g_assert_cmpint(pipe2(pair, O_CLOEXEC), ==, 0);
  reader_start(&reader);
  assert_fails(&reader, reader_file_of("", 0), -ENOEXEC);
  assert_fails(&reader, reader_file_of("#!/bin/sh\n", 10), -ENOEXEC);
  assert_fails(&reader, reader_file_of("\177ELF", 4), -ENOEXEC);
  assert_fails(&reader, open(directory, O_RDONLY | O_DIRECTORY), -EINVAL);
  assert_fails(&reader, open(fifo, O_RDONLY | O_NONBLOCK), -EINVAL);
  assert_fails(&reader, open("/dev/zero", O_RDONLY), -EINVAL);
  assert_fails(&reader, pair[0], -EINVAL);
  assert_compiles(&reader, open("/proc/self/exe", O_RDONLY), 0, TRUE);
  reader_stop(&reader);
  close(pair[1]);
  g_unlink(fifo);
  g_rmdir(directory);
}

static void test_sparse(void)
{
  struct reader reader;
  reader_start(&reader);
  assert_fails(&reader, reader_file_of("", (off_t)5 << 30), -EFBIG);
  assert_fails(&reader, reader_file_of("\177ELF", (off_t)3 << 30), -ENOEXEC);
  reader_stop(&reader);
}

static void test_unreadable(void)
{
  struct reader reader;
  int fd;
  reader_start(&reader);
  g_assert_cmpint(compile(&reader, open("/proc/self/exe", O_PATH), 0, &fd), <, 0);
  reader_stop(&reader);
}

static void test_protocol(void)
{
  char longer[sizeof(struct elf_reader_message) + 8] = {0};
  struct elf_reader_message message = reader_request(0);
  int file = open("/proc/self/exe", O_RDONLY);
  memcpy(longer, &message, sizeof message);
  reader_assert_ends(longer, sizeof longer, file);
  reader_assert_ends(&message, sizeof message - 8, file);
  reader_assert_ends(&message, sizeof message, -1);
  message.size--;
  reader_assert_ends(&message, sizeof message, file);
  message = reader_request(2);
  reader_assert_ends(&message, sizeof message, file);
  message = reader_request(0);
  message.type = ELF_READER_READY;
  reader_assert_ends(&message, sizeof message, file);
  close(file);
}

/* What it sealed as the answer to that, for g_free(), or NULL and the error. */
static void *receive_sealed(struct reader *reader, guint32 type, guint64 cookie, gsize *ret_length,
                            int *ret_error)
{
  struct elf_reader_message said;
  int fd = -1;

  g_assert_cmpint(packet_receive(reader->socket, &said, sizeof said, &fd, true), ==, sizeof said);
  g_assert_cmpint(said.type, ==, type);
  g_assert_cmpuint(said.cookie, ==, cookie);
  *ret_error = said.error;
  g_assert_true((said.error == 0) == (fd >= 0));
  if (fd < 0)
    return NULL;
  g_assert_cmpint(fcntl(fd, F_GET_SEALS), ==, ELF_READER_SEALS);
  g_assert_cmpint(lseek(fd, 0, SEEK_END), ==, (off_t)said.length);
  void *content = g_malloc(said.length);
  g_assert_cmpint(pread(fd, content, said.length, 0), ==, (gssize)said.length);
  close(fd);
  *ret_length = said.length;
  return content;
}

/* Takes over the file. The names, or NULL and the error. */
static struct unwind_names *ask_names(struct reader *reader, int file, const guint64 *offsets, guint n,
                                      int *ret_error)
{
  static struct elf_reader_question asked;
  gsize length;
  gsize size = G_STRUCT_OFFSET(struct elf_reader_question, offsets) + n * sizeof *offsets;
  g_assert_cmpint(file, >=, 0);
  asked.message = reader_request(0);
  asked.message.type = ELF_READER_NAME;
  asked.message.size = (guint32)size;
  asked.message.n_offsets = n;
  if (n > 0)
    memcpy(asked.offsets, offsets, n * sizeof *offsets);
  g_assert_cmpint(packet_send(reader->socket, &asked, size, file, true), ==, 0);
  close(file);
  struct unwind_names *names =
      receive_sealed(reader, ELF_READER_NAMED, asked.message.cookie, &length, ret_error);
  g_assert_true(!names || unwind_names_are_valid(names, length));
  return names;
}

/* Confined as it is, it can do all that names take: many of them, and decompression. */
static void test_names(void)
{
  static guint64 offsets[ELF_READER_OFFSETS_MAX];
  struct reader reader;
  int error;
  for (guint i = 0; i < G_N_ELEMENTS(offsets); i++)
    offsets[i] = i * 64;
  reader_start(&reader);
  g_autofree struct unwind_names *own =
      ask_names(&reader, open("/proc/self/exe", O_RDONLY), offsets, G_N_ELEMENTS(offsets), &error);
  g_assert_cmpint(error, ==, 0);
  g_assert_cmpuint(own->status, ==, UNWIND_NAMES_SYMBOLS);
  g_assert_cmpuint(own->n, >, 10);
  g_autofree struct unwind_names *none =
      ask_names(&reader, open("/proc/self/exe", O_RDONLY), offsets, 0, &error);
  g_assert_cmpint(error, ==, 0);
  g_assert_cmpuint(none->n, ==, 0);
  g_assert_null(ask_names(&reader, reader_file_of("#!/bin/sh\n", 10), offsets, 10, &error));
  g_assert_cmpint(error, ==, -ENOEXEC);
  offsets[1] = 0;
  g_assert_null(ask_names(&reader, open("/proc/self/exe", O_RDONLY), offsets, 10, &error));
  g_assert_cmpint(error, ==, -EINVAL);
  assert_compiles(&reader, open("/proc/self/exe", O_RDONLY), 0, TRUE);
  reader_stop(&reader);
}

static void test_mini_debug_info(void)
{
  struct reader reader;
  int error;
  static guint64 offsets[ELF_READER_OFFSETS_MAX];
  g_autofree char *directory = g_dir_make_tmp("capture-test-XXXXXX", NULL);
  g_autofree char *path = g_build_filename(directory, "p", NULL);
  for (guint i = 0; i < G_N_ELEMENTS(offsets); i++)
    offsets[i] = i * 64;
  g_free(run_shell(directory,
                   "cp /proc/%d/exe p && objcopy -S --wildcard --keep-symbol='*' p mini "
                   "&& xz mini && strip p && objcopy --add-section .gnu_debugdata=mini.xz p",
                   getpid()));
  reader_start(&reader);
  g_autofree struct unwind_names *names =
      ask_names(&reader, open(path, O_RDONLY), offsets, G_N_ELEMENTS(offsets), &error);
  g_assert_cmpint(error, ==, 0);
  g_assert_cmpuint(names->status, ==, UNWIND_NAMES_SYMBOLS);
  g_assert_cmpuint(names->n, >, 10);
  reader_stop(&reader);
  remove_tree(directory);
}

/* Offsets that were announced but not sent, or sent but not announced. */
static void test_protocol_of_names(void)
{
  static struct elf_reader_question asked;
  gsize head = G_STRUCT_OFFSET(struct elf_reader_question, offsets);
  int file = open("/proc/self/exe", O_RDONLY);
  asked.message = reader_request(0);
  asked.message.type = ELF_READER_NAME;
  asked.message.size = (guint32)head;
  asked.message.n_offsets = 1;
  reader_assert_ends(&asked, head, file);
  asked.message.n_offsets = G_MAXUINT32;
  reader_assert_ends(&asked, head, file);
  asked.message.n_offsets = 0;
  asked.message.size = (guint32)head + 8;
  reader_assert_ends(&asked, head + 8, file);
  asked.message.size = (guint32)head;
  reader_assert_ends(&asked, head, -1);
  asked.message.flags = ELF_READER_MEMORY;
  reader_assert_ends(&asked, head, file);
  close(file);
}

/* The files stay open. The places, or NULL and the error. */
static struct dwarf_places *resolve(struct reader *reader, const int *files, guint n_files, guint32 flags,
                                    const guint64 *addresses, guint n, int *ret_error)
{
  static struct elf_reader_question asked;
  gsize length;
  gsize size = G_STRUCT_OFFSET(struct elf_reader_question, offsets) + n * sizeof *addresses;
  asked.message = reader_request(flags);
  asked.message.type = ELF_READER_RESOLVE;
  asked.message.size = (guint32)size;
  asked.message.n_offsets = n;
  memcpy(asked.offsets, addresses, n * sizeof *addresses);
  g_assert_cmpint(packet_send_many(reader->socket, &asked, size, files, n_files, true), ==, 0);
  struct dwarf_places *places =
      receive_sealed(reader, ELF_READER_RESOLVED, asked.message.cookie, &length, ret_error);
  g_assert_true(!places || dwarf_places_are_valid(places, length));
  return places;
}

/* An address in main() of a program with -g and -O2, and one that is nobody's. */
static char *build(guint64 *addresses)
{
  char *directory = g_dir_make_tmp("capture-test-XXXXXX", NULL);
  g_autofree char *text =
      run_shell(directory, "printf 'static inline int f(int n)\n{\n  return n * n + 3;\n}\nint main(int "
                           "n, char **v)\n{\n  return f(n);\n}\n' > p.c && gcc -g -O2 -o p p.c && "
                           "nm p | sed -n 's/ T main$//p'");
  addresses[0] = 8;
  addresses[1] = g_ascii_strtoull(text, NULL, 16);
  g_assert_cmpuint(addresses[1], >, 8);
  return directory;
}

static void remove_built(char *directory)
{
  remove_tree(directory);
  g_free(directory);
}

static int open_built(const char *directory, const char *name)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint(fd, >=, 0);
  return fd;
}

static void assert_has_main(struct dwarf_places *places, const guint64 *addresses)
{
  g_assert_nonnull(places);
  g_assert_cmpuint(places->outcome, ==, DWARF_COMPLETE);
  g_assert_null(dwarf_places_find(places, addresses[0]));
  const struct dwarf_place *place = dwarf_places_find(places, addresses[1]);
  g_assert_nonnull(place);
  const struct dwarf_frame *frames = dwarf_places_get_frames(places) + place->first_frame;
  const struct dwarf_text *name = &frames[place->n_frames - 1].function;
  g_assert_cmpuint(name->length, ==, 4);
  g_assert_true(memcmp((const char *)places + name->at, "main", 4) == 0);
  g_free(places);
}

/* Files that are kept serve until something else is asked, and no longer than was said. */
static void test_places(void)
{
  guint64 addresses[2];
  char *directory = build(addresses);
  int file = open_built(directory, "p"), error;
  struct reader reader;
  reader_start(&reader);
  g_assert_null(resolve(&reader, NULL, 0, ELF_READER_AGAIN, addresses, 2, &error));
  g_assert_cmpint(error, ==, -ENODATA);
  assert_has_main(resolve(&reader, &file, 1, 0, addresses, 2, &error), addresses);
  g_assert_null(resolve(&reader, NULL, 0, ELF_READER_AGAIN, addresses, 2, &error));
  assert_has_main(resolve(&reader, &file, 1, ELF_READER_KEEP, addresses, 2, &error), addresses);
  assert_has_main(resolve(&reader, NULL, 0, ELF_READER_AGAIN | ELF_READER_KEEP, addresses, 2, &error),
                  addresses);
  assert_has_main(resolve(&reader, NULL, 0, ELF_READER_AGAIN, addresses, 2, &error), addresses);
  g_assert_null(resolve(&reader, NULL, 0, ELF_READER_AGAIN, addresses, 2, &error));
  assert_has_main(resolve(&reader, &file, 1, ELF_READER_KEEP, addresses, 2, &error), addresses);
  assert_compiles(&reader, open("/proc/self/exe", O_RDONLY), 0, TRUE);
  g_assert_null(resolve(&reader, NULL, 0, ELF_READER_AGAIN, addresses, 2, &error));
  g_assert_cmpint(error, ==, -ENODATA);
  close(file);
  reader_stop(&reader);
  remove_built(directory);
}

/* Only the first file must be one; the others may be anything, and as many as fit. */
static void test_places_of_several_files(void)
{
  guint64 addresses[2];
  char *directory = build(addresses);
  int files[ELF_READER_DESCRIPTORS_MAX], error;
  guint32 flags = ELF_READER_ALTERNATE | ELF_READER_PACKAGE | ELF_READER_KEEP;
  struct reader reader;
  files[0] = open_built(directory, "p");
  files[1] = reader_file_of("", 0);
  files[2] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  for (guint i = 3; i < G_N_ELEMENTS(files); i++)
    files[i] = i % 2 ? open_built(directory, "p") : reader_file_of("#!", 2);
  reader_start(&reader);
  assert_has_main(resolve(&reader, files, G_N_ELEMENTS(files), flags, addresses, 2, &error), addresses);
  assert_has_main(resolve(&reader, files, 1, 0, addresses, 2, &error), addresses);
  g_assert_null(resolve(&reader, files + 1, 1, 0, addresses, 2, &error));
  g_assert_cmpint(error, ==, -ENOEXEC);
  g_assert_null(resolve(&reader, files + 2, 1, 0, addresses, 2, &error));
  g_assert_cmpint(error, ==, -EINVAL);
  addresses[1] = addresses[0];
  g_assert_null(resolve(&reader, files, 1, 0, addresses, 2, &error));
  g_assert_cmpint(error, ==, -EINVAL);
  for (guint i = 0; i < G_N_ELEMENTS(files); i++)
    close(files[i]);
  reader_stop(&reader);
  remove_built(directory);
}

/* Asks with n_files times the same file, which stays open, and must not survive it. */
static void assert_resolve_ends(guint32 flags, int file, guint n_files)
{
  static struct elf_reader_question asked;
  int files[ELF_READER_DESCRIPTORS_MAX + 1];
  gsize head = G_STRUCT_OFFSET(struct elf_reader_question, offsets);
  struct reader reader;
  int status;
  for (guint i = 0; i < n_files; i++)
    files[i] = file;
  asked.message = reader_request(flags);
  asked.message.type = ELF_READER_RESOLVE;
  asked.message.size = (guint32)head;
  reader_start(&reader);
  g_assert_cmpint(packet_send_many(reader.socket, &asked, head, files, n_files, true), ==, 0);
  status = reader_wait(&reader);
  g_assert_true(WIFEXITED(status));
  g_assert_cmpint(WEXITSTATUS(status), ==, 1);
}

static void test_protocol_of_places(void)
{
  int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  assert_resolve_ends(0, file, 0);
  assert_resolve_ends(ELF_READER_AGAIN, file, 1);
  assert_resolve_ends(ELF_READER_AGAIN | ELF_READER_PACKAGE, file, 0);
  assert_resolve_ends(ELF_READER_PACKAGE, file, 1);
  assert_resolve_ends(ELF_READER_PACKAGE | ELF_READER_ALTERNATE, file, 2);
  assert_resolve_ends(ELF_READER_MEMORY, file, 1);
  assert_resolve_ends(1 << 5, file, 1);
  assert_resolve_ends(0, file, ELF_READER_SPLIT_MAX + 2);
  assert_resolve_ends(ELF_READER_PACKAGE | ELF_READER_ALTERNATE, file, ELF_READER_DESCRIPTORS_MAX + 1);
  close(file);
}

static void test_usage(void)
{
  g_autofree char *program =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "helpers", "elf-reader", "capture-elf-reader", NULL);
  static const char *const arguments[] = {NULL, "x", "-1", "1", "99", "3x"};
  for (gsize i = 0; i < G_N_ELEMENTS(arguments); i++) {
    char *argv[] = {program, (char *)arguments[i], NULL};
    g_autofree char *text = NULL;
    int status;
    g_assert_true(g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &text, &status, NULL));
    g_assert_true(WIFEXITED(status));
    g_assert_cmpint(WEXITSTATUS(status), ==, 2);
    g_assert_nonnull(strstr(text, "started by the programs"));
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/elf-reader/compile", test_compile);
  g_test_add_func("/elf-reader/vdso", test_vdso);
  g_test_add_func("/elf-reader/no elf", test_no_elf);
  g_test_add_func("/elf-reader/sparse", test_sparse);
  g_test_add_func("/elf-reader/unreadable", test_unreadable);
  g_test_add_func("/elf-reader/protocol", test_protocol);
  g_test_add_func("/elf-reader/names", test_names);
  g_test_add_func("/elf-reader/mini debug info", test_mini_debug_info);
  g_test_add_func("/elf-reader/protocol of names", test_protocol_of_names);
  g_test_add_func("/elf-reader/places", test_places);
  g_test_add_func("/elf-reader/places of several files", test_places_of_several_files);
  g_test_add_func("/elf-reader/protocol of places", test_protocol_of_places);
  g_test_add_func("/elf-reader/usage", test_usage);
  return g_test_run();
}
