/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: compare-code [--functions] [--all] FILE…
 *        compare-code --lengths     reads instructions in hexadecimal digits, a line each, from standard
 * input
 *
 * Reads the code of each ELF file as if nothing described it, and compares what is read with the
 * descriptions, at each instruction of which both say something. With --functions each function that has a
 * description is read by itself, else whole sections, in which nobody says where functions begin. A line a
 * file: "file PATH described N read N equal N unsaid N different N misdescribed N"; of instructions that are
 * described, those that were read, those at which both agree, those at which the reader only says less of a
 * register than the description, those at which they contradict each other, and those at which they do so in
 * a function whose description contradicts its own code. The first of the different ones follow, or --all of
 * them: address, what was read, what the table has.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rule-text.h"
#include "unwind/unwind-assembly-private.h"
#include "unwind/unwind-compile.h"

#define SHOWN 8

enum verdict { EQUAL, UNSAID, DIFFERENT, MISDESCRIBED, N_VERDICTS };

struct comparison {
  const struct unwind_table *table;
  const uint8_t *code;
  size_t size;
  uint64_t address;
  size_t at; /* up to here all is compared */
  const struct assembly_state *state;
  bool shows_all;
  char *text;
  size_t text_size;
  FILE *shown;
  uint64_t described;
  uint64_t read;
  uint64_t counts[N_VERDICTS];
  struct unwind_range *misdescribed;
  size_t n_misdescribed;
};

static bool is_value(struct assembly_value value, int32_t offset)
{
  return value.origin == ASSEMBLY_CFA && value.offset == offset;
}

static enum verdict judge_cfa(const struct assembly_state *state, const struct unwind_rule *rule)
{
  struct unwind_rule own = unwind_assembly_rule(state);

  switch (rule->cfa) {
  case UNWIND_CFA_SP:
    if (state->sp.origin != ASSEMBLY_CFA)
      return UNSAID;
    return is_value(state->sp, -rule->cfa_offset) ? EQUAL : DIFFERENT;
  case UNWIND_CFA_FP:
    if (state->fp.origin != ASSEMBLY_CFA)
      return UNSAID;
    return is_value(state->fp, -rule->cfa_offset) ? EQUAL : DIFFERENT;
  case UNWIND_CFA_BASE:
    if (state->base.origin != ASSEMBLY_CFA)
      return UNSAID;
    return is_value(state->base, -rule->cfa_offset) ? EQUAL : DIFFERENT;
  case UNWIND_CFA_SP_DEREF:
  case UNWIND_CFA_FP_DEREF:
    if (own.cfa != rule->cfa)
      return UNSAID;
    return own.cfa_offset == rule->cfa_offset && own.cfa_add == rule->cfa_add ? EQUAL : DIFFERENT;
  default:
    return UNSAID;
  }
}

static enum verdict judge_kept(const struct assembly_kept *kept, unsigned int how, int at)
{
  if (kept->at == 0 && !kept->holds)
    return how == UNWIND_SAVED_UNDEFINED ? EQUAL : UNSAID;
  if (how == UNWIND_SAVED_SAME)
    return kept->holds ? EQUAL : DIFFERENT;
  if (how == UNWIND_SAVED_AT_CFA)
    return kept->holds || kept->at == 8 * at ? EQUAL : DIFFERENT;
  return UNSAID;
}

static enum verdict judge(const struct assembly_state *state, const struct unwind_rule *rule)
{
  enum verdict fp = EQUAL, base = EQUAL, cfa;

  if (UNWIND_SAVED_RA(rule->saved) == UNWIND_SAVED_UNDEFINED)
    return state->is_root ? EQUAL : UNSAID;
  if (state->is_root)
    return DIFFERENT;
  if (UNWIND_SAVED_RA(rule->saved) != UNWIND_SAVED_AT_CFA || rule->ra_at != -1)
    return UNSAID;
  cfa = judge_cfa(state, rule);
  if ((rule->flags & (UNWIND_RULE_FROM_FP | UNWIND_RULE_FROM_SP)) == 0) {
    fp = judge_kept(&state->kept_fp, UNWIND_SAVED_FP(rule->saved), rule->fp_at);
    base = judge_kept(&state->kept_base, UNWIND_SAVED_BASE(rule->saved), rule->base_at);
  }
  fp = fp > base ? fp : base;
  return fp > cfa ? fp : cfa;
}

static void show(struct comparison *comparison, uint64_t address, const struct assembly_state *state,
                 const struct unwind_rule *rule)
{
  struct unwind_rule own = unwind_assembly_rule(state);
  char mine[128], theirs[128];

  if (!comparison->shows_all && comparison->counts[DIFFERENT] > SHOWN)
    return;
  own.operand = 0;
  rule_text(&own, mine, sizeof mine);
  rule_text(rule, theirs, sizeof theirs);
  fprintf(comparison->shown, "  %" PRIx64 ": %s (sp%+d) | %s\n", address, mine, state->sp.offset, theirs);
}

/* By how much an instruction moves rsp, which goes on behind it; 0: it does not, or nobody can tell. */
static int64_t moves_stack(const struct assembly_instruction *instruction)
{
  switch (instruction->kind) {
  case ASSEMBLY_PUSH:
    return -8;
  case ASSEMBLY_POP:
    return instruction->reg == ASSEMBLY_RSP ? 0 : 8;
  case ASSEMBLY_MOVE:
    return instruction->reg == ASSEMBLY_RSP && instruction->base == ASSEMBLY_RSP ? instruction->value : 0;
  default:
    return 0;
  }
}

/* Whether the description counts the CFA from rsp and does not say that an instruction moves that. No reader
 * is asked. */
static bool is_misdescribed(const struct unwind_table *table, const struct unwind_elf *elf,
                            struct unwind_range function)
{
  struct assembly_instruction instruction;
  struct unwind_bytes code;

  if (!unwind_elf_find_address(elf, function.start, &code))
    return false;
  for (uint64_t at = function.start, next; at < function.end; at = next) {
    size_t behind = at - function.start;

    if (behind >= code.size || !assembly_decode(code.bytes + behind, code.size - behind, &instruction))
      return false;
    next = at + instruction.length;
    if (moves_stack(&instruction) == 0 || next >= function.end)
      continue;
    const struct unwind_rule *before = unwind_table_find(table, at), *after = unwind_table_find(table, next);
    if (before->cfa == UNWIND_CFA_SP && after->cfa == UNWIND_CFA_SP &&
        before->cfa_offset - after->cfa_offset != moves_stack(&instruction))
      return true;
  }
  return false;
}

static bool is_in_misdescribed(const struct comparison *comparison, uint64_t address)
{
  for (size_t i = 0; i < comparison->n_misdescribed; i++) {
    if (address >= comparison->misdescribed[i].start && address < comparison->misdescribed[i].end)
      return true;
  }
  return false;
}

static void compare_at(struct comparison *comparison, size_t at)
{
  uint64_t address = comparison->address + at;
  const struct unwind_rule *rule = unwind_table_find(comparison->table, address);
  enum verdict verdict;

  if (rule->cfa == UNWIND_CFA_NONE || (rule->flags & UNWIND_RULE_BY_CODE) != 0)
    return;
  comparison->described++;
  if (!comparison->state || unwind_assembly_rule(comparison->state).cfa == UNWIND_CFA_NONE)
    return;
  comparison->read++;
  verdict = judge(comparison->state, rule);
  if (verdict == DIFFERENT && is_in_misdescribed(comparison, address))
    verdict = MISDESCRIBED;
  comparison->counts[verdict]++;
  if (verdict == DIFFERENT)
    show(comparison, address, comparison->state, rule);
}

static void compare_until(struct comparison *comparison, size_t until)
{
  struct assembly_instruction instruction;

  while (comparison->at < until) {
    compare_at(comparison, comparison->at);
    comparison->at += assembly_decode(comparison->code + comparison->at, until - comparison->at, &instruction)
                          ? instruction.length
                          : 1;
  }
  comparison->at = until;
}

static void hear(void *data, size_t at, const struct assembly_state *state)
{
  struct comparison *comparison = data;

  compare_until(comparison, at);
  comparison->state = state;
}

static void compare_stretch(struct comparison *comparison, struct unwind_assembly *assembly,
                            struct unwind_range range)
{
  struct unwind_bytes code;

  if (!unwind_elf_find_address(assembly->elf, range.start, &code))
    return;
  comparison->code = code.bytes;
  comparison->size = code.size < range.end - range.start ? code.size : range.end - range.start;
  if (comparison->size > ASSEMBLY_STRETCH_MAX)
    comparison->size = ASSEMBLY_STRETCH_MAX;
  comparison->address = range.start;
  comparison->at = 0;
  comparison->state = NULL;
  assembly_read(&assembly->room, comparison->code, comparison->size, range.start, hear, comparison);
  compare_until(comparison, comparison->size);
}

/* Looks which functions are misdescribed, and with `by_functions` compares each. */
static void compare_functions(struct comparison *comparison, struct unwind_assembly *assembly,
                              bool by_functions)
{
  struct unwind_range all = {assembly->sections[0].start, assembly->sections[assembly->n_sections - 1].end};
  struct unwind_source source;
  struct unwind_fde fde;

  if (!unwind_locate_eh_frame(assembly->elf, all, &source))
    return;
  comparison->misdescribed = calloc(source.order.n + 1, sizeof *comparison->misdescribed);
  for (uint32_t i = 0; i < source.order.n; i++) {
    if (!unwind_cfi_read_fde(&source.section, unwind_order_fde(&source.order, i), &fde) ||
        fde.start < all.start || fde.end > all.end)
      continue;
    struct unwind_range function = {fde.start, fde.end};
    if (is_misdescribed(comparison->table, assembly->elf, function))
      comparison->misdescribed[comparison->n_misdescribed++] = function;
    if (by_functions)
      compare_stretch(comparison, assembly, function);
  }
  unwind_source_clear(&source);
}

static int compare_file(const char *path, bool shows_all, bool by_functions)
{
  struct comparison comparison = {.shows_all = shows_all};
  struct unwind_assembly assembly;
  struct unwind_image image = {0};
  struct unwind_elf elf;
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  void *bytes;

  if (fd < 0 || fstat(fd, &st) < 0 ||
      (bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)) == MAP_FAILED)
    return 1;
  close(fd);
  if (unwind_elf_open(&elf, bytes, (size_t)st.st_size, false) < 0 ||
      unwind_compile(bytes, (size_t)st.st_size, &image) < 0)
    return 1;
  comparison.table = image.table;
  comparison.shown = open_memstream(&comparison.text, &comparison.text_size);
  unwind_assembly_open(&assembly, &elf);
  if (assembly.n_sections > 0)
    compare_functions(&comparison, &assembly, by_functions);
  for (uint32_t i = 0; i < assembly.n_sections && !by_functions; i++)
    compare_stretch(&comparison, &assembly, assembly.sections[i]);
  fclose(comparison.shown);
  printf("file %s described %" PRIu64 " read %" PRIu64 " equal %" PRIu64 " unsaid %" PRIu64
         " different %" PRIu64 " misdescribed %" PRIu64 "\n%s",
         path, comparison.described, comparison.read, comparison.counts[EQUAL], comparison.counts[UNSAID],
         comparison.counts[DIFFERENT], comparison.counts[MISDESCRIBED], comparison.text);
  free(comparison.text);
  free(comparison.misdescribed);
  unwind_assembly_clear(&assembly);
  unwind_image_clear(&image);
  munmap(bytes, (size_t)st.st_size);
  return 0;
}

/* Prints how long each instruction is, 0 where it is not known; it stands at the beginning of its line. */
static int print_lengths(void)
{
  struct assembly_instruction instruction;
  char line[128];

  while (fgets(line, sizeof line, stdin)) {
    uint8_t bytes[32];
    unsigned int byte;
    size_t n = 0;

    while (n < sizeof bytes && sscanf(line + 2 * n, "%2x", &byte) == 1)
      bytes[n++] = (uint8_t)byte;
    printf("%d\n", assembly_decode(bytes, n, &instruction) ? instruction.length : 0);
  }
  return 0;
}

int main(int argc, char **argv)
{
  bool shows_all = false, by_functions = false;
  int status = 0;

  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--lengths") == 0)
      return print_lengths();
    if (strcmp(argv[i], "--all") == 0)
      shows_all = true;
    else if (strcmp(argv[i], "--functions") == 0)
      by_functions = true;
    else
      status |= compare_file(argv[i], shows_all, by_functions);
  }
  return status;
}
