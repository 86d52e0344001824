/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frame pointers: chains that are as they should be, and those that are not; and what a walk finds at each
 * single instruction of functions that call each other. */
#include <glib.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "libcapture/format/capture-format.h"
#include "libcapture/inside/capture-maps-private.h"
#include "walk-chain.h"

#define WORDS      64
#define FRAMES_MAX 32

static struct capture_maps maps;

typedef struct {
  uint64_t words[WORDS]; /* a stack */
  struct capture_walk_bounds bounds;
  struct capture_registers registers;
  uint64_t frames[FRAMES_MAX], sps[FRAMES_MAX];
  uint32_t outcome;
} Chain;

static uint64_t address(const Chain *chain, unsigned word)
{
  return (uintptr_t)chain->words + word * sizeof chain->words[0];
}

/* A frame at each second word but the last, its return address is 0x1000 + where it is. */
static void chain_init(Chain *chain, unsigned frames)
{
  memset(chain, 0, sizeof *chain);
  for (unsigned i = 0; i < frames; i++) {
    chain->words[i * 4] = i + 1 < frames ? address(chain, (i + 1) * 4) : 0;
    chain->words[i * 4 + 1] = 0x1000 + i;
  }
  chain->bounds = (struct capture_walk_bounds){.low = address(chain, 0), .high = address(chain, WORDS)};
  chain->registers =
      (struct capture_registers){.ip = 0x4000, .sp = address(chain, 0), .fp = address(chain, 0)};
}

static uint32_t walk(Chain *chain, uint32_t max)
{
  uint32_t count =
      capture_walk(&chain->registers, &chain->bounds, chain->frames, chain->sps, max, &chain->outcome);

  for (uint32_t i = 1; i < count; i++)
    g_assert_cmpuint(chain->sps[i], >, chain->sps[i - 1]);
  return count;
}

static void test_whole(void)
{
  Chain chain;

  chain_init(&chain, 5);
  g_assert_cmpuint(walk(&chain, FRAMES_MAX), ==, 6);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_FRAME_POINTERS);
  g_assert_cmphex(chain.frames[0], ==, 0x4000);
  for (unsigned i = 0; i < 5; i++)
    g_assert_cmphex(chain.frames[1 + i], ==, 0x1000 + i);
}

static void test_return_to_zero(void)
{
  Chain chain;

  chain_init(&chain, 5);
  chain.words[2 * 4 + 1] = 0;
  g_assert_cmpuint(walk(&chain, FRAMES_MAX), ==, 3);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_FRAME_POINTERS);
}

static void test_truncated(void)
{
  Chain chain;

  chain_init(&chain, 5);
  g_assert_cmpuint(walk(&chain, 6), ==, 6);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_FRAME_POINTERS);
  g_assert_cmpuint(walk(&chain, 5), ==, 5);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_TRUNCATED);
  g_assert_cmpuint(walk(&chain, 1), ==, 1);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_TRUNCATED);
  g_assert_cmpuint(walk(&chain, 0), ==, 0);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_TRUNCATED);
}

/* What stands in the third frame's pointer, and how that ends. */
static void test_bad(void)
{
  Chain chain;

  chain_init(&chain, 5);
  const struct {
    uint64_t fp;
    uint32_t outcome;
  } cases[] = {
      {address(&chain, 8), CAPTURE_OUTCOME_BAD_FRAME}, /* itself */
      {address(&chain, 4), CAPTURE_OUTCOME_BAD_FRAME}, /* one before: a cycle */
      {address(&chain, 9), CAPTURE_OUTCOME_BAD_FRAME}, /* overlaps */
      {address(&chain, 0) - 4096, CAPTURE_OUTCOME_BAD_FRAME},
      {address(&chain, 12) + 1, CAPTURE_OUTCOME_BAD_FRAME}, /* misaligned */
      {address(&chain, 12) + 4, CAPTURE_OUTCOME_BAD_FRAME},
      {1, CAPTURE_OUTCOME_BAD_FRAME},
      {address(&chain, WORDS) - 8, CAPTURE_OUTCOME_UNREADABLE}, /* half of it is beyond the end */
      {address(&chain, WORDS), CAPTURE_OUTCOME_UNREADABLE},
      {address(&chain, WORDS) + 4096, CAPTURE_OUTCOME_UNREADABLE},
      {UINT64_MAX - 7, CAPTURE_OUTCOME_UNREADABLE},
      {UINT64_C(0x8000000000000000), CAPTURE_OUTCOME_UNREADABLE},
  };

  for (unsigned i = 0; i < G_N_ELEMENTS(cases); i++) {
    chain_init(&chain, 5);
    chain.words[8] = cases[i].fp;
    g_assert_cmpuint(walk(&chain, FRAMES_MAX), ==, 4);
    g_assert_cmpuint(chain.outcome, ==, cases[i].outcome);
  }
  /* The last two words can be read. */
  chain_init(&chain, 5);
  chain.words[8] = address(&chain, WORDS) - 16;
  chain.words[WORDS - 1] = 0x2000;
  g_assert_cmpuint(walk(&chain, FRAMES_MAX), ==, 5);
  g_assert_cmphex(chain.frames[4], ==, 0x2000);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_FRAME_POINTERS);
}

static void test_elsewhere(void)
{
  const uint64_t sps[] = {0, 8, UINT64_MAX - 7};
  Chain chain;

  for (unsigned i = 0; i < G_N_ELEMENTS(sps); i++) {
    chain_init(&chain, 5);
    chain.registers.sp = sps[i];
    g_assert_cmpuint(walk(&chain, FRAMES_MAX), ==, 1);
    g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_UNREADABLE);
  }
  /* Frames below the stack pointer are somebody's who has returned. */
  chain_init(&chain, 5);
  chain.registers.sp = address(&chain, 4);
  g_assert_cmpuint(walk(&chain, FRAMES_MAX), ==, 1);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_BAD_FRAME);
  /* No bounds at all. */
  chain_init(&chain, 5);
  chain.bounds = (struct capture_walk_bounds){0};
  g_assert_cmpuint(walk(&chain, FRAMES_MAX), ==, 1);
  g_assert_cmpuint(chain.outcome, ==, CAPTURE_OUTCOME_UNREADABLE);
}

/* Random stacks: nothing outside is read (the sanitizers look), and every walk ends. */
static void test_random(void)
{
  g_autoptr(GRand) rand = g_rand_new_with_seed(5);
  Chain *chain = g_new(Chain, 1);

  for (unsigned round = 0; round < 20000; round++) {
    chain_init(chain, 0);
    for (unsigned i = 0; i < WORDS; i++)
      chain->words[i] =
          g_rand_int(rand) % 4 ? address(chain, g_rand_int(rand) % (WORDS + 2)) : g_rand_int(rand);
    chain->registers.sp = address(chain, g_rand_int(rand) % WORDS);
    chain->registers.fp = address(chain, g_rand_int(rand) % WORDS);
    g_assert_cmpuint(walk(chain, FRAMES_MAX), <=, FRAMES_MAX);
    g_assert_cmpuint(chain->outcome, !=, CAPTURE_OUTCOME_UNKNOWN);
  }
  g_free(chain);
}

static void test_maps(void)
{
  char *heap = g_malloc(1 << 20);
  /* Sanitizers may keep variables elsewhere. */
  uintptr_t low, high, here = (uintptr_t)__builtin_frame_address(0);

  g_assert_true(capture_walk_is_text(&maps.text, (uintptr_t)test_maps, 1));
  g_assert_false(capture_walk_is_text(&maps.text, (uintptr_t)heap, 1));
  g_assert_false(capture_walk_is_text(&maps.text, 0, 1));
  g_assert_false(capture_walk_is_text(&maps.text, UINT64_MAX, 1));
  for (uint32_t i = 0; i < maps.text.count; i++) {
    const struct capture_walk_range *range = &maps.text.ranges[i];

    g_assert_true(capture_walk_is_text(&maps.text, range->end - 4, 4));
    g_assert_false(capture_walk_is_text(&maps.text, range->end - 3, 4));
  }
  g_assert_true(capture_maps_find_stack(&maps, here, &low, &high));
  g_assert_true(here >= low && here < high);
  g_assert_false(capture_maps_find_stack(&maps, (uintptr_t)heap, &low, &high));
  g_free(heap);
}

__attribute__((no_sanitize_address, no_sanitize_undefined)) static gpointer find_own_stack(gpointer data)
{
  static uint64_t word;
  uintptr_t low, high, here = (uintptr_t)&low;

  g_assert_cmpint(capture_maps_read(&maps), ==, 0);
  g_assert_true(capture_maps_find_stack(&maps, here, &low, &high));
  g_assert_true(here >= low && here < high);
  /* All of it can be read. */
  for (const volatile uint64_t *at = (const void *)(here & ~(uintptr_t)7); (uintptr_t)at < high; at++)
    word ^= *at;
  return &word;
}

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)

static struct {
  unsigned verdicts[4];
  uint64_t bad[16];
  unsigned n_bad;
  struct capture_walk_bounds bounds;
} steps;

static void on_step(int number, siginfo_t *info, void *ucontext)
{
  uint64_t frames[FRAMES_MAX], sps[FRAMES_MAX];
  struct capture_registers registers;
  uint32_t outcome, count;
  enum walk_chain_verdict verdict;

  capture_registers_read(&registers, ucontext);
  count = capture_walk(&registers, &steps.bounds, frames, sps, FRAMES_MAX, &outcome);
  verdict = walk_chain_judge(frames, count);
  steps.verdicts[verdict]++;
  if (verdict > WALK_CHAIN_COMPLETE && steps.n_bad < G_N_ELEMENTS(steps.bad))
    steps.bad[steps.n_bad++] = frames[0];
}

/* The trap flag has the processor stop after each instruction. */
static void set_trap_flag(bool on)
{
  uint64_t flags = __builtin_ia32_readeflags_u64();

  __builtin_ia32_writeeflags_u64(on ? flags | 0x100 : flags & ~UINT64_C(0x100));
}

static void test_each_instruction(void)
{
  const struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
  uintptr_t here = (uintptr_t)&action;

  g_assert_true(capture_maps_find_stack(&maps, here, &steps.bounds.low, &steps.bounds.high));
  steps.bounds.text = &maps.text;
  g_assert_cmpint(sigaction(SIGTRAP, &action, NULL), ==, 0);
  set_trap_flag(true);
  walk_chain_run(2);
  set_trap_flag(false);
  signal(SIGTRAP, SIG_DFL);
  for (unsigned i = 0; i < steps.n_bad; i++)
    g_test_message("at %" G_GINT64_MODIFIER "x", steps.bad[i]);
  g_test_message("%u whole, %u without the caller", steps.verdicts[WALK_CHAIN_COMPLETE],
                 steps.verdicts[WALK_CHAIN_NO_CALLER]);
  g_assert_cmpuint(steps.verdicts[WALK_CHAIN_COMPLETE], >, 100);
  g_assert_cmpuint(steps.verdicts[WALK_CHAIN_WRONG], ==, 0);
#if defined(WALK_CHAIN_PLAIN)
  g_assert_cmpuint(steps.verdicts[WALK_CHAIN_NO_CALLER], ==, 0);
#endif
}

#endif

static void test_threads_stack(void)
{
  g_thread_join(g_thread_new("stack", find_own_stack, NULL));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_assert_cmpint(capture_maps_read(&maps), ==, 0);
  g_test_add_func("/walk/whole", test_whole);
  g_test_add_func("/walk/return-to-zero", test_return_to_zero);
  g_test_add_func("/walk/truncated", test_truncated);
  g_test_add_func("/walk/bad", test_bad);
  g_test_add_func("/walk/elsewhere", test_elsewhere);
  g_test_add_func("/walk/random", test_random);
  g_test_add_func("/walk/maps", test_maps);
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__)
  g_test_add_func("/walk/each-instruction", test_each_instruction);
#endif
  g_test_add_func("/walk/thread's-stack", test_threads_stack);
  return g_test_run();
}
