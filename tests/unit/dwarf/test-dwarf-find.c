/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and inlined functions: those that compilers leave, and damage written by hand. */
#include <errno.h>
#include <string.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "dwarf/dwarf-find.h"
#include "dwarf/dwarf-object.h"
#include "tests/unit/remove-tree.h"
#include "tests/unit/run-shell.h"

#define N_ADDRESSES 4096

static const char program[] =
    "struct pair { int a, b; };\n"
    "static inline __attribute__((always_inline)) int inner(int x) { return x * 3 + (x >> 2); }\n"
    "static inline __attribute__((always_inline)) int outer(struct pair *p)\n"
    "{\n"
    "  int r = inner(p->a);\n"
    "  return r & 1 ? r + inner(p->b) : r;\n"
    "}\n"
    "__attribute__((noipa)) int unused(int x) { return x * 17; }\n"
    "__attribute__((noipa)) int work(struct pair *p)\n"
    "{\n"
    "  int s = 0;\n"
    "  for (int i = 0; i < p->a; i++)\n"
    "    s += outer(p);\n"
    "  return s;\n"
    "}\n"
    "void _start(void) { struct pair p = {1, 2}; work(&p); for (;;); }\n";

static const char link_options[] =
    "-nostdlib -static -fno-asynchronous-unwind-tables -Wl,-Ttext=0x401000 -Wl,--build-id=none";

static char *directory;

static void write_file(const char *name, const char *text)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);

  g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static struct dwarf_bytes read_file(const char *name)
{
  g_autofree char *path = g_build_filename(directory, name, NULL);
  gsize size;
  char *bytes;

  g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
  return (struct dwarf_bytes){bytes, size};
}

static void build(const char *options)
{
  write_file("p.c", program);
  g_free(run_shell(directory, "gcc -O2 %s %s -o p p.c", options, link_options));
}

/* All that is known of the program's text. */
static struct dwarf_places *find(const struct dwarf_files *files, const struct dwarf_limits *limits)
{
  static uint64_t addresses[N_ADDRESSES];
  struct dwarf_places *places;

  for (size_t i = 0; i < N_ADDRESSES; i++)
    addresses[i] = 0x401000 + i;
  g_assert_cmpint(dwarf_find(files, addresses, N_ADDRESSES, limits, &places), ==, 0);
  g_assert_true(dwarf_places_are_valid(places, places->size));
  return places;
}

static struct dwarf_places *find_in(const char *name, const struct dwarf_limits *limits)
{
  struct dwarf_files files = {.main = read_file(name)};
  struct dwarf_places *places = find(&files, limits);

  g_free((void *)files.main.bytes);
  return places;
}

static char *text_of(const struct dwarf_places *places, const struct dwarf_text *text)
{
  return g_strndup((const char *)places + text->at, text->length);
}

/* "inner p.c:2 < outer p.c:5 < work p.c:13", from the innermost on. */
static char *describe(const struct dwarf_places *places, const struct dwarf_place *place)
{
  GString *description = g_string_new(NULL);

  for (uint32_t i = 0; i < place->n_frames; i++) {
    const struct dwarf_frame *frame = &dwarf_places_get_frames(places)[place->first_frame + i];
    g_autofree char *function = text_of(places, &frame->function), *file = text_of(places, &frame->file),
                    *base = g_path_get_basename(file);

    g_string_append_printf(description, "%s%s %s:%u", i > 0 ? " < " : "", function, base, frame->line);
    g_assert_cmpint(!!(frame->flags & DWARF_FRAME_INLINED), ==, i + 1 < place->n_frames);
  }
  return g_string_free(description, FALSE);
}

static const struct dwarf_place *look_for(const struct dwarf_places *places, const char *what)
{
  for (uint32_t i = 0; i < places->n_places; i++) {
    g_autofree char *description = describe(places, &dwarf_places_get(places)[i]);

    if (g_str_equal(description, what))
      return &dwarf_places_get(places)[i];
  }
  return NULL;
}

static void assert_has_chain(const struct dwarf_places *places)
{
  g_assert_cmpuint(places->outcome, ==, DWARF_COMPLETE);
  g_assert_cmpuint(places->n_missing, ==, 0);
  g_assert_nonnull(look_for(places, "inner p.c:2 < outer p.c:5 < work p.c:13"));
  g_assert_nonnull(look_for(places, "inner p.c:2 < outer p.c:6 < work p.c:13"));
  g_assert_nonnull(look_for(places, "work p.c:12"));
  g_assert_nonnull(look_for(places, "unused p.c:8"));
}

static void test_inlined(gconstpointer options)
{
  g_autofree struct dwarf_places *places = NULL;

  build(options);
  places = find_in("p", NULL);
  assert_has_chain(places);
}

static void test_declared(void)
{
  g_autofree struct dwarf_places *places = NULL;
  g_autofree char *declared_file = NULL, *file = NULL, *whole = g_build_filename(directory, "p.c", NULL);
  const struct dwarf_frame *frame;

  build("-g");
  places = find_in("p", NULL);
  frame = &dwarf_places_get_frames(
      places)[look_for(places, "inner p.c:2 < outer p.c:5 < work p.c:13")->first_frame + 1];
  declared_file = text_of(places, &frame->declared_file);
  file = text_of(places, &frame->file);
  g_assert_cmpstr(declared_file, ==, whole);
  g_assert_cmpstr(file, ==, whole);
  g_assert_cmpuint(frame->declared_line, ==, 3);
  g_assert_cmpuint(frame->column, >, 0);
}

/* The unit's directory, made relative so that builds can be repeated, is not put before itself. */
static void test_relative_directory(gconstpointer version)
{
  g_autofree struct dwarf_places *places = NULL;
  g_autofree char *file = NULL;

  write_file("p.c", program);
  g_free(run_shell(directory,
                   "mkdir -p sub; cp p.c sub; cd sub; gcc -O2 %s -fdebug-prefix-map=%s=. %s -o ../p p.c",
                   (const char *)version, directory, link_options));
  places = find_in("p", NULL);
  file =
      text_of(places, &dwarf_places_get_frames(
                           places)[look_for(places, "inner p.c:2 < outer p.c:5 < work p.c:13")->first_frame]
                           .file);
  g_assert_cmpstr(file, ==, "./sub/p.c");
}

static void test_linkage_name(void)
{
  g_autofree struct dwarf_places *places = NULL;
  const struct dwarf_place *place;

  write_file("q.cc", "namespace n { struct S { int f(int); }; }\n"
                     "int n::S::f(int x) { return x * 7; }\n"
                     "extern \"C\" void _start() { n::S s; s.f(5); }\n");
  g_free(run_shell(directory, "g++ -O0 -g %s -o q q.cc", link_options));
  places = find_in("q", NULL);
  place = look_for(places, "_ZN1n1S1fEi q.cc:2");
  g_assert_nonnull(place);
  g_assert_cmpuint(dwarf_places_get_frames(places)[place->first_frame].flags, ==, DWARF_FRAME_LINKAGE_NAME);
  g_assert_cmpuint(dwarf_places_get_frames(places)[place->first_frame].declared_line, ==, 2);
  place = look_for(places, "_start q.cc:3");
  g_assert_nonnull(place);
  g_assert_cmpuint(dwarf_places_get_frames(places)[place->first_frame].flags, ==, 0);
}

/* First without the other half, whose name is told, then with it. */
static void test_split(gconstpointer options)
{
  struct dwarf_bytes dwo;
  struct dwarf_files files = {.dwo = &dwo};
  g_autofree struct dwarf_places *without = NULL, *with = NULL;
  g_autofree char *path = NULL, *whole = g_build_filename(directory, "p.dwo", NULL);

  write_file("p.c", program);
  g_free(run_shell(directory, "gcc -O2 -gsplit-dwarf %s -c p.c -o p.o; gcc %s p.o -o p",
                   (const char *)options, link_options));
  files.main = read_file("p");
  without = find(&files, NULL);
  g_assert_cmpuint(without->outcome, ==, DWARF_COMPLETE);
  g_assert_cmpuint(without->n_missing, ==, 1);
  path = text_of(without, &dwarf_places_get_missing(without)->path);
  g_assert_cmpstr(path, ==, whole);
  g_assert_cmpuint(dwarf_places_get_missing(without)->build_id_size, ==, 0);
  g_assert_nonnull(look_for(without, " p.c:8"));

  dwo = read_file("p.dwo");
  files.n_dwo = 1;
  with = find(&files, NULL);
  assert_has_chain(with);
  g_free((void *)dwo.bytes);
  g_free((void *)files.main.bytes);
}

/* Compilers lay out the lines in their own ways. */
static void test_package(gconstpointer compiler)
{
  struct dwarf_files files = {{0}};
  g_autofree struct dwarf_places *places = NULL;
  uint32_t most = 0;

  write_file("p.c", program);
  g_free(run_shell(directory, "%s -O2 -gsplit-dwarf -c p.c -o p.o; gcc %s p.o -o p; llvm-dwp p.dwo -o p.dwp",
                   (const char *)compiler, link_options));
  files.main = read_file("p");
  files.package = read_file("p.dwp");
  places = find(&files, NULL);
  g_assert_cmpuint(places->outcome, ==, DWARF_COMPLETE);
  g_assert_cmpuint(places->n_missing, ==, 0);
  g_assert_nonnull(look_for(places, "unused p.c:8"));
  for (uint32_t i = 0; i < places->n_places; i++)
    most = MAX(most, dwarf_places_get(places)[i].n_frames);
  g_assert_cmpuint(most, ==, 3);
  g_free((void *)files.package.bytes);
  g_free((void *)files.main.bytes);
}

/* A stretch holds all addresses of which the same is known when they are asked for one by one. */
static void test_stretches(void)
{
  struct dwarf_files files;
  struct dwarf_reader *reader;
  g_autofree struct dwarf_places *all = NULL;

  build("-g");
  files = (struct dwarf_files){.main = read_file("p")};
  all = find(&files, NULL);
  g_assert_cmpint(dwarf_reader_open(&files, NULL, &reader), ==, 0);
  for (uint32_t i = 0; i < all->n_places; i++) {
    const struct dwarf_place *place = &dwarf_places_get(all)[i];

    for (uint64_t address = place->start; address < place->end; address++) {
      g_autofree struct dwarf_places *one = NULL;
      g_autofree char *here = NULL, *there = describe(all, place);

      g_assert_cmpint(dwarf_reader_find(reader, &address, 1, &one), ==, 0);
      g_assert_cmpuint(one->n_places, ==, 1);
      g_assert_cmphex(dwarf_places_get(one)->start, ==, place->start);
      g_assert_cmphex(dwarf_places_get(one)->end, ==, place->end);
      here = describe(one, dwarf_places_get(one));
      g_assert_cmpstr(here, ==, there);
    }
  }
  dwarf_reader_close(reader);
  g_free((void *)files.main.bytes);
}

/* The linker leaves the entries of code that it removed, at addresses where other things stand. */
static void test_removed_code(void)
{
  struct dwarf_files files;
  struct dwarf_places *places;
  g_autofree struct dwarf_places *all = NULL;
  const uint64_t low[] = {0, 1, 2, 3, 4};

  build("-g -ffunction-sections -Wl,--gc-sections");
  files = (struct dwarf_files){.main = read_file("p")};
  g_assert_cmpint(dwarf_find(&files, low, G_N_ELEMENTS(low), NULL, &places), ==, 0);
  g_assert_cmpuint(places->n_places, ==, 0);
  free(places);
  all = find(&files, NULL);
  g_assert_null(look_for(all, "unused p.c:8"));
  g_assert_nonnull(look_for(all, "inner p.c:2 < outer p.c:5 < work p.c:13"));
  g_free((void *)files.main.bytes);
}

static void test_refused(void)
{
  const uint64_t twice[] = {7, 7};
  struct dwarf_files files;
  struct dwarf_places *places = NULL;

  build("-g");
  files = (struct dwarf_files){.main = read_file("p")};
  g_assert_cmpint(dwarf_find(&files, twice, 2, NULL, &places), ==, -EINVAL);
  g_assert_cmpint(dwarf_find(&files, twice, 0, NULL, &places), ==, 0);
  g_assert_cmpuint(places->n_places, ==, 0);
  free(places);
  files.main.size = 16;
  g_assert_cmpint(dwarf_find(&files, twice, 1, NULL, &places), ==, -ENOEXEC);
  g_free((void *)files.main.bytes);
  g_free(run_shell(directory, "strip p"));
  files.main = read_file("p");
  g_assert_cmpint(dwarf_find(&files, twice, 1, NULL, &places), ==, -ENODATA);
  g_free((void *)files.main.bytes);
}

static void test_limits(void)
{
  const struct dwarf_limits no_time = {.processor_time = 1}, no_memory = {.memory = 600},
                            past = {.deadline = 1};
  g_autofree struct dwarf_places *late = NULL, *too_late = NULL, *large = NULL;

  build("-g -gz");
  late = find_in("p", &no_time);
  g_assert_cmpuint(late->outcome, ==, DWARF_OUT_OF_TIME);
  too_late = find_in("p", &past);
  g_assert_cmpuint(too_late->outcome, ==, DWARF_OUT_OF_TIME);
  large = find_in("p", &no_memory);
  g_assert_cmpuint(large->outcome, ==, DWARF_OUT_OF_MEMORY);
  g_assert_cmpuint(large->n_places, ==, 0);
}

/* All that is known of the code of a file that is not linked, which stands in its first sections. */
static struct dwarf_places *find_in_object(const struct dwarf_limits *limits)
{
  static uint64_t addresses[N_ADDRESSES];
  struct dwarf_files files = {.main = read_file("p.o")};
  struct dwarf_places *places;

  for (uint32_t i = 0; i < N_ADDRESSES; i++)
    addresses[i] = dwarf_object_address(i / 256, i % 256);
  g_assert_cmpint(dwarf_find(&files, addresses, N_ADDRESSES, limits, &places), ==, 0);
  g_assert_true(dwarf_places_are_valid(places, places->size));
  g_free((void *)files.main.bytes);
  return places;
}

static void test_object(void)
{
  static const char *const options[] = {"-g", "-g -gz", "-gdwarf-4 -ffunction-sections"};
  const struct dwarf_limits no_time = {.processor_time = 1}, no_memory = {.memory = 2000};

  for (guint i = 0; i < G_N_ELEMENTS(options); i++) {
    g_autofree struct dwarf_places *all = NULL, *late = NULL, *large = NULL;

    write_file("p.c", program);
    g_free(run_shell(directory, "gcc -O2 -c %s -o p.o p.c", options[i]));
    all = find_in_object(NULL);
    assert_has_chain(all);
    g_assert_nonnull(look_for(all, "unused p.c:8"));
    late = find_in_object(&no_time);
    g_assert_cmpuint(late->outcome, ==, DWARF_OUT_OF_TIME);
    large = find_in_object(&no_memory);
    g_assert_cmpuint(large->outcome, ==, DWARF_OUT_OF_MEMORY);
  }
}

/* Nothing is written, or read, beyond sections, symbols and sections of symbols. */
static void test_wrong_relocations(void)
{
  struct dwarf_files files;
  guint8 *bytes;

  write_file("p.c", program);
  g_free(run_shell(directory, "gcc -O2 -c -g -o p.o p.c"));
  files = (struct dwarf_files){.main = read_file("p.o")};
  bytes = (guint8 *)files.main.bytes;
  for (gsize at = 0x40; at + 8 <= files.main.size; at += 4) {
    const uint64_t addresses[] = {dwarf_object_address(1, 0)};
    struct dwarf_places *places;
    guint64 kept;

    memcpy(&kept, bytes + at, sizeof kept);
    memset(bytes + at, 0xff, sizeof kept);
    if (dwarf_find(&files, addresses, 1, NULL, &places) == 0) {
      g_assert_true(dwarf_places_are_valid(places, places->size));
      free(places);
    }
    memcpy(bytes + at, &kept, sizeof kept);
  }
  g_free(bytes);
}

static const char abbreviations[] =
    "  .section .debug_abbrev\n"
    "  .byte 1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0\n"             /* compile unit: low_pc, high_pc */
    "  .byte 2, 0x2e, 1, 0x03, 0x08, 0x11, 0x01, 0x12, 0x06, 0, 0\n" /* subprogram: name, low_pc, high_pc */
    "  .byte 3, 0x1d, 1, 0x31, 0x13, 0x11, 0x01, 0x12, 0x06, 0x59, 0x05, 0, 0\n" /* inlined: origin, …,
                                                                                    call_line */
    "  .byte 4, 0x2e, 0, 0x31, 0x13, 0, 0\n"                                     /* subprogram: origin */
    "  .byte 5, 0x0b, 1, 0x01, 0x13, 0, 0\n"                                     /* block: sibling */
    "  .byte 6, 0x2e, 0, 0x03, 0x08, 0, 0\n"                                     /* subprogram: name */
    "  .byte 7, 0x1d, 1, 0x31, 0xa0, 0x3e, 0x11, 0x01, 0x12, 0x06, 0x59, 0x05, 0, 0\n" /* as 3, in another
                                                                                          file */
    "  .byte 8, 0x3c, 1, 0, 0\n"                                                       /* partial unit */
    "  .byte 0\n";

/* A unit of 64 bytes of code with entries of one's own. */
static void build_by_hand(const char *entries)
{
  g_autofree char *text = g_strdup_printf(
      "  .globl _start\n  .text\n_start:\n  .zero 64\n%s"
      "  .section .debug_info\nunit:\n  .long end - start\nstart:\n  .short 4\n  .long 0\n  .byte 8\n"
      "  .byte 1\n  .quad _start\n  .long 64\n%s  .byte 0\nend:\n",
      abbreviations, entries);

  write_file("h.s", text);
  g_free(run_shell(directory, "gcc %s -o h h.s", link_options));
}

#define FUNCTION "  .byte 2\n  .asciz \"function\"\n  .quad _start\n  .long 64\n"
#define INLINED  "  .byte 3\n  .long origin - unit\n  .quad _start + 8\n  .long 8\n  .short 5\n"
#define NAMED    "origin:\n  .byte 6\n  .asciz \"other\"\n"

static void test_by_hand(void)
{
  g_autofree struct dwarf_places *places = NULL;

  build_by_hand(NAMED FUNCTION INLINED "  .byte 0, 0\n");
  places = find_in("h", NULL);
  g_assert_cmpuint(places->outcome, ==, DWARF_COMPLETE);
  g_assert_cmpuint(places->n_places, ==, 3);
  g_assert_nonnull(look_for(places, "other .:0 < function .:5"));
  g_assert_nonnull(look_for(places, "function .:0"));
}

static void test_circle(void)
{
  g_autofree struct dwarf_places *places = NULL;

  build_by_hand(
      "origin:\n  .byte 4\n  .long back - unit\nback:\n  .byte 4\n  .long origin - unit\n" FUNCTION INLINED
      "  .byte 0, 0\n");
  places = find_in("h", NULL);
  g_assert_nonnull(look_for(places, " .:0 < function .:5"));
}

/* Two functions claim the same code, and what is inlined reaches out of its function, or ends before it
 * begins: each address has one place all the same, with what of it is true of that address. */
static void test_overlap(void)
{
  g_autofree struct dwarf_places *places = NULL;
  uint64_t end = 0;

  build_by_hand(NAMED FUNCTION INLINED
                "  .byte 0\n  .byte 3\n  .long origin - unit\n  .quad _start + 32\n  .long 4096\n  .short 6\n"
                "  .byte 0\n  .byte 3\n  .long origin - unit\n  .quad _start + 24\n  .long -8\n  .short 7\n"
                "  .byte 0\n  .byte 0\n"
                "  .byte 2\n  .asciz \"second\"\n  .quad _start + 4\n  .long 32\n  .byte 0\n");
  places = find_in("h", NULL);
  g_assert_nonnull(look_for(places, "other .:0 < function .:5"));
  g_assert_nonnull(look_for(places, "second .:0"));
  for (uint32_t i = 0; i < places->n_places; i++) {
    g_assert_cmphex(dwarf_places_get(places)[i].start, >=, end);
    end = dwarf_places_get(places)[i].end;
  }
}

/* What dwz does: a function's name stands in another file, which is told when it is not given. */
static void test_alternate(void)
{
  g_autofree char *alternate =
      g_strdup_printf("%s  .section .debug_info\n  .long end - start\nstart:\n  .short 4\n"
                      "  .long 0\n  .byte 8\n  .byte 8\n  .byte 6\n  .asciz \"other\"\n"
                      "  .byte 0\nend:\n",
                      abbreviations);
  struct dwarf_files files = {{0}};
  g_autofree struct dwarf_places *without = NULL, *with = NULL;
  g_autofree char *path = NULL;

  build_by_hand(FUNCTION "  .byte 7\n  .long 12\n  .quad _start + 8\n  .long 8\n  .short 5\n  .byte 0, 0\n"
                         "  .section .gnu_debugaltlink\n  .asciz \"alternate.debug\"\n  .zero 20, 7\n"
                         "  .section .debug_info\n");
  files.main = read_file("h");
  without = find(&files, NULL);
  g_assert_nonnull(look_for(without, " .:0 < function .:5"));
  g_assert_cmpuint(without->outcome, ==, DWARF_COMPLETE);
  g_assert_cmpuint(without->n_missing, ==, 1);
  g_assert_cmpuint(dwarf_places_get_missing(without)->build_id_size, ==, 20);
  g_assert_cmpuint(dwarf_places_get_missing(without)->build_id[19], ==, 7);
  path = text_of(without, &dwarf_places_get_missing(without)->path);
  g_assert_cmpstr(path, ==, "alternate.debug");

  write_file("a.s", alternate);
  g_free(run_shell(directory, "gcc -c a.s -o a.o"));
  files.alternate = read_file("a.o");
  with = find(&files, NULL);
  g_assert_cmpuint(with->n_missing, ==, 0);
  g_assert_nonnull(look_for(with, "other .:0 < function .:5"));
  g_free((void *)files.alternate.bytes);
  g_free((void *)files.main.bytes);
}

/* So many in one another that the outermost are left out. */
static void test_depth(void)
{
  GString *entries = g_string_new(NAMED FUNCTION);
  g_autofree struct dwarf_places *places = NULL;
  uint32_t most = 0;

  for (int i = 0; i < 20000; i++)
    g_string_append(entries, INLINED);
  g_string_append(entries, "  .zero 20001\n");
  build_by_hand(entries->str);
  g_string_free(entries, TRUE);
  places = find_in("h", NULL);
  g_assert_cmpuint(places->n_places, ==, 3);
  for (uint32_t i = 0; i < places->n_places; i++)
    most = MAX(most, dwarf_places_get(places)[i].n_frames);
  g_assert_cmpuint(most, ==, DWARF_FRAMES_MAX);
}

/* What is damaged says nothing, and does not hold up what is not. */
static void test_damage(void)
{
  g_autofree struct dwarf_places *code = NULL, *sibling = NULL;

  build_by_hand(FUNCTION "  .byte 77\n");
  code = find_in("h", NULL);
  g_assert_cmpuint(code->outcome, ==, DWARF_DAMAGED);
  g_assert_cmpuint(code->n_places, ==, 0);
  build_by_hand("back:\n" FUNCTION "  .byte 5\n  .long back - unit\n  .byte 0, 0\n");
  sibling = find_in("h", NULL);
  g_assert_nonnull(look_for(sibling, "function .:0"));
}

int main(int argc, char **argv)
{
  int status;

  g_test_init(&argc, &argv, NULL);
  directory = g_dir_make_tmp("capture-dwarf-XXXXXX", NULL);
  g_assert_nonnull(directory);
  g_test_add_data_func("/dwarf-find/inlined/2", "-gdwarf-2", test_inlined);
  g_test_add_data_func("/dwarf-find/inlined/3", "-gdwarf-3", test_inlined);
  g_test_add_data_func("/dwarf-find/inlined/4", "-gdwarf-4", test_inlined);
  g_test_add_data_func("/dwarf-find/inlined/5", "-gdwarf-5", test_inlined);
  g_test_add_data_func("/dwarf-find/inlined/wide", "-g -gdwarf64", test_inlined);
  g_test_add_data_func("/dwarf-find/inlined/compressed", "-g -gz", test_inlined);
  g_test_add_data_func("/dwarf-find/inlined/compressed-gnu", "-g -gz=zlib-gnu", test_inlined);
  g_test_add_data_func("/dwarf-find/inlined/types", "-g -fdebug-types-section", test_inlined);
  g_test_add_data_func("/dwarf-find/split/4", "-gdwarf-4", test_split);
  g_test_add_data_func("/dwarf-find/split/5", "-gdwarf-5", test_split);
  g_test_add_data_func("/dwarf-find/package/4", "gcc -gdwarf-4", test_package);
  g_test_add_data_func("/dwarf-find/package/5", "clang -gdwarf-5 -Wno-unknown-attributes", test_package);
  g_test_add_func("/dwarf-find/alternate", test_alternate);
  g_test_add_func("/dwarf-find/declared", test_declared);
  g_test_add_data_func("/dwarf-find/relative-directory/4", "-gdwarf-4", test_relative_directory);
  g_test_add_data_func("/dwarf-find/relative-directory/5", "-gdwarf-5", test_relative_directory);
  g_test_add_func("/dwarf-find/linkage-name", test_linkage_name);
  g_test_add_func("/dwarf-find/stretches", test_stretches);
  g_test_add_func("/dwarf-find/removed-code", test_removed_code);
  g_test_add_func("/dwarf-find/refused", test_refused);
  g_test_add_func("/dwarf-find/limits", test_limits);
  g_test_add_func("/dwarf-find/object", test_object);
  g_test_add_func("/dwarf-find/wrong-relocations", test_wrong_relocations);
  g_test_add_func("/dwarf-find/by-hand", test_by_hand);
  g_test_add_func("/dwarf-find/circle", test_circle);
  g_test_add_func("/dwarf-find/overlap", test_overlap);
  g_test_add_func("/dwarf-find/depth", test_depth);
  g_test_add_func("/dwarf-find/damage", test_damage);
  status = g_test_run();
  remove_tree(directory);
  return status;
}
