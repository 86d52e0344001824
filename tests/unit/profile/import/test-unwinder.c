/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks of this very program, copied and walked, against the C library's own way of walking them. */
#include <execinfo.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include "profile/import/unwinder.h"
#include "tests/unit/own-registers.h"

enum { FRAMES_MAX = 64, STACK_MAX = 1 << 16, DEPTH = 8 };

typedef struct {
  ProfilePerfMaps *maps;
  GPtrArray *paths;              /* of binaries, by index */
  guint *opened;                 /* how often, one a binary */
  const char *missing, *no_file; /* paths that end so are */

  ProfileUnwinderSample sample;
  guint8 *stack;
  gsize stack_size;
  gpointer expected[FRAMES_MAX];
  guint n_expected;
} Fixture;

static guint32 get_index(Fixture *f, const char *path)
{
  guint index;

  if (!g_ptr_array_find_with_equal_func(f->paths, path, g_str_equal, &index)) {
    g_ptr_array_add(f->paths, g_strdup(path));
    index = f->paths->len - 1;
  }
  return index;
}

static void read_maps(Fixture *f)
{
  g_autofree char *text = NULL;
  gint64 kept = 0;

  g_assert_true(g_file_get_contents("/proc/self/maps", &text, NULL, NULL));
  g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
  for (char **line = lines; *line; line++) {
    ProfilePerfMapping mapping = {0};
    char protection[5], path[4096] = "";
    g_assert_cmpint(sscanf(*line, "%lx-%lx %4s %lx %*s %*s %4095[^\n]", &mapping.start, &mapping.end,
                           protection, &mapping.offset, path),
                    >=, 4);
    mapping.protection = protection[2] == 'x' ? PROT_EXEC : 0;
    mapping.binary = get_index(f, path);
    if (mapping.protection)
      g_assert_true(profile_perf_maps_insert(&f->maps, &mapping, &kept));
  }
}

static void set_registers(struct walk_registers *registers, const ucontext_t *context)
{
  guint64 general[33] = {0};

  own_registers(general, context);
  unwind_registers_set(registers, OWN_MACHINE, general);
}

/* Past whatever watches over accesses to the stack. */
static void copy_stack(Fixture *f)
{
  struct iovec to = {.iov_base = f->stack, .iov_len = STACK_MAX};
  struct iovec from = {.iov_base = GSIZE_TO_POINTER(f->sample.registers.sp), .iov_len = STACK_MAX};
  ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);

  g_assert_cmpint(n, >, 0);
  f->stack_size = (gsize)n;
}

static const char *get_path(const Fixture *f, guint frame)
{
  const ProfilePerfMapping *mapping = profile_perf_maps_find(f->maps, GPOINTER_TO_SIZE(f->expected[frame]));

  g_assert_nonnull(mapping);
  return f->paths->pdata[mapping->binary];
}

/* Leaves out whatever stands between this program and backtrace, as an interceptor of a sanitizer does. */
static void drop_interceptors(Fixture *f)
{
  g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
  guint n = 0;

  while (strcmp(get_path(f, n), program) != 0)
    n++;
  f->n_expected -= n;
  memmove(f->expected, f->expected + n, f->n_expected * sizeof *f->expected);
}

static __attribute__((noinline)) void look(Fixture *f)
{
  ucontext_t context;

  getcontext(&context);
  set_registers(&f->sample.registers, &context);
  f->n_expected = (guint)backtrace(f->expected, FRAMES_MAX);
  copy_stack(f);
}

static __attribute__((noinline)) void descend(Fixture *f, int depth)
{
  if (depth > 0)
    descend(f, depth - 1);
  else
    look(f);
  __asm__ volatile("" ::: "memory"); /* no tail call */
}

static void set_up(Fixture *f, gconstpointer data)
{
  f->maps = profile_perf_maps_new();
  f->paths = g_ptr_array_new_with_free_func(g_free);
  read_maps(f);
  f->opened = g_new0(guint, f->paths->len);
  f->stack = g_malloc(STACK_MAX);
  descend(f, DEPTH);
  drop_interceptors(f);
  g_assert_cmpuint(f->n_expected, >, DEPTH + 3);
}

static void tear_down(Fixture *f, gconstpointer data)
{
  profile_perf_maps_unref(f->maps);
  g_ptr_array_unref(f->paths);
  g_free(f->opened);
  g_free(f->stack);
}

static ProfileUnwinderFile open_binary(guint32 binary, ProfileDebugFile *ret, gpointer data)
{
  Fixture *f = data;
  const char *path = f->paths->pdata[binary];

  f->opened[binary]++;
  if (f->missing && g_str_has_suffix(path, f->missing))
    return PROFILE_UNWINDER_MISSING;
  if (path[0] != '/' || (f->no_file && g_str_has_suffix(path, f->no_file)))
    return PROFILE_UNWINDER_NO_FILE;
  ret->fd = open(path, O_RDONLY | O_CLOEXEC);
  g_assert_cmpint(ret->fd, >=, 0);
  ret->elf = profile_elf_new_for_fd(ret->fd, NULL);
  g_assert_nonnull(ret->elf);
  return PROFILE_UNWINDER_FILE;
}

static guint walk(Fixture *f, ProfileUnwinder *unwinder, gsize stack_size, guint64 *frames, guint max,
                  enum walk_end *ret_end)
{
  const ProfileUnwinderProcess process = {.maps = f->maps, .version = 77};

  f->sample.stack =
      (struct unwind_piece){.address = f->sample.registers.sp, .bytes = f->stack, .size = stack_size};
  return profile_unwinder_walk(unwinder, &process, &f->sample, frames, max, ret_end);
}

/* All but the first, of which both stand elsewhere in look. Returns how many frames there are. */
static guint check(Fixture *f, gsize stack_size, guint max, enum walk_end expected)
{
  g_autoptr(ProfileUnwinder) unwinder = profile_unwinder_new(OWN_MACHINE, open_binary, f);
  guint64 frames[FRAMES_MAX];
  enum walk_end end = WALK_ENDED_NOT;
  guint n = walk(f, unwinder, stack_size, frames, max, &end);

  g_assert_cmpint(end, ==, expected);
  g_assert_cmpuint(n, <=, f->n_expected);
  for (guint i = 1; i < n; i++)
    g_assert_cmphex(frames[i], ==, GPOINTER_TO_SIZE(f->expected[i]));
  return n;
}

/* The first frame of the C library, which called main. */
static guint find_libc(const Fixture *f)
{
  guint frame = DEPTH;

  while (!g_str_has_suffix(get_path(f, frame), "/libc.so.6"))
    frame++;
  return frame;
}

static void test_whole(Fixture *f, gconstpointer data)
{
  g_assert_cmpuint(check(f, f->stack_size, FRAMES_MAX, WALK_COMPLETE), ==, f->n_expected);
}

static void test_tables_are_kept(Fixture *f, gconstpointer data)
{
  g_autoptr(ProfileUnwinder) unwinder = profile_unwinder_new(OWN_MACHINE, open_binary, f);
  guint64 frames[FRAMES_MAX];
  enum walk_end end;
  guint n_opened = 0;

  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint(walk(f, unwinder, f->stack_size, frames, FRAMES_MAX, &end), ==, f->n_expected);
  for (guint i = 0; i < f->paths->len; i++) {
    g_assert_cmpuint(f->opened[i], <=, 1);
    n_opened += f->opened[i];
  }
  /* Those that the stack leads through, not all that are mapped: this program, GLib's and the C library. */
  g_assert_cmpuint(n_opened, >=, 2);
  g_assert_cmpuint(n_opened, <=, 3);
}

static void test_not_deeper_than_asked(Fixture *f, gconstpointer data)
{
  g_assert_cmpuint(check(f, f->stack_size, 4, WALK_TRUNCATED), ==, 4);
}

static void test_short_copy(Fixture *f, gconstpointer data)
{
  guint n = check(f, 512, FRAMES_MAX, WALK_UNREADABLE);

  g_assert_cmpuint(n, >, 0);
  g_assert_cmpuint(n, <, f->n_expected);
  g_assert_cmpuint(check(f, 0, FRAMES_MAX, WALK_UNREADABLE), ==, 1);
  f->sample.is_cut = TRUE;
  g_assert_cmpuint(check(f, 512, FRAMES_MAX, WALK_NOT_RESIDENT), ==, n);
}

static void test_binary_out_of_reach(Fixture *f, gconstpointer data)
{
  f->missing = "/libc.so.6";
  g_assert_cmpuint(check(f, f->stack_size, FRAMES_MAX, WALK_NO_TABLE), ==, find_libc(f) + 1);
}

static void test_memory_of_no_file(Fixture *f, gconstpointer data)
{
  ProfilePerfMapping mapping = {
      .start = 0x10000, .end = 0x20000, .protection = PROT_EXEC, .binary = get_index(f, "//anon")};
  guint64 chain[4] = {0};
  gint64 kept = 0;
  g_autoptr(ProfileUnwinder) unwinder = profile_unwinder_new(OWN_MACHINE, open_binary, f);
  guint64 frames[FRAMES_MAX];
  enum walk_end end;

  f->no_file = "//anon";
  g_assert_true(profile_perf_maps_insert(&f->maps, &mapping, &kept));
  f->opened = g_renew(guint, f->opened, f->paths->len);
  f->opened[f->paths->len - 1] = 0;
  /* Two frames of one that keeps frame pointers: at 0x7000 {0x7010, 0x10200}, at 0x7010 {0, 0}. */
  chain[0] = 0x7010;
  chain[1] = 0x10200;
  const ProfileUnwinderProcess process = {.maps = f->maps, .version = 78};
  const ProfileUnwinderSample sample = {.registers = {.ip = 0x10100, .sp = 0x7000, .fp = 0x7000},
                                        .stack = {.address = 0x7000, .bytes = chain, .size = sizeof chain}};
  g_assert_cmpuint(profile_unwinder_walk(unwinder, &process, &sample, frames, FRAMES_MAX, &end), ==, 2);
  g_assert_cmpint(end, ==, WALK_FRAME_POINTERS | WALK_END_BY_FRAME_POINTERS);
  g_assert_cmphex(frames[1], ==, 0x10200);
}

#define ADD(path, function) g_test_add("/unwinder/" path, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  ADD("whole", test_whole);
  ADD("tables-are-kept", test_tables_are_kept);
  ADD("not-deeper-than-asked", test_not_deeper_than_asked);
  ADD("short-copy", test_short_copy);
  ADD("binary-out-of-reach", test_binary_out_of_reach);
  ADD("memory-of-no-file", test_memory_of_no_file);
  return g_test_run();
}
