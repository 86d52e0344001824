/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code as text: what is known of it, and whatever bytes there are. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include <glib.h>

#include "code/code-disassemble.h"

#define RANDOM_BYTES  4096
#define RANDOM_ROUNDS 20

struct expected {
  const char *bytes; /* hexadecimal */
  const char *text;
  enum code_kind kind;
  uint64_t target;
};

static GByteArray *parse(const char *text)
{
  GByteArray *bytes = g_byte_array_new();

  for (; text[0] && text[1]; text += 2) {
    guint8 byte = (guint8)(g_ascii_xdigit_value(text[0]) << 4 | g_ascii_xdigit_value(text[1]));

    g_byte_array_append(bytes, &byte, 1);
  }
  return bytes;
}

static struct code_instructions *decode(const void *bytes, size_t size, uint16_t machine, uint64_t address)
{
  g_autofree guint8 *copy = g_memdup2(bytes, size); /* alone, so that sanitizers see what is read behind it */
  struct code_instructions *instructions = NULL;

  g_assert_cmpint(code_disassemble(copy, size, machine, address, &instructions), ==, 0);
  g_assert_true(code_instructions_are_valid(instructions, instructions->size));
  g_assert_cmpuint(instructions->machine, ==, machine);
  g_assert_cmpuint(instructions->length, ==, size);
  return instructions;
}

static void assert_text(const struct code_instructions *instructions, guint i, const char *text)
{
  const struct code_instruction *instruction = &code_instructions_get(instructions)[i];
  g_autofree char *said = g_strndup((const char *)instructions + instruction->text, instruction->text_length);

  g_assert_cmpstr(said, ==, text);
}

/* Each at address 0x1000. */
static void assert_decodes(uint16_t machine, uint64_t address, const struct expected *expected, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_autoptr(GByteArray) bytes = parse(expected[i].bytes);
    g_autofree struct code_instructions *instructions = decode(bytes->data, bytes->len, machine, address);
    const struct code_instruction *first = code_instructions_get(instructions);

    assert_text(instructions, 0, expected[i].text);
    g_assert_cmpuint(instructions->n_instructions, ==, 1);
    g_assert_cmpuint(first->address, ==, 0x1000);
    g_assert_cmpuint(first->size, ==, bytes->len);
    g_assert_cmpuint(first->kind, ==, expected[i].kind);
    g_assert_cmphex(first->target, ==, expected[i].target);
  }
}

static void test_x86_64(void)
{
  static const struct expected expected[] = {
      {"90", "nop", CODE_PLAIN, 0},
      {"6690", "xchg %ax,%ax", CODE_PLAIN, 0},
      {"f30f1efa", "endbr64", CODE_PLAIN, 0},
      {"4889e5", "mov %rsp,%rbp", CODE_PLAIN, 0},
      {"48894df8", "mov %rcx,-0x8(%rbp)", CODE_PLAIN, 0},
      {"c745fc00000000", "movl $0x0,-0x4(%rbp)", CODE_PLAIN, 0},
      {"83c8ff", "or $0xffffffff,%eax", CODE_PLAIN, 0},
      {"4883e4f0", "and $0xfffffffffffffff0,%rsp", CODE_PLAIN, 0},
      {"64488b0425f8ffffff", "mov %fs:0xfffffffffffffff8,%rax", CODE_PLAIN, 0},
      {"488d04cd00000000", "lea 0x0(,%rcx,8),%rax", CODE_PLAIN, 0},
      {"488b0411", "mov (%rcx,%rdx,1),%rax", CODE_PLAIN, 0},
      {"0fb6c0", "movzbl %al,%eax", CODE_PLAIN, 0},
      {"d3e0", "shl %cl,%eax", CODE_PLAIN, 0},
      {"d320", "shll %cl,(%rax)", CODE_PLAIN, 0},
      {"48d1e8", "shr %rax", CODE_PLAIN, 0},
      {"f00fb116", "lock cmpxchg %edx,(%rsi)", CODE_PLAIN, 0},
      {"f348ab", "rep stos %rax,%es:(%rdi)", CODE_PLAIN, 0},
      {"f3a4", "rep movsb %ds:(%rsi),%es:(%rdi)", CODE_PLAIN, 0},
      {"66480f6ec9", "movq %rcx,%xmm1", CODE_PLAIN, 0},
      {"f2480f2ac6", "cvtsi2sd %rsi,%xmm0", CODE_PLAIN, 0},
      {"f20f2a442408", "cvtsi2sdl 0x8(%rsp),%xmm0", CODE_PLAIN, 0},
      {"ec", "in (%dx),%al", CODE_PLAIN, 0},
      {"d9c0", "fld %st(0)", CODE_PLAIN, 0},
      {"dcc9", "fmul %st,%st(1)", CODE_PLAIN, 0},
      {"dec9", "fmulp %st,%st(1)", CODE_PLAIN, 0},
      {"d8ca", "fmul %st(2),%st", CODE_PLAIN, 0},
      {"dfe9", "fucomip %st(1),%st", CODE_PLAIN, 0},
      {"e8fb0f0000", "call 2000", CODE_CALL, 0x2000},
      {"ff10", "call *(%rax)", CODE_CALL, 0},
      {"ffd0", "call *%rax", CODE_CALL, 0},
      {"ebfe", "jmp 1000", CODE_JUMP, 0x1000},
      {"e9fbefffff", "jmp 0", CODE_JUMP, 0},
      {"ffe0", "jmp *%rax", CODE_JUMP, 0},
      {"3effe1", "notrack jmp *%rcx", CODE_JUMP, 0},
      {"740e", "je 1010", CODE_CONDITIONAL_JUMP, 0x1010},
      {"0f8ffa0f0000", "jg 2000", CODE_CONDITIONAL_JUMP, 0x2000},
      {"e30e", "jrcxz 1010", CODE_CONDITIONAL_JUMP, 0x1010},
      {"e20e", "loop 1010", CODE_CONDITIONAL_JUMP, 0x1010},
      {"c3", "ret", CODE_RETURN, 0},
      {"f3c3", "repz ret", CODE_RETURN, 0},
      {"48cf", "iretq", CODE_RETURN, 0},
      {"0f05", "syscall", CODE_PLAIN, 0},
      {"ea", "(bad)", CODE_PLAIN, 0},
  };

  assert_decodes(EM_X86_64, 0x1000, expected, G_N_ELEMENTS(expected));
}

static void test_i386(void)
{
  static const struct expected expected[] = {
      {"55", "push %ebp", CODE_PLAIN, 0},
      {"40", "inc %eax", CODE_PLAIN, 0},
      {"8b4508", "mov 0x8(%ebp),%eax", CODE_PLAIN, 0},
      {"65a114000000", "mov %gs:0x14,%eax", CODE_PLAIN, 0},
      {"e8fbdfffff", "call fffff000", CODE_CALL, 0xfffff000},
      {"c3", "ret", CODE_RETURN, 0},
  };

  assert_decodes(EM_386, 0x1000, expected, G_N_ELEMENTS(expected));
}

static void test_aarch64(void)
{
  static const struct expected expected[] = {
      {"fd7bbfa9", "stp x29, x30, [sp, #-0x10]!", CODE_PLAIN, 0},
      {"00040094", "bl #0x2000", CODE_CALL, 0x2000},
      {"00003fd6", "blr x0", CODE_CALL, 0},
      {"00040014", "b #0x2000", CODE_JUMP, 0x2000},
      {"00021fd6", "br x16", CODE_JUMP, 0},
      {"80000054", "b.eq #0x1010", CODE_CONDITIONAL_JUMP, 0x1010},
      {"800000b4", "cbz x0, #0x1010", CODE_CONDITIONAL_JUMP, 0x1010},
      {"80000836", "tbz w0, #1, #0x1010", CODE_CONDITIONAL_JUMP, 0x1010},
      {"c0035fd6", "ret", CODE_RETURN, 0},
      {"3f2303d5", "paciasp", CODE_PLAIN, 0},
      {"5f2403d5", "bti c", CODE_PLAIN, 0},
      {"1f2003d5", "nop", CODE_PLAIN, 0},
      {"ff0b5fd6", "retaa", CODE_RETURN, 0},
      {"2000e0f8", "ldaddal x0, x0, [x1]", CODE_PLAIN, 0},
      {"3f0020b8", "stadd w0, [x1]", CODE_PLAIN, 0},
      {"e083e0f8", "swpal x0, x0, [sp]", CODE_PLAIN, 0},
      {"41fce0c8", "casal x0, x1, [x2]", CODE_PLAIN, 0},
      {"417ca008", "casb w0, w1, [x2]", CODE_PLAIN, 0},
      {"ffffffff", ".word 0xffffffff", CODE_PLAIN, 0},
      {"1f20", ".byte 0x1f,0x20", CODE_PLAIN, 0},
  };

  assert_decodes(EM_AARCH64, 0x1000, expected, G_N_ELEMENTS(expected));
}

static void test_arm(void)
{
  static const struct expected arm[] = {
      {"fe0300eb", "bl #0x2000", CODE_CALL, 0x2000},
      {"020000ea", "b #0x1010", CODE_JUMP, 0x1010},
      {"0200000a", "beq #0x1010", CODE_CONDITIONAL_JUMP, 0x1010},
      {"1eff2fe1", "bx lr", CODE_RETURN, 0},
      {"1080bde8", "pop {r4, pc}", CODE_RETURN, 0},
      {"04f09de4", "pop {pc}", CODE_RETURN, 0},
      {"0ef0a0e1", "mov pc, lr", CODE_RETURN, 0},
      {"0000a0e1", "mov r0, r0", CODE_PLAIN, 0},
      {"ffffffff", ".word 0xffffffff", CODE_PLAIN, 0},
  };
  static const struct expected thumb[] = {
      {"00bf", "nop", CODE_PLAIN, 0},
      {"06e0", "b #0x1010", CODE_JUMP, 0x1010},
      {"00f0feff", "bl #0x2000", CODE_CALL, 0x2000},
      {"10bd", "pop {r4, pc}", CODE_RETURN, 0},
      {"7047", "bx lr", CODE_RETURN, 0},
      {"00", ".byte 0x00", CODE_PLAIN, 0},
  };

  assert_decodes(EM_ARM, 0x1000, arm, G_N_ELEMENTS(arm));
  assert_decodes(EM_ARM, 0x1001, thumb, G_N_ELEMENTS(thumb));
}

static void test_riscv(void)
{
  static const guint8 bytes[] = {0x01, 0x11, 0xef, 0x00, 0x40, 0x00, 0x82, 0x80};
  g_autofree struct code_instructions *instructions = decode(bytes, sizeof bytes, EM_RISCV, 0x1000);

  if (instructions->flags & CODE_UNKNOWN_MACHINE)
    return; /* of an older Capstone */
  g_assert_cmpuint(instructions->n_instructions, ==, 3);
  g_assert_cmpuint(code_instructions_get(instructions)[1].kind, ==, CODE_CALL);
  g_assert_cmphex(code_instructions_get(instructions)[1].target, ==, 0x1006);
  g_assert_cmpuint(code_instructions_get(instructions)[2].kind, ==, CODE_RETURN);
}

static void test_unknown_machine(void)
{
  static const guint8 bytes[] = {0, 0x12, 0xff, 3, 0xa4, 5};
  g_autofree struct code_instructions *instructions = decode(bytes, sizeof bytes, EM_S390, 0x1001);

  g_assert_cmpuint(instructions->flags, ==, CODE_UNKNOWN_MACHINE);
  g_assert_cmpuint(instructions->n_instructions, ==, 2);
  assert_text(instructions, 0, ".byte 0x00,0x12,0xff,0x03");
  assert_text(instructions, 1, ".byte 0xa4,0x05");
  g_assert_cmphex(code_instructions_get(instructions)[1].address, ==, 0x1005);
}

/* Damage costs itself alone: what follows is decoded. */
static void test_bad(void)
{
  static const guint8 bytes[] = {0x90, 0xea, 0x62, 0x90, 0xc3};
  g_autofree struct code_instructions *instructions = decode(bytes, sizeof bytes, EM_X86_64, 0);

  g_assert_cmpuint(instructions->n_instructions, ==, 5);
  assert_text(instructions, 1, "(bad)");
  assert_text(instructions, 2, "(bad)");
  assert_text(instructions, 4, "ret");
}

/* vpmadd52luq and rdpkru, which Capstone 4 does not know, are as long as they are, whatever the text says. */
static void test_length(void)
{
  static const guint8 bytes[] = {0x62, 0xe2, 0xc5, 0x48, 0xb4, 0xb4, 0x24, 0,    1,    0,    0,   0x0f,
                                 0x01, 0xee, 0xc4, 0xe1, 0xfb, 0x92, 0xcb, 0xc5, 0xf8, 0x77, 0xc3};
  static const guint sizes[] = {11, 3, 5, 3, 1};
  g_autofree struct code_instructions *instructions = decode(bytes, sizeof bytes, EM_X86_64, 0);

  g_assert_cmpuint(instructions->n_instructions, ==, G_N_ELEMENTS(sizes));
  for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
    g_assert_cmpuint(code_instructions_get(instructions)[i].size, ==, sizes[i]);
}

static const struct {
  uint16_t machine;
  uint64_t address;
} machines[] = {{EM_X86_64, 0x1000},  {EM_386, 0x1000},
                {EM_AARCH64, 0x1000}, {EM_ARM, 0x1000},
                {EM_ARM, 0x1001},     {EM_RISCV, 0x1000},
                {EM_S390, 0x1000},    {0, 0},
                {EM_X86_64, 0},       {EM_AARCH64, UINT64_MAX - RANDOM_BYTES}};

static void test_random(void)
{
  static guint8 bytes[RANDOM_BYTES];

  for (guint round = 0; round < RANDOM_ROUNDS; round++) {
    for (gsize i = 0; i < sizeof bytes; i++)
      bytes[i] = (guint8)g_test_rand_int();
    for (gsize i = 0; i < G_N_ELEMENTS(machines); i++)
      g_free(decode(bytes, sizeof bytes, machines[i].machine, machines[i].address));
  }
}

/* Every first two bytes, and behind them what makes instructions long. */
static void test_openings(void)
{
  guint8 bytes[20] = {0};

  memset(bytes, 0x84, sizeof bytes);
  for (guint opening = 0; opening <= 0xffff; opening += 3) {
    bytes[0] = (guint8)opening;
    bytes[1] = (guint8)(opening >> 8);
    g_free(decode(bytes, sizeof bytes, EM_X86_64, 0x1000));
  }
}

/* Each prefix of a function, so that each instruction is cut at each place. */
static void test_prefixes(void)
{
  g_autoptr(GByteArray) code =
      parse("f30f1efa64488b0425f8ffffff62e2c548b4b42400010000c4e1fb92cb0f38f0460862f37d"
            "483fc200f3480f1ec8488d04cd00000000e8fb0f0000c3");

  for (guint size = 0; size <= code->len; size++)
    for (gsize i = 0; i < G_N_ELEMENTS(machines); i++)
      g_free(decode(code->data, size, machines[i].machine, machines[i].address));
}

static void test_most(void)
{
  g_autofree guint8 *bytes = g_malloc0(CODE_BYTES_MAX + 1);
  struct code_instructions *instructions = NULL;

  memset(bytes, 0x90, CODE_BYTES_MAX + 1);
  g_assert_cmpint(code_disassemble(bytes, CODE_BYTES_MAX + 1, EM_X86_64, 0, &instructions), ==, -EFBIG);
  g_assert_null(instructions);
  instructions = decode(bytes, CODE_BYTES_MAX, EM_X86_64, 0);
  g_assert_cmpuint(instructions->n_instructions, ==, CODE_BYTES_MAX);
  g_free(instructions);
}

static void test_last_address(void)
{
  struct code_instructions *instructions = NULL;

  g_assert_cmpint(code_disassemble("\x90\x90", 2, EM_X86_64, UINT64_MAX - 1, &instructions), ==, -EINVAL);
  g_assert_null(instructions);
  g_free(decode("\x90\x90", 2, EM_X86_64, UINT64_MAX - 2));
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/code-disassemble/x86-64", test_x86_64);
  g_test_add_func("/code-disassemble/i386", test_i386);
  g_test_add_func("/code-disassemble/aarch64", test_aarch64);
  g_test_add_func("/code-disassemble/arm", test_arm);
  g_test_add_func("/code-disassemble/riscv", test_riscv);
  g_test_add_func("/code-disassemble/unknown-machine", test_unknown_machine);
  g_test_add_func("/code-disassemble/bad", test_bad);
  g_test_add_func("/code-disassemble/length", test_length);
  g_test_add_func("/code-disassemble/random", test_random);
  g_test_add_func("/code-disassemble/openings", test_openings);
  g_test_add_func("/code-disassemble/prefixes", test_prefixes);
  g_test_add_func("/code-disassemble/most", test_most);
  g_test_add_func("/code-disassemble/last-address", test_last_address);
  return g_test_run();
}
