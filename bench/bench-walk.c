/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What user stacks cost: loading the programs that walk them in the kernel, a sample there, and the same walk
 * in user space. Needs root. The program that is sampled is tests/data/chain.c. */
#include <bpf/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/recorder/bpf-fixture.h"
#include "unwind/walk/unwind-walk.h"

#define FRAMES  30 /* of the stacks, which are some more in fact */
#define ROUNDS  21
#define WINDOWS 30
#define WINDOW  100000 /* µs */
#define WALKS   2000

/* Samples in a window that counts. */
#define WINDOW_LEAST 50

/* Processor time of this process, which no other one's work changes much. */
static double now(void)
{
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print(const char *what, double *values, int n, double unit, const char *name)
{
  qsort(values, (size_t)n, sizeof *values, compare);
  printf("%-52s fastest %8.2f %s, median %8.2f %s\n", what, values[0] / unit, name, values[n / 2] / unit,
         name);
}

static void measure_loading(uint32_t area_size)
{
  double values[ROUNDS];
  g_autofree char *what = g_strdup_printf("loading, area of %u KiB (processor time)", area_size >> 10);
  const struct recorder_bpf_options options = {
      .area_size = area_size, .max_stack = 127, .miss_stack = 16384, .processes = 8192};
  for (int i = 0; i < ROUNDS; i++) {
    struct recorder_bpf *bpf;
    struct recorder_error error;
    double begin = now();
    if (recorder_bpf_open(&bpf, &options, &error) < 0)
      g_error("%s", error.text);
    values[i] = now() - begin;
    recorder_bpf_close(bpf);
  }
  print(what, values, ROUNDS, 1e6, "ms");
}

static struct bpf_prog_info look(const struct bpf_fixture *fixture)
{
  struct bpf_prog_info info = {0};
  uint32_t size = sizeof info;
  bpf_obj_get_info_by_fd(bpf_program__fd(fixture->bpf->programs->progs.recorder_perf_event), &info, &size);
  return info;
}

struct found {
  guint n_stacks;
  guint n_frames;
  GPtrArray *misses; /* copies of raw records */
};

static void take(const struct bpf_record *record, void *data)
{
  struct found *found = data;
  if (record->raw == NULL)
    return;
  if (record->raw->kind == RECORDER_RAW_STACK) {
    found->n_stacks++;
    found->n_frames += record->raw->count;
  } else if (record->raw->kind == RECORDER_RAW_MISS) {
    size_t size = sizeof *record->raw + sizeof(struct recorder_raw_registers) + record->raw->count;
    g_ptr_array_add(found->misses, g_memdup2(record->raw, size));
  }
}

static void measure_samples(struct bpf_fixture *fixture, struct found *found)
{
  double values[WINDOWS];
  int statistics = bpf_enable_stats(BPF_STATS_RUN_TIME);
  for (int i = 0; i < WINDOWS;) {
    struct bpf_prog_info before = look(fixture);
    g_usleep(WINDOW);
    struct bpf_prog_info after = look(fixture);
    uint64_t n = after.run_cnt - before.run_cnt;
    if (n >= WINDOW_LEAST)
      values[i++] = (double)(after.run_time_ns - before.run_time_ns) / (double)n;
    bpf_fixture_read(fixture, take, found);
  }
  close(statistics);
  print("a sample in the kernel (windows of 100 ms)", values, WINDOWS, 1e3, "µs");
  printf("%-52s %.1f in %u samples\n", "frames a sample", (double)found->n_frames / found->n_stacks,
         found->n_stacks);
}

static uint32_t walk(const struct bpf_fixture *fixture, const struct walk_process *process,
                     const struct recorder_raw *raw)
{
  const struct recorder_raw_registers *general = (const void *)(raw + 1);
  struct walk_registers registers;
  uint64_t frames[FRAMES];
  enum walk_end end;
  unwind_registers_set(&registers, WALK_X86_64, general->general);
  struct unwind_area area = {fixture->area, BPF_FIXTURE_AREA};
  struct unwind_piece piece = {registers.sp, general + 1, raw->count};
  struct unwind_memory memory = {.pieces = &piece, .n_pieces = 1};
  struct unwind_start start = {process, &registers, WALK_X86_64, false};
  return unwind_walk(&area, &start, &memory, frames, G_N_ELEMENTS(frames), &end);
}

static void measure_user_space(struct bpf_fixture *fixture, pid_t pid, struct found *found)
{
  double values[ROUNDS];
  guint n_frames = 0;
  struct walk_process process = bpf_fixture_publish(fixture, pid, WALK_MAPPING_TABLE);
  recorder_bpf_remove_process(fixture->bpf, pid);
  while (found->misses->len < 100) {
    g_usleep(WINDOW);
    bpf_fixture_read(fixture, take, found);
  }
  for (int i = 0; i < ROUNDS; i++) {
    n_frames = 0;
    double begin = now();
    for (guint j = 0; j < WALKS; j++)
      n_frames += walk(fixture, &process, found->misses->pdata[j % found->misses->len]);
    values[i] = (now() - begin) / WALKS;
  }
  print("a walk in user space (processor time)", values, ROUNDS, 1e3, "µs");
  printf("%-52s %.1f\n", "frames a walk", (double)n_frames / WALKS);
}

int main(void)
{
  struct found found = {.misses = g_ptr_array_new_with_free_func(g_free)};
  measure_loading(4096);
  measure_loading(32u << 20);
  measure_loading(64u << 20);
  struct bpf_fixture *fixture = bpf_fixture_new(false, FRAMES);
  struct bpf_prog_info info = look(fixture);
  printf("%-52s %u\n", "instructions that the verifier looked at", info.verified_insns);
  printf("%-52s %u bytes\n", "machine code", info.jited_prog_len);
  pid_t pid = bpf_fixture_start((const char *const[]){CHAIN, "1000", NULL});
  bpf_fixture_publish(fixture, pid, WALK_MAPPING_TABLE);
  double begin = now();
  bpf_fixture_sample(fixture, pid);
  printf("%-52s %.2f ms\n", "opening and attaching its events, one a CPU", (now() - begin) / 1e6);
  measure_samples(fixture, &found);
  measure_user_space(fixture, pid, &found);
  bpf_fixture_stop(pid);
  bpf_fixture_free(fixture);
  g_ptr_array_unref(found.misses);
  return 0;
}
