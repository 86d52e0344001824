/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks that the sampler puts together with a runtime: native frames before, between and instead, shadow
 * stacks, a walk of somebody else's. */
#include "libcapture/format/capture-format.h"
#include "sampler-fixture.h"

static void stack_of_own_frames(struct capture_stack *stack, const void *ucontext, void *data)
{
  n_calls++;
  capture_sample_frame(stack, CAPTURE_IDENTIFIER(0x22));
  capture_sample_frame(stack, 0x1000);
}

static void test_instead(void)
{
  Sampled s;

  begin(&s, NULL);
  start(&s, stack_of_own_frames, NULL);
  wait_for_calls();
  end(&s);
  g_assert_cmpuint(s.sampled.count + s.sampled.lost, >=, ENOUGH);
  for (size_t i = 0; i < s.sampled.count; i++) {
    g_assert_cmpuint(s.sampled.samples[i].count, ==, 2);
    g_assert_cmphex(s.sampled.samples[i].frames[1], ==, 0x1000);
  }
  sampled_clear(&s.sampled);
}

extern const char __start_in_interpreter[], __stop_in_interpreter[], __start_in_host[], __stop_in_host[];
extern const char __start_in_builtin[], __stop_in_builtin[];
static const void *volatile interpreter_frame; /* of the function that handlers ask about */

SECTION(builtin) static void builtin(void)
{
  wait_for_calls();
  __asm__ volatile("" ::: "memory");
}

SECTION(interpreter) static void interpreter(void)
{
  interpreter_frame = __builtin_frame_address(0);
  builtin();
  interpreter_frame = NULL;
}

SECTION(host) static void host(void)
{
  interpreter();
  __asm__ volatile("" ::: "memory");
}

/* The interpreter's own frame stays, after what it called and after the interpreted function. */
static void stack_between(struct capture_stack *stack, const void *ucontext, void *data)
{
  n_calls++;
  if (interpreter_frame)
    capture_sample_native(stack, (const void *)interpreter_frame);
  capture_sample_frame(stack, 0x2000);
  capture_sample_native(stack, NULL);
}

/* It goes, with all that it called. */
static void stack_skipping(struct capture_stack *stack, const void *ucontext, void *data)
{
  n_calls++;
  capture_sample_frame(stack, 0x2000);
  if (interpreter_frame)
    capture_sample_skip(stack, (const void *)interpreter_frame);
  capture_sample_native(stack, NULL);
}

static unsigned find(const struct sampled_sample *sample, uint64_t frame)
{
  unsigned i = 0;

  while (i < sample->count && sample->frames[i] != frame)
    i++;
  return i;
}

static gboolean is_between(const struct sampled_sample *sample)
{
  unsigned at = find(sample, 0x2000);

  return at > 0 && at + 2 < sample->count && IS_IN(sample->frames[at - 1], builtin) &&
         IS_IN(sample->frames[at + 1], interpreter) && IS_IN(sample->frames[at + 2], host);
}

static gboolean is_skipped(const struct sampled_sample *sample)
{
  return sample->count > 2 && sample->frames[0] == 0x2000 && IS_IN(sample->frames[1], host);
}

static void run_host(capture_stack_fn stack, gboolean (*is_right)(const struct sampled_sample *sample))
{
  unsigned right = 0;
  Sampled s;

  begin(&s, NULL);
  start(&s, stack, NULL);
  host();
  end(&s);
  for (size_t i = 0; i < s.sampled.count; i++)
    right += is_right(&s.sampled.samples[i]);
  /* But for those before and after, and at the ends of wait_for_calls, whose caller is builtin. */
  g_assert_cmpuint(right, >, s.sampled.count / 2);
  sampled_clear(&s.sampled);
}

static void test_between(void)
{
  run_host(stack_between, is_between);
}

static void test_skip(void)
{
  run_host(stack_skipping, is_skipped);
}

/* More frames than fit: native ones wait at the end of the same memory. */
static void stack_of_many(struct capture_stack *stack, const void *ucontext, void *data)
{
  n_calls++;
  capture_sample_native(stack, __builtin_frame_address(0)); /* none: the signal's frames lie above */
  for (unsigned i = 0; i < 600; i++)
    capture_sample_frame(stack, 0x3000 + i);
  capture_sample_native(stack, NULL);
}

static void test_many(void)
{
  const struct capture_sampler_options options = {
      .size = sizeof options, .clock = CAPTURE_SAMPLE_WALL_TIME, .max_stack = 511, .stack = stack_of_many};
  Sampled s;

  begin(&s, NULL);
  n_calls = 0;
  g_assert_cmpint(capture_sampler_start(s.c, &options), ==, 0);
  wait_for_calls();
  end(&s);
  g_assert_cmpuint(s.sampled.count, >, 0);
  for (size_t i = 0; i < s.sampled.count; i++) {
    const struct sampled_sample *sample = &s.sampled.samples[i];

    g_assert_cmpuint(sample->count, ==, 511);
    g_assert_cmpuint(sample->outcome, ==, CAPTURE_OUTCOME_TRUNCATED);
    for (unsigned k = 0; k < 511; k++)
      g_assert_cmphex(sample->frames[k], ==, 0x3000 + k);
  }
  sampled_clear(&s.sampled);
}

static void test_shadow_stack(void)
{
  static const uint64_t frames[] = {0x5000, 0x5001, 0x5002, 0x5003};
  struct capture_shadow_stack shadow = {.size = sizeof shadow, .frames = frames, .capacity = 3, .depth = 2};
  unsigned shallow = 0, deep = 0;
  Sampled s;

  begin(&s, NULL);
  g_assert_cmpint(capture_thread_set_shadow_stack(s.c, &shadow), ==, 0);
  start(&s, NULL, NULL);
  for (uint64_t until = thread_time() + 50000000; thread_time() < until;)
    ;
  __atomic_store_n(&shadow.depth, 1000, __ATOMIC_RELEASE); /* a lie */
  for (uint64_t until = thread_time() + 50000000; thread_time() < until;)
    ;
  g_assert_cmpint(capture_thread_set_shadow_stack(s.c, NULL), ==, 0);
  end(&s);
  for (size_t i = 0; i < s.sampled.count; i++) {
    const uint64_t *at = s.sampled.samples[i].frames;

    shallow += at[0] == 0x5001 && at[1] == 0x5000 && s.sampled.samples[i].count > 3;
    deep += at[0] == 0x5002 && at[1] == 0x5001 && at[2] == 0x5000;
    g_assert_cmpuint(find(&s.sampled.samples[i], 0x5003), ==, s.sampled.samples[i].count);
  }
  g_assert_cmpuint(shallow, >, 10);
  g_assert_cmpuint(deep, >, 10);
  sampled_clear(&s.sampled);
}

static uint32_t unwind_as_told(const void *ucontext, uintptr_t low, uintptr_t high, uint64_t *frames,
                               uint64_t *sps, uint32_t max, uint32_t *ret_outcome, void *data)
{
  uintptr_t here = (uintptr_t)interpreter_frame;

  n_calls++;
  for (uint32_t i = 0; i < 3; i++) {
    frames[i] = 0x7000 + i;
    sps[i] = low + i;
  }
  *ret_outcome = here >= low && here < high && max == 127 && data == &n_calls ? CAPTURE_OUTCOME_COMPLETE
                                                                              : CAPTURE_OUTCOME_UNSUPPORTED;
  return 3;
}

static void test_unwind(void)
{
  const struct capture_sampler_options options = {.size = sizeof options,
                                                  .clock = CAPTURE_SAMPLE_WALL_TIME,
                                                  .unwind = unwind_as_told,
                                                  .unwind_data = (void *)&n_calls};
  Sampled s;

  begin(&s, NULL);
  n_calls = 0;
  interpreter_frame = __builtin_frame_address(0);
  g_assert_cmpint(capture_sampler_start(s.c, &options), ==, 0);
  wait_for_calls();
  end(&s);
  interpreter_frame = NULL;
  g_assert_cmpuint(s.sampled.count, >, 0);
  for (size_t i = 0; i < s.sampled.count; i++) {
    g_assert_cmpuint(s.sampled.samples[i].count, ==, 3);
    g_assert_cmphex(s.sampled.samples[i].frames[2], ==, 0x7002);
    g_assert_cmpuint(s.sampled.samples[i].outcome, ==, CAPTURE_OUTCOME_COMPLETE);
  }
  sampled_clear(&s.sampled);
}

/* A sample of the program's own accord begins with who takes it. */
SECTION(builtin) static void take_sample(capture *c, uint32_t event)
{
  const struct capture_sample_options options = {.size = sizeof options, .event = event, .weight = 7};
  struct capture_stack stack;

  g_assert_cmpint(capture_sample_begin(c, &stack, &options), ==, 0);
  capture_sample_frame(&stack, 0x9000);
  capture_sample_native(&stack, NULL);
  capture_sample_end(&stack);
}

SECTION(host) static void have_sample_taken(capture *c, uint32_t event)
{
  take_sample(c, event);
  __asm__ volatile("" ::: "memory");
}

static void test_own_accord(void)
{
  uint32_t event;
  Sampled s;

  begin(&s, NULL);
  event = capture_event(s.c, "allocations", CAPTURE_EVENT_BYTES, 1);
  g_assert_cmpuint(event, !=, 0);
  have_sample_taken(s.c, event);
  end(&s);
  g_assert_cmpuint(s.sampled.count, ==, 1);
  g_assert_cmpuint(s.sampled.samples[0].weight, ==, 7);
  g_assert_cmpuint(s.sampled.samples[0].count, >, 3);
  g_assert_cmphex(s.sampled.samples[0].frames[0], ==, 0x9000);
  g_assert_true(IS_IN(s.sampled.samples[0].frames[1], builtin));
  g_assert_true(IS_IN(s.sampled.samples[0].frames[2], host));
  sampled_clear(&s.sampled);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sampler/stack/instead", test_instead);
  g_test_add_func("/sampler/stack/between", test_between);
  g_test_add_func("/sampler/stack/skip", test_skip);
  g_test_add_func("/sampler/stack/many", test_many);
  g_test_add_func("/sampler/stack/shadow", test_shadow_stack);
  g_test_add_func("/sampler/stack/unwind", test_unwind);
  g_test_add_func("/sampler/stack/own-accord", test_own_accord);
  return g_test_run();
}
