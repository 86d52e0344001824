/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables as they are handed on: their checks, what is found in them, where they were mapped; and those of
 * memory (vDSO). */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cfi-image.h"
#include "libcapture/file/capture-crc32c.h"

static const struct cfi_elf usual = {0};

static struct unwind_image make_image(void)
{
  struct cfi cfi = cfi_new();
  uint32_t cie = cfi_add_cie(&cfi);
  struct unwind_image image;

  for (uint32_t i = 0; i < 200; i++)
    CFI_FDE(&cfi, cie, i * 4096, 64, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0e, (uint8_t)(8 * (i % 15)));
  image = cfi_compile(&cfi, &usual);
  cfi_clear(&cfi);
  return image;
}

static void test_layout(void)
{
  struct unwind_image image = make_image();
  const struct unwind_table *table = image.table;

  g_assert_cmpuint((uintptr_t)table % (uintptr_t)sysconf(_SC_PAGESIZE), ==, 0);
  g_assert_cmpuint(table->size, <=, image.capacity);
  g_assert_cmpuint(table->size % 8, ==, 0);
  g_assert_cmpuint(table->machine, ==, EM_X86_64);
  g_assert_cmpuint(table->n_segments, ==, 1);
  g_assert_cmpuint(table->n_buckets * 8, <=, table->n_rows);
  unwind_image_clear(&image);
  g_assert_null(image.table);
}

/* The checksum is the CRC-32C that others compute. */
static void test_checksum(void)
{
  struct unwind_image image = make_image();
  uint32_t crc = image.table->crc;

  image.table->crc = 0;
  g_assert_cmpuint(capture_crc32c(0, image.table, image.table->size), ==, crc);
  g_assert_false(unwind_table_is_valid(image.table, image.table->size, true));
  g_assert_true(unwind_table_is_valid(image.table, image.table->size, false));
  unwind_image_clear(&image);
}

/* Every word that says something of sizes, order or numbers is looked at; and whatever byte changes, the
 * checksum sees it. */
static void test_damage(void)
{
  struct unwind_image image = make_image();
  uint32_t size = image.table->size;
  uint8_t *bytes = (uint8_t *)image.table;

  for (uint32_t at = 0; at < size; at++) {
    bytes[at] ^= 0x5a;
    g_assert_false(unwind_table_is_valid(bytes, size, true));
    if (unwind_table_is_valid(bytes, size, false)) {
      for (uint64_t address = CODE_START - 600; address < CODE_START + 200 * 4096 + 600; address += 511)
        g_assert_nonnull(unwind_table_find(image.table, address));
    }
    bytes[at] ^= 0x5a;
  }
  g_assert_true(unwind_table_is_valid(bytes, size, true));
  for (uint32_t cut = 0; cut < size; cut += 4)
    g_assert_false(unwind_table_is_valid(bytes, cut, false));
  g_assert_false(unwind_table_is_valid(bytes + 4, size - 4, false));
  unwind_image_clear(&image);
}

static void assert_invalid(struct unwind_image *image, void *word, uint32_t size, uint32_t value)
{
  uint32_t before = 0;

  memcpy(&before, word, size);
  memcpy(word, &value, size);
  g_assert_false(unwind_table_is_valid(image->table, image->table->size, false));
  memcpy(word, &before, size);
}

static void test_checks(void)
{
  struct unwind_image image = make_image();
  struct unwind_table *table = image.table;
  struct unwind_row *rows = (struct unwind_row *)((uint8_t *)table + table->rows_at);
  uint32_t *buckets = (uint32_t *)((uint8_t *)table + table->buckets_at);
  struct unwind_rule *rules = (struct unwind_rule *)((uint8_t *)table + table->rules_at);

  assert_invalid(&image, &table->magic, 4, 1);
  assert_invalid(&image, &table->version, 2, UNWIND_TABLE_VERSION + 1);
  assert_invalid(&image, &table->machine, 2, EM_386);
  assert_invalid(&image, &table->bucket_shift, 4, 17);
  assert_invalid(&image, &table->bucket_shift, 4, 8);
  assert_invalid(&image, &table->n_buckets, 4, UINT32_MAX);
  assert_invalid(&image, &table->n_rows, 4, table->n_rows + 1);
  assert_invalid(&image, &table->n_rules, 4, 0);
  assert_invalid(&image, &table->n_rules, 4, 65537);
  assert_invalid(&image, &table->rules_at, 4, table->size);
  assert_invalid(&image, &table->rows_at, 4, table->rows_at + 4);
  assert_invalid(&image, &table->rows_at, 4, 0);
  assert_invalid(&image, &table->n_segments, 4, 1u << 30);
  assert_invalid(&image, &buckets[0], 4, 1);
  assert_invalid(&image, &buckets[1], 4, table->n_rows + 1);
  assert_invalid(&image, &buckets[table->n_buckets], 4, 0);
  assert_invalid(&image, &rows[1].low, 2, rows[0].low);
  assert_invalid(&image, &rows[0].rule, 2, table->n_rules);
  assert_invalid(&image, &rules[0].cfa, 1, UNWIND_CFA_SP);
  assert_invalid(&image, &rules[1].cfa, 1, UNWIND_CFA_FP_ELSEWHERE + 1);
  assert_invalid(&image, &rules[1].saved, 1, 0x80);
  assert_invalid(&image, &rules[1].flags, 1, 0x20);
  g_assert_true(unwind_table_is_valid(table, table->size, true));
  unwind_image_clear(&image);
}

/* Trap 20: of the mapping and its offset in the file, whichever page of the segment it begins with. */
static void test_bias(void)
{
  struct unwind_image image = make_image();
  const uint64_t base = 0x7f1234000000;
  uint64_t bias = 1;

  g_assert_true(unwind_table_bias(image.table, base + CODE_START, CODE_OFFSET, &bias));
  g_assert_cmphex(bias, ==, base);
  g_assert_true(unwind_table_bias(image.table, base + CODE_START + 0x5000, CODE_OFFSET + 0x5000, &bias));
  g_assert_cmphex(bias, ==, base);
  g_assert_true(unwind_table_bias(image.table, CODE_START, CODE_OFFSET, &bias));
  g_assert_cmphex(bias, ==, 0);
  g_assert_false(unwind_table_bias(image.table, base, 0, &bias));
  g_assert_false(unwind_table_bias(image.table, base, CODE_OFFSET + CODE_SIZE, &bias));
  g_assert_cmphex(bias, ==, 0);
  unwind_image_clear(&image);
}

/* lld puts segments at offsets that are no multiple of a page: the mapping begins at the page before. */
static void test_bias_within_page(void)
{
  struct unwind_image image = make_image();
  struct unwind_segment *segment =
      (struct unwind_segment *)((uint8_t *)image.table + image.table->segments_at);
  uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), bias;

  segment->offset = 16 * page + 0x240;
  segment->address = 0x40 * page + 0x240;
  g_assert_true(unwind_table_bias(image.table, 0x100 * page, 16 * page, &bias));
  g_assert_cmphex(bias, ==, 0xc0 * page);
  g_assert_false(unwind_table_bias(image.table, 0x100 * page, 15 * page, &bias));
  unwind_image_clear(&image);
}

static size_t vdso_size(const uint8_t *vdso)
{
  const Elf64_Ehdr *header = (const Elf64_Ehdr *)vdso;
  const Elf64_Phdr *programs = (const Elf64_Phdr *)(vdso + header->e_phoff);
  size_t size = 0;

  for (int i = 0; i < header->e_phnum; i++) {
    if (programs[i].p_type == PT_LOAD && programs[i].p_offset + programs[i].p_filesz > size)
      size = programs[i].p_offset + programs[i].p_filesz;
  }
  return size;
}

/* Trap 21: the kernel's own library stands in memory only. Where a function of it is, something is known. */
static void test_vdso(void)
{
  const uint8_t *vdso = (const uint8_t *)getauxval(AT_SYSINFO_EHDR);
  struct unwind_image image = {0};
  uint64_t bias;

  g_assert_nonnull(vdso);
  g_assert_cmpint(unwind_compile_memory(vdso, vdso_size(vdso), &image), ==, 0);
  g_assert_true(unwind_table_is_valid(image.table, image.table->size, true));
  g_assert_cmpuint(image.table->n_bad, ==, 0);
  g_assert_cmpuint(image.table->n_rows, >, 10);
  g_assert_true(unwind_table_bias(image.table, (uint64_t)vdso, 0, &bias));
  g_assert_cmphex(bias, ==, (uint64_t)vdso);
  unwind_image_clear(&image);
}

/* The same of a file as it is mapped: .eh_frame at its address. */
static void test_memory(void)
{
  static const struct cfi_elf how = {.search_table = true};
  struct cfi cfi = cfi_new();
  struct unwind_image image = {0};
  g_autoptr(GBytes) elf = NULL;

  CFI_FDE(&cfi, cfi_add_cie(&cfi), 0, 16, 0x42, 0x0e, 16);
  elf = cfi_to_elf(&cfi, &how);
  g_assert_cmpint(unwind_compile_memory(g_bytes_get_data(elf, NULL), g_bytes_get_size(elf), &image), ==, 0);
  cfi_assert_rule(&image, 2, "sp+16 same same c-8 0");
  unwind_image_clear(&image);
  cfi_clear(&cfi);
}

static void assert_same_in_workspace(struct unwind_workspace *workspace, gconstpointer elf, gsize size)
{
  const struct unwind_table *table;
  struct unwind_image image;

  g_assert_cmpint(unwind_compile(elf, size, &image), ==, 0);
  g_assert_cmpint(unwind_compile_into(workspace, elf, size, false, &table), ==, 0);
  g_assert_cmpmem(table, table->size, image.table, image.table->size);
  unwind_image_clear(&image);
}

/* A workspace grows with the files, and nothing of one is left in the next one's table. */
static void test_workspace(void)
{
  static const struct cfi_elf how = {.search_table = true};
  struct unwind_workspace workspace = {0};
  const struct unwind_table *table = NULL;
  struct cfi cfi = cfi_new();
  g_autoptr(GBytes) small = NULL;
  g_autofree char *large = NULL;
  gsize size;

  CFI_FDE(&cfi, cfi_add_cie(&cfi), 0, 16, 0x42, 0x0e, 16);
  small = cfi_to_elf(&cfi, &how);
  g_assert_true(g_file_get_contents("/proc/self/exe", &large, &size, NULL));
  for (int i = 0; i < 2; i++) {
    assert_same_in_workspace(&workspace, g_bytes_get_data(small, NULL), g_bytes_get_size(small));
    assert_same_in_workspace(&workspace, large, size);
    memset(workspace.bytes, 0xa5, workspace.size);
  }
  g_assert_cmpint(unwind_compile_into(&workspace, large, 100, false, &table), <, 0);
  g_assert_null(table);
  unwind_workspace_clear(&workspace);
  g_assert_null(workspace.bytes);
  cfi_clear(&cfi);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/unwind/table/layout", test_layout);
  g_test_add_func("/unwind/table/checksum", test_checksum);
  g_test_add_func("/unwind/table/damage", test_damage);
  g_test_add_func("/unwind/table/checks", test_checks);
  g_test_add_func("/unwind/table/bias", test_bias);
  g_test_add_func("/unwind/table/bias-within-page", test_bias_within_page);
  g_test_add_func("/unwind/table/vdso", test_vdso);
  g_test_add_func("/unwind/table/memory", test_memory);
  g_test_add_func("/unwind/table/workspace", test_workspace);
  return g_test_run();
}
