/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walker: what it looks up, which rules it follows, and why it ends. */
#include "walk-fixture.h"

#define BIAS    0x555555554000ull
#define SP(n)   WALK_FIXTURE_SP(n)
#define SIZE(a) ((uint32_t)G_N_ELEMENTS(a))

/* Functions of the program that most tests walk through. */
#define LEAF   (BIAS + 0x1000) /* no frame of its own */
#define MIDDLE (BIAS + 0x1100) /* 32 bytes */
#define FRAMED (BIAS + 0x1200) /* fp is its frame pointer */
#define ROOT   (BIAS + 0x1300)
#define BARE   (BIAS + 0x1400) /* nothing is known of it */

static struct walk_fixture *program_new(void)
{
  const struct walk_fixture_row rows[] = {
      {0x1000, walk_rule(UNWIND_CFA_SP, 8)},
      {0x1100, walk_rule(UNWIND_CFA_SP, 32)},
      {0x1200, walk_rule_saving_fp(UNWIND_CFA_FP, 16)},
      {0x1300, walk_rule_root()},
      {0x1400, walk_rule_none()},
  };
  struct walk_fixture *fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  return fixture;
}

/* A table of one rule at 0x1000 and the root at 0x1300; its innermost frame is in the former with sp at
 * word 10. */
static struct walk_fixture *program_of(struct unwind_rule rule, uint32_t machine)
{
  const struct walk_fixture_row rows[] = {
      {0x1000, rule}, {0x1300, walk_rule_root()}, {0x1400, walk_rule_none()}};
  struct walk_fixture *fixture = walk_fixture_new(machine);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  return fixture;
}

static void test_complete(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = MIDDLE + 8;
  fixture->stack[14] = FRAMED + 8;
  fixture->stack[20] = 0x1234;
  fixture->stack[21] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, MIDDLE + 8, FRAMED + 8, ROOT + 8);
}

static void test_truncated(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = MIDDLE + 8;
  fixture->stack[14] = ROOT + 8;
  fixture->max = 2;
  WALK_EXPECT(fixture, WALK_TRUNCATED, LEAF + 4, MIDDLE + 8);
  fixture->max = 3;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, MIDDLE + 8, ROOT + 8);
}

/* The last thing a function does may be a call that does not return: its return address is the next
 * function's. */
static void test_return_address_minus_one(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = FRAMED; /* called at the end of the middle one */
  fixture->stack[14] = ROOT + 0x100;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, FRAMED, ROOT + 0x100);
}

/* So may the last thing in a mapping be. */
static void test_return_address_behind_mapping(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_map(fixture, BIAS + 0x2000, BIAS + 0x3000, 0, 0, WALK_MAPPING_PENDING);
  fixture->mappings[0].end = MIDDLE + 0x100;
  fixture->mappings[1].start = MIDDLE + 0x100;
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = MIDDLE + 0x100;
  fixture->stack[14] = 1;
  WALK_EXPECT(fixture, WALK_NO_TABLE, LEAF + 4, MIDDLE + 0x100);
}

static void test_innermost_exactly(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, MIDDLE, SP(10), SP(20));
  fixture->stack[13] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, MIDDLE, ROOT + 8);
}

/* A syscall at the end of a function leaves an ip behind it. */
static void test_kernel_entry_minus_one(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  const struct walk_fixture_row rows[] = {{0x5000, walk_rule(UNWIND_CFA_SP, 32)}, {0x5100, walk_rule_none()}};
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x5000, BIAS + 0x6000, BIAS, table, WALK_MAPPING_TABLE);
  fixture->stack[13] = ROOT + 8;
  walk_fixture_begin(fixture, BIAS + 0x5100, SP(10), SP(20));
  WALK_EXPECT(fixture, WALK_NO_TABLE, BIAS + 0x5100);
  fixture->in_kernel = true;
  WALK_EXPECT(fixture, WALK_COMPLETE, BIAS + 0x5100, ROOT + 8);
}

/* Where there is a rule at ip itself, it is the one: page faults enter the kernel anywhere. */
static void test_kernel_entry_exactly(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, MIDDLE, SP(10), SP(20));
  fixture->in_kernel = true;
  fixture->stack[13] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, MIDDLE, ROOT + 8);
}

static void test_root_needs_no_cfa(void)
{
  struct unwind_rule rule = walk_rule_root();
  rule.cfa = UNWIND_CFA_UNSUPPORTED;
  g_autoptr(WalkFixture) fixture = program_of(rule, WALK_X86_64);
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4);
}

static void test_no_rule(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, BARE + 4, SP(10), SP(20));
  WALK_EXPECT(fixture, WALK_NO_TABLE, BARE + 4);
  walk_fixture_begin(fixture, BIAS + 0x1fff, SP(10), SP(20)); /* in no bucket */
  WALK_EXPECT(fixture, WALK_NO_TABLE, BIAS + 0x1fff);
}

/* A function that would return to 0 was called by nobody: so coroutines' first ones are. */
static void test_no_return_address(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = 0;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4);
}

static void test_address_that_cannot_be(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = 0xffffffff81000000ull;
  WALK_EXPECT(fixture, WALK_NO_TABLE, LEAF + 4);
}

static void test_missed(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_map(fixture, 0x7f0000000000, 0x7f0000001000, 0, 0, WALK_MAPPING_PENDING);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = 0x7f0000000100;
  WALK_EXPECT(fixture, WALK_MISSED, LEAF + 4, 0x7f0000000100);
  fixture->stack[10] = 0x7f1000000100; /* no mapping is known there */
  WALK_EXPECT(fixture, WALK_MISSED, LEAF + 4, 0x7f1000000100);
  fixture->process.n_mappings = 0;
  WALK_EXPECT(fixture, WALK_MISSED, LEAF + 4);
}

/* x86-64's vsyscall page, which /proc tells of: the only mapping in the kernel's half. */
static void test_mapping_in_the_kernels_half(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_map(fixture, 0xffffffffff600000ull, 0xffffffffff601000ull, 0, 0, WALK_MAPPING_FRAME_POINTERS);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = MIDDLE + 8;
  fixture->stack[14] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, MIDDLE + 8, ROOT + 8);
}

static int read_nothing(void *data, uint64_t address, uint64_t *ret_word)
{
  return WALK_NOT_RESIDENT;
}

static void test_unreadable(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, LEAF + 4, SP(WALK_FIXTURE_WORDS), SP(20));
  WALK_EXPECT(fixture, WALK_UNREADABLE, LEAF + 4);
  fixture->read = read_nothing;
  WALK_EXPECT(fixture, WALK_NOT_RESIDENT, LEAF + 4);
}

static void test_frames_grow(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, FRAMED + 4, SP(30), SP(20)); /* fp below sp */
  fixture->stack[21] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_BAD_FRAME, FRAMED + 4);
  walk_fixture_begin(fixture, FRAMED + 4, SP(22), SP(20)); /* the CFA is sp */
  WALK_EXPECT(fixture, WALK_BAD_FRAME, FRAMED + 4);
  walk_fixture_begin(fixture, LEAF + 4, SP(10) + 4, SP(20)); /* misaligned */
  WALK_EXPECT(fixture, WALK_BAD_FRAME, LEAF + 4);
}

/* A chain of frames that leads to itself ends. */
static void test_no_circle(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, FRAMED + 4, SP(10), SP(20));
  fixture->stack[20] = SP(20);
  fixture->stack[21] = FRAMED + 8;
  WALK_EXPECT(fixture, WALK_BAD_FRAME, FRAMED + 4, FRAMED + 8);
}

static void test_same_is_kept(void)
{
  g_autoptr(WalkFixture) fixture = program_new();
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = MIDDLE + 8; /* says nothing of fp */
  fixture->stack[14] = FRAMED + 8;
  fixture->stack[21] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, MIDDLE + 8, FRAMED + 8, ROOT + 8);
}

/* Popped already, but the rule still says where it was: below sp, where a copy of the stack does not reach.
 */
static void test_popped(void)
{
  const struct walk_fixture_row rows[] = {
      {0x1000, walk_rule_saving_fp(UNWIND_CFA_SP, 8)},
      {0x1100, walk_rule(UNWIND_CFA_FP, 16)},
      {0x1200, walk_rule_root()},
  };
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_begin(fixture, BIAS + 0x1004, SP(0), SP(2)); /* the piece begins at sp */
  fixture->stack[0] = BIAS + 0x1108;
  fixture->stack[3] = BIAS + 0x1208;
  WALK_EXPECT(fixture, WALK_COMPLETE, BIAS + 0x1004, BIAS + 0x1108, BIAS + 0x1208);
}

static void test_lost_register(uint32_t saved)
{
  struct unwind_rule losing = walk_rule(UNWIND_CFA_SP, 8);
  losing.saved = (uint8_t)UNWIND_SAVED(saved, saved, UNWIND_SAVED_AT_CFA);
  const struct walk_fixture_row rows[] = {
      {0x1000, losing},
      {0x1100, walk_rule(UNWIND_CFA_FP, 16)},
      {0x1200, walk_rule(UNWIND_CFA_BASE, 16)},
      {0x1300, walk_rule(UNWIND_CFA_REGISTER, 16)},
  };
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  for (uint64_t function = 0x1100; function <= 0x1300; function += 0x100) {
    fixture->stack[10] = BIAS + function + 8;
    WALK_EXPECT(fixture, WALK_UNSUPPORTED, LEAF + 4, BIAS + function + 8);
  }
}

static void test_lost_registers(void)
{
  test_lost_register(UNWIND_SAVED_UNDEFINED);
  test_lost_register(UNWIND_SAVED_UNSUPPORTED);
}

static void test_return_address_not_evaluated(void)
{
  struct unwind_rule rule = walk_rule(UNWIND_CFA_SP, 8);
  rule.saved = UNWIND_SAVED(0, 0, UNWIND_SAVED_UNSUPPORTED);
  g_autoptr(WalkFixture) fixture = program_of(rule, WALK_X86_64);
  WALK_EXPECT(fixture, WALK_UNSUPPORTED, LEAF + 4);
}

static void test_return_address_in_register(void)
{
  struct unwind_rule rule = walk_rule(UNWIND_CFA_SP, 0);
  rule.ra_at = 5;
  rule.saved = UNWIND_SAVED(0, 0, UNWIND_SAVED_IN_REGISTER);
  g_autoptr(WalkFixture) fixture = program_of(rule, WALK_X86_64);
  fixture->registers.general[5] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, ROOT + 8);
  fixture->registers.general[5] = LEAF + 8; /* but not in a caller */
  WALK_EXPECT(fixture, WALK_UNSUPPORTED, LEAF + 4, LEAF + 8);
}

static void test_cfa_kinds(void)
{
  struct {
    struct unwind_rule rule;
    uint32_t cfa; /* the word at it */
  } cases[] = {
      {walk_rule(UNWIND_CFA_SP, 24), 13},      {walk_rule(UNWIND_CFA_FP, 24), 23},
      {walk_rule(UNWIND_CFA_BASE, 24), 53},    {walk_rule(UNWIND_CFA_REGISTER, 24), 63},
      {walk_rule(UNWIND_CFA_SP_DEREF, 24), 5}, {walk_rule(UNWIND_CFA_FP_DEREF, 24), 7},
  };
  for (uint32_t i = 0; i < SIZE(cases); i++) {
    cases[i].rule.operand = 10;
    cases[i].rule.cfa_add = 8;
    g_autoptr(WalkFixture) fixture = program_of(cases[i].rule, WALK_X86_64);
    fixture->registers.base = SP(50);
    fixture->registers.general[10] = SP(60);
    fixture->stack[13] = SP(4); /* what the last two find; nothing bids those grow */
    fixture->stack[23] = SP(6);
    fixture->stack[cases[i].cfa - 1] = ROOT + 8;
    WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, ROOT + 8);
  }
}

static void test_unsupported_cfa(void)
{
  g_autoptr(WalkFixture) fixture = program_of(walk_rule(UNWIND_CFA_UNSUPPORTED, 8), WALK_X86_64);
  WALK_EXPECT(fixture, WALK_UNSUPPORTED, LEAF + 4);
  struct unwind_rule rule = walk_rule(UNWIND_CFA_REGISTER, 8);
  rule.operand = 40;
  g_autoptr(WalkFixture) other = program_of(rule, WALK_X86_64);
  WALK_EXPECT(other, WALK_UNSUPPORTED, LEAF + 4);
}

static void test_plt(void)
{
  struct unwind_rule rule = walk_rule(UNWIND_CFA_PLT, 8);
  rule.operand = 11;
  g_autoptr(WalkFixture) fixture = program_of(rule, WALK_X86_64);
  walk_fixture_begin(fixture, LEAF + 10, SP(10), SP(20));
  fixture->stack[10] = ROOT + 8;
  fixture->stack[11] = ROOT + 9;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 10, ROOT + 8);
  walk_fixture_begin(fixture, LEAF + 11, SP(10), SP(20)); /* it has pushed */
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 11, ROOT + 9);
}

/* Code that aligns its stack saves by its own fp, and its CFA is found in memory. */
static void test_saved_from_fp(void)
{
  struct unwind_rule aligning = walk_rule(UNWIND_CFA_FP_DEREF, -8);
  aligning.flags = UNWIND_RULE_FROM_FP;
  aligning.fp_at = 0;
  aligning.base_at = -2;
  aligning.saved = UNWIND_SAVED(UNWIND_SAVED_AT_CFA, UNWIND_SAVED_AT_CFA, UNWIND_SAVED_AT_CFA);
  const struct walk_fixture_row rows[] = {
      {0x1000, aligning},
      {0x1100, walk_rule(UNWIND_CFA_FP, 16)},
      {0x1200, walk_rule(UNWIND_CFA_BASE, 16)},
      {0x1300, walk_rule_root()},
  };
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[19] = SP(40); /* the CFA */
  fixture->stack[20] = SP(50); /* fp */
  fixture->stack[18] = SP(60); /* rbx */
  fixture->stack[39] = MIDDLE + 8;
  fixture->stack[51] = FRAMED + 8;
  fixture->stack[61] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, MIDDLE + 8, FRAMED + 8, ROOT + 8);
}

/* Beside a CFA in memory, registers may be stored at sp. */
static void test_saved_from_sp(void)
{
  struct unwind_rule rule = walk_rule(UNWIND_CFA_SP_DEREF, 40);
  rule.flags = UNWIND_RULE_FROM_SP;
  rule.fp_at = 2;
  rule.saved = UNWIND_SAVED(UNWIND_SAVED_AT_CFA, UNWIND_SAVED_SAME, UNWIND_SAVED_AT_CFA);
  const struct walk_fixture_row rows[] = {
      {0x1000, rule}, {0x1100, walk_rule(UNWIND_CFA_FP, 16)}, {0x1300, walk_rule_root()}};
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[15] = SP(40); /* the CFA */
  fixture->stack[12] = SP(50); /* fp */
  fixture->stack[39] = MIDDLE + 8;
  fixture->stack[51] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, MIDDLE + 8, ROOT + 8);
}

static void test_perf_registers(void)
{
  const uint64_t ax_to_ip[] = {100, 103, 102, 101, 104, 105, 106, 107, 116, 0xf1, 0xc5};
  uint64_t values[24] = {0};
  uint64_t mask = unwind_registers_perf_mask(WALK_X86_64) | 3 << 9; /* flags and cs, too */
  struct walk_registers registers;
  for (uint32_t i = 0; i < SIZE(ax_to_ip); i++)
    values[i] = ax_to_ip[i];
  for (uint32_t i = 0; i < 8; i++)
    values[SIZE(ax_to_ip) + i] = 108 + i;
  g_assert_true(unwind_registers_set_perf(&registers, WALK_X86_64, mask, values));
  for (uint32_t i = 0; i < 16; i++)
    g_assert_cmpuint(registers.general[i], ==, 100 + i);
  g_assert_cmpuint(registers.ip, ==, 116);
  g_assert_cmpuint(registers.sp, ==, 107);
  g_assert_cmpuint(registers.fp, ==, 106);
  g_assert_cmpuint(registers.base, ==, 103);
  g_assert_false(unwind_registers_set_perf(&registers, WALK_X86_64, mask & ~0x80ull, values)); /* no sp */

  uint64_t arm[33];
  for (uint32_t i = 0; i < SIZE(arm); i++)
    arm[i] = 200 + i;
  g_assert_true(
      unwind_registers_set_perf(&registers, WALK_AARCH64, unwind_registers_perf_mask(WALK_AARCH64), arm));
  g_assert_cmpuint(registers.fp, ==, 229);
  g_assert_cmpuint(registers.link, ==, 230);
  g_assert_cmpuint(registers.sp, ==, 231);
  g_assert_cmpuint(registers.ip, ==, 232);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/walk/end/complete", test_complete);
  g_test_add_func("/walk/end/truncated", test_truncated);
  g_test_add_func("/walk/end/no-rule", test_no_rule);
  g_test_add_func("/walk/end/no-return-address", test_no_return_address);
  g_test_add_func("/walk/end/address-that-cannot-be", test_address_that_cannot_be);
  g_test_add_func("/walk/end/missed", test_missed);
  g_test_add_func("/walk/mapping-in-the-kernels-half", test_mapping_in_the_kernels_half);
  g_test_add_func("/walk/end/unreadable", test_unreadable);
  g_test_add_func("/walk/end/unsupported-cfa", test_unsupported_cfa);
  g_test_add_func("/walk/end/return-address-not-evaluated", test_return_address_not_evaluated);
  g_test_add_func("/walk/end/lost-registers", test_lost_registers);
  g_test_add_func("/walk/end/frames-grow", test_frames_grow);
  g_test_add_func("/walk/end/no-circle", test_no_circle);
  g_test_add_func("/walk/lookup/return-address-minus-one", test_return_address_minus_one);
  g_test_add_func("/walk/lookup/return-address-behind-mapping", test_return_address_behind_mapping);
  g_test_add_func("/walk/lookup/innermost-exactly", test_innermost_exactly);
  g_test_add_func("/walk/lookup/kernel-entry-minus-one", test_kernel_entry_minus_one);
  g_test_add_func("/walk/lookup/kernel-entry-exactly", test_kernel_entry_exactly);
  g_test_add_func("/walk/rule/root-needs-no-cfa", test_root_needs_no_cfa);
  g_test_add_func("/walk/rule/same-is-kept", test_same_is_kept);
  g_test_add_func("/walk/rule/popped", test_popped);
  g_test_add_func("/walk/rule/return-address-in-register", test_return_address_in_register);
  g_test_add_func("/walk/rule/cfa-kinds", test_cfa_kinds);
  g_test_add_func("/walk/rule/plt", test_plt);
  g_test_add_func("/walk/rule/saved-from-fp", test_saved_from_fp);
  g_test_add_func("/walk/rule/saved-from-sp", test_saved_from_sp);
  g_test_add_func("/walk/registers/perf", test_perf_registers);
  return g_test_run();
}
