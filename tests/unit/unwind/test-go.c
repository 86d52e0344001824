/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is made of a Go program's .gopclntab: rules, roots, changes of the stack; and of damaged ones. */
#include <elf.h>
#include <errno.h>
#include <string.h>

#include <glib.h>

#include "rule-text.h"
#include "unwind/unwind-compile.h"
#include "unwind/unwind-functions.h"

#define TEXT      0x2000u /* address and offset of the code */
#define TEXT_SIZE 0x1000u
#define TABLE     0x200u
#define NAMES     72u /* offsets in the table */

/* A table of Go 1.20: functions of 0x100 bytes each. */
struct go {
  GByteArray *names, *deltas, *entries, *descriptions;
  guint n;
  guint64 text;
};

static struct go go_new(void)
{
  struct go go = {.names = g_byte_array_new(),
                  .deltas = g_byte_array_new(),
                  .entries = g_byte_array_new(),
                  .descriptions = g_byte_array_new(),
                  .text = TEXT};
  return go;
}

static void add_u32(GByteArray *bytes, guint32 value)
{
  g_byte_array_append(bytes, (const guint8 *)&value, sizeof value);
}

#define DELTAS(...)                                                                                          \
  (const guint8[]){__VA_ARGS__, 0}, sizeof(const guint8[])                                                   \
  {                                                                                                          \
    __VA_ARGS__, 0                                                                                           \
  }

/* Deltas: the change of the bytes on the stack from -1 on, zigzag, and for how many bytes of code. */
static void go_add(struct go *go, const char *name, guint8 flags, const guint8 *deltas, gsize size)
{
  guint8 description[48] = {0};
  guint32 name_at = go->names->len, deltas_at = go->deltas->len;

  memcpy(description + 4, &name_at, sizeof name_at);
  memcpy(description + 16, &deltas_at, sizeof deltas_at);
  description[41] = flags;
  add_u32(go->entries, go->n++ * 0x100);
  add_u32(go->entries, go->descriptions->len);
  g_byte_array_append(go->descriptions, description, sizeof description);
  g_byte_array_append(go->names, (const guint8 *)name, (guint)strlen(name) + 1);
  g_byte_array_append(go->deltas, deltas, (guint)size);
}

/* The table; the offsets of descriptions count from the entries. */
static GByteArray *go_table(const struct go *go)
{
  const guint8 head[] = {0xf1, 0xff, 0xff, 0xff, 0, 0, 1, 8};
  guint64 deltas = NAMES + go->names->len, functions = (deltas + go->deltas->len + 7) & ~7ull;
  const guint64 words[] = {go->n, 0, go->text, NAMES, 0, 0, deltas, functions};
  GByteArray *table = g_byte_array_new();

  g_byte_array_append(table, head, sizeof head);
  g_byte_array_append(table, (const guint8 *)words, sizeof words);
  g_byte_array_append(table, go->names->data, go->names->len);
  g_byte_array_append(table, go->deltas->data, go->deltas->len);
  g_byte_array_append(table, (const guint8 *)"\0\0\0\0\0\0\0", (guint)(functions - table->len));
  for (guint i = 0; i < go->n; i++) {
    guint32 entry[2];
    memcpy(entry, go->entries->data + i * sizeof entry, sizeof entry);
    entry[1] += go->n * 8 + 4;
    g_byte_array_append(table, (const guint8 *)entry, sizeof entry);
  }
  add_u32(table, go->n * 0x100);
  g_byte_array_append(table, go->descriptions->data, go->descriptions->len);
  return table;
}

static void go_clear(struct go *go)
{
  g_byte_array_unref(go->names);
  g_byte_array_unref(go->deltas);
  g_byte_array_unref(go->entries);
  g_byte_array_unref(go->descriptions);
}

/* Sections: none, .text, .gopclntab, their names. */
static GByteArray *elf_of(const GByteArray *table, guint16 machine)
{
  static const char names[] = "\0.text\0.gopclntab\0.shstrtab";
  const guint64 names_at = TEXT + TEXT_SIZE, sections_at = names_at + 64;
  Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                       .e_type = ET_EXEC,
                       .e_machine = machine,
                       .e_version = EV_CURRENT,
                       .e_phoff = sizeof header,
                       .e_shoff = sections_at,
                       .e_ehsize = sizeof header,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = 1,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = 4,
                       .e_shstrndx = 3};
  const Elf64_Phdr code = {.p_type = PT_LOAD,
                           .p_flags = PF_R | PF_X,
                           .p_offset = TEXT,
                           .p_vaddr = TEXT,
                           .p_filesz = TEXT_SIZE,
                           .p_memsz = TEXT_SIZE};
  const Elf64_Shdr sections[4] = {
      {0},
      {.sh_name = 1,
       .sh_type = SHT_PROGBITS,
       .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
       .sh_addr = TEXT,
       .sh_offset = TEXT,
       .sh_size = TEXT_SIZE},
      {.sh_name = 7,
       .sh_type = SHT_PROGBITS,
       .sh_flags = SHF_ALLOC,
       .sh_addr = TABLE,
       .sh_offset = TABLE,
       .sh_size = table->len},
      {.sh_name = 18, .sh_type = SHT_STRTAB, .sh_offset = names_at, .sh_size = sizeof names}};
  GByteArray *elf = g_byte_array_new();

  g_assert_cmpuint(table->len, <=, TEXT - TABLE);
  g_byte_array_set_size(elf, (guint)sections_at);
  memset(elf->data, 0, elf->len);
  memcpy(elf->data, &header, sizeof header);
  memcpy(elf->data + header.e_phoff, &code, sizeof code);
  memcpy(elf->data + TABLE, table->data, table->len);
  memcpy(elf->data + names_at, names, sizeof names);
  g_byte_array_append(elf, (const guint8 *)sections, sizeof sections);
  return elf;
}

static GByteArray *usual_elf(guint16 machine, guint64 text)
{
  struct go go = go_new();
  g_autoptr(GByteArray) table = NULL;

  go.text = text;
  /* 0 for 16 bytes, 32 for 64, 0 for the rest */
  go_add(&go, "main.work", 0, DELTAS(2, 16, 64, 64, 63, 0xb0, 1));
  go_add(&go, "runtime.goexit", 1, DELTAS(2, 0x80, 2));
  go_add(&go, "runtime.mcall", 2, DELTAS(2, 0x80, 2));
  go_add(&go, "runtime.systemstack", 2, DELTAS(2, 0x80, 2));
  go_add(&go, "runtime.sigtramp", 1, DELTAS(18, 0x80, 2));
  go_add(&go, "runtime.sigreturn__sigaction", 0, DELTAS(2, 0x80, 2));
  table = go_table(&go);
  go_clear(&go);
  return elf_of(table, machine);
}

static void assert_rule(const struct unwind_image *image, guint64 at, const char *text)
{
  char found[128];

  rule_text(unwind_table_find(image->table, TEXT + at), found, sizeof found);
  g_assert_cmpstr(found, ==, text);
}

static void test_rules(void)
{
  const guint64 texts[] = {TEXT, 0}; /* newer linkers leave it out: .text is it */

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GByteArray) elf = usual_elf(EM_X86_64, texts[i]);
    struct unwind_image image;

    g_assert_cmpint(unwind_compile(elf->data, elf->len, &image), ==, 0);
    g_assert_true(unwind_table_is_valid(image.table, image.table->size, true));
    assert_rule(&image, 0x0f, "sp+8 same undefined c-8 0");
    assert_rule(&image, 0x10, "sp+40 c-16 undefined c-8 0");
    assert_rule(&image, 0x4f, "sp+40 c-16 undefined c-8 0");
    assert_rule(&image, 0x50, "sp+8 same undefined c-8 0");
    assert_rule(&image, 0x1ff, "sp+8 undefined undefined undefined 0");
    assert_rule(&image, 0x200, "sp+8 undefined undefined undefined 0");
    assert_rule(&image, 0x3ff, "fp-elsewhere+16 c-16 undefined c-8 0");
    assert_rule(&image, 0x4fe, "sp+16 c-16 undefined c-8 0");
    assert_rule(&image, 0x4ff, "signal+40 same same same 1");
    assert_rule(&image, 0x5ff, "signal+40 same same same 1");
    assert_rule(&image, 0x600, "none+0 same same same 0");
    unwind_image_clear(&image);
  }
}

static void test_aarch64(void)
{
  g_autoptr(GByteArray) elf = usual_elf(EM_AARCH64, TEXT);
  struct unwind_image image;

  g_assert_cmpint(unwind_compile(elf->data, elf->len, &image), ==, 0);
  assert_rule(&image, 0x0f, "sp+0 same same same 0");
  assert_rule(&image, 0x10, "sp+32 c-40 undefined c-32 0");
  assert_rule(&image, 0x100, "sp+8 undefined undefined undefined 0");
  assert_rule(&image, 0x300, "none+0 same same same 0");
  unwind_image_clear(&image);
}

static void test_names(void)
{
  g_autoptr(GByteArray) elf = usual_elf(EM_X86_64, TEXT);
  struct unwind_functions functions;
  guint64 start, end;
  const struct unwind_function *function;

  g_assert_cmpint(unwind_functions_find(elf->data, elf->len, &functions), ==, 0);
  g_assert_cmpuint(functions.n, ==, 6);
  function = unwind_functions_at(&functions, TEXT + 0x123, &start, &end);
  g_assert_nonnull(function);
  g_assert_cmpmem(function->name, function->length, "runtime.goexit", 14);
  g_assert_cmpuint(start, ==, TEXT + 0x100);
  g_assert_cmpuint(end, ==, TEXT + 0x200);
  unwind_functions_clear(&functions);
}

/* Whatever a byte or a word of it becomes, and wherever the file ends. */
static void test_damage(void)
{
  g_autoptr(GByteArray) elf = usual_elf(EM_X86_64, TEXT);
  const guint32 words[] = {0, 1, 0x7fffffff, 0x80000000, 0xffffffff};

  for (gsize at = TABLE; at < TABLE + 0x300; at++) {
    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
      guint8 *copy = g_memdup2(elf->data, elf->len);
      struct unwind_image image;
      struct unwind_functions functions;
      int error;

      memcpy(copy + at, &words[i], at % 4 == 0 ? sizeof words[i] : 1);
      error = unwind_compile(copy, elf->len, &image);
      g_assert_true(error == 0 || error == -ENODATA);
      if (error == 0) {
        g_assert_true(unwind_table_is_valid(image.table, image.table->size, true));
        unwind_image_clear(&image);
      }
      if (unwind_functions_find(copy, elf->len, &functions) == 0)
        unwind_functions_clear(&functions);
      g_free(copy);
    }
  }
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/unwind/go/rules", test_rules);
  g_test_add_func("/unwind/go/aarch64", test_aarch64);
  g_test_add_func("/unwind/go/names", test_names);
  g_test_add_func("/unwind/go/damage", test_damage);
  return g_test_run();
}
