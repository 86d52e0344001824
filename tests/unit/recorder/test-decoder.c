/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of perf's, made up, through the decoder into a capture and back. */
#include <linux/perf_event.h>
#include <string.h>
#include <unistd.h>

#include <glib.h>

#include "helpers/recorder/samples/decoder.h"
#include "recorder-kept.h"
#include "recorder-loaded.h"

#define EVENT_ID  77
#define DEPTH_MAX 16

struct fixture {
  struct recorder_event_type events[2];
  struct recorder_descriptor descriptor;
  struct recorder_source source;
  struct recorder_output output;
  struct recorder_decoder decoder;
  struct recorder_ring ring;
  struct kept kept;
};

struct sample {
  struct recorder_sample_fixed fixed;
  guint64 count;
  guint64 entries[DEPTH_MAX + 2];
};

static void fixture_init(struct fixture *fixture, guint32 max_nodes)
{
  struct recorder_configure configure = {.window_size = 4096, .window_count = 64};
  struct capture_writer_options options = {
      .size = sizeof options, .max_nodes = max_nodes, .max_frames = max_nodes};
  memset(fixture, 0, sizeof *fixture);
  g_strlcpy(fixture->events[0].name, "cpu-clock", sizeof fixture->events[0].name);
  fixture->events[0].period = 1;
  fixture->descriptor = (struct recorder_descriptor){.fd = -1, .ring = &fixture->ring, .tid = -1};
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
  g_assert_cmpint(recorder_output_init(&fixture->output, &configure, fixture->events, &options), ==, 0);
  recorder_decoder_init(&fixture->decoder, &fixture->output, &fixture->source);
  kept_open(&fixture->kept, fixture->output.pool);
}

static void collect(struct fixture *fixture)
{
  recorder_output_commit(&fixture->output, fixture->ring.time);
  kept_collect(&fixture->kept);
}

static void feed(struct fixture *fixture, struct perf_event_header *record, guint64 time)
{
  fixture->ring.time = time;
  recorder_decoder_record(&fixture->decoder, &fixture->ring, record);
}

static void fixture_clear(struct fixture *fixture)
{
  recorder_decoder_clear(&fixture->decoder);
  recorder_output_clear(&fixture->output);
  recorder_table_clear(&fixture->source.ids);
  kept_clear(&fixture->kept);
}

/* A sample of this very process in user mode; its leaf is addresses[0]. */
static struct sample user_sample(guint64 time, const guint64 *addresses, guint count)
{
  struct sample sample = {
      .fixed = {.header = {.type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER},
                .id = EVENT_ID,
                .ip = addresses[0],
                .pid = getpid(),
                .tid = getpid(),
                .time = time},
      .count = count + 1,
  };
  sample.entries[0] = (guint64)PERF_CONTEXT_USER;
  memcpy(sample.entries + 1, addresses, count * sizeof addresses[0]);
  sample.fixed.header.size = (guint16)(offsetof(struct sample, entries) + 8 * sample.count);
  return sample;
}

/* Small epochs follow each other, and in each every stack reads back as it was sampled, address by address.
 */
static void test_epochs(void)
{
  enum { SAMPLES = 500 };
  struct fixture fixture;
  struct loaded loaded;
  g_autofree guint64(*stacks)[DEPTH_MAX] = g_malloc0(SAMPLES * sizeof *stacks);
  guint depths[SAMPLES];
  fixture_init(&fixture, 300);
  for (guint i = 0; i < SAMPLES; i++) {
    depths[i] = (guint)g_test_rand_int_range(1, DEPTH_MAX);
    for (guint n = 0; n < depths[i]; n++)
      stacks[i][n] =
          0x1000 + (guint64)g_test_rand_int_range(0, 8) + ((guint64)g_test_rand_int_range(0, 2) << 40);
    struct sample sample = user_sample(i + 1, stacks[i], depths[i]);
    feed(&fixture, &sample.fixed.header, i + 1);
    if (i % 50 == 49)
      collect(&fixture);
  }
  collect(&fixture);
  loaded_read(&loaded, fixture.kept.fd);
  g_assert_cmpuint(loaded.samples->len, ==, SAMPLES);
  g_assert_cmpuint(g_array_index(loaded.samples, struct loaded_sample, SAMPLES - 1).epoch, >, 2);
  for (guint i = 0; i < SAMPLES; i++) {
    const struct loaded_sample *sample = &g_array_index(loaded.samples, struct loaded_sample, i);
    g_autoptr(GArray) stack = loaded_stack(&loaded, sample);
    g_assert_cmpint(loaded_process(&loaded, sample)->pid, ==, getpid());
    g_assert_cmpuint(stack->len, ==, depths[i]);
    for (guint n = 0; n < depths[i]; n++)
      g_assert_cmphex(g_array_index(stack, struct loaded_frame, n).address, ==, stacks[i][n]);
  }
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* What stands on a program's stack is followed as if it were an address: it must not pass for the kernel's.
 */
static void test_false_mark(void)
{
  const guint64 addresses[] = {0x1000, (guint64)PERF_CONTEXT_KERNEL, 0xffffffff81000000};
  struct fixture fixture;
  struct loaded loaded;
  struct sample sample = user_sample(1, addresses, G_N_ELEMENTS(addresses));
  fixture_init(&fixture, 0);
  feed(&fixture, &sample.fixed.header, 1);
  collect(&fixture);
  loaded_read(&loaded, fixture.kept.fd);
  g_autoptr(GArray) stack = loaded_stack(&loaded, &g_array_index(loaded.samples, struct loaded_sample, 0));
  g_assert_cmpuint(stack->len, ==, 1);
  g_assert_cmpuint(g_array_index(stack, struct loaded_frame, 0).kind, ==, CAPTURE_SPACE_PROCESS);
  g_assert_cmphex(g_array_index(stack, struct loaded_frame, 0).address, ==, 0x1000);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* An address in a mapped file becomes an offset in it, which leads back through the mapping. */
static void test_file_address(void)
{
  struct fixture fixture;
  struct loaded loaded;
  const guint64 address = (guint64)(guintptr)test_epochs;
  struct sample sample = user_sample(1, &address, 1);
  fixture_init(&fixture, 0);
  feed(&fixture, &sample.fixed.header, 1);
  collect(&fixture);
  loaded_read(&loaded, fixture.kept.fd);
  const struct loaded_sample *read = &g_array_index(loaded.samples, struct loaded_sample, 0);
  g_autoptr(GArray) stack = loaded_stack(&loaded, read);
  const struct loaded_frame *frame = &g_array_index(stack, struct loaded_frame, 0);
  const struct capture_record_process *process = loaded_process(&loaded, read);
  guint found = 0;
  g_assert_true(g_str_has_suffix(loaded_frame_path(&loaded, read->epoch, frame), "test-recorder-decoder"));
  for (guint i = 0; i < loaded.records->len; i++) {
    const struct capture_record *record = g_array_index(loaded.records, struct loaded_record, i).record;
    const struct capture_record_mapping *mapping = (const struct capture_record_mapping *)record;
    if (record->type == CAPTURE_RECORD_MAPPING && mapping->process == process->id &&
        mapping->binary == frame->owner && frame->address - mapping->offset < mapping->end - mapping->start) {
      g_assert_cmphex(frame->address - mapping->offset + mapping->start, ==, address);
      found++;
    }
  }
  g_assert_cmpuint(found, ==, 1);
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* What cannot be understood is counted, and nothing is read beyond it. */
static void test_damaged(void)
{
  static const guint32 types[] = {PERF_RECORD_MMAP2,        PERF_RECORD_COMM,    PERF_RECORD_FORK,
                                  PERF_RECORD_EXIT,         PERF_RECORD_KSYMBOL, PERF_RECORD_LOST,
                                  PERF_RECORD_LOST_SAMPLES, PERF_RECORD_THROTTLE};
  struct fixture fixture;
  struct loaded loaded;
  const guint64 address = 0x1000;
  struct sample sample = user_sample(1, &address, 1);
  fixture_init(&fixture, 0);
  for (gsize i = 0; i < G_N_ELEMENTS(types); i++) {
    g_autofree struct perf_event_header *record = g_malloc0(40);
    *record = (struct perf_event_header){.type = types[i], .size = 40};
    feed(&fixture, record, 1);
  }
  sample.count = G_MAXUINT64;
  feed(&fixture, &sample.fixed.header, 2);
  sample.count = 3;
  feed(&fixture, &sample.fixed.header, 3);
  sample.count = 2;
  sample.fixed.id++;
  feed(&fixture, &sample.fixed.header, 4);
  collect(&fixture);
  loaded_read(&loaded, fixture.kept.fd);
  g_assert_cmpuint(loaded.samples->len, ==, 0);
  g_assert_cmpuint(loaded_lost(&loaded), ==, G_N_ELEMENTS(types) + 3);
  g_assert_cmpuint(fixture.output.lost, ==, loaded_lost(&loaded));
  loaded_clear(&loaded);
  fixture_clear(&fixture);
}

/* Kernels leave old bytes behind the trailer of a kernel symbol that several events are told of. A time from
 * there would stand in the way of all that follows in the ring. */
static void test_symbol_with_a_tail(void)
{
  struct {
    struct perf_event_header header;
    guint64 address;
    guint32 length;
    guint16 type, flags;
    char name[16];
    struct recorder_trailer trailer;
    guint64 tail[8];
  } record = {
      .header = {.type = PERF_RECORD_KSYMBOL, .size = sizeof record},
      .name = "bpf_prog_eight",
      .trailer = {.pid = 1, .tid = 2, .time = 3, .id = EVENT_ID},
  };
  memset(record.tail, 0x55, sizeof record.tail);
  g_assert_true(recorder_trailer(&record.header) == &record.trailer);
  record.header.size -= sizeof record.tail;
  g_assert_true(recorder_trailer(&record.header) == &record.trailer);
}

/* What there is no room to tell of is told later: what were samples as samples. */
static void test_losses_without_room(void)
{
  struct recorder_output output;
  struct recorder_configure configure = {.window_size = 4096, .window_count = 4};
  struct recorder_event_type events[1] = {{.name = "cpu-clock"}};
  g_assert_cmpint(recorder_output_init(&output, &configure, events, NULL), ==, 0);
  struct capture_record_lost record = {.record = {.size = sizeof record, .type = CAPTURE_RECORD_LOST}};
  while (output.dropped_records == 0)
    recorder_output_record(&output, &record.record, 1);
  recorder_output_lost(&output, 2, 30, 400, 0, 0);
  g_assert_cmpuint(output.dropped, ==, 30);
  g_assert_cmpuint(output.dropped_records, ==, 401);
  g_assert_cmpuint(output.lost, ==, 431);
  recorder_output_clear(&output);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/recorder/decoder/epochs", test_epochs);
  g_test_add_func("/recorder/decoder/false-mark", test_false_mark);
  g_test_add_func("/recorder/decoder/file-address", test_file_address);
  g_test_add_func("/recorder/decoder/damaged", test_damaged);
  g_test_add_func("/recorder/decoder/symbol-with-a-tail", test_symbol_with_a_tail);
  g_test_add_func("/recorder/decoder/losses-without-room", test_losses_without_room);
  return g_test_run();
}
