/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What instructions cost, where jumps lead, and what is said where there are none. */
#include "profile/views/disassembly.h"

#include <elf.h>
#include <string.h>

#include "profile/capture/machine-code.h"
#include "profile/naming/disassembler.h"
#include "tests/unit/profile/made-capture.h"

#define START(function) ((guint64)(function)*TEST_FUNCTION_SIZE)
#define ADDRESS         0x10000 /* of offset 0 of the program, as its segments have it */

/* Samples are taken at offset 0 of a function; its callers return to offsets 8, 16 and 24 of theirs. */
static const MadeSample samples[] = {
    {.path = "ab"}, {.path = "abc"},  {.path = "abb"}, {.path = "ac"},
    {.path = "a1"}, {.path = "abbb"}, {.path = "A"},   {.path = "abcb", .thread = 2}};

/* Of 4 bytes each but for what stands at offset 40: a jump to offset 4, one to the function's end, a call of
 * c and one into c. */
static GBytes *make_code(void)
{
  static const guint8 nop[] = {0x0f, 0x1f, 0x40, 0x00}, jumps[] = {0x75, 4 - 42, 0xeb, 0};
  guint8 code[TEST_FUNCTION_SIZE];
  gint32 to_c = (gint32)(START('c') - (START('b') + 49)),
         into_c = (gint32)(START('c') + 4 - (START('b') + 54));

  for (guint i = 0; i < sizeof code; i++)
    code[i] = nop[i % 4];
  memcpy(code + 40, jumps, sizeof jumps);
  code[43] = 64 - 44;
  code[44] = code[49] = 0xe8;
  memcpy(code + 45, &to_c, sizeof to_c);
  memcpy(code + 50, &into_c, sizeof into_c);
  code[54] = code[55] = 0x90;
  return g_bytes_new(code, sizeof code);
}

static ProfileCapture *new_capture(void)
{
  ProfileCapture *capture = made_capture_new(&(MadePlan){.samples = samples, .n = G_N_ELEMENTS(samples)});
  g_autoptr(ProfileMachineCode) code = profile_machine_code_new();
  g_autoptr(GBytes) bytes = make_code();

  profile_machine_code_add(code, START('b'), ADDRESS + START('b'), EM_X86_64, bytes);
  profile_machine_code_seal(code);
  profile_capture_set_machine_code(capture, 0, code);
  return capture;
}

static ProfileDisassembly *disassemble(ProfileFilter *filter, guint32 function)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileFunctionCode) code =
      profile_disassembler_decode(profile_filter_get_capture(filter), function, NULL, &error);

  g_assert_no_error(error);
  return profile_disassembly_new(filter, function, code);
}

static guint32 find_function(ProfileCapture *capture, const char *name)
{
  gsize n;

  profile_capture_get_functions(capture, &n);
  for (guint32 i = 0; i < n; i++)
    if (g_str_equal(profile_capture_get_function_name(capture, i), name))
      return i;
  g_assert_not_reached();
}

static void test_costs(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileDisassembly) shown = disassemble(filter, find_function(capture, "b"));
  guint32 n;
  const ProfileInstruction *instructions = profile_disassembly_get_instructions(shown, &n);
  guint64 calls = 0;

  g_assert_cmpuint(n, ==, 10 + 4 + 2 + 2);
  g_assert_cmphex(instructions[0].address, ==, ADDRESS + START('b'));
  g_assert_cmpstr(instructions[0].text, ==, "nopl 0x0(%rax)");
  g_assert_cmpuint(instructions[0].self.count, ==, 4);
  g_assert_cmpuint(profile_disassembly_get_sum(shown).count, ==, 8);
  g_assert_cmpuint(profile_disassembly_get_self(shown).count, ==, 4);
  g_assert_cmpuint(profile_disassembly_get_total(shown).count, ==, 5);
  g_assert_cmpuint(profile_disassembly_get_self_elsewhere(shown).count, ==, 0);
  g_assert_cmpuint(profile_disassembly_find_hottest(shown), ==, 0);
  for (guint32 i = 1; i < n; i++) {
    g_assert_cmpuint(instructions[i].self.count, ==, 0);
    g_assert_true(instructions[i].total.count == 0 || i == 1 || i == 3 || i == 5); /* what holds 7, 15, 23 */
    g_assert_cmpuint(instructions[i].total.count, <=, 4);
    calls += instructions[i].total.count;
  }
  g_assert_cmpuint(calls, >=, 4); /* of abc, abb, abbb, abcb; those of abbb may be two instructions */
  g_assert_cmpuint(calls, <=, 5);
}

static void test_filter(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  guint32 function = find_function(capture, "b");
  profile_filter_set_time(filter, 1001, 1002);
  g_autoptr(ProfileDisassembly) shown = disassemble(filter, function);

  g_assert_cmpuint(profile_disassembly_get_sum(shown).count, <, 8);
  g_assert_cmpuint(profile_disassembly_get_self(shown).count, ==, 1);
}

static void test_jumps(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileDisassembly) shown = disassemble(filter, find_function(capture, "b"));
  guint32 n, n_jumps;
  const ProfileInstruction *instructions = profile_disassembly_get_instructions(shown, &n);
  const ProfileJump *jumps = profile_disassembly_get_jumps(shown, &n_jumps);

  g_assert_cmpuint(n_jumps, ==, 1);
  g_assert_cmpuint(jumps[0].from, ==, 10);
  g_assert_cmpuint(jumps[0].to, ==, 1);
  g_assert_cmpint(instructions[10].kind, ==, PROFILE_INSTRUCTION_CONDITIONAL_JUMP);
  g_assert_cmpuint(instructions[10].jump, ==, 1);
  g_assert_null(instructions[10].target);
  g_assert_cmpint(instructions[11].kind, ==, PROFILE_INSTRUCTION_JUMP); /* behind itself, where c begins */
  g_assert_cmpuint(instructions[11].jump, ==, PROFILE_DISASSEMBLY_NOWHERE);
  g_assert_cmpstr(instructions[11].target, ==, "c");
  g_assert_cmpint(instructions[12].kind, ==, PROFILE_INSTRUCTION_CALL);
  g_assert_cmpstr(instructions[12].target, ==, "c");
  g_assert_cmpstr(instructions[13].target, ==, "c+0x4");
}

static void assert_missing(ProfileFilter *filter, const char *name, ProfileCodeStatus status)
{
  g_autoptr(ProfileDisassembly) shown =
      disassemble(filter, find_function(profile_filter_get_capture(filter), name));
  guint n;
  const ProfileDisassemblyPart *parts = profile_disassembly_get_parts(shown, &n);

  g_assert_cmpuint(n, ==, 1);
  g_assert_cmpint(parts[0].status, ==, status);
  g_assert_cmpuint(parts[0].n, ==, 0);
  g_assert_cmpuint(profile_disassembly_find_hottest(shown), ==, PROFILE_DISASSEMBLY_NOWHERE);
  g_assert_cmpuint(profile_disassembly_get_self_elsewhere(shown).count, ==,
                   profile_disassembly_get_self(shown).count);
  g_autofree char *missing = profile_disassembly_explain(shown, &parts[0]);
  g_assert_nonnull(missing);
  g_autofree char *nothing = profile_disassembly_explain(shown, NULL);
  g_assert_null(nothing);
}

static void test_missing(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);

  assert_missing(filter, "a", PROFILE_CODE_NO_FILE);
  assert_missing(filter, "1", PROFILE_CODE_NO_KERNEL);
  g_autoptr(ProfileDisassembly) none = disassemble(filter, G_MAXUINT32);
  g_autofree char *missing = profile_disassembly_explain(none, NULL);
  guint n;
  profile_disassembly_get_parts(none, &n);
  g_assert_cmpuint(n, ==, 0);
  g_assert_nonnull(missing);
}

/* A larger --code helps only where so much is ever stored. */
static void test_large(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(ProfileFilter) filter = profile_filter_new(capture);
  g_autoptr(ProfileDisassembly) shown = disassemble(filter, find_function(capture, "a"));

  for (guint64 more = 0; more < 2; more++) {
    const ProfileDisassemblyPart part = {
        .length = PROFILE_MACHINE_CODE_MAX + more, .binary = "/bin/large", .status = PROFILE_CODE_NO_FILE};
    g_autofree char *missing = profile_disassembly_explain(shown, &part);

    g_assert_cmpint(strstr(missing, "--code") != NULL, ==, more == 0);
    g_assert_nonnull(strstr(missing, "/bin/large"));
  }
}

static void test_cancelled(void)
{
  g_autoptr(ProfileCapture) capture = new_capture();
  g_autoptr(GCancellable) cancellable = g_cancellable_new();
  g_autoptr(GError) error = NULL;

  g_cancellable_cancel(cancellable);
  g_assert_null(profile_disassembler_decode(capture, find_function(capture, "b"), cancellable, &error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/disassembly/costs", test_costs);
  g_test_add_func("/disassembly/filter", test_filter);
  g_test_add_func("/disassembly/jumps", test_jumps);
  g_test_add_func("/disassembly/missing", test_missing);
  g_test_add_func("/disassembly/large", test_large);
  g_test_add_func("/disassembly/cancelled", test_cancelled);
  return g_test_run();
}
