/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of time off the CPU, made up, through the decoder into a capture and back; and stacks that were
 * missed. */
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "helpers/recorder/samples/decoder.h"
#include "recorder-kept.h"
#include "recorder-loaded.h"

#define EVENT_ID 77
#define SINCE    G_GUINT64_CONSTANT(1000000000)

struct fixture {
  struct recorder_event_type events[2];
  struct recorder_descriptor descriptor;
  struct recorder_source source;
  struct recorder_output output;
  struct recorder_decoder decoder;
  struct recorder_ring ring;
  struct kept kept;
};

/* As it stands in a ring. */
struct record {
  struct recorder_sample_fixed fixed;
  guint32 size;
  struct recorder_raw raw;
  struct recorder_raw_off_cpu off;
  guint64 frames[8];
};

static void fixture_init(struct fixture *fixture)
{
  struct recorder_configure configure = {.window_size = 4096, .window_count = 64};
  memset(fixture, 0, sizeof *fixture);
  fixture->events[0] =
      (struct recorder_event_type){.name = "off-cpu", .unit = CAPTURE_UNIT_NANOSECONDS, .off_cpu = true};
  fixture->descriptor =
      (struct recorder_descriptor){.fd = -1, .event = RECORDER_EVENT_RAW, .ring = &fixture->ring, .tid = -1};
  fixture->source = (struct recorder_source){
      .events = fixture->events,
      .n_events = 1,
      .flags = RECORDER_SYSTEM_WIDE | RECORDER_KERNEL_STACKS | RECORDER_USER_STACKS,
      .max_stack = 127,
      .unwind = RECORDER_UNWIND_FRAME_POINTERS,
      .descriptors = &fixture->descriptor,
      .n_descriptors = 1,
  };
  recorder_table_init(&fixture->source.ids);
  recorder_table_set(&fixture->source.ids, EVENT_ID, GUINT_TO_POINTER(1));
  g_assert_cmpint(recorder_output_init(&fixture->output, &configure, fixture->events, NULL), ==, 0);
  recorder_decoder_init(&fixture->decoder, &fixture->output, &fixture->source);
  kept_open(&fixture->kept, fixture->output.pool);
}

static void load(struct fixture *fixture, struct loaded *loaded)
{
  recorder_output_commit(&fixture->output, fixture->ring.time);
  kept_collect(&fixture->kept);
  loaded_read(loaded, fixture->kept.fd);
}

static void fixture_clear(struct fixture *fixture)
{
  recorder_decoder_clear(&fixture->decoder);
  recorder_output_clear(&fixture->output);
  recorder_table_clear(&fixture->source.ids);
  kept_clear(&fixture->kept);
}

static void feed(struct fixture *fixture, struct record *record, guint64 time)
{
  fixture->ring.time = record->fixed.time = time;
  recorder_decoder_record(&fixture->decoder, &fixture->ring, &record->fixed.header);
}

/* This thread was away from SINCE on, with two frames of the kernel; its parent woke it with one. */
static struct record make_record(guint64 duration)
{
  struct record record = {
      .fixed = {.header = {.type = PERF_RECORD_SAMPLE, .size = sizeof record},
                .id = EVENT_ID,
                .pid = 1,
                .tid = 1},
      .size = sizeof record - offsetof(struct record, raw),
      .raw = {.kind = RECORDER_RAW_OFF_CPU, .count = 3, .ip = {(guint32)SINCE, SINCE >> 32}},
      .off = {.duration = duration,
              .pid = getpid(),
              .tid = getpid(),
              .waker_pid = getppid(),
              .waker_tid = getppid(),
              .n_kernel = 2,
              .n_waker_kernel = 1,
              .reason = RECORDER_RAW_SLEEPING,
              .waking = RECORDER_RAW_BY_THREAD},
      .frames = {0xffffffff81000010, 0xffffffff81000020, 0xffffffff81000030},
  };
  return record;
}

static void test_sample(void)
{
  struct fixture fixture;
  struct loaded loaded;
  fixture_init(&fixture);
  struct record record = make_record(5000);
  feed(&fixture, &record, SINCE + 5010);
  load(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, 1);
  const struct loaded_sample *sample = &g_array_index(loaded.samples, struct loaded_sample, 0);
  g_assert_cmpuint(sample->time, ==, SINCE + 5010);
  g_assert_cmpuint(sample->weight, ==, 5000);
  g_assert_cmpuint(sample->outcome, ==, CAPTURE_OUTCOME_NO_USER_STACK);
  g_assert_cmpuint(CAPTURE_OFF_CPU_REASON(sample->detail), ==, CAPTURE_OFF_CPU_SLEEPING);
  g_assert_cmpuint(CAPTURE_OFF_CPU_THREAD(sample->detail), !=, 0);
  g_assert_cmpuint(CAPTURE_OFF_CPU_LEAF(sample->detail), !=, 0);
  g_assert_cmpuint(CAPTURE_OFF_CPU_LEAF(sample->detail), !=, sample->leaf);
  g_assert_cmpuint(sample->detail & CAPTURE_OFF_CPU_BY_INTERRUPT, ==, 0);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* A return that was noticed late is at its own time; an interrupt is no thread. */
static void test_late(void)
{
  struct fixture fixture;
  struct loaded loaded;
  fixture_init(&fixture);
  struct record record = make_record(5000);
  record.off.waking = RECORDER_RAW_BY_INTERRUPT;
  feed(&fixture, &record, SINCE + 50000000);
  load(&fixture, &loaded);
  const struct loaded_sample *sample = &g_array_index(loaded.samples, struct loaded_sample, 0);
  g_assert_cmpuint(sample->time, ==, SINCE + 5000);
  g_assert_cmpuint(sample->detail, ==,
                   CAPTURE_OFF_CPU(CAPTURE_OFF_CPU_SLEEPING, 0, 0) | CAPTURE_OFF_CPU_BY_INTERRUPT);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* Each is counted as damaged, and nothing is read beyond it. */
static void test_damaged(void)
{
  struct fixture fixture;
  struct loaded loaded;
  fixture_init(&fixture);
  guint64 n = 0;
  for (guint what = 0; what < 7; what++) {
    struct record record = make_record(5000);
    switch (what) {
    case 0:
      record.raw.count = 9;
      break;
    case 1:
      record.off.n_user = 65535;
      break;
    case 2:
      record.off.tid = 0;
      break;
    case 3:
      record.size = sizeof record;
      break;
    case 4:
      record.size = sizeof record.raw + 8;
      break;
    case 5:
      record.raw.kind = 77;
      break;
    case 6:
      record.raw.kind = RECORDER_RAW_OFF_CPU_MISS;
      record.raw.count = 65535;
      break;
    }
    feed(&fixture, &record, SINCE + 5000);
    g_assert_cmpuint(fixture.output.damaged, ==, ++n);
  }
  load(&fixture, &loaded);
  g_assert_cmpuint(loaded.samples->len, ==, 0);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

static void add_miss(struct recorder_misses *misses, enum recorder_raw_kind kind, gint32 tid, guint64 since)
{
  enum { SIZE = 16384 };
  g_autofree guint8 *bytes = g_malloc0(SIZE);
  struct recorder_raw *raw = (struct recorder_raw *)(void *)bytes;
  *raw = (struct recorder_raw){
      .kind = (guint8)kind, .count = (guint16)tid, .ip = {(guint32)since, (guint32)(since >> 32)}};
  recorder_misses_add(misses, tid, raw, SIZE);
}

static void test_misses(void)
{
  enum { MANY = 4000 };
  struct recorder_misses misses;
  recorder_misses_init(&misses);
  for (gint32 tid = 1; tid <= MANY; tid++)
    add_miss(&misses, RECORDER_RAW_WAKER_MISS, tid, SINCE);
  /* The oldest have gone, the youngest are there, each once. */
  g_assert_cmpuint(misses.size, <=, 33 << 20);
  g_assert_null(recorder_misses_take(&misses, RECORDER_RAW_WAKER_MISS, 1, SINCE));
  g_assert_null(recorder_misses_take(&misses, RECORDER_RAW_WAKER_MISS, MANY, SINCE + 1));
  g_assert_null(recorder_misses_take(&misses, RECORDER_RAW_OFF_CPU_MISS, MANY, SINCE));
  struct recorder_miss *miss = recorder_misses_take(&misses, RECORDER_RAW_WAKER_MISS, MANY, SINCE);
  g_assert_nonnull(miss);
  g_assert_cmpuint(recorder_miss_raw(miss)->count, ==, MANY);
  recorder_miss_free(miss);
  g_assert_null(recorder_misses_take(&misses, RECORDER_RAW_WAKER_MISS, MANY, SINCE));
  recorder_misses_clear(&misses);
}

/* A thread that leaves often and is never away for long costs one miss. It may wake many at the same time. */
static void test_misses_of_a_thread(void)
{
  struct recorder_misses misses;
  recorder_misses_init(&misses);
  add_miss(&misses, RECORDER_RAW_OFF_CPU_MISS, 7, SINCE);
  gsize size = misses.size;
  for (guint i = 1; i < 100; i++)
    add_miss(&misses, RECORDER_RAW_OFF_CPU_MISS, 7, SINCE + i);
  g_assert_cmpuint(misses.size, ==, size);
  g_assert_null(recorder_misses_take(&misses, RECORDER_RAW_OFF_CPU_MISS, 7, SINCE));
  struct recorder_miss *miss = recorder_misses_take(&misses, RECORDER_RAW_OFF_CPU_MISS, 7, SINCE + 99);
  g_assert_nonnull(miss);
  recorder_miss_free(miss);
  add_miss(&misses, RECORDER_RAW_WAKER_MISS, 7, SINCE);
  add_miss(&misses, RECORDER_RAW_WAKER_MISS, 7, SINCE + 1);
  g_assert_cmpuint(misses.size, ==, 2 * size);
  recorder_misses_clear(&misses);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/off-cpu/sample", test_sample);
  g_test_add_func("/recorder/off-cpu/late", test_late);
  g_test_add_func("/recorder/off-cpu/damaged", test_damaged);
  g_test_add_func("/recorder/off-cpu/misses", test_misses);
  g_test_add_func("/recorder/off-cpu/misses-of-a-thread", test_misses_of_a_thread);
  return g_test_run();
}
