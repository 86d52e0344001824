/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A walker that remembers: code that nothing describes, and whose instructions say nothing, is read once. */
#include "walk-fixture.h"

#define BIAS    0x555500000000ull
#define CODE    (BIAS + 0x5000)
#define ROOT    (BIAS + 0x5800)
#define BEHIND  (BIAS + 0x5900) /* the root's function */
#define SP(n)   WALK_FIXTURE_SP(n)
#define SIZE(a) ((uint32_t)G_N_ELEMENTS(a))
#define MEMOS   64

struct walk_memory {
  const struct walk_fixture *fixture;
  struct walk_memo *memos;
  guint *n_code; /* words of code that were read */
};

static int read_word(const struct walk_memory *memory, uint64_t address, uint64_t *ret_word)
{
  uint64_t word = (address - WALK_FIXTURE_STACK) / 8;

  if (word < WALK_FIXTURE_WORDS) {
    *ret_word = memory->fixture->stack[word];
    return 0;
  }
  *ret_word = 0;
  ++*memory->n_code;
  return 0;
}

#define WALK_READ(walk, address, word) read_word(&(walk)->memory, address, word)
#define WALK_AREA(walk)                ((walk)->memory.fixture->area)
#define WALK_AREA_SIZE(walk)           WALK_FIXTURE_AREA
#define WALK_MEMO(walk, address)       (&(walk)->memory.memos[(address) % MEMOS])
#include "unwind/walk/walk.h"

/* Of code that its table leaves out, or that has none. */
static struct walk_fixture *program_new(uint32_t kind)
{
  const struct walk_fixture_row rows[] = {
      {0x5000, walk_rule_none()}, {0x5800, walk_rule_root()}, {0x5900, walk_rule_none()}};
  struct walk_fixture *fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));

  walk_fixture_map(fixture, CODE, ROOT, BIAS, table, kind);
  walk_fixture_map(fixture, ROOT, BIAS + 0x6000, BIAS, table, WALK_MAPPING_TABLE);
  fixture->process.serial = 1;
  return fixture;
}

/* The end, with how many frames and how many words of code. */
static int walk_program(const struct walk_fixture *fixture, struct walk_memo *memos, guint *ret_n,
                        guint *ret_n_code)
{
  struct walk walk = {.registers = fixture->registers,
                      .process = fixture->process,
                      .machine = fixture->machine,
                      .address_mask = ~0ull,
                      .memory = {fixture, memos, ret_n_code}};
  int end = WALK_ENDED_NOT;

  *ret_n_code = 0;
  walk_begin(&walk, fixture->in_kernel);
  for (*ret_n = 0; end == WALK_ENDED_NOT && *ret_n < WALK_FIXTURE_FRAMES; ++*ret_n)
    end = walk_step(&walk);
  return end;
}

/* The walk is the same each time, to a root or to nothing at all. */
static void test_read_once(gconstpointer kind)
{
  static const uint64_t last[] = {ROOT + 8, 0};
  g_autoptr(WalkFixture) fixture = program_new(GPOINTER_TO_UINT(kind));

  walk_fixture_begin(fixture, CODE + 0x100, SP(10), SP(20));
  fixture->stack[20] = SP(30);
  fixture->stack[21] = CODE + 0x205;
  for (guint i = 0; i < SIZE(last); i++) {
    struct walk_memo memos[MEMOS] = {0};
    guint n, n_code;

    fixture->stack[31] = last[i];
    walk_fixture_walk(fixture);
    g_assert_cmpuint(fixture->n_frames, ==, last[i] == 0 ? 2 : 3);
    for (guint round = 0; round < 3; round++) {
      g_assert_cmpint(walk_program(fixture, memos, &n, &n_code), ==, fixture->end);
      g_assert_cmpuint(n, ==, fixture->n_frames);
      g_assert_true((n_code > 0) == (round == 0));
    }
  }
}

/* Where the kernel was entered ip may stand behind its function, also where it was looked up before. */
static void test_in_kernel(void)
{
  g_autoptr(WalkFixture) fixture = program_new(WALK_MAPPING_TABLE);
  struct walk_memo memos[MEMOS] = {0};
  guint n, n_code;

  walk_fixture_begin(fixture, BEHIND, SP(10), SP(20));
  fixture->stack[21] = ROOT + 8;
  walk_fixture_walk(fixture); /* puts the mappings where they are found */
  g_assert_cmpint(walk_program(fixture, memos, &n, &n_code), ==, WALK_COMPLETE);
  g_assert_cmpuint(n, ==, 2);
  fixture->in_kernel = true;
  g_assert_cmpint(walk_program(fixture, memos, &n, &n_code), ==, WALK_COMPLETE);
  g_assert_cmpuint(n, ==, 1);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/walk-memo/no-rule", GUINT_TO_POINTER(WALK_MAPPING_TABLE), test_read_once);
  g_test_add_data_func("/walk-memo/no-table", GUINT_TO_POINTER(WALK_MAPPING_FRAME_POINTERS), test_read_once);
  g_test_add_func("/walk-memo/in-kernel", test_in_kernel);
  return g_test_run();
}
