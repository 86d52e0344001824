/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: dump-table FILE…     prints each ELF file's table as text, for the tests that compare it with other
 * readers dump-table --sizes FILE…
 *
 * A line "file PATH size … rows … rules … bad …", then one a row: the address, the CFA, where fp, base and ra
 * are, flags.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rule-text.h"
#include "unwind/unwind-compile.h"

static const void *part(const struct unwind_table *table, uint32_t at)
{
  return (const uint8_t *)table + at;
}

static void print_row(uint64_t address, const struct unwind_rule *rule)
{
  char text[96];

  rule_text(rule, text, sizeof text);
  printf("%" PRIx64 " %s\n", address, text);
}

static void print_rows(const struct unwind_table *table)
{
  const uint32_t *buckets = part(table, table->buckets_at);
  const struct unwind_row *rows = part(table, table->rows_at);
  const struct unwind_rule *rules = part(table, table->rules_at);

  for (uint32_t bucket = 0; bucket < table->n_buckets; bucket++) {
    uint64_t place = (uint64_t)bucket << table->bucket_shift & ~(uint64_t)0xffff;

    for (uint32_t i = buckets[bucket]; i < buckets[bucket + 1]; i++)
      print_row(table->base + place + rows[i].low, &rules[rows[i].rule]);
  }
}

static int dump(const char *path, bool only_sizes)
{
  struct unwind_image image = {0};
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC), error;
  void *bytes;

  if (fd < 0 || fstat(fd, &st) < 0 ||
      (bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED) {
    fprintf(stderr, "%s could not be read: %s\n", path, strerror(errno));
    return 1;
  }
  close(fd);
  error = unwind_compile(bytes, (size_t)st.st_size, &image);
  if (error < 0) {
    printf("file %s error %d %s\n", path, -error, strerror(-error));
  } else {
    printf("file %s size %" PRIu32 " rows %" PRIu32 " rules %" PRIu32 " buckets %" PRIu32 " shift %" PRIu32
           " bad %" PRIu32 " valid %d\n",
           path, image.table->size, image.table->n_rows, image.table->n_rules, image.table->n_buckets,
           image.table->bucket_shift, image.table->n_bad,
           unwind_table_is_valid(image.table, image.table->size, true));
    if (!only_sizes)
      print_rows(image.table);
  }
  unwind_image_clear(&image);
  munmap(bytes, (size_t)st.st_size);
  return 0;
}

int main(int argc, char **argv)
{
  bool only_sizes = argc > 1 && strcmp(argv[1], "--sizes") == 0;
  int status = 0;

  for (int i = 1 + only_sizes; i < argc; i++)
    status |= dump(argv[i], only_sizes);
  return status;
}
