/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walker over anything: an area, registers and a stack that nobody vouches for. It stays inside of them,
 * ends, and says why.
 *
 * An input is struct input, then the area, then the stack. Most addresses that matter are near to each other
 * in it, so that what is changed at random still leads somewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/walk/unwind-walk.h"

#define FRAMES_MAX 200

struct input {
  struct walk_process process;
  uint64_t stack_address;
  uint64_t general[33];
  uint16_t area_words; /* rounded down to a power of two */
  uint8_t aarch64;
  uint8_t in_kernel;
  uint32_t reserved;
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In memory of its own, so that reading beyond it is seen. */
static void *copy(const uint8_t **data, size_t *size, size_t wanted)
{
  void *bytes = calloc(1, wanted);
  size_t n = *size < wanted ? *size : wanted;
  memcpy(bytes, *data, n);
  *data += n;
  *size -= n;
  return bytes;
}

static size_t area_size(const struct input *input)
{
  size_t size = 8;
  while (size * 2 <= input->area_words * (size_t)8)
    size *= 2;
  return size;
}

static int refuse(void *data, uint64_t address, uint64_t *ret_word)
{
  return address % 16 == 0 ? WALK_NOT_RESIDENT : WALK_UNREADABLE;
}

static void check(const struct unwind_start *start, const uint64_t *frames, uint32_t n, enum walk_end end)
{
  static const bool known[WALK_MISSED + 1] = {
      [WALK_COMPLETE] = true,  [WALK_FRAME_POINTERS] = true, [WALK_TRUNCATED] = true,
      [WALK_NO_TABLE] = true,  [WALK_UNREADABLE] = true,     [WALK_NOT_RESIDENT] = true,
      [WALK_BAD_FRAME] = true, [WALK_UNSUPPORTED] = true,    [WALK_MISSED] = true,
  };
  if (end != WALK_MISSED)
    end &= ~WALK_END_BY_FRAME_POINTERS;
  uint64_t ip = start->registers->ip;
  if (n == 0 || n > FRAMES_MAX || frames[0] != (WALK_IS_WORD(ip) ? 0 : ip))
    abort();
  if (end < 0 || end > WALK_MISSED || !known[end] || (end == WALK_TRUNCATED && n != FRAMES_MAX))
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  struct walk_registers registers;
  uint64_t frames[FRAMES_MAX];
  enum walk_end end;
  struct input *input = copy(&data, &size, sizeof *input);
  struct unwind_area area = {.size = area_size(input)};
  void *bytes = copy(&data, &size, area.size);
  size_t stack_size = size;
  void *stack = copy(&data, &size, stack_size);
  area.bytes = bytes;

  struct unwind_start start = {
      .process = &input->process,
      .registers = &registers,
      .machine = input->aarch64 % 2 != 0 ? WALK_AARCH64 : WALK_X86_64,
      .in_kernel = input->in_kernel % 2 != 0,
  };
  unwind_registers_set(&registers, start.machine, input->general);
  struct unwind_piece piece = {input->stack_address, stack, stack_size};
  struct unwind_memory memory = {.pieces = &piece, .n_pieces = 1, .read = refuse};
  uint32_t n = unwind_walk(&area, &start, &memory, frames, FRAMES_MAX, &end);
  check(&start, frames, n, end);
  free(stack);
  free(bytes);
  free(input);
  return 0;
}
