/* SPDX-License-Identifier: BSD-2-Clause */
#include "unwind/walk/unwind-walk.h"

#include <string.h>

struct walk_memory {
  const struct unwind_memory *given;
  const uint8_t *area;
  uint64_t area_size;
};

struct walk;
static int read_word(const struct walk *walk, uint64_t address, uint64_t *ret_word);

#define WALK_READ(walk, address, word) read_word(walk, address, word)
#define WALK_AREA(walk)                ((walk)->memory.area)
#define WALK_AREA_SIZE(walk)           ((walk)->memory.area_size)
#include "unwind/walk/walk.h"

/* Where aarch64 programs have their memory, unless they ask for more by name; above stand tag and
 * authentication code. */
#define AARCH64_ADDRESS_BITS 48

static int read_word(const struct walk *walk, uint64_t address, uint64_t *ret_word)
{
  const struct unwind_memory *memory = walk->memory.given;
  for (size_t i = 0; i < memory->n_pieces; i++) {
    const struct unwind_piece *piece = &memory->pieces[i];
    uint64_t offset = address - piece->address;
    if (offset < piece->size && piece->size - offset >= sizeof *ret_word) {
      memcpy(ret_word, (const uint8_t *)piece->bytes + offset, sizeof *ret_word);
      return 0;
    }
  }
  return memory->read != NULL ? memory->read(memory->data, address, ret_word) : WALK_UNREADABLE;
}

uint32_t unwind_walk(const struct unwind_area *area, const struct unwind_start *start,
                     const struct unwind_memory *memory, uint64_t *frames, uint32_t max,
                     enum walk_end *ret_end)
{
  struct walk walk = {
      .registers = *start->registers,
      .process = *start->process,
      .machine = start->machine,
      .address_mask = start->machine == WALK_AARCH64 ? (1ull << AARCH64_ADDRESS_BITS) - 1 : ~0ull,
      .memory = {.given = memory, .area = area->bytes, .area_size = area->size},
  };
  uint32_t n = 0;
  int end = WALK_ENDED_NOT;
  walk_begin(&walk, start->in_kernel);
  while (end == WALK_ENDED_NOT && n < max) {
    frames[n++] = walk.registers.ip;
    end = walk_step(&walk);
  }
  *ret_end = (enum walk_end)walk_tell(&walk, end == WALK_ENDED_NOT ? WALK_TRUNCATED : end);
  return n;
}

void unwind_registers_set(struct walk_registers *registers, uint32_t machine, const uint64_t *general)
{
  size_t n = machine == WALK_AARCH64 ? 32 : 16;
  *registers = (struct walk_registers){.ip = general[n]};
  memcpy(registers->general, general, n * sizeof *general);
  walk_name_registers(registers, machine);
}

/* DWARF's number of each register of perf's for x86-64; flags and segments have none here. */
static const uint8_t perf_x86_64[] = {0,  3,  2,  1,  4, 5, 6,  7,  16, 32, 32, 32,
                                      32, 32, 32, 32, 8, 9, 10, 11, 12, 13, 14, 15};

static uint32_t perf_register(uint32_t machine, uint32_t bit)
{
  if (machine == WALK_AARCH64)
    return bit;
  return bit < sizeof perf_x86_64 ? perf_x86_64[bit] : 32;
}

uint64_t unwind_registers_perf_mask(uint32_t machine)
{
  return machine == WALK_AARCH64 ? (1ull << 33) - 1 : 0xff01ff;
}

bool unwind_registers_set_perf(struct walk_registers *registers, uint32_t machine, uint64_t mask,
                               const uint64_t *values)
{
  uint64_t wanted = unwind_registers_perf_mask(machine);
  uint64_t general[33] = {0};
  if ((mask & wanted) != wanted)
    return false;
  for (uint32_t bit = 0; bit < 64; bit++) {
    if ((mask >> bit & 1) == 0)
      continue;
    if ((wanted >> bit & 1) != 0)
      general[perf_register(machine, bit)] = *values;
    values++;
  }
  unwind_registers_set(registers, machine, general);
  return true;
}
