/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/elf/elf-symbols.h"
#include "profile/naming/binary-file.h"
#include "profile/naming/namer.h"
#include "tests/unit/profile/symbol-files.h"

static ProfileElf *open_elf(const char *path, int *ret_fd)
{
  g_autoptr(GError) error = NULL;
  ProfileElf *elf;

  *ret_fd = open(path, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint(*ret_fd, >=, 0);
  elf = profile_elf_new_for_fd(*ret_fd, &error);
  g_assert_no_error(error);
  return elf;
}

/* File offset of an address, as the program headers of file say. */
static guint64 get_offset(const char *file, guint64 address)
{
  int fd;
  g_autoptr(ProfileElf) elf = open_elf(file, &fd);
  guint64 offset, back;

  g_assert_true(profile_elf_address_to_offset(elf, address, &offset));
  g_assert_true(profile_elf_offset_to_address(elf, offset, &back));
  g_assert_cmpuint(back, ==, address);
  close(fd);
  return offset;
}

static ProfileFunctionTable *name_one(const char *file, guint64 offset)
{
  g_autofree char *path = g_canonicalize_filename(file, NULL);
  ProfileNamer namer = {0};
  ProfileBinary binary = {.path = path};

  return profile_namer_name_binary(&namer, &binary, &offset, 1, NULL, NULL, NULL);
}

static void assert_named(const char *file, guint64 address, const char *name, enum capture_naming status)
{
  guint64 offset = get_offset(file, address);
  g_autoptr(ProfileFunctionTable) table = name_one(file, offset);
  const ProfileFunctionRange *range = profile_function_table_lookup(table, offset);

  g_assert_cmpint(profile_function_table_get_status(table), ==, status);
  g_assert_cmpstr(range ? range->name : NULL, ==, name);
  g_assert_false(range && range->nameless);
}

/* Nothing but the unwind information knows the function that begins there. */
static void assert_nameless(const char *file, guint64 address, enum capture_naming status)
{
  g_autofree char *name = g_strdup_printf("fn@%" G_GINT64_MODIFIER "x", address);
  guint64 offset = get_offset(file, address) + 1;
  g_autoptr(ProfileFunctionTable) table = name_one(file, offset);
  const ProfileFunctionRange *range = profile_function_table_lookup(table, offset);

  g_assert_cmpint(profile_function_table_get_status(table), ==, status);
  g_assert_true(range && range->nameless);
  g_assert_cmpstr(range->name, ==, name);
}

static void build_program(const char *flags)
{
  symbol_files_write("program.c", symbol_files_program);
  symbol_files_run("gcc -O1 -rdynamic -Wl,--build-id %s program.c -o program 2>&1", flags);
}

static void test_symbol_table(gconstpointer flags)
{
  char *directory = symbol_files_enter();

  build_program(flags);
  assert_named("program", symbol_files_address("program", "main"), "main", CAPTURE_NAMING_SYMBOLS);
  assert_named("program", symbol_files_address("program", "inner"), "inner", CAPTURE_NAMING_SYMBOLS);
  assert_named("program", symbol_files_address("program", "inner") + 1, "inner", CAPTURE_NAMING_SYMBOLS);
  assert_named("program", symbol_files_address("program", "outer") + 1, "outer", CAPTURE_NAMING_SYMBOLS);
  assert_named("program", symbol_files_address("program", "unsized") + 1, "unsized", CAPTURE_NAMING_SYMBOLS);
  symbol_files_leave(directory);
}

static void test_stripped(void)
{
  char *directory = symbol_files_enter();
  guint64 inner, outer;

  build_program("");
  inner = symbol_files_address("program", "inner");
  outer = symbol_files_address("program", "outer");
  symbol_files_run("strip program");
  assert_named("program", outer, "outer", CAPTURE_NAMING_DYNAMIC);
  assert_nameless("program", inner, CAPTURE_NAMING_DYNAMIC);
  symbol_files_leave(directory);
}

static void test_no_symbols(void)
{
  char *directory = symbol_files_enter();
  guint64 outer;

  build_program("-static");
  outer = symbol_files_address("program", "outer");
  symbol_files_run("strip program");
  assert_nameless("program", outer, CAPTURE_NAMING_NONE);
  symbol_files_leave(directory);
}

static void test_debug_link(gconstpointer where)
{
  char *directory = symbol_files_enter();
  guint64 inner;

  build_program(g_str_has_prefix(where, "crc") ? "-g -Wl,--build-id=none" : "-g");
  inner = symbol_files_address("program", "inner");
  symbol_files_run("objcopy --only-keep-debug program program.debug && strip program &&"
                   " objcopy --add-gnu-debuglink=program.debug program");
  if (g_str_has_suffix(where, "below"))
    symbol_files_run("mkdir .debug && mv program.debug .debug/");
  assert_named("program", inner, "inner", CAPTURE_NAMING_SYMBOLS);
  symbol_files_leave(directory);
}

static void test_wrong_debug_link(gconstpointer flags)
{
  char *directory = symbol_files_enter();
  guint64 inner;

  build_program(flags);
  inner = symbol_files_address("program", "inner");
  symbol_files_run("objcopy --only-keep-debug program program.debug && strip program &&"
                   " objcopy --add-gnu-debuglink=program.debug program &&"
                   " sed s/inner/other/ program.c >other.c && gcc -O2 %s other.c -o other &&"
                   " objcopy --only-keep-debug other program.debug",
                   (const char *)flags);
  assert_nameless("program", inner, CAPTURE_NAMING_DYNAMIC);
  symbol_files_leave(directory);
}

/* What stands where a file is looked for, and is none, is not even opened: a device might do something then.
 */
static void test_no_file(void)
{
  char *directory = symbol_files_enter();
  int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  char event[4096];
  ProfileBinary binary = {.path = "pipe"};
  ProfileNamer namer = {0};
  ProfileDebugFile file = {.fd = -1};
  guint64 inner;

  build_program("-g -Wl,--build-id=none");
  inner = symbol_files_address("program", "inner");
  symbol_files_run(
      "objcopy --only-keep-debug program program.debug && strip program &&"
      " objcopy --add-gnu-debuglink=program.debug program && rm program.debug && mkfifo program.debug");
  g_assert_cmpint(inotify_add_watch(watch, "program.debug", IN_OPEN), >, 0);
  assert_nameless("program", inner, CAPTURE_NAMING_DYNAMIC);
  g_autofree char *path = g_canonicalize_filename("program.debug", NULL);
  binary.path = path;
  g_assert_cmpint(profile_binary_file_open(&namer, &binary, &file), ==, PROFILE_BINARY_FILE_UNREADABLE);
  g_assert_cmpint(read(watch, event, sizeof event), ==, -1);
  g_assert_cmpint(errno, ==, EAGAIN);
  close(watch);
  symbol_files_leave(directory);
}

static char *get_build_id(const char *file)
{
  int fd;
  g_autoptr(ProfileElf) elf = open_elf(file, &fd);
  guint size;
  const guint8 *build_id = profile_elf_get_build_id(elf, &size);
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < size; i++)
    g_string_append_printf(text, "%02x", build_id[i]);
  close(fd);
  return g_string_free(text, FALSE);
}

static void test_build_id_directory(void)
{
  char *directory = symbol_files_enter();
  g_autofree char *build_id = NULL;
  guint64 inner, offset;
  int fd;

  build_program("-g");
  build_id = get_build_id("program");
  g_assert_cmpuint(strlen(build_id), ==, 40);
  inner = symbol_files_address("program", "inner");
  offset = get_offset("program", inner);
  symbol_files_run(
      "mkdir -p cache/%s && objcopy --only-keep-debug program cache/%s/debuginfo && strip program", build_id,
      build_id);
  g_setenv("DEBUGINFOD_CACHE_PATH", "cache", TRUE);
  assert_named("program", inner, "inner", CAPTURE_NAMING_SYMBOLS);
  {
    ProfileNamer namer = {0};
    ProfileBinary binary = {.path = "/nonexistent/program", .build_id_size = 20};
    g_autoptr(ProfileElf) elf = open_elf("program", &fd);
    g_autoptr(ProfileFunctionTable) table = NULL;
    guint size;

    memcpy(binary.build_id, profile_elf_get_build_id(elf, &size), 20);
    symbol_files_run("mv program cache/%s/executable", build_id);
    table = profile_namer_name_binary(&namer, &binary, &offset, 1, NULL, NULL, NULL);
    g_assert_nonnull(profile_function_table_lookup(table, offset));
    close(fd);
  }
  g_unsetenv("DEBUGINFOD_CACHE_PATH");
  symbol_files_leave(directory);
}

static void test_mini_debug_info(void)
{
  char *directory = symbol_files_enter();
  guint64 inner;

  build_program("");
  inner = symbol_files_address("program", "inner");
  symbol_files_run("objcopy --only-keep-debug program mini && xz -k mini && strip program &&"
                   " objcopy --add-section .gnu_debugdata=mini.xz program");
  assert_named("program", inner, "inner", CAPTURE_NAMING_SYMBOLS);
  symbol_files_run("head -c 300 mini.xz >cut.xz && objcopy --update-section .gnu_debugdata=cut.xz program");
  assert_nameless("program", inner, CAPTURE_NAMING_DYNAMIC);
  symbol_files_leave(directory);
}

/* What a file of 300 MiB of zeros becomes must not be kept in memory. */
static void test_mini_debug_bomb(void)
{
  char *directory = symbol_files_enter();
  guint64 inner;

  build_program("");
  inner = symbol_files_address("program", "inner");
  symbol_files_run("head -c 314572800 /dev/zero | xz -0 >bomb.xz && strip program &&"
                   " objcopy --add-section .gnu_debugdata=bomb.xz program");
  assert_nameless("program", inner, CAPTURE_NAMING_DYNAMIC);
  symbol_files_leave(directory);
}

/* Every stub that the disassembler knows, at its first and its last byte. */
static void test_plt(gconstpointer flags)
{
  char *directory = symbol_files_enter();
  g_autofree char *listing = NULL;
  g_auto(GStrv) lines = NULL;
  guint n = 0;

  build_program(flags);
  symbol_files_run("objdump -d program | sed -n 's/^\\([0-9a-f]*\\) <\\(.*@plt\\)>:/\\1 \\2/p' >stubs");
  g_assert_true(g_file_get_contents("stubs", &listing, NULL, NULL));
  lines = g_strsplit(listing, "\n", -1);
  for (guint i = 0; lines[i] && *lines[i]; i++, n++) {
    char *name;
    guint64 address = g_ascii_strtoull(lines[i], &name, 16);

    assert_named("program", address, name + 1, CAPTURE_NAMING_SYMBOLS);
    assert_named("program", address + 7, name + 1, CAPTURE_NAMING_SYMBOLS);
  }
  g_assert_cmpuint(n, >=, 2);
  symbol_files_leave(directory);
}

static void test_cplusplus(void)
{
  char *directory = symbol_files_enter();

  symbol_files_write("program.cc", "#include <string>\n#include <vector>\nnamespace a { struct B {\n"
                                   "int f(std::vector<int> &v, const std::string &s); }; }\n"
                                   "int a::B::f(std::vector<int> &v, const std::string &s)\n"
                                   "{ return v.size() + s.size(); }\nint main() { return 0; }\n");
  symbol_files_run("g++ -O1 -g program.cc -o program");
  assert_named("program",
               symbol_files_address("program", "_ZN1a1B1fERSt6vectorIiSaIiEERKNSt7__cxx1112basic_string"
                                               "IcSt11char_traitsIcESaIcEEE"),
               "a::B::f(std::vector<int, std::allocator<int> >&, std::__cxx11::basic_string<char, "
               "std::char_traits<char>, std::allocator<char> > const&)",
               CAPTURE_NAMING_SYMBOLS);
  symbol_files_leave(directory);
}

static void test_huge_name(void)
{
  char *directory = symbol_files_enter();
  g_autofree char *name = g_strnfill(PROFILE_SYMBOLS_NAME_MAX - 100, 'n');
  g_autofree char *mangled = g_strdup_printf("_ZN9999%s1fEv", name);
  g_autofree char *program =
      g_strdup_printf("void %s(void) {}\nvoid %s(void) {}\nint main() { return 0; }\n", name, mangled);

  symbol_files_write("program.c", program);
  symbol_files_run("gcc program.c -o program");
  assert_named("program", symbol_files_address("program", name), name, CAPTURE_NAMING_SYMBOLS);
  assert_named("program", symbol_files_address("program", mangled), mangled, CAPTURE_NAMING_SYMBOLS);
  symbol_files_leave(directory);
}

/* As an elf-reader finds them. */
static ProfileFunctionTable *name_with_lines(const char *file, guint64 offset)
{
  g_autofree char *path = g_canonicalize_filename(file, NULL);
  g_autoptr(ProfileElfReaders) readers = profile_elf_readers_new();
  g_autoptr(ProfilePlaces) places = NULL;
  ProfileNamer namer = {.readers = readers};
  ProfileBinary binary = {.path = path};

  g_assert_nonnull(readers);
  return profile_namer_name_binary(&namer, &binary, &offset, 1, NULL, NULL, &places);
}

static void test_lines(gconstpointer split)
{
  char *directory = symbol_files_enter();
  const ProfileFunctionRange *range;
  g_autoptr(ProfileFunctionTable) table = NULL;
  g_autoptr(ProfileFunctionTable) plain = NULL;
  guint64 offset;

  build_program("-g -fdebug-prefix-map=$PWD=/source");
  offset = get_offset("program", symbol_files_address("program", "outer") + 2);
  if (GPOINTER_TO_INT(split))
    symbol_files_run("objcopy --only-keep-debug program program.debug && strip program &&"
                     " objcopy --add-gnu-debuglink=program.debug program");
  table = name_with_lines("program", offset);
  range = profile_function_table_lookup(table, offset);
  g_assert_cmpstr(range->name, ==, "outer");
  g_assert_cmpstr(range->file, ==, "/source/program.c");
  g_assert_cmpuint(range->line, ==, 6);
  plain = name_one("program", offset);
  range = profile_function_table_lookup(plain, offset);
  g_assert_null(range->file);
  g_assert_cmpuint(range->line, ==, 0);
  symbol_files_leave(directory);
}

static void test_32_bit(void)
{
  char *directory = symbol_files_enter();

  symbol_files_write("program.s", ".text\n.globl _start\n.type _start, @function\n_start: nop\nnop\n"
                                  ".size _start, .-_start\n.globl after\nafter: nop\n");
  symbol_files_run("as --32 program.s -o program.o && ld -m elf_i386 --build-id program.o -o program");
  assert_named("program", symbol_files_address("program", "_start") + 1, "_start", CAPTURE_NAMING_SYMBOLS);
  assert_named("program", symbol_files_address("program", "after"), "after", CAPTURE_NAMING_SYMBOLS);
  symbol_files_leave(directory);
}

static void test_other_file(void)
{
  char *directory = symbol_files_enter();
  g_autofree char *path = g_build_filename(directory, "program", NULL);
  ProfileNamer namer = {0};
  ProfileBinary binary = {.path = path, .build_id_size = 20, .build_id = "not this one"};
  ProfileBinary by_inode = {.path = path, .inode = 1};
  guint64 offset = 0x1100;
  g_autoptr(ProfileFunctionTable) other = NULL;
  g_autoptr(ProfileFunctionTable) replaced = NULL;
  g_autoptr(ProfileFunctionTable) text = NULL;
  g_autoptr(ProfileFunctionTable) directory_table = NULL;

  build_program("");
  other = profile_namer_name_binary(&namer, &binary, &offset, 1, NULL, NULL, NULL);
  g_assert_cmpint(profile_function_table_get_status(other), ==, CAPTURE_NAMING_UNREADABLE);
  replaced = profile_namer_name_binary(&namer, &by_inode, &offset, 1, NULL, NULL, NULL);
  g_assert_cmpint(profile_function_table_get_status(replaced), ==, CAPTURE_NAMING_UNREADABLE);
  text = name_one("program.c", offset);
  g_assert_cmpint(profile_function_table_get_status(text), ==, CAPTURE_NAMING_NONE);
  directory_table = name_one(".", offset);
  g_assert_cmpint(profile_function_table_get_status(directory_table), ==, CAPTURE_NAMING_UNREADABLE);
  symbol_files_leave(directory);
}

static int open_program(const ProfileBinary *binary, gpointer data)
{
  return open(data, O_RDONLY | O_CLOEXEC);
}

static void test_opener(void)
{
  char *directory = symbol_files_enter();
  ProfileNamer namer = {.open = open_program, .open_data = (gpointer) "program"};
  ProfileBinary binary = {.path = "/nonexistent/program", .flags = CAPTURE_BINARY_DELETED};
  g_autoptr(ProfileFunctionTable) table = NULL;
  guint64 offset;

  build_program("");
  offset = get_offset("program", symbol_files_address("program", "main"));
  table = profile_namer_name_binary(&namer, &binary, &offset, 1, NULL, NULL, NULL);
  g_assert_cmpstr(profile_function_table_lookup(table, offset)->name, ==, "main");
  symbol_files_leave(directory);
}

/* Without a build-id the file at the path is taken, unless it was written after the recording ended. */
static void test_written_later(void)
{
  char *directory = symbol_files_enter();
  g_autofree char *path = g_build_filename(directory, "program", NULL);
  const struct timespec times[] = {{1000, 0}, {1000, 5}};
  const gint64 written = 1000000000005;
  ProfileBinary binary = {.path = path};
  guint64 offset;

  build_program("");
  offset = get_offset("program", symbol_files_address("program", "main"));
  g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
  for (gint64 end = written - 1; end <= written; end++) {
    ProfileNamer namer = {.end = end};
    g_autoptr(ProfileFunctionTable) table =
        profile_namer_name_binary(&namer, &binary, &offset, 1, NULL, NULL, NULL);
    g_assert_cmpint(profile_function_table_get_status(table), ==,
                    end < written ? CAPTURE_NAMING_UNREADABLE : CAPTURE_NAMING_SYMBOLS);
  }
  symbol_files_leave(directory);
}

/* The file is gone, but a process still has it mapped: as in another mount namespace, its path leads nowhere.
 */
static void test_mapped_by_process(void)
{
  char *directory = symbol_files_enter();
  g_autofree char *path = g_build_filename(directory, "program", NULL);
  ProfileNamer namer = {.same_boot = TRUE}, other_boot = {0};
  ProfileBinary binary = {.path = path};
  g_autofree char *maps = NULL;
  g_autofree char *maps_path = NULL;
  g_autoptr(ProfileFunctionTable) table = NULL;
  g_autoptr(ProfileFunctionTable) none = NULL;
  GPid pid;
  guint64 offset;
  const char *command[] = {path, NULL};

  symbol_files_write("program.c", "#include <unistd.h>\nint main(void) { return pause(); }\n");
  symbol_files_run("gcc program.c -o program");
  offset = get_offset("program", symbol_files_address("program", "main"));
  g_assert_true(g_spawn_async(NULL, (char **)command, NULL, G_SPAWN_DEFAULT, NULL, NULL, &pid, NULL));
  binary.mapped_pid = pid;
  maps_path = g_strdup_printf("/proc/%d/maps", pid);
  g_assert_true(g_file_get_contents(maps_path, &maps, NULL, NULL));
  g_assert_cmpint(
      sscanf(maps, "%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x %*s %*s %*s %" G_GINT64_MODIFIER "u",
             &binary.mapped_start, &binary.mapped_end, &binary.inode),
      ==, 3);
  unlink(path);
  table = profile_namer_name_binary(&namer, &binary, &offset, 1, NULL, NULL, NULL);
  none = profile_namer_name_binary(&other_boot, &binary, &offset, 1, NULL, NULL, NULL);
  kill(pid, SIGKILL);
  g_spawn_close_pid(pid);
  g_assert_cmpint(profile_function_table_get_status(none), ==, CAPTURE_NAMING_UNREADABLE);
  if (geteuid() == 0) /* others may not open map_files */
    g_assert_cmpstr(profile_function_table_lookup(table, offset)->name, ==, "main");
  symbol_files_leave(directory);
}

static void test_vdso(void)
{
  ProfileNamer namer = {.same_boot = TRUE}, stranger = {0};
  ProfileBinary binary = {.path = "[vdso]", .flags = CAPTURE_BINARY_VDSO | CAPTURE_BINARY_SPECIAL};
  g_autoptr(GArray) offsets = g_array_new(FALSE, FALSE, sizeof(guint64));
  g_autoptr(ProfileFunctionTable) table = NULL;
  g_autoptr(ProfileFunctionTable) unknown = NULL;
  const ProfileFunctionRange *ranges;
  gboolean found = FALSE;
  gsize n;

  for (guint64 offset = 0; offset < 0x2000; offset++)
    g_array_append_val(offsets, offset);
  table = profile_namer_name_binary(&namer, &binary, (guint64 *)(gpointer)offsets->data, offsets->len, NULL,
                                    NULL, NULL);
  ranges = profile_function_table_get_ranges(table, &n);
  for (gsize i = 0; i < n; i++)
    found |= strstr(ranges[i].name, "clock_gettime") != NULL;
  g_assert_true(found);
  unknown = profile_namer_name_binary(&stranger, &binary, (guint64 *)(gpointer)offsets->data, offsets->len,
                                      NULL, NULL, NULL);
  g_assert_cmpint(profile_function_table_get_status(unknown), ==, CAPTURE_NAMING_UNREADABLE);
}

/* Reads everything that the reader can read. */
static void read_all(const guint8 *bytes, gsize length)
{
  g_autoptr(GBytes) copy = g_bytes_new(bytes, length);
  g_autoptr(ProfileElf) elf = profile_elf_new_for_bytes(copy, NULL);
  g_autoptr(ProfileSymbols) symbols = NULL;
  g_autoptr(ProfileElf) mini = NULL;
  g_autofree char *link = NULL;
  guint64 start, end;
  guint32 crc;

  if (!elf)
    return;
  symbols = profile_symbols_new();
  mini = profile_elf_open_mini_debug_info(elf);
  profile_elf_get_debug_link(elf, &link, &crc);
  profile_elf_add_symbols(elf, elf, SHT_SYMTAB, symbols);
  profile_symbols_settle(symbols);
  profile_elf_add_symbols(elf, elf, SHT_DYNSYM, symbols);
  profile_symbols_settle(symbols);
  profile_elf_add_plt_symbols(elf, symbols);
  profile_symbols_sort(symbols);
  for (guint64 offset = 0; offset < length; offset += 16)
    profile_symbols_lookup(symbols, offset, &start, &end);
}

static void test_damage(gconstpointer source)
{
  char *directory = symbol_files_enter();
  g_autofree char *content = NULL;
  gsize length;

  symbol_files_write("small.c", "void a(void){} void b(void){} extern void c(void); void d(void){ c(); }\n");
  symbol_files_run("gcc -Os -fPIC -shared -nostdlib -Wl,--build-id,-z,max-page-size=64,-z,noseparate-code %s "
                   "small.c -o small && objcopy --remove-section .comment --remove-section .eh_frame small &&"
                   " echo x >x.debug && objcopy --add-gnu-debuglink=x.debug small",
                   (const char *)source);
  g_assert_true(g_file_get_contents("small", &content, &length, NULL));
  g_assert_cmpuint(length, <, 20000);
  for (gsize i = 0; i < length; i++) {
    static const guint8 flips[] = {0x01, 0x80, 0xff};

    for (guint j = 0; j < G_N_ELEMENTS(flips); j++) {
      content[i] ^= (char)flips[j];
      read_all((guint8 *)content, length);
      content[i] ^= (char)flips[j];
    }
  }
  for (gsize i = 0; i < length; i++)
    read_all((guint8 *)content, i);
  symbol_files_leave(directory);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/elf/symbol-table/pie", "-pie", test_symbol_table);
  g_test_add_data_func("/elf/symbol-table/no-pie", "-no-pie", test_symbol_table);
  g_test_add_data_func("/elf/symbol-table/static", "-static", test_symbol_table);
  g_test_add_data_func("/elf/symbol-table/static-pie", "-static-pie", test_symbol_table);
  g_test_add_data_func("/elf/symbol-table/separate-code", "-Wl,-z,noseparate-code", test_symbol_table);
  g_test_add_func("/elf/stripped", test_stripped);
  g_test_add_func("/elf/no-symbols", test_no_symbols);
  g_test_add_data_func("/elf/debug-link/beside", "build-id beside", test_debug_link);
  g_test_add_data_func("/elf/debug-link/below", "build-id below", test_debug_link);
  g_test_add_data_func("/elf/debug-link/checksum", "crc beside", test_debug_link);
  g_test_add_data_func("/elf/debug-link/wrong-build-id", "-Wl,--build-id", test_wrong_debug_link);
  g_test_add_data_func("/elf/debug-link/wrong-checksum", "-Wl,--build-id=none", test_wrong_debug_link);
  g_test_add_func("/elf/no-file", test_no_file);
  g_test_add_func("/elf/build-id-directory", test_build_id_directory);
  g_test_add_func("/elf/mini-debug-info", test_mini_debug_info);
  g_test_add_func("/elf/mini-debug-info/bomb", test_mini_debug_bomb);
  g_test_add_data_func("/elf/plt/lazy", "-Wl,-z,lazy", test_plt);
  g_test_add_data_func("/elf/plt/now", "-Wl,-z,now", test_plt);
  g_test_add_data_func("/elf/plt/sec", "-fcf-protection -Wl,-z,ibtplt", test_plt);
  g_test_add_func("/elf/cplusplus", test_cplusplus);
  g_test_add_func("/elf/huge-name", test_huge_name);
  g_test_add_data_func("/elf/lines/own", GINT_TO_POINTER(FALSE), test_lines);
  g_test_add_data_func("/elf/lines/debug-file", GINT_TO_POINTER(TRUE), test_lines);
  g_test_add_func("/elf/32-bit", test_32_bit);
  g_test_add_func("/elf/other-file", test_other_file);
  g_test_add_func("/elf/opener", test_opener);
  g_test_add_func("/elf/written-later", test_written_later);
  g_test_add_func("/elf/mapped-by-process", test_mapped_by_process);
  g_test_add_func("/elf/vdso", test_vdso);
  g_test_add_data_func("/elf/damage/full", "", test_damage);
  g_test_add_data_func("/elf/damage/stripped", "-s", test_damage);
  return g_test_run();
}
