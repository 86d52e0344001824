/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walker: frames of signals, frame pointers, aarch64, and large tables. */
#include "walk-fixture.h"

#define BIAS    0x555555554000ull
#define JIT     0x7f0000000000ull
#define SP(n)   WALK_FIXTURE_SP(n)
#define SIZE(a) ((uint32_t)G_N_ELEMENTS(a))

#define LEAF    (BIAS + 0x1000)
#define TOUCHED (BIAS + 0x1100) /* a function that needs nothing known: its CFA is by a general register */
#define RETURN  (BIAS + 0x1200) /* the signal's return trampoline */
#define ROOT    (BIAS + 0x1300)

#define SIGCONTEXT 40 /* bytes from sp on */

/* Where struct sigcontext has them, in words: r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip. */
enum { CONTEXT_R10 = 2, CONTEXT_RBP = 10, CONTEXT_RBX = 11, CONTEXT_RSP = 15, CONTEXT_RIP = 16 };

static struct walk_fixture *program_new(uint32_t machine)
{
  struct unwind_rule touched = walk_rule(UNWIND_CFA_REGISTER, 8);
  touched.operand = 10;
  struct unwind_rule signal = {
      .cfa = UNWIND_CFA_SIGNAL, .cfa_offset = SIGCONTEXT, .flags = UNWIND_RULE_SIGNAL};
  const struct walk_fixture_row rows[] = {
      {0x1000, walk_rule(UNWIND_CFA_SP, 8)},
      {0x1100, touched},
      {0x1200, signal},
      {0x1300, walk_rule_root()},
      {0x1400, walk_rule_none()},
  };
  struct walk_fixture *fixture = walk_fixture_new(machine);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  return fixture;
}

/* A handler on another stack, above what it interrupted: sp falls. */
static void test_signal(void)
{
  g_autoptr(WalkFixture) fixture = program_new(WALK_X86_64);
  uint64_t *context = fixture->stack + 1001 + SIGCONTEXT / 8;
  walk_fixture_begin(fixture, LEAF + 4, SP(1000), SP(20));
  fixture->stack[1000] = RETURN + 1;
  context[CONTEXT_RIP] = TOUCHED; /* its first instruction, which is looked up as it is */
  context[CONTEXT_RSP] = SP(10);
  context[CONTEXT_R10] = SP(30);
  fixture->stack[30] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, RETURN + 1, TOUCHED, ROOT + 8);
  g_assert_false(fixture->by_frame_pointers);
}

/* All registers are known again: those by which the interrupted frame is left, and those that it keeps. */
static void test_signal_registers(void)
{
  g_autoptr(WalkFixture) fixture = program_new(WALK_X86_64);
  const struct walk_fixture_row rows[] = {
      {0x5000, walk_rule(UNWIND_CFA_SP, 8)},
      {0x5100, walk_rule(UNWIND_CFA_FP, 16)},
      {0x5200, walk_rule(UNWIND_CFA_BASE, 16)},
  };
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x5000, BIAS + 0x6000, BIAS, table, WALK_MAPPING_TABLE);
  uint64_t *context = fixture->stack + 101 + SIGCONTEXT / 8;
  walk_fixture_begin(fixture, LEAF + 4, SP(100), 1);
  fixture->stack[100] = RETURN + 1;
  context[CONTEXT_RIP] = BIAS + 0x5000;
  context[CONTEXT_RSP] = SP(10);
  context[CONTEXT_RBP] = SP(20);
  context[CONTEXT_RBX] = SP(30);
  fixture->stack[10] = BIAS + 0x5101;
  fixture->stack[21] = BIAS + 0x5201;
  fixture->stack[31] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, RETURN + 1, BIAS + 0x5000, BIAS + 0x5101, BIAS + 0x5201,
              ROOT + 8);
}

static void test_signal_unreadable(void)
{
  g_autoptr(WalkFixture) fixture = program_new(WALK_X86_64);
  walk_fixture_begin(fixture, LEAF + 4, SP(WALK_FIXTURE_WORDS - 20), SP(20));
  fixture->stack[WALK_FIXTURE_WORDS - 20] = RETURN + 1;
  WALK_EXPECT(fixture, WALK_UNREADABLE, LEAF + 4, RETURN + 1);
}

/* A frame that a signal interrupts by its rule alone, as other systems write it. */
static void test_signal_flag(void)
{
  struct unwind_rule interrupting = walk_rule(UNWIND_CFA_SP, 8);
  interrupting.flags = UNWIND_RULE_SIGNAL;
  const struct walk_fixture_row rows[] = {
      {0x1000, walk_rule(UNWIND_CFA_UNSUPPORTED, 8)}, {0x1100, interrupting}, {0x1300, walk_rule_root()}};
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_begin(fixture, TOUCHED + 4, SP(10), SP(20));
  fixture->stack[10] = ROOT;
  WALK_EXPECT(fixture, WALK_COMPLETE, TOUCHED + 4, ROOT);
}

static struct walk_fixture *jit_new(void)
{
  struct walk_fixture *fixture = program_new(WALK_X86_64);
  walk_fixture_map(fixture, JIT, JIT + 0x10000, 0, 0, WALK_MAPPING_FRAME_POINTERS);
  return fixture;
}

static void test_frame_pointers(void)
{
  g_autoptr(WalkFixture) fixture = jit_new();
  walk_fixture_begin(fixture, JIT + 0x100, SP(10), SP(20));
  fixture->stack[20] = SP(30);
  fixture->stack[21] = JIT + 0x200;
  fixture->stack[30] = SP(40);
  fixture->stack[31] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, JIT + 0x100, JIT + 0x200, ROOT + 8);
  walk_fixture_begin(fixture, JIT + 0x100, SP(20),
                     SP(20)); /* it has nothing on its stack but what it saved */
  WALK_EXPECT(fixture, WALK_COMPLETE, JIT + 0x100, JIT + 0x200, ROOT + 8);
}

/* Such chains end with a frame pointer or a return address of zero. */
static void test_frame_pointers_end(void)
{
  g_autoptr(WalkFixture) fixture = jit_new();
  walk_fixture_begin(fixture, JIT + 0x100, SP(10), SP(20));
  fixture->stack[20] = 0;
  fixture->stack[21] = JIT + 0x200;
  WALK_EXPECT(fixture, WALK_FRAME_POINTERS, JIT + 0x100, JIT + 0x200);
  fixture->stack[21] = 0;
  WALK_EXPECT(fixture, WALK_FRAME_POINTERS, JIT + 0x100);
}

/* Then fp is a register like others: nothing is guessed from it. */
static void test_frame_pointers_not_held(void)
{
  g_autoptr(WalkFixture) fixture = jit_new();
  fixture->stack[20] = SP(30);
  fixture->stack[21] = SP(11); /* no code */
  walk_fixture_begin(fixture, JIT + 0x100, SP(10), SP(9));
  WALK_EXPECT(fixture, WALK_NO_TABLE, JIT + 0x100);
  walk_fixture_begin(fixture, JIT + 0x100, SP(10), SP(20) + 1);
  WALK_EXPECT(fixture, WALK_NO_TABLE, JIT + 0x100);
  walk_fixture_begin(fixture, JIT + 0x100, SP(10), SP(WALK_FIXTURE_WORDS));
  WALK_EXPECT(fixture, WALK_UNREADABLE, JIT + 0x100);
  walk_fixture_begin(fixture, JIT + 0x100, SP(10), SP(20));
  WALK_EXPECT(fixture, WALK_MISSED, JIT + 0x100);
  fixture->process.flags = WALK_PROCESS_FRAME_POINTERS;
  WALK_EXPECT(fixture, WALK_NO_TABLE, JIT + 0x100);
}

/* What lies in no mapping is followed as machine code made at run time is, once the process was looked at. */
static void test_frame_pointers_unmapped(void)
{
  g_autoptr(WalkFixture) fixture = jit_new();
  walk_fixture_begin(fixture, JIT + 0x20000, SP(10), SP(20));
  fixture->stack[20] = SP(30);
  fixture->stack[21] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_MISSED, JIT + 0x20000);
  fixture->process.flags = WALK_PROCESS_FRAME_POINTERS | WALK_PROCESS_CERTAIN;
  WALK_EXPECT(fixture, WALK_COMPLETE, JIT + 0x20000, ROOT + 8);
}

/* Where the process may be another program by now, that holds for callers, which this program has called,
 * only. */
static void test_frame_pointers_uncertain(void)
{
  g_autoptr(WalkFixture) fixture = jit_new();
  fixture->process.flags = WALK_PROCESS_FRAME_POINTERS;
  walk_fixture_begin(fixture, JIT + 0x20000, SP(10), SP(20));
  fixture->stack[20] = SP(30);
  fixture->stack[21] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_MISSED, JIT + 0x20000);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = JIT + 0x20000;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, JIT + 0x20000, ROOT + 8);
  g_assert_true(fixture->by_frame_pointers);
}

/* Among described code stands some that is not, as a just-in-time compiler's own does: it is left by its
 * frame pointer, if that leads to code, and otherwise has no table. */
static void test_frame_pointers_gap(void)
{
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  const struct walk_fixture_row rows[] = {{0x5000, walk_rule_none()}, {0x5800, walk_rule_root()}};
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x5000, BIAS + 0x6000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_begin(fixture, BIAS + 0x5100, SP(10), SP(20));
  fixture->stack[20] = SP(30);
  fixture->stack[21] = BIAS + 0x5200;
  fixture->stack[31] = BIAS + 0x5808;
  WALK_EXPECT(fixture, WALK_COMPLETE, BIAS + 0x5100, BIAS + 0x5200, BIAS + 0x5808);
  g_assert_true(fixture->by_frame_pointers);
  fixture->process.flags = WALK_PROCESS_FRAME_POINTERS;
  fixture->stack[31] = SP(12);
  WALK_EXPECT(fixture, WALK_NO_TABLE, BIAS + 0x5100, BIAS + 0x5200);
  fixture->stack[31] = 0;
  WALK_EXPECT(fixture, WALK_NO_TABLE, BIAS + 0x5100, BIAS + 0x5200);
}

/* A frame left by its frame pointer says nothing of other registers. */
static void test_frame_pointers_lose(void)
{
  g_autoptr(WalkFixture) fixture = jit_new();
  const struct walk_fixture_row rows[] = {{0x5000, walk_rule(UNWIND_CFA_BASE, 16)}};
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  fixture->process.n_mappings--;
  walk_fixture_map(fixture, BIAS + 0x5000, BIAS + 0x6000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_map(fixture, JIT, JIT + 0x10000, 0, 0, WALK_MAPPING_FRAME_POINTERS);
  walk_fixture_begin(fixture, JIT + 0x100, SP(10), SP(20));
  fixture->stack[21] = BIAS + 0x5008;
  WALK_EXPECT(fixture, WALK_UNSUPPORTED, JIT + 0x100, BIAS + 0x5008);
}

/* Authentication code and tag are no part of an address. */
static void test_aarch64_signed(void)
{
  g_autoptr(WalkFixture) fixture = program_new(WALK_AARCH64);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = 0xff2d000000000000ull | (ROOT + 8);
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, ROOT + 8);
}

static void test_aarch64_link_register(void)
{
  struct unwind_rule leaf = walk_rule(UNWIND_CFA_SP, 0);
  leaf.saved = UNWIND_SAVED(UNWIND_SAVED_SAME, UNWIND_SAVED_SAME, UNWIND_SAVED_SAME);
  const struct walk_fixture_row rows[] = {{0x1000, leaf}, {0x1300, walk_rule_root()}};
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_AARCH64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->registers.general[30] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, ROOT + 8);
  fixture->registers.general[30] = LEAF + 8; /* who has called has its return address elsewhere */
  WALK_EXPECT(fixture, WALK_UNSUPPORTED, LEAF + 4, LEAF + 8);
  fixture->registers.general[30] = 0; /* as the kernel begins a program */
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4);
}

static void test_aarch64_signal(void)
{
  g_autoptr(WalkFixture) fixture = program_new(WALK_AARCH64);
  walk_fixture_begin(fixture, RETURN, SP(10), SP(20));
  uint64_t *regs = fixture->stack + 10 + SIGCONTEXT / 8;
  regs[10] = SP(200);
  regs[31] = SP(100);
  regs[32] = TOUCHED;
  fixture->stack[200] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, RETURN, TOUCHED, ROOT + 8);
}

/* Code at JIT and from there on, zeros behind it. */
static const struct {
  uint64_t at;
  uint8_t bytes[16];
} code[] = {
    {JIT + 0x105, {0x48, 0x83, 0xc4, 0x08, 0xc3}}, /* add $8, %rsp; ret */
    {JIT + 0x200,
     {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1, 0x48, 0x83, 0xc4, 0x08, 0xc3}}, /* sub, call, add, ret */
    {JIT + 0x303,
     {0x48, 0x81, 0xc4, 0x10, 0, 0, 0, 0x5b, 0x41, 0x5c, 0x5d, 0xc3}}, /* add, pop rbx, r12, rbp */
    {JIT + 0x400, {0x48, 0x83, 0xc4, 0x08, 0xeb, 0xfe}},               /* add; jmp */
    {JIT + 0x500, {0x48, 0x83, 0xec, 0x08, 0xc3}},                     /* sub; ret: below sp */
};

static int read_code(void *data, uint64_t address, uint64_t *ret_word)
{
  if (address < JIT || address >= JIT + 0x10000)
    return WALK_UNREADABLE;
  *ret_word = 0;
  for (uint32_t i = 0; i < SIZE(code); i++)
    for (uint32_t byte = 0; byte < sizeof code[i].bytes; byte++)
      if ((code[i].at + byte) / 8 == address / 8)
        *ret_word |= (uint64_t)code[i].bytes[byte] << (code[i].at + byte) % 8 * 8;
  return 0;
}

/* What a frame executes next leads straight to its return address: that is where it is, whatever the frame
 * pointer says. */
static void test_code(void)
{
  g_autoptr(WalkFixture) fixture = jit_new();
  fixture->read = read_code;
  walk_fixture_begin(fixture, JIT + 0x105, SP(10), SP(20));
  fixture->stack[11] = JIT + 0x206;
  fixture->stack[13] = JIT + 0x303;
  fixture->stack[18] = SP(40); /* rbp of what called the last one */
  fixture->stack[19] = JIT + 0x600;
  fixture->stack[41] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, JIT + 0x105, JIT + 0x206, JIT + 0x303, JIT + 0x600, ROOT + 8);
  g_assert_true(fixture->by_frame_pointers);
  fixture->stack[19] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, JIT + 0x105, JIT + 0x206, JIT + 0x303, ROOT + 8);
  g_assert_false(fixture->by_frame_pointers);
  walk_fixture_begin(fixture, JIT + 0x200, SP(10), SP(20));
  fixture->stack[10] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, JIT + 0x200, ROOT + 8);
}

/* Else the frame pointer is all there is. */
static void test_code_says_nothing(void)
{
  static const uint64_t places[] = {JIT + 0x400, JIT + 0x500, JIT + 0x700};
  g_autoptr(WalkFixture) fixture = jit_new();
  fixture->read = read_code;
  fixture->stack[11] = SP(12); /* no code */
  fixture->stack[9] = ROOT + 8;
  fixture->stack[21] = ROOT + 8;
  for (uint32_t i = 0; i < SIZE(places); i++) {
    walk_fixture_begin(fixture, places[i], SP(10), SP(20));
    WALK_EXPECT(fixture, WALK_COMPLETE, places[i], ROOT + 8);
    g_assert_true(fixture->by_frame_pointers);
  }
  walk_fixture_begin(fixture, JIT + 0x105, SP(10), SP(20)); /* leads to no code */
  WALK_EXPECT(fixture, WALK_COMPLETE, JIT + 0x105, ROOT + 8);
}

/* Behind the system call that begins a thread: in the new one its result is 0, and nobody called it. */
static void test_clone(void)
{
  const struct walk_fixture_row rows[] = {{0x1000, walk_rule(UNWIND_CFA_CLONE, 8)},
                                          {0x1100, walk_rule(UNWIND_CFA_SP, 8)},
                                          {0x1300, walk_rule_root()}};
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 9, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS + 0x1000, BIAS + 0x2000, BIAS, table, WALK_MAPPING_TABLE);
  fixture->in_kernel = true;
  walk_fixture_begin(fixture, LEAF + 4, SP(10), SP(20));
  fixture->stack[10] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4, ROOT + 8);
  fixture->registers.general[0] = 0;
  WALK_EXPECT(fixture, WALK_COMPLETE, LEAF + 4);
  walk_fixture_begin(fixture, TOUCHED + 4, SP(10), SP(20)); /* of a caller nothing is known */
  fixture->registers.general[0] = 0;
  fixture->stack[10] = LEAF + 8;
  fixture->stack[11] = ROOT + 8;
  WALK_EXPECT(fixture, WALK_COMPLETE, TOUCHED + 4, LEAF + 8, ROOT + 8);
}

static bool is_root(struct walk_fixture *fixture, uint64_t address)
{
  walk_fixture_begin(fixture, address, SP(10), SP(20));
  walk_fixture_walk(fixture);
  g_assert_true(fixture->end == WALK_COMPLETE || fixture->end == WALK_NO_TABLE);
  return fixture->end == WALK_COMPLETE;
}

/* Each address finds its own row: rows of one byte, gaps of many buckets, and all sizes of buckets. */
static void test_rows(uint32_t bucket_shift)
{
  struct walk_fixture_row rows[2000];
  uint64_t address = 0x100123;
  for (uint32_t i = 0; i < SIZE(rows); i++) {
    rows[i] = (struct walk_fixture_row){address, i % 2 == 0 ? walk_rule_root() : walk_rule_none()};
    address += i % 100 == 99 ? 0x23456 : 1 + i % 7;
  }
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, bucket_shift, rows, SIZE(rows));
  walk_fixture_map(fixture, BIAS, BIAS + 0x10000000, BIAS, table, WALK_MAPPING_TABLE);
  g_assert_false(is_root(fixture, BIAS + rows[0].address - 1));
  for (uint32_t i = 0; i + 1 < SIZE(rows); i++) {
    g_assert_cmpint(is_root(fixture, BIAS + rows[i].address), ==, i % 2 == 0);
    g_assert_cmpint(is_root(fixture, BIAS + rows[i + 1].address - 1), ==, i % 2 == 0);
  }
}

static void test_buckets(void)
{
  for (uint32_t shift = UNWIND_BUCKET_SHIFT_MIN; shift <= UNWIND_BUCKET_SHIFT_MAX; shift++)
    test_rows(shift);
}

/* As many mappings as there may be, with gaps between them. */
static void test_mappings(void)
{
  const struct walk_fixture_row rows[] = {{0x1000, walk_rule_root()}, {0x2000, walk_rule_none()}};
  g_autoptr(WalkFixture) fixture = walk_fixture_new(WALK_X86_64);
  uint32_t table = walk_fixture_table(fixture, 12, rows, SIZE(rows));
  fixture->process.flags = WALK_PROCESS_FRAME_POINTERS | WALK_PROCESS_CERTAIN;
  for (uint64_t i = 0; i < WALK_MAPPINGS_MAX; i++)
    walk_fixture_map(fixture, BIAS + i * 0x2000 + 0x1000, BIAS + i * 0x2000 + 0x2000, BIAS + i * 0x2000,
                     table, WALK_MAPPING_TABLE);
  for (uint64_t i = 0; i < WALK_MAPPINGS_MAX; i += i < 8 || i > WALK_MAPPINGS_MAX - 8 ? 1 : 61) {
    g_assert_true(is_root(fixture, BIAS + i * 0x2000 + 0x1000));
    g_assert_true(is_root(fixture, BIAS + i * 0x2000 + 0x1fff));
    walk_fixture_begin(fixture, BIAS + i * 0x2000 + 0xfff, SP(10), 0);
    WALK_EXPECT(fixture, WALK_FRAME_POINTERS, BIAS + i * 0x2000 + 0xfff);
    walk_fixture_begin(fixture, BIAS + i * 0x2000 + 0x2000, SP(10), 0);
    WALK_EXPECT(fixture, WALK_FRAME_POINTERS, BIAS + i * 0x2000 + 0x2000);
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/walk/signal/other-stack", test_signal);
  g_test_add_func("/walk/signal/registers", test_signal_registers);
  g_test_add_func("/walk/signal/unreadable", test_signal_unreadable);
  g_test_add_func("/walk/signal/flag", test_signal_flag);
  g_test_add_func("/walk/frame-pointers/followed", test_frame_pointers);
  g_test_add_func("/walk/frame-pointers/end", test_frame_pointers_end);
  g_test_add_func("/walk/frame-pointers/not-held", test_frame_pointers_not_held);
  g_test_add_func("/walk/frame-pointers/unmapped", test_frame_pointers_unmapped);
  g_test_add_func("/walk/frame-pointers/uncertain", test_frame_pointers_uncertain);
  g_test_add_func("/walk/frame-pointers/gap", test_frame_pointers_gap);
  g_test_add_func("/walk/frame-pointers/lose", test_frame_pointers_lose);
  g_test_add_func("/walk/code/followed", test_code);
  g_test_add_func("/walk/code/says-nothing", test_code_says_nothing);
  g_test_add_func("/walk/aarch64/signed", test_aarch64_signed);
  g_test_add_func("/walk/aarch64/link-register", test_aarch64_link_register);
  g_test_add_func("/walk/aarch64/signal", test_aarch64_signal);
  g_test_add_func("/walk/clone", test_clone);
  g_test_add_func("/walk/search/buckets", test_buckets);
  g_test_add_func("/walk/search/mappings", test_mappings);
  return g_test_run();
}
