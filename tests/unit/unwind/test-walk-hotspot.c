/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk of HotSpot's frames through memory in which nothing is as it should be: each walk ends, after a
 * bounded number of reads, and reads nothing of the walker's own but what is there. */
#include <glib.h>
#include <string.h>

#include "unwind/walk/walk-types.h"

struct walk;

struct walk_memory {
  guint64 seed;
  guint reads;
};

static int forged_read(struct walk *walk, guint64 address, guint64 *ret_word);
static guint64 forged_peek(struct walk *walk, guint64 address);
static guint64 forged_name(struct walk *walk, guint64 code, gint64 at);
static struct walk_frame_memo *forged_memo(struct walk *walk, guint64 address);

static guint64 forged_area[4096];

#define WALK_READ(walk, address, word) forged_read(walk, address, word)
#define WALK_AREA(walk)                ((const uint8_t *)forged_area)
#define WALK_AREA_SIZE(walk)           sizeof forged_area
#define WALK_NAME(walk, code, at)      forged_name(walk, code, at)
#define WALK_THREAD(walk)              1
#define WALK_PEEK(walk, address)       forged_peek(walk, address)
#define WALK_FRAME_MEMO(walk, address) forged_memo(walk, address)
#define WALK_FUNCTION                  static
#include "unwind/walk/walk.h"

#define TURNS     30000
#define READS_MAX 6000 /* of a frame */
#define CODE      0x7f0000000000ull
#define CODE_SIZE 0x1000000ull
#define STACK     0x7ffd00000000ull
#define LIBRARY   0x7e0000000000ull

static struct walk_frame_memo memos[64];
static guint64 deepest;

static guint64 mix(guint64 seed, guint64 value)
{
  value = (value ^ seed) * 0x9e3779b97f4a7c15ull;
  value = (value ^ value >> 29) * 0xbf58476d1ce4e5b9ull;
  return value ^ value >> 32;
}

/* The same at the same address: sizes, addresses of code, of stacks and of structures, or anything. */
static guint64 forged_word(guint64 seed, guint64 address)
{
  guint64 random = mix(seed, address), value = random >> 8;

  switch (random & 15) {
  case 0:
    return value;
  case 1:
  case 2:
    return value % 64;
  case 3:
    return 0;
  case 4:
  case 5:
  case 6:
  case 7:
    return CODE + value % CODE_SIZE;
  case 8:
  case 9:
    return STACK + value % 0x10000 / 8 * 8;
  case 10:
    return LIBRARY + value % 0x10000;
  case 11:
    return value % 64 | value << 40;
  case 12: /* what begins the names of nmethods and of the interpreter */
    return random & 16 ? 0x646f6874656d6eull : 0x6572707265746e49ull;
  default:
    return 0x10000000 + value % 0x100000 / 8 * 8;
  }
}

static int forged_read(struct walk *walk, guint64 address, guint64 *ret_word)
{
  walk->memory.reads++;
  *ret_word = forged_word(walk->memory.seed, address);
  return mix(walk->memory.seed + 1, address) % 64 == 0 ? WALK_UNREADABLE : 0;
}

static guint64 forged_peek(struct walk *walk, guint64 address)
{
  g_assert_cmpuint(address & 7, ==, 0);
  walk->memory.reads++;
  return mix(walk->memory.seed + 1, address) % 64 == 0 ? 0 : forged_word(walk->memory.seed, address);
}

static guint64 forged_name(struct walk *walk, guint64 code, gint64 at)
{
  return at % 5 == 0 ? 0 : WALK_WORD(code & 0xff, at < 0 ? 0 : at % WALK_WORD_AT_NONE);
}

static struct walk_frame_memo *forged_memo(struct walk *walk, guint64 address)
{
  return &memos[mix(0, address) % G_N_ELEMENTS(memos)];
}

static void set_area(guint32 version)
{
  struct walk_mapping mapping = {
      .start = LIBRARY, .end = LIBRARY + 0x10000, .kind = WALK_MAPPING_FRAME_POINTERS};
  struct walk_language language = {.bias = LIBRARY, .runtime = 1024};
  struct unwind_runtime runtime = {.kind = UNWIND_RUNTIME_HOTSPOT,
                                   .version = version,
                                   .address = 0x100,
                                   .type = 0x108,
                                   .code_start = 0x110,
                                   .code_end = 0x118,
                                   .names = 0x1000};

  for (guint i = 0; i < UNWIND_HOTSPOT_FIELDS; i++)
    runtime.fields[i] = (guint16)(i < UNWIND_HOTSPOT_READ ? i + 1 : 8 * (guint)g_test_rand_int_range(1, 16));
  memset(forged_area, 0, sizeof forged_area);
  memcpy((char *)forged_area + 64, &mapping, sizeof mapping);
  memcpy((char *)forged_area + 64 + sizeof mapping, &language, sizeof language);
  memcpy((char *)forged_area + 1024, &runtime, sizeof runtime);
}

/* What a process that had its structures in order once has changed since. */
static void set_learnt(struct walk *walk)
{
  for (guint i = 0; i < UNWIND_HOTSPOT_READ; i++)
    walk->hotspot.fields[i] = (guint16)g_test_rand_int_range(0, g_test_rand_bit() ? 40 : 65536);
  walk->hotspot.generation = 7;
  walk->hotspot.low = CODE;
  walk->hotspot.high = CODE + CODE_SIZE;
  walk->hotspot.call = forged_word(walk->memory.seed, 1);
  for (guint i = 0; i < G_N_ELEMENTS(walk->hotspot.heaps); i++) {
    walk->hotspot.heaps[i].low = CODE + i * (CODE_SIZE / 4);
    walk->hotspot.heaps[i].high = CODE + (i + 1) * (CODE_SIZE / 4);
    walk->hotspot.heaps[i].segments = 0x20000000 + i * 0x100000;
    walk->hotspot.heaps[i].shift = g_test_rand_bit() ? 7 : (guint64)g_test_rand_int();
  }
}

static void walk_once(guint turn)
{
  static struct walk walk;
  guint64 word;
  guint n = 0;
  int end = 0;

  memset(&walk, turn % 7 == 0 ? 0xa5 : 0, sizeof walk);
  walk.memory.seed = turn;
  walk.process = (struct walk_process){
      .mappings = 64, .n_mappings = 1, .flags = WALK_PROCESS_FRAME_POINTERS, .serial = 1, .generation = 7};
  walk.machine = WALK_X86_64;
  walk.address_mask = ~0ull;
  for (guint i = 0; i < 32; i++)
    walk.registers.general[i] = forged_word(turn, i * 8 + 1);
  walk.registers.general[7] = STACK + turn % 512 * 8;
  walk_name_registers(&walk.registers, WALK_X86_64);
  walk.registers.ip = CODE + mix(turn, 2) % CODE_SIZE;
  walk_begin(&walk, 0);
  walk_language_begin(&walk);
  if (turn % 8 != 0)
    set_learnt(&walk);
  for (; n < WALK_FRAMES_MAX && end == 0; n++) {
    walk.memory.reads = 0;
    end = walk_next(&walk, &word);
    g_assert_cmpuint(walk.memory.reads, <, READS_MAX);
  }
  deepest = MAX(deepest, n);
}

static void test_forged(void)
{
  static const guint32 versions[] = {11, 17, 21, 23, 25, 0, G_MAXUINT32};

  for (guint turn = 0; turn < TURNS; turn++) {
    if (turn % 100 == 0)
      set_area(versions[turn / 100 % G_N_ELEMENTS(versions)]);
    walk_once(turn);
  }
  g_assert_cmpuint(deepest, >, 20);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/unwind/walk/hotspot/forged", test_forged);
  return g_test_run();
}
