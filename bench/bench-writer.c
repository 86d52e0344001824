/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a sample costs in libcapture: its frames, its stack, its entry, and the windows' way into a file. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "libcapture/file/capture-file.h"
#include "libcapture/file/capture-reader.h"
#include "libcapture/file/capture-writer.h"

#define STACKS  20000u
#define SAMPLES 1000000u
#define DEPTH   30u

static uint64_t addresses[STACKS][DEPTH]; /* leaf first */
static uint32_t frames[STACKS][DEPTH];
static uint32_t leaves[STACKS];

static uint64_t now(void)
{
  struct timespec ts;

  clock_gettime(CLOCK_MONOTONIC, &ts);
  return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* The same numbers in every run. */
static uint32_t next_random(void)
{
  static uint64_t state = 88172645463325252;

  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (uint32_t)(state >> 32);
}

static void print(const char *name, uint64_t begin, uint64_t n)
{
  printf("%-34s %8.1f ns\n", name, (double)(now() - begin) / (double)n);
}

/* Each stack is another one up to some depth, and goes on by itself from there, as in a real program. */
static void make_stacks(void)
{
  for (uint32_t i = 0; i < STACKS; i++) {
    uint32_t other = i ? next_random() % i : 0;
    uint32_t shared = i ? next_random() % DEPTH : 0;

    for (uint32_t k = 0; k < DEPTH; k++)
      addresses[i][DEPTH - 1 - k] =
          k < shared ? addresses[other][DEPTH - 1 - k] : 0x7f0012000000u + next_random() % 300000 * 4;
  }
}

static void intern_frames(capture_writer *writer)
{
  for (uint32_t i = 0; i < STACKS; i++) {
    for (uint32_t k = 0; k < DEPTH; k++)
      frames[i][k] = (uint32_t)capture_writer_frame(writer, CAPTURE_SPACE_PROCESS, 1, addresses[i][k]);
  }
}

static void intern_stacks(capture_writer *writer)
{
  for (uint32_t i = 0; i < STACKS; i++)
    leaves[i] = (uint32_t)capture_writer_stack(writer, 0, frames[i], DEPTH);
}

/* As samples come: most of them in few places. */
static uint32_t pick_stack(void)
{
  return next_random() % 100 ? next_random() % 500 : next_random() % STACKS;
}

static void intern_samples(capture_writer *writer)
{
  for (uint32_t i = 0; i < SAMPLES; i++) {
    uint32_t stack = pick_stack();

    if (capture_writer_stack(writer, 0, frames[stack], DEPTH) != leaves[stack])
      abort();
  }
}

static void write_samples(capture_writer *writer)
{
  struct capture_writer_sample sample = {.event = 1, .weight = 1000000};

  for (uint32_t i = 0; i < SAMPLES; i++) {
    sample.time += 100000 + next_random() % 1000;
    sample.thread = 1 + i / 1000 % 7;
    sample.leaf = leaves[pick_stack()];
    sample.cpu = (uint16_t)(i % 4);
    sample.mode = CAPTURE_MODE_USER;
    if (capture_writer_sample(writer, &sample) < 0)
      abort();
  }
}

static size_t compress(void *out, size_t capacity, const void *in, size_t length, void *data)
{
  size_t n = ZSTD_compressCCtx(data, out, capacity, in, length, 1);

  return ZSTD_isError(n) ? 0 : n;
}

static void read_file(int fd)
{
  capture_reader *reader;
  uint64_t begin = now();

  if (capture_reader_open(&reader, fd, &(struct capture_reader_options){.scan = true}) < 0)
    abort();
  print("open by walking, a KiB", begin, capture_reader_size(reader) / 1024);
  capture_reader_close(reader);
}

static void run(ZSTD_CCtx *context)
{
  const struct capture_file_options options = {
      .size = sizeof options, .compress = context ? compress : NULL, .compress_data = context};
  int fd = memfd_create("bench", MFD_CLOEXEC);
  capture_file *file;
  capture_writer *writer;
  capture_sink *sink;
  uint64_t begin, before;

  if (capture_file_create(&file, fd, &options) < 0 || capture_file_sink_new(&sink, file, 1, 64 << 10) < 0 ||
      capture_writer_create(&writer, sink, NULL) < 0)
    abort();
  printf("%s\n", context ? "compressed" : "raw");
  begin = now();
  intern_frames(writer);
  print("frame, first seen or not", begin, (uint64_t)STACKS * DEPTH);
  begin = now();
  intern_frames(writer);
  print("frame, known", begin, (uint64_t)STACKS * DEPTH);
  begin = now();
  intern_stacks(writer);
  print("stack of 30, new", begin, STACKS);
  begin = now();
  intern_stacks(writer);
  print("stack of 30, known", begin, STACKS);
  begin = now();
  intern_samples(writer);
  print("stack of 30, known, mostly hot", begin, SAMPLES);
  before = capture_file_size(file);
  begin = now();
  write_samples(writer);
  capture_writer_destroy(writer);
  print("sample, into the file", begin, SAMPLES);
  printf("%-34s %8.2f bytes\n", "a sample", (double)(capture_file_size(file) - before) / SAMPLES);
  printf("%-34s %8" PRIu64 " bytes\n", "the file", capture_file_size(file));
  read_file(fd);
  capture_file_sink_free(sink);
  capture_file_free(file);
  close(fd);
}

int main(void)
{
  ZSTD_CCtx *context = ZSTD_createCCtx();

  make_stacks();
  run(NULL);
  run(context);
  ZSTD_freeCCtx(context);
  return 0;
}
