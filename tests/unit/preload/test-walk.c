/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stacks of this program's own, compiled without frame pointers, walked in a signal's handler by tables that
 * came as a recording sends them.
 */
#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "helpers/preload/preload-maps.h"
#include "helpers/preload/preload-walk.h"
#include "libcapture/format/capture-format.h"
#include "preload-fixture.h"
#include "unwind/unwind-compile.h"

#ifdef __clang__
#define FAR __attribute__((noinline))
#else
#define FAR __attribute__((noinline, noclone))
#endif

static struct preload_area area;
static struct preload_memos memos;
static struct walk_mapping mappings[1024];
static uint32_t n_mappings;
static volatile unsigned sink;
/* raise() is said to call nothing of this file's, which handlers are. */
static int (*volatile raise_signal)(int) = raise;

/* Of the last walk. */
static uint64_t frames[512], sps[512];
static uint32_t n_frames, outcome;
static bool missed;
static uintptr_t low, high;
static uint32_t max = 512;
static bool with_tables = true;

static int open_map(const struct preload_map *map)
{
  if (strcmp(map->path, "[vdso]") == 0)
    return fixture_memfd((const void *)map->start, map->end - map->start, 0);
  return map->inode != 0 ? open(map->path, O_RDONLY | O_CLOEXEC) : -1;
}

static void add_mapping(const struct preload_map *map, void *data)
{
  struct walk_mapping *mapping = &mappings[n_mappings++];
  uint64_t length;
  *mapping = (struct walk_mapping){.start = map->start, .end = map->end, .kind = WALK_MAPPING_FRAME_POINTERS};
  int fd = with_tables ? open_map(map) : -1;
  int table = fd >= 0 ? fixture_compile(fd, &length) : -1;
  if (table >= 0) {
    g_assert_cmpint(preload_area_add_table(&area, table, length, &mapping->table), ==, 0);
    g_assert_true(unwind_table_bias(preload_area_table(&area, mapping->table), map->start, map->offset,
                                    &mapping->bias));
    mapping->kind = WALK_MAPPING_TABLE;
    close(table);
  }
  if (fd >= 0)
    close(fd);
}

static void publish(void)
{
  n_mappings = 0;
  g_assert_cmpint(preload_maps_read(add_mapping, NULL), ==, 0);
  g_assert_cmpint(preload_area_publish(&area, mappings, n_mappings), ==, 0);
}

static void set_bounds(void)
{
  pthread_attr_t attributes;
  void *start;
  size_t size;
  g_assert_cmpint(pthread_getattr_np(pthread_self(), &attributes), ==, 0);
  pthread_attr_getstack(&attributes, &start, &size);
  pthread_attr_destroy(&attributes);
  low = (uintptr_t)start;
  high = low + size;
}

static void handle(int number, siginfo_t *info, void *ucontext)
{
  struct preload_walk walk = {
      .area = &area, .memos = &memos, .low = low, .high = high, .frames = frames, .sps = sps, .max = max};
  n_frames = preload_walk_interrupted(&walk, ucontext, &outcome);
  missed = walk.missed;
}

static void set_handler(int number, int flags)
{
  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART | flags};
  sigaction(number, &action, NULL);
}

FAR static void leaf(void)
{
  raise_signal(SIGPROF);
  sink++;
}

FAR static void middle(unsigned n)
{
  if (n > 0)
    middle(n - 1);
  else
    leaf();
  sink++;
}

FAR static void outer(void)
{
  middle(20);
  sink++;
}

static bool is_in(uint32_t frame, const void *function)
{
  return frame < n_frames && frames[frame] - (uintptr_t)function < 64;
}

static bool has(const void *function)
{
  bool found = false;
  for (uint32_t i = 0; i < n_frames; i++)
    found |= is_in(i, function);
  return found;
}

/* Where the frames begin that stand at one and the same address, n times. */
static uint32_t find_run(uint32_t n)
{
  uint32_t i = 0, same = 1;
  for (i = 1; i < n_frames && same < n; i++)
    same = frames[i] == frames[i - 1] ? same + 1 : 1;
  g_assert_cmpuint(same, ==, n);
  return i - n;
}

static void check_chain(void)
{
  uint32_t recursion = find_run(20);
  g_assert_cmpuint(recursion, >=, 3);
  g_assert_true(is_in(recursion - 2, (const void *)(uintptr_t)leaf));
  g_assert_true(is_in(recursion - 1, (const void *)(uintptr_t)middle));
  g_assert_true(is_in(recursion + 20, (const void *)(uintptr_t)outer));
  g_assert_cmpuint(outcome, ==, CAPTURE_OUTCOME_COMPLETE);
  g_assert_false(missed);
  for (uint32_t i = 1; i < n_frames; i++)
    g_assert_cmphex(sps[i], >, sps[i - 1]);
}

static void test_chain(void)
{
  set_bounds();
  set_handler(SIGPROF, 0);
  outer();
  check_chain();
  /* By what was remembered. */
  outer();
  check_chain();
}

static void test_truncated(void)
{
  set_bounds();
  max = 7;
  outer();
  max = 512;
  g_assert_cmpuint(n_frames, ==, 7);
  g_assert_cmpuint(outcome, ==, CAPTURE_OUTCOME_TRUNCATED);
}

/* The bounds are kept, wherever they are. */
static void test_bounds(void)
{
  set_bounds();
  uintptr_t end = (uintptr_t)__builtin_frame_address(0) - 64;
  for (uintptr_t bound = end - 1024; bound < end; bound += 8) {
    high = bound;
    outer();
    g_assert_cmpuint(outcome, ==, CAPTURE_OUTCOME_UNREADABLE);
    g_assert_cmpuint(n_frames, >=, 1);
  }
  low = high = 0;
  outer();
  g_assert_cmpuint(outcome, ==, CAPTURE_OUTCOME_UNREADABLE);
}

static void handle_and_go_on(int number)
{
  outer();
  sink++;
}

FAR static void interrupted(void)
{
  raise_signal(SIGUSR1);
  sink++;
}

/* Through a handler of the program's on a stack of its own to what it interrupted. */
static void test_other_stack(void)
{
  static char stack[1 << 16];
  stack_t other = {.ss_sp = stack, .ss_size = sizeof stack}, none = {.ss_flags = SS_DISABLE};
  struct sigaction action = {.sa_handler = handle_and_go_on, .sa_flags = SA_ONSTACK};
  set_bounds();
  sigaltstack(&other, NULL);
  sigaction(SIGUSR1, &action, NULL);
  for (int flags = 0; flags <= SA_ONSTACK; flags += SA_ONSTACK) {
    set_handler(SIGPROF, flags);
    interrupted();
    g_assert_true(has((const void *)(uintptr_t)outer));
    g_assert_true(has((const void *)(uintptr_t)interrupted));
    g_assert_cmpuint(outcome, ==, CAPTURE_OUTCOME_COMPLETE);
  }
  sigaltstack(&none, NULL);
  set_handler(SIGPROF, 0);
}

static void *run_thread(void *data)
{
  set_bounds();
  outer();
  check_chain();
  return data;
}

static void test_thread(void)
{
  pthread_t thread;
  g_assert_cmpint(pthread_create(&thread, NULL, run_thread, NULL), ==, 0);
  pthread_join(thread, NULL);
}

static struct preload_trail *trail; /* of the walks from here; NULL: none */

/* Those who call it stand for the library's functions, which have frame pointers: asking for the frame's
 * address makes one. */
#define HAS_FRAME_POINTER() g_assert_cmpuint((uintptr_t)__builtin_frame_address(0), <, high)

static uint32_t here(const void *first)
{
  struct preload_walk walk = {.area = &area,
                              .memos = &memos,
                              .low = (uintptr_t)__builtin_frame_address(0) - 1024,
                              .high = high,
                              .frames = frames,
                              .max = max,
                              .trail = trail};
  return preload_walk_here(&walk, first, &outcome);
}

FAR static void allocate(void)
{
  HAS_FRAME_POINTER();
  n_frames = here(__builtin_return_address(0));
  sink++;
}

FAR static void allocate_for(void)
{
  allocate();
  sink++;
}

/* From the caller of an interposed function; nothing of the library's own. */
static void test_here(void)
{
  set_bounds();
  allocate_for();
  g_assert_cmpuint(outcome, ==, CAPTURE_OUTCOME_COMPLETE);
  g_assert_cmpuint(frames[0] - (uintptr_t)allocate_for, <, 64);
  g_assert_cmpuint(n_frames, >=, 4);
  g_assert_cmpuint(here((const void *)1), ==, 0);
}

static struct preload_trail remembered;
static uint64_t remembered_frames[512];
static uint64_t choices;

static unsigned choose(unsigned n)
{
  choices = choices * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (unsigned)(choices >> 33) % n;
}

/* A walk that remembers finds what one finds that does not. */
FAR static void compare(void)
{
  uint32_t remembered_outcome;
  HAS_FRAME_POINTER();
  trail = &remembered;
  uint32_t n = here(__builtin_return_address(0));
  remembered_outcome = outcome;
  memcpy(remembered_frames, frames, n * sizeof frames[0]);
  trail = NULL;
  n_frames = here(__builtin_return_address(0));
  g_assert_cmpmem(remembered_frames, n * sizeof frames[0], frames, n_frames * sizeof frames[0]);
  g_assert_cmpuint(remembered_outcome, ==, outcome);
  g_assert_cmpuint(remembered.count, ==, n);
}

FAR static void descend(unsigned depth);

FAR static void go_on(unsigned depth)
{
  volatile char frame[16];
  frame[0] = 1;
  descend(depth);
  sink += frame[0];
}

FAR static void go_on_likewise(unsigned depth)
{
  volatile char frame[16];
  frame[0] = 2;
  descend(depth);
  sink += frame[0];
}

FAR static void go_far(unsigned depth)
{
  volatile char frame[400];
  frame[0] = 1;
  descend(depth);
  sink += frame[0];
}

/* Such a frame is found by the frame pointer, which its callees save. */
FAR static void go_anywhere(unsigned depth)
{
  volatile char *frame = __builtin_alloca(16 + choose(4) * 16);
  frame[0] = 1;
  descend(depth);
  sink += frame[0];
}

FAR static void go_twice(unsigned depth)
{
  descend(depth);
  sink++;
  descend(depth);
  sink++;
}

FAR static void descend(unsigned depth)
{
  static void (*const ways[])(unsigned) = {go_on, go_on_likewise, go_far, go_anywhere, go_twice};
  if (depth > 0)
    ways[choose(G_N_ELEMENTS(ways))](depth - 1);
  else
    compare();
  sink++;
}

/* Frames that begin where others ended, returned to in other places, of other sizes, by other tables. */
static void test_trail(void)
{
  set_bounds();
  for (int i = 0; i < 400; i++) {
    descend(choose(12));
    if (i % 100 == 0)
      publish();
  }
  max = 7;
  for (int i = 0; i < 100; i++)
    descend(choose(12));
  max = 512;
}

#ifdef __x86_64__
/* Code that nobody knows: its frame pointer leads on, and it is said that something was missing. Then it is
 * known. */
static void test_unknown(void)
{
  static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
  void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(memory, code, sizeof code);
  set_bounds();
  ((void (*)(void (*)(void)))memory)(outer);
  g_assert_true(has(memory));
  publish();
  ((void (*)(void (*)(void)))memory)(outer);
  g_assert_cmpuint(outcome, ==, CAPTURE_OUTCOME_COMPLETE | CAPTURE_OUTCOME_BY_FRAME_POINTERS);
  g_assert_false(missed);
  munmap(memory, 4096);
}
#endif

/* Whatever the registers say, nothing outside of the bounds is read. */
static void test_wild_registers(void)
{
  ucontext_t context;
  uint64_t random = 1;
  set_bounds();
  for (unsigned i = 0; i < 200000; i++) {
    struct preload_walk walk = {
        .area = &area, .memos = &memos, .low = low, .high = high, .frames = frames, .max = 64};
    memset(&context, 0, sizeof context);
    uint64_t *words = (uint64_t *)(void *)&context.uc_mcontext;
    low = (uintptr_t)__builtin_frame_address(0);
    for (unsigned k = 0; k < 23; k++) {
      random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
      words[k] = random % 3 == 0   ? random
                 : random % 3 == 1 ? low + random / 3 % (high - low)
                                   : (uintptr_t)outer + random / 3 % 4096;
    }
    g_assert_cmpuint(preload_walk_interrupted(&walk, &context, &outcome), <=, 64);
    g_assert_cmpuint(outcome, !=, CAPTURE_OUTCOME_UNKNOWN);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_assert_cmpint(preload_area_init(&area), ==, 0);
  publish();
  g_test_add_func("/preload/walk/chain", test_chain);
  g_test_add_func("/preload/walk/truncated", test_truncated);
  g_test_add_func("/preload/walk/bounds", test_bounds);
  g_test_add_func("/preload/walk/other-stack", test_other_stack);
  g_test_add_func("/preload/walk/thread", test_thread);
  g_test_add_func("/preload/walk/here", test_here);
  g_test_add_func("/preload/walk/trail", test_trail);
#ifdef __x86_64__
  g_test_add_func("/preload/walk/unknown", test_unknown);
#endif
  g_test_add_func("/preload/walk/wild-registers", test_wild_registers);
  return g_test_run();
}
