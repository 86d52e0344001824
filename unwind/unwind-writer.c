/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "libcapture/file/capture-crc32c.h"
#include "unwind/unwind-assembly-private.h"
#include "unwind/unwind-writer-private.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define IMAGE_MAX ((uint64_t)1 << 31)

/* Buckets of this many rows on average are searched quickly and cost an eighth of them. */
#define ROWS_A_BUCKET 8
#define FEW_BUCKETS   1024
#define BYTES_MAX     5

/* What of .eh_frame makes a row, on average. */
#define BYTES_A_ROW 5
#define HUGE_PAGE   ((size_t)2 << 20)

static uint64_t writer_align(uint64_t size, uint64_t to)
{
  return (size + to - 1) & ~(to - 1);
}

static uint64_t page_size(void)
{
  return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* A row takes an instruction that moves on and one that changes something; a function takes a dozen bytes
 * more. */
static uint64_t rows_capacity(size_t cfi_size)
{
  return cfi_size / 2 + 64;
}

static uint32_t choose_fine_shift(uint64_t span, size_t cfi_size)
{
  uint64_t n = cfi_size / ROWS_A_BUCKET > FEW_BUCKETS ? cfi_size / ROWS_A_BUCKET : FEW_BUCKETS;
  uint32_t shift = UNWIND_BUCKET_SHIFT_MIN;

  while (shift < UNWIND_BUCKET_SHIFT_MAX && span >> shift > n)
    shift++;
  return shift;
}

/* Memory whose first pages are there at once: by huge pages for large tables, since each ordinary one costs
 * as much as two hundred rows. It begins at a multiple of a huge page then, so that one holds as much as it
 * can. */
static uint8_t *get_memory(size_t size, size_t likely)
{
  size_t around = likely >= HUGE_PAGE / 4 ? HUGE_PAGE : 0, before;
  uint8_t *memory =
      mmap(NULL, size + around, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  if (memory == MAP_FAILED || around == 0)
    return memory == MAP_FAILED ? NULL : memory;
  before = -(uintptr_t)memory & (HUGE_PAGE - 1);
  if (before > 0)
    munmap(memory, before);
  if (before < around)
    munmap(memory + before + size, around - before);
  madvise(memory + before, writer_align(likely, HUGE_PAGE) < size ? writer_align(likely, HUGE_PAGE) : size,
          MADV_HUGEPAGE);
  return memory + before;
}

static int writer_provide(struct unwind_workspace *workspace, size_t size, size_t likely)
{
  uint8_t *bytes;

  if (workspace->size >= size)
    return 0;
  bytes = get_memory(size, likely);
  if (!bytes)
    return -ENOMEM;
  unwind_workspace_clear(workspace);
  *workspace = (struct unwind_workspace){bytes, size};
  return 0;
}

int unwind_writer_init(struct unwind_writer *ret, struct unwind_workspace *workspace, size_t cfi_size,
                       uint64_t n_more, uint32_t n_segments, uint64_t base, uint64_t span)
{
  uint32_t shift = choose_fine_shift(span, cfi_size);
  uint64_t n_rows = rows_capacity(cfi_size) + n_more, n_ends = (span >> shift) + 2;
  uint64_t image =
      writer_align(sizeof(struct unwind_table) + n_rows * sizeof(struct unwind_row) + (n_ends + 2) * 4 +
                       UNWIND_RULES_MAX * sizeof(struct unwind_rule) +
                       n_segments * sizeof(struct unwind_segment) + sizeof(struct unwind_runtime) + 64,
                   page_size());
  uint64_t ends = image + writer_align(sizeof(struct unwind_rules_room), page_size());
  uint64_t size = writer_align(ends + n_ends * sizeof(uint32_t), page_size());
  uint8_t *bytes;
  int error;

  if (n_rows > UINT32_MAX)
    return -EFBIG;
  error = writer_provide(workspace, size, cfi_size / BYTES_A_ROW * sizeof(struct unwind_row));
  if (error < 0)
    return error;
  bytes = workspace->bytes;
  ret->table = workspace->bytes;
  ret->rows = (struct unwind_rows){.rows = (struct unwind_row *)(bytes + sizeof(struct unwind_table)),
                                   .capacity = (uint32_t)n_rows,
                                   .ends = (uint32_t *)(bytes + ends),
                                   .n_ends = (uint32_t)n_ends,
                                   .shift = shift,
                                   .base = base};
  memset(ret->rows.ends, 0, n_ends * sizeof *ret->rows.ends);
  unwind_rules_init(&ret->rows.rules, (struct unwind_rules_room *)(bytes + image));
  return 0;
}

/* Of the fine buckets, those up to the last one with a row. */
static uint32_t count_used(const struct unwind_rows *rows)
{
  uint32_t n = rows->n_ends;

  while (n > 0 && rows->ends[n - 1] == 0)
    n--;
  return n;
}

static uint32_t count_buckets(const struct unwind_rows *rows, uint32_t used, uint32_t shift)
{
  return used == 0 ? 0 : ((used - 1) >> (shift - rows->shift)) + 1;
}

/* Small buckets are searched quickly. They are made larger until they cost no more than their share, and on
 * until all of the table costs no more than BYTES_MAX a row, if that can be had at all. */
static void choose_buckets(const struct unwind_rows *rows, uint32_t n_segments, struct unwind_table *table)
{
  uint64_t others = sizeof *table + (uint64_t)rows->n * sizeof(struct unwind_row) +
                    (uint64_t)rows->rules.n * sizeof(struct unwind_rule) +
                    n_segments * sizeof(struct unwind_segment);
  uint32_t used = count_used(rows), n;

  table->bucket_shift = rows->shift;
  table->n_buckets = used;
  for (uint32_t shift = rows->shift; shift <= UNWIND_BUCKET_SHIFT_MAX; shift++) {
    n = count_buckets(rows, used, shift);
    if (table->n_buckets > rows->n / ROWS_A_BUCKET) {
      table->bucket_shift = shift;
      table->n_buckets = n;
    }
    if (n <= rows->n / ROWS_A_BUCKET && others + 4 * ((uint64_t)n + 2) <= (uint64_t)BYTES_MAX * rows->n) {
      table->bucket_shift = shift;
      table->n_buckets = n;
      return;
    }
  }
}

/* Where a fine bucket has no row, its rows end where those before it do. */
static void close_gaps(const struct unwind_rows *rows, uint32_t n)
{
  uint32_t last = 0;

  for (uint32_t i = 0; i < n; i++)
    rows->ends[i] = last = rows->ends[i] > last ? rows->ends[i] : last;
}

static void write_buckets(const struct unwind_rows *rows, const struct unwind_table *table, uint32_t *buckets)
{
  uint32_t step = 1u << (table->bucket_shift - rows->shift);

  close_gaps(rows, (table->n_buckets - 1) * step);
  buckets[0] = 0;
  for (uint32_t i = 1; i < table->n_buckets; i++)
    buckets[i] = rows->ends[i * step - 1];
  buckets[table->n_buckets] = rows->n;
}

/* The kernel's way back from a signal handler on aarch64: its description names the frame record that lies
 * below struct sigcontext, but the registers are in the latter, and sp is nowhere else. */
static bool is_sigreturn(const struct unwind_rule *rule, const struct unwind_machine *machine)
{
  return machine->elf == EM_AARCH64 && (rule->flags & UNWIND_RULE_SIGNAL) != 0 &&
         rule->cfa == UNWIND_CFA_FP && rule->cfa_offset == 0 && rule->fp_at == 0 && rule->ra_at == 1 &&
         rule->saved == UNWIND_SAVED(UNWIND_SAVED_AT_CFA, UNWIND_SAVED_SAME, UNWIND_SAVED_AT_CFA);
}

static struct unwind_rule make_sigreturn(void)
{
  /* struct rt_sigframe: siginfo; of ucontext what comes before the sigcontext; of that the fault's address */
  const int32_t regs = 128 + 176 + 8;

  return (struct unwind_rule){.cfa = UNWIND_CFA_SIGNAL, .cfa_offset = regs, .flags = UNWIND_RULE_SIGNAL};
}

/* A return address that is stored at the CFA or above it, where no frame reaches: the CFA is above that. So
 * it is in glibc's lazy binding on aarch64 (_dl_runtime_resolve), whose description leaves out what .plt has
 * pushed. */
static void writer_lift(struct unwind_rule *rule)
{
  int words = rule->ra_at + 1;

  if (rule->cfa != UNWIND_CFA_SP || UNWIND_SAVED_RA(rule->saved) != UNWIND_SAVED_AT_CFA || rule->ra_at < 0 ||
      UNWIND_SAVED_FP(rule->saved) == UNWIND_SAVED_AT_CFA || rule->cfa_offset > INT32_MAX - 8 * words)
    return;
  rule->cfa_offset += 8 * words;
  rule->ra_at = -1;
}

/* What is to be said once a rule: also where frame pointers hold. */
static void write_rules(const struct unwind_rules *rules, const struct unwind_machine *machine,
                        struct unwind_rule *to)
{
  const uint8_t saved = UNWIND_SAVED_AT_CFA | UNWIND_SAVED_AT_CFA << 4, mask = 3 | 7 << 4;

  for (uint32_t i = 0; i < rules->n; i++) {
    struct unwind_rule rule = unwind_state_to_rule(rules->rules[i]);

    if (rule.cfa == UNWIND_CFA_FP && rule.cfa_offset == 16 && (rule.saved & mask) == saved &&
        rule.fp_at == -2 && rule.ra_at == -1)
      rule.flags |= UNWIND_RULE_FRAME;
    if (rule.operand == UNWIND_OPERAND_BY_CODE) {
      rule.operand = 0;
      rule.flags |= UNWIND_RULE_BY_CODE;
    }
    if (is_sigreturn(&rule, machine))
      rule = make_sigreturn();
    else if (machine->elf == EM_AARCH64)
      writer_lift(&rule);
    to[i] = rule;
  }
}

/* The next `size` bytes of the image. What there is behind them up to a multiple of 8 is made 0. */
static void *writer_place(struct unwind_table *table, uint32_t *ret_at, uint64_t size)
{
  uint8_t *here = (uint8_t *)table + table->size;

  memset(here + size, 0, writer_align(size, 8) - size);
  *ret_at = table->size;
  table->size += (uint32_t)writer_align(size, 8);
  return here;
}

static uint64_t image_size(const struct unwind_rows *rows, uint32_t n_segments)
{
  return sizeof(struct unwind_table) + (uint64_t)rows->n * sizeof(struct unwind_row) +
         ((uint64_t)rows->n_ends + 1) * 4 + rows->rules.n * sizeof(struct unwind_rule) +
         n_segments * sizeof(struct unwind_segment) + sizeof(struct unwind_runtime) + 64;
}

int unwind_writer_finish(struct unwind_writer *writer, const struct unwind_machine *machine,
                         const struct unwind_segment *segments, uint32_t n_segments,
                         const struct unwind_runtime *runtime, uint32_t n_bad)
{
  struct unwind_rows *rows = &writer->rows;
  struct unwind_table *table = writer->table;

  if (image_size(rows, n_segments) > IMAGE_MAX)
    return -EFBIG;
  *table = (struct unwind_table){.magic = UNWIND_TABLE_MAGIC,
                                 .version = UNWIND_TABLE_VERSION,
                                 .machine = machine->elf,
                                 .size = sizeof *table,
                                 .base = rows->base,
                                 .n_rows = rows->n,
                                 .n_rules = rows->rules.n,
                                 .n_segments = n_segments,
                                 .n_bad = n_bad};
  choose_buckets(rows, n_segments, table);
  writer_place(table, &table->rows_at, (uint64_t)rows->n * sizeof(struct unwind_row));
  write_buckets(rows, table,
                writer_place(table, &table->buckets_at, ((uint64_t)table->n_buckets + 1) * sizeof(uint32_t)));
  write_rules(&rows->rules, machine,
              writer_place(table, &table->rules_at, rows->rules.n * sizeof(struct unwind_rule)));
  memcpy(writer_place(table, &table->segments_at, n_segments * sizeof *segments), segments,
         n_segments * sizeof *segments);
  if (runtime)
    memcpy(writer_place(table, &table->runtime_at, sizeof *runtime), runtime, sizeof *runtime);
  table->crc = capture_crc32c(0, table, table->size);
  return 0;
}
