/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Raw records and their samples through the decoder: paired, walked by real tables of this very process, held
 * back. */
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <glib.h>

#include "helpers/recorder/common/machine.h"
#include "helpers/recorder/samples/decoder.h"
#include "helpers/recorder/tables/unwinder-private.h"
#include "recorder-kept.h"
#include "recorder-loaded.h"
#include "tests/unit/own-registers.h"

#define EVENT_ID   77
#define RAW_ID     78
#define STACK_SIZE 16384
#define FRAMES_MAX 16

struct fixture {
  struct recorder_event_type events[2];
  struct recorder_descriptor descriptors[2];
  struct recorder_source source;
  struct recorder_output output;
  struct recorder_decoder decoder;
  struct recorder_ring ring;
  struct kept kept;
  char *cache;
};

struct sample {
  struct recorder_sample_fixed fixed;
};

struct raw_sample {
  struct recorder_sample_fixed fixed;
  guint32 size;
  struct recorder_raw raw;
  guint64 words[FRAMES_MAX];
};

struct miss_sample {
  struct recorder_sample_fixed fixed;
  guint32 size;
  struct recorder_raw raw;
  struct recorder_raw_registers registers;
  guint8 stack[STACK_SIZE];
};

static guint64 now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (guint64)time.tv_sec * G_GUINT64_CONSTANT(1000000000) + (guint64)time.tv_nsec;
}

static void fixture_init(struct fixture *fixture, guint32 area_size, const char *reader)
{
  struct recorder_configure configure = {.window_size = 4096, .window_count = 64};
  memset(fixture, 0, sizeof *fixture);
  g_strlcpy(fixture->events[0].name, "cpu-clock", sizeof fixture->events[0].name);
  fixture->events[0].period = 1;
  for (guint i = 0; i < 2; i++)
    fixture->descriptors[i] = (struct recorder_descriptor){.fd = -1, .ring = &fixture->ring, .tid = -1};
  fixture->descriptors[1].event = RECORDER_EVENT_RAW;
  fixture->source = (struct recorder_source){
      .events = fixture->events,
      .n_events = 1,
      .flags = RECORDER_SYSTEM_WIDE | RECORDER_USER_STACKS,
      .max_stack = 127,
      .user_stack = WALK_FRAMES_MAX,
      .unwind = RECORDER_UNWIND_BPF,
      .descriptors = fixture->descriptors,
      .n_descriptors = 2,
  };
  recorder_table_init(&fixture->source.ids);
  recorder_table_set(&fixture->source.ids, EVENT_ID, GUINT_TO_POINTER(1));
  recorder_table_set(&fixture->source.ids, RAW_ID, GUINT_TO_POINTER(2));
  g_assert_cmpint(recorder_output_init(&fixture->output, &configure, fixture->events, NULL), ==, 0);
  recorder_decoder_init(&fixture->decoder, &fixture->output, &fixture->source);
  fixture->cache = g_dir_make_tmp("capture-test-XXXXXX", NULL);
  g_autofree char *beside =
      g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "helpers", "elf-reader", "capture-elf-reader", NULL);
  const struct recorder_unwinder_options options = {
      .area_size = area_size,
      .binaries = &fixture->decoder.tasks.binaries,
      .tables = {.cache = fixture->cache, .reader = reader != NULL ? reader : beside},
  };
  struct recorder_unwinder *unwinder;
  g_assert_cmpint(recorder_unwinder_create(&unwinder, &options), ==, 0);
  recorder_decoder_set_unwinder(&fixture->decoder, unwinder);
  kept_open(&fixture->kept, fixture->output.pool);
}

static void collect(struct fixture *fixture, struct loaded *loaded)
{
  recorder_output_commit(&fixture->output, fixture->ring.time);
  kept_collect(&fixture->kept);
  loaded_read(loaded, fixture->kept.fd);
}

static void fixture_clear(struct fixture *fixture)
{
  const char *argv[] = {"rm", "-r", fixture->cache, NULL};
  recorder_decoder_clear(&fixture->decoder);
  recorder_output_clear(&fixture->output);
  recorder_table_clear(&fixture->source.ids);
  recorder_raws_clear(&fixture->ring.raws);
  kept_clear(&fixture->kept);
  g_assert_true(
      g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
  g_free(fixture->cache);
}

static void feed(struct fixture *fixture, struct perf_event_header *record, guint64 time)
{
  fixture->ring.time = time;
  recorder_decoder_record(&fixture->decoder, &fixture->ring, record);
}

static struct recorder_sample_fixed fixed(guint64 id, gsize size, guint64 time, guint64 ip)
{
  return (struct recorder_sample_fixed){
      .header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = (guint16)size},
      .id = id,
      .ip = ip,
      .pid = getpid(),
      .tid = getpid(),
      .time = time,
  };
}

static void feed_sample(struct fixture *fixture, guint64 time, guint64 ip)
{
  struct sample sample = {fixed(EVENT_ID, sizeof sample, time, ip)};
  feed(fixture, &sample.fixed.header, time);
}

static void feed_stack(struct fixture *fixture, guint64 time, guint64 ip, guint n, enum walk_end end)
{
  struct raw_sample sample = {
      .fixed = fixed(RAW_ID, sizeof sample, time, ip),
      .size = sizeof sample.raw + sizeof sample.words,
      .raw = {.kind = RECORDER_RAW_STACK, .end = (guint8)end, .count = (guint16)n},
  };
  for (guint i = 0; i < n; i++)
    sample.words[i] = ip + i;
  feed(fixture, &sample.fixed.header, time);
}

static void feed_none(struct fixture *fixture, guint64 time, guint64 ip)
{
  struct raw_sample sample = {
      .fixed = fixed(RAW_ID, sizeof sample, time, ip),
      .size = sizeof sample.raw + sizeof sample.words,
      .raw = {.kind = RECORDER_RAW_NONE},
  };
  feed(fixture, &sample.fixed.header, time);
}

static const struct loaded_sample *sample_at(const struct loaded *loaded, guint i)
{
  return &g_array_index(loaded->samples, struct loaded_sample, i);
}

static void assert_sample(const struct loaded *loaded, guint i, guint64 time, guint outcome, guint depth)
{
  const struct loaded_sample *sample = sample_at(loaded, i);
  g_autoptr(GArray) stack = loaded_stack(loaded, sample);
  g_assert_cmpuint(sample->time, ==, time);
  g_assert_cmpuint(sample->outcome, ==, outcome);
  g_assert_cmpuint(stack->len, ==, depth);
}

/* Each sample has the raw record before it, also when another one interrupts between the two. */
static void test_pairs(void)
{
  struct fixture fixture;
  struct loaded loaded;
  fixture_init(&fixture, 0, NULL);
  feed_stack(&fixture, 1, 0x1000, 3, WALK_COMPLETE);
  feed_sample(&fixture, 2, 0x1000);
  feed_stack(&fixture, 3, 0x2000, 4, WALK_COMPLETE);
  feed_stack(&fixture, 4, 0x3000, 5, WALK_TRUNCATED);
  feed_sample(&fixture, 5, 0x3000);
  feed_sample(&fixture, 6, 0x2000);
  feed_none(&fixture, 7, 0x4000);
  feed_sample(&fixture, 8, 0x4000);
  collect(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, 4);
  assert_sample(&loaded, 0, 2, CAPTURE_OUTCOME_COMPLETE, 3);
  assert_sample(&loaded, 1, 5, CAPTURE_OUTCOME_TRUNCATED, 5);
  assert_sample(&loaded, 2, 6, CAPTURE_OUTCOME_COMPLETE, 4);
  assert_sample(&loaded, 3, 8, CAPTURE_OUTCOME_NO_USER_STACK, 1);
  g_assert_cmpuint(fixture.output.lost, ==, 0);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* A sample whose raw record was lost says so, and never gets another one's. */
static void test_lost_raws(void)
{
  struct fixture fixture;
  struct loaded loaded;
  fixture_init(&fixture, 0, NULL);
  feed_sample(&fixture, 1, 0x1000);
  feed_stack(&fixture, 2, 0x2000, 3, WALK_COMPLETE); /* its sample is lost */
  feed_sample(&fixture, 3, 0x3000);
  feed_stack(&fixture, 4, 0x3000, 4, WALK_COMPLETE);
  feed_sample(&fixture, 5, 0x3000);
  for (guint i = 0; i < 2 * RECORDER_RAWS_MAX; i++)
    feed_stack(&fixture, 6, 0x10000 + i, 2, WALK_COMPLETE);
  feed_sample(&fixture, 7, 0x10000);
  feed_sample(&fixture, 8, 0x10000 + 2 * RECORDER_RAWS_MAX - 1);
  collect(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, 5);
  assert_sample(&loaded, 0, 1, CAPTURE_OUTCOME_LOST, 1);
  assert_sample(&loaded, 1, 3, CAPTURE_OUTCOME_LOST, 1);
  assert_sample(&loaded, 2, 5, CAPTURE_OUTCOME_COMPLETE, 4);
  assert_sample(&loaded, 3, 7, CAPTURE_OUTCOME_LOST, 1);
  assert_sample(&loaded, 4, 8, CAPTURE_OUTCOME_COMPLETE, 2);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* LOST records that tell of a lost sample drop the raw record that waited for it. */
static void test_lost_sample(void)
{
  struct {
    struct perf_event_header header;
    guint64 id, lost;
    struct recorder_trailer trailer;
  } lost = {.header = {.type = PERF_RECORD_LOST, .size = sizeof lost}, .lost = 1};
  struct fixture fixture;
  struct loaded loaded;
  fixture_init(&fixture, 0, NULL);
  feed_stack(&fixture, 1, 0x1000, 3, WALK_COMPLETE);
  feed(&fixture, &lost.header, 2);
  feed_sample(&fixture, 3, 0x1000);
  collect(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, 1);
  assert_sample(&loaded, 0, 3, CAPTURE_OUTCOME_LOST, 1);
  g_assert_cmpuint(loaded_lost(&loaded), ==, 1);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* What a program would not have left is counted, and nothing is read behind it. */
static void test_damaged_raws(void)
{
  struct fixture fixture;
  struct raw_sample sample = {
      .fixed = fixed(RAW_ID, sizeof sample, 1, 0x1000),
      .size = sizeof sample.raw + sizeof sample.words,
      .raw = {.kind = RECORDER_RAW_STACK, .count = FRAMES_MAX + 1},
  };
  fixture_init(&fixture, 0, NULL);
  feed(&fixture, &sample.fixed.header, 1);
  sample.raw = (struct recorder_raw){.kind = RECORDER_RAW_MISS, .count = 8};
  feed(&fixture, &sample.fixed.header, 2);
  sample.raw.kind = 200;
  feed(&fixture, &sample.fixed.header, 3);
  sample.raw.kind = RECORDER_RAW_NONE;
  sample.size = sizeof sample;
  feed(&fixture, &sample.fixed.header, 4);
  sample.size = sizeof sample.raw - 4;
  feed(&fixture, &sample.fixed.header, 5);
  sample.fixed.header.size = sizeof sample.fixed;
  feed(&fixture, &sample.fixed.header, 6);
  g_assert_cmpuint(fixture.output.damaged, ==, 6);
  fixture_clear(&fixture);
}

/* Registers and stack of this thread, as a signal finds them. */
static struct miss_sample *caught;

/* A copy word by word: of a whole stack, sanitizers think ill. */
static __attribute__((no_sanitize("address"))) void copy_stack(guint8 *to, guint64 from)
{
  for (gsize i = 0; i < STACK_SIZE; i += sizeof(guint64))
    *(guint64 *)(void *)(to + i) = *(const volatile guint64 *)(from + i);
}

static void on_signal(int signal, siginfo_t *information, void *data)
{
  guint64 *general = caught->registers.general;
  own_registers(general, data);
  copy_stack(caught->stack, general[OWN_SP]);
}

/* So that the stack's copy does not end beyond the stack. */
static __attribute__((noinline)) void catch_here(void)
{
  volatile guint8 room[2 * STACK_SIZE];
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, before;
  room[0] = 0;
  sigaction(SIGUSR1, &action, &before);
  raise(SIGUSR1);
  sigaction(SIGUSR1, &before, NULL);
  room[1] = room[0];
}

static struct miss_sample *catch_miss(void)
{
  struct miss_sample *miss = caught = g_new0(struct miss_sample, 1);
  catch_here();
  guint64 ip = miss->registers.general[OWN_IP];
  miss->fixed = fixed(RAW_ID, sizeof *miss, 0, ip);
  miss->size = sizeof *miss - sizeof miss->fixed - sizeof miss->size;
  miss->raw = (struct recorder_raw){.kind = RECORDER_RAW_MISS, .end = WALK_MISSED, .count = STACK_SIZE};
  return miss;
}

static void feed_miss(struct fixture *fixture, struct miss_sample *miss, guint64 time)
{
  miss->fixed.time = time;
  feed(fixture, &miss->fixed.header, time);
  feed_sample(fixture, time, miss->fixed.ip);
}

static void serve(struct fixture *fixture)
{
  while (fixture->decoder.held.count != 0) {
    g_usleep(1000);
    recorder_decoder_serve(&fixture->decoder, now());
  }
}

/* The stack copy ends within catch_here's caller: whoever reads beyond says so. */
static void assert_walked(const struct loaded *loaded, guint i)
{
  const struct loaded_sample *sample = sample_at(loaded, i);
  g_autoptr(GArray) stack = loaded_stack(loaded, sample);
  guint inside = 0;
  for (guint frame = 0; frame < stack->len; frame++) {
    const char *path =
        loaded_frame_path(loaded, sample->epoch, &g_array_index(stack, struct loaded_frame, frame));
    inside += path != NULL && g_str_has_suffix(path, "test-recorder-unwind");
  }
  g_assert_cmpuint(inside, >=, 1);
  g_assert_cmpuint(sample->outcome, ==, CAPTURE_OUTCOME_UNREADABLE);
}

/* A miss waits for its tables, and is delivered late, in the right order of its own window. */
static void test_miss(void)
{
  struct fixture fixture;
  struct loaded loaded;
  g_autofree struct miss_sample *miss = catch_miss();
  guint64 time = now();
  fixture_init(&fixture, 0, NULL);
  feed_miss(&fixture, miss, time);
  feed_miss(&fixture, miss, time + 1);
  feed_stack(&fixture, time + 2, 0x1000, 3, WALK_COMPLETE);
  feed_sample(&fixture, time + 2, 0x1000);
  g_assert_cmpuint(fixture.decoder.held.count, ==, 2);
  g_assert_cmpuint(fixture.output.samples, ==, 1);
  serve(&fixture);
  collect(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, 3);
  assert_sample(&loaded, 0, time + 2, CAPTURE_OUTCOME_COMPLETE, 3);
  g_assert_cmpuint(sample_at(&loaded, 1)->time, ==, time);
  g_assert_cmpuint(sample_at(&loaded, 2)->time, ==, time + 1);
  assert_walked(&loaded, 1);
  loaded_clear(&loaded);
  feed_miss(&fixture, miss, time + 3);
  g_assert_cmpuint(fixture.decoder.held.count, ==, 0);
  fixture_clear(&fixture);
}

/* A piece of the miss: of its stack so many bytes from there on. */
static void feed_piece(struct fixture *fixture, const struct miss_sample *miss, guint64 time,
                       enum recorder_raw_kind kind, guint from, guint count)
{
  g_autofree struct miss_sample *piece = g_memdup2(miss, sizeof *miss);
  piece->fixed.time = time;
  piece->raw.kind = kind;
  piece->raw.count = (guint16)count;
  memmove(piece->stack, miss->stack + from, count);
  memset(piece->stack + count, 0, STACK_SIZE - count);
  feed(fixture, &piece->fixed.header, time);
}

/* What a deep stack has beyond the first piece comes in a second one, if that is of the same moment. */
static void test_more(void)
{
  enum { FIRST = 32 };
  struct fixture fixture;
  struct loaded loaded;
  g_autofree struct miss_sample *miss = catch_miss();
  g_autofree struct miss_sample *other = g_memdup2(miss, sizeof *miss);
  guint64 time = now();
  guint depths[4] = {0};
  fixture_init(&fixture, 0, NULL);
  other->registers.general[OWN_SP] += 8;
  feed_miss(&fixture, miss, time);
  for (guint i = 1; i < G_N_ELEMENTS(depths); i++) {
    feed_piece(&fixture, miss, time + i, RECORDER_RAW_MISS, 0, FIRST);
    if (i > 1)
      feed_piece(&fixture, i == 2 ? miss : other, time + i, RECORDER_RAW_MORE, FIRST, STACK_SIZE - FIRST);
    feed_sample(&fixture, time + i, miss->fixed.ip);
  }
  feed_piece(&fixture, miss, time + 9, RECORDER_RAW_MORE, FIRST, FIRST); /* of nothing */
  serve(&fixture);
  collect(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, G_N_ELEMENTS(depths));
  /* Those that need fewer tables may come first. */
  for (guint i = 0; i < G_N_ELEMENTS(depths); i++) {
    const struct loaded_sample *sample = sample_at(&loaded, i);
    g_autoptr(GArray) stack = loaded_stack(&loaded, sample);
    g_assert_cmpuint(sample->time - time, <, G_N_ELEMENTS(depths));
    depths[sample->time - time] = stack->len;
  }
  g_assert_cmpuint(depths[1], <, depths[0]);
  g_assert_cmpuint(depths[2], ==, depths[0]);
  g_assert_cmpuint(depths[3], ==, depths[1]);
  g_assert_cmpuint(fixture.output.damaged, ==, 0);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* Tables that never come: the sample is delivered with what there is, after two seconds. */
static void test_never(void)
{
  struct fixture fixture;
  struct loaded loaded;
  g_autofree struct miss_sample *miss = catch_miss();
  guint64 time = now();
  fixture_init(&fixture, 0, "/bin/sleep"); /* for as many seconds as its descriptor's number is */
  feed_miss(&fixture, miss, time);
  recorder_decoder_serve(&fixture.decoder, time + G_GUINT64_CONSTANT(1900000000));
  g_assert_cmpuint(fixture.decoder.held.count, ==, 1);
  recorder_decoder_serve(&fixture.decoder, time + G_GUINT64_CONSTANT(2100000000));
  g_assert_cmpuint(fixture.decoder.held.count, ==, 0);
  collect(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, 1);
  assert_sample(&loaded, 0, time, CAPTURE_OUTCOME_LATE, 1);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* What waits belongs to the program that was sampled, not to the one that the process executes meanwhile. */
static void test_exec_meanwhile(void)
{
  struct {
    struct perf_event_header header;
    gint32 pid, tid;
    char name[16];
    struct recorder_trailer trailer;
  } exec = {.header = {.type = PERF_RECORD_COMM, .misc = PERF_RECORD_MISC_COMM_EXEC, .size = sizeof exec},
            .pid = getpid(),
            .tid = getpid(),
            .name = "another"};
  struct fixture fixture;
  struct loaded loaded;
  g_autofree struct miss_sample *miss = catch_miss();
  guint64 time = now();
  fixture_init(&fixture, 0, NULL);
  feed_miss(&fixture, miss, time);
  g_assert_cmpuint(fixture.decoder.held.count, ==, 1);
  feed(&fixture, &exec.header, time + 1);
  serve(&fixture);
  collect(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, 1);
  assert_walked(&loaded, 0);
  const struct capture_record_process *process = loaded_process(&loaded, sample_at(&loaded, 0));
  g_assert_cmpuint(process->origin, ==, CAPTURE_PROCESS_EXISTED);
  g_assert_cmpstr(loaded_string(&loaded, 1, loaded_thread(&loaded, sample_at(&loaded, 0))->name), !=,
                  "another");
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

extern const char _start[];

/* In a function that was just called by the root of all. */
static void feed_call(struct fixture *fixture, guint64 time, const void *function)
{
  g_autofree struct miss_sample *miss = g_new0(struct miss_sample, 1);
  guint64 *general = miss->registers.general, caller = (guint64)(gsize)_start + 8;
  guint64 ip = (guint64)(gsize)function;
  general[OWN_IP] = ip;
  general[OWN_SP] = 0x7ffe00000000;
  general[30] = RECORDER_MACHINE == WALK_X86_64 ? 0 : caller;
  memcpy(miss->stack, &caller, sizeof caller);
  miss->fixed = fixed(RAW_ID, sizeof *miss, time, ip);
  miss->size = sizeof *miss - sizeof miss->fixed - sizeof miss->size;
  miss->raw = (struct recorder_raw){.kind = RECORDER_RAW_MISS, .end = WALK_MISSED, .count = STACK_SIZE};
  feed_miss(fixture, miss, time);
  serve(fixture);
}

/* Walks in each of the functions' binaries in turn; how many stacks were complete, and how many tables stand
 * in the area in the end. */
static guint walk_in_turn(guint32 area_size, const void *const *functions, guint n, guint rounds,
                          guint *ret_placed)
{
  struct fixture fixture;
  struct loaded loaded;
  guint complete = 0;
  fixture_init(&fixture, area_size, NULL);
  for (guint i = 0; i < rounds * n; i++)
    feed_call(&fixture, now(), functions[i % n]);
  collect(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, rounds * n);
  for (guint i = 0; i < loaded.samples->len; i++)
    complete += sample_at(&loaded, i)->outcome == CAPTURE_OUTCOME_COMPLETE;
  *ret_placed = fixture.decoder.unwinder->placed.count;
  loaded_clear(&loaded);
  fixture_clear(&fixture);
  return complete;
}

/* A full area gives up what was used least recently and gets it back when it is missed: whatever it has room
 * for alone is walked in turn with others, too. */
static void test_full_area(void)
{
  void *library = dlopen("libstdc++.so.6", RTLD_NOW);
  const void *const functions[] = {(const void *)strtod, (const void *)g_malloc, (const void *)g_test_run,
                                   (const void *)qsort, dlsym(library, "_ZSt9terminatev")};
  guint n = G_N_ELEMENTS(functions), placed, all = 0, given_up = 0;
  for (guint32 size = 4 << 20; size >= 4096; size /= 2) {
    gboolean each = TRUE;
    for (guint i = 0; i < n; i++)
      each &= walk_in_turn(size, &functions[i], 1, 1, &placed) == 1;
    if (!each)
      continue;
    g_assert_cmpuint(walk_in_turn(size, functions, n, 5, &placed), ==, 5 * n);
    all = MAX(all, placed);
    given_up += placed < all;
  }
  g_assert_cmpuint(all, >=, 4); /* this program's and those of three libraries */
  g_assert_cmpuint(given_up, >, 0);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/unwind/pairs", test_pairs);
  g_test_add_func("/recorder/unwind/lost-raws", test_lost_raws);
  g_test_add_func("/recorder/unwind/lost-sample", test_lost_sample);
  g_test_add_func("/recorder/unwind/damaged-raws", test_damaged_raws);
  g_test_add_func("/recorder/unwind/miss", test_miss);
  g_test_add_func("/recorder/unwind/more", test_more);
  g_test_add_func("/recorder/unwind/never", test_never);
  g_test_add_func("/recorder/unwind/exec-meanwhile", test_exec_meanwhile);
  g_test_add_func("/recorder/unwind/full-area", test_full_area);
  return g_test_run();
}
