/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The walk of a language's frames through memory that nobody vouches for: it ends after a bounded number of
 * reads, and reads nothing of its own but what is there.
 *
 * An input is struct input, then the memory: 4 KiB of words, which are there again and again, so that what is
 * changed at random still leads somewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "unwind/walk/walk-types.h"

struct walk;

struct walk_memory {
  unsigned int reads;
};

static int forged_read(struct walk *walk, uint64_t address, uint64_t *ret_word);
static uint64_t forged_peek(struct walk *walk, uint64_t address);
static uint64_t forged_name(struct walk *walk, uint64_t code, int64_t at);
static struct walk_frame_memo *forged_memo(struct walk *walk, uint64_t address);

#define WORDS     512
#define MEMOS     16
#define READS_MAX 10000 /* of a frame */

static uint64_t forged_area[512], forged_words[WORDS];
static struct walk_frame_memo memos[MEMOS];

#define WALK_READ(walk, address, word) forged_read(walk, address, word)
#define WALK_AREA(walk)                ((const uint8_t *)forged_area)
#define WALK_AREA_SIZE(walk)           sizeof forged_area
#define WALK_NAME(walk, code, at)      forged_name(walk, code, at)
#define WALK_THREAD(walk)              forged_words[1]
#define WALK_LEADS(walk)               (forged_words[2] & 1)
#define WALK_PEEK(walk, address)       forged_peek(walk, address)
#define WALK_FRAME_MEMO(walk, address) forged_memo(walk, address)
#include "unwind/walk/walk.h"

struct input {
  struct unwind_runtime runtime;
  struct walk_mapping mapping;
  struct walk_language language;
  uint64_t general[33];
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int forged_read(struct walk *walk, uint64_t address, uint64_t *ret_word)
{
  walk->memory.reads++;
  *ret_word = forged_words[(address >> 3) % WORDS];
  return address >> 48 != 0 ? WALK_UNREADABLE : 0;
}

static uint64_t forged_peek(struct walk *walk, uint64_t address)
{
  if ((address & 7) != 0)
    abort();
  walk->memory.reads++;
  return address >> 48 != 0 ? 0 : forged_words[(address >> 3) % WORDS];
}

static uint64_t forged_name(struct walk *walk, uint64_t code, int64_t at)
{
  return code % 5 == 0 ? 0 : WALK_WORD(code & 0xff, at < 0 ? 0 : (uint64_t)at % WALK_WORD_AT_NONE);
}

static struct walk_frame_memo *forged_memo(struct walk *walk, uint64_t address)
{
  return &memos[address % MEMOS];
}

static void set_area(struct input *input)
{
  char *bytes = (char *)forged_area;

  input->runtime.kind = input->runtime.kind % (UNWIND_RUNTIMES - 1) + 1;
  input->language.runtime = 1024;
  memset(forged_area, 0, sizeof forged_area);
  memcpy(bytes + 64, &input->mapping, sizeof input->mapping);
  memcpy(bytes + 64 + sizeof input->mapping, &input->language, sizeof input->language);
  memcpy(bytes + 1024, &input->runtime, sizeof input->runtime);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static struct walk walk;
  struct input input;
  uint64_t word;
  int end = 0;

  if (size < sizeof input)
    return 0;
  memcpy(&input, data, sizeof input);
  memset(forged_words, 0, sizeof forged_words);
  memset(memos, 0, sizeof memos);
  memcpy(forged_words, data + sizeof input,
         size - sizeof input < sizeof forged_words ? size - sizeof input : sizeof forged_words);
  set_area(&input);
  memset(&walk, 0, sizeof walk);
  walk.process = (struct walk_process){
      .mappings = 64, .n_mappings = 1, .flags = WALK_PROCESS_FRAME_POINTERS, .serial = 1, .generation = 7};
  walk.machine = WALK_X86_64;
  walk.address_mask = ~0ull;
  memcpy(walk.registers.general, input.general, sizeof walk.registers.general);
  walk_name_registers(&walk.registers, WALK_X86_64);
  walk.registers.ip = input.general[32];
  walk_begin(&walk, 0);
  walk_language_begin(&walk);
  for (unsigned int n = 0; n < WALK_FRAMES_MAX && end == 0; n++) {
    walk.memory.reads = 0;
    end = walk_next(&walk, &word);
    if (walk.memory.reads > READS_MAX)
      abort();
  }
  return 0;
}
