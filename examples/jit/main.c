/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs and forgets many hundred functions a second, all in the same few bytes of memory, and tells a
 * recording what stood there when. Work is split 3 : 1 between `heavy` and `light`, whose code takes equally
 * long; `calls` calls C.
 *
 *   jit [--frames=kept|none|reused] [--seconds=N] [--truth=FILE]      of processor time
 *
 * FILE gets a line a function: when it ran (ns of CLOCK_MONOTONIC, from and to), where, how long its code
 * was, its name and its rounds.
 */
#include "jit.h"

#include <capture-1/capture.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { MAX_TURNS = 1 << 20 };

static const struct function {
  const char *name, *source;
  int64_t rounds; /* of a turn, on average */
} functions[] = {
    {"light", "x * 3 * x\n * 7 * x", 150000},
    {"heavy", "x * 5 * x\n * 9 * x", 450000},
    {"calls", "steps(x)\n * 2 + x * x", 3000},
};
enum { N_FUNCTIONS = sizeof(functions) / sizeof(functions[0]) };

static struct {
  uint64_t from, to;
  int64_t rounds;
  const struct function *function;
  size_t offset, length;
} truth[MAX_TURNS];

/* From now on, `code` stands at `start`. */
static void tell(capture *c, const struct jit_code *code, const void *start, const struct function *function)
{
  struct capture_code_line lines[JIT_MAX_LINES];
  for (unsigned i = 0; i < code->n_lines; i++)
    lines[i] = (struct capture_code_line){.offset = code->lines[i].offset, .line = code->lines[i].line};
  char file[64];
  snprintf(file, sizeof(file), "%s.expr", function->name);
  capture_code_add(c, CAPTURE_OPTIONS(code, .start = start, .length = code->length,
                                      .name = capture_string(c, function->name, CAPTURE_NUL),
                                      .file = capture_string(c, file, CAPTURE_NUL), .line = 1,
                                      .n_lines = code->n_lines, .lines = lines));
}

/* A life of one function: placed, told of, run, and gone. */
__attribute__((noinline)) static int64_t run(capture *c, const struct jit_code *code, uint8_t *memory,
                                             unsigned turn)
{
  const struct function *function = &functions[turn % N_FUNCTIONS];
  size_t offset =
      turn % 7 * 16; /* so that the same address is in the middle of one function and in another's prologue */
  uint8_t *start = memory + offset;
  /* Turns of one length could keep step with the sampler's. */
  int64_t rounds = function->rounds * (50 + rand() % 101) / 100;
  memcpy(start, code->bytes, code->length);
  __builtin___clear_cache((char *)start, (char *)start + code->length);

  tell(c, code, start, function);
  uint64_t from = capture_time();
  int64_t result = ((jit_function)(uintptr_t)start)(rounds);
  uint64_t to = capture_time();
  capture_code_remove(c, start, code->length);

  if (turn < MAX_TURNS) {
    truth[turn].from = from, truth[turn].to = to, truth[turn].rounds = rounds;
    truth[turn].function = function;
    truth[turn].offset = offset, truth[turn].length = code->length;
  }
  return result;
}

static int write_truth(const char *path, unsigned turns, const uint8_t *memory)
{
  FILE *file = fopen(path, "w");
  if (!file)
    return -1;
  for (unsigned i = 0; i < turns && i < MAX_TURNS; i++)
    fprintf(file, "%llu %llu %#llx %zu %s %lld\n", (unsigned long long)truth[i].from,
            (unsigned long long)truth[i].to, (unsigned long long)(uintptr_t)memory + truth[i].offset,
            truth[i].length, truth[i].function->name, (long long)truth[i].rounds);
  return fclose(file);
}

static int compile_all(struct jit_code *codes, enum jit_frames frames)
{
  for (unsigned i = 0; i < N_FUNCTIONS; i++) {
    codes[i].frames = frames;
    if (jit_compile(&codes[i], functions[i].source) < 0)
      return -1;
  }
  return 0;
}

int main(int argc, char **argv)
{
  enum jit_frames frames = JIT_FRAMES_KEPT;
  double seconds = 2;
  const char *path = NULL;
  for (int i = 1; i < argc; i++) {
    if (strncmp(argv[i], "--seconds=", 10) == 0)
      seconds = strtod(argv[i] + 10, NULL);
    else if (strncmp(argv[i], "--truth=", 8) == 0)
      path = argv[i] + 8;
    else if (strcmp(argv[i], "--frames=none") == 0)
      frames = JIT_FRAMES_NONE;
    else if (strcmp(argv[i], "--frames=reused") == 0)
      frames = JIT_FRAMES_REUSED;
  }

  static struct jit_code codes[N_FUNCTIONS];
  uint8_t *memory =
      mmap(NULL, 2 * JIT_MAX_CODE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || compile_all(codes, frames) < 0)
    return 1;

  capture *c = NULL;
  capture_connect(&c, CAPTURE_OPTIONS(options, .name = "jit"));
  capture_thread_begin(c, NULL);
  capture_sampler_start(c, CAPTURE_OPTIONS(sampler_options, .frequency = 0));

  int64_t sum = 0;
  unsigned turn = 0;
  for (; (double)clock() / CLOCKS_PER_SEC < seconds; turn++)
    sum += run(c, &codes[turn % N_FUNCTIONS], memory, turn);

  capture_close(c);
  printf("%u functions, %lld\n", turn, (long long)sum);
  return path && write_truth(path, turn, memory) < 0;
}
