/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Go programs. The runtime walks its stacks by .gopclntab alone, and so do we: .debug_frame, where it was not
 * left out, says less, neither which functions are roots nor where a frame pointer was saved.
 */
#include "unwind/unwind-known-private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/unwind-go.h"

/* Steps of stack deltas that are read: a damaged table may name the same ones many times. */
#define STEPS_A_BYTE 4

/* From the stack pointer to struct sigcontext, where a signal's handler returns to. */
#define SIGCONTEXT 40

struct maker {
  const struct unwind_elf *elf;
  struct unwind_go go;
  struct unwind_known *known;
  uint32_t n;
  uint32_t capacity;
  uint64_t steps; /* that may still be read */
};

static bool maker_add(struct maker *maker, uint64_t start, uint64_t end, struct unwind_rule rule)
{
  if (start >= end)
    return true;
  if (maker->n == maker->capacity) {
    uint32_t capacity = 2 * maker->capacity + 1024;
    struct unwind_known *grown = realloc(maker->known, capacity * sizeof *grown);

    if (!grown)
      return false;
    maker->known = grown;
    maker->capacity = capacity;
  }
  maker->known[maker->n++] = (struct unwind_known){{start, end}, unwind_state_from_rule(rule)};
  return true;
}

static bool begins_with(const struct unwind_go_function *function, const char *name)
{
  size_t length = strlen(name);

  return function->name.length >= length && memcmp(function->name.text, name, length) == 0;
}

static bool is_named(const struct unwind_go_function *function, const char *name)
{
  return function->name.length == strlen(name) && begins_with(function, name);
}

/* mcall leaves a goroutine for good and begins on the scheduler's stack. A handler of signals has been called
 * by the kernel, whatever the flag says: what it interrupted comes next. */
static bool is_root(const struct maker *maker, const struct unwind_go_function *function)
{
  if (is_named(function, "runtime.mcall"))
    return true;
  return function->start == maker->elf->entry ||
         (function->flags & UNWIND_GO_TOP && !begins_with(function, "runtime.sigtramp") &&
          !begins_with(function, "runtime.cgoSigtramp"));
}

/* The frame pointer is stored below the return address. Go keeps no other register. */
static struct unwind_rule rule_at(uint16_t machine, int32_t bytes)
{
  struct unwind_rule rule = {.cfa = UNWIND_CFA_SP};
  int16_t words = (int16_t)(bytes / 8);

  if (bytes < 0 || bytes % 8 != 0)
    return (struct unwind_rule){0};
  if (machine == EM_X86_64) {
    rule.cfa_offset = bytes + 8;
    rule.ra_at = -1;
    rule.fp_at = bytes > 0 ? -2 : 0;
    rule.saved = UNWIND_SAVED(bytes > 0 ? UNWIND_SAVED_AT_CFA : UNWIND_SAVED_SAME, UNWIND_SAVED_UNDEFINED,
                              UNWIND_SAVED_AT_CFA);
    return rule;
  }
  rule.cfa_offset = bytes;
  if (bytes == 0)
    return rule;
  if (bytes / 8 > INT16_MAX)
    return (struct unwind_rule){0};
  rule.ra_at = (int16_t)-words;
  rule.fp_at = (int16_t)(-words - 1);
  rule.saved = UNWIND_SAVED(UNWIND_SAVED_AT_CFA, UNWIND_SAVED_UNDEFINED, UNWIND_SAVED_AT_CFA);
  return rule;
}

/* What is called on another stack leaves the frame pointer alone, so it is that of the frame before. */
static const struct unwind_rule switching = {
    .cfa = UNWIND_CFA_FP_ELSEWHERE,
    .cfa_offset = 16,
    .fp_at = -2,
    .ra_at = -1,
    .saved = UNWIND_SAVED(UNWIND_SAVED_AT_CFA, UNWIND_SAVED_UNDEFINED, UNWIND_SAVED_AT_CFA)};

static const struct unwind_rule signalled = {
    .cfa = UNWIND_CFA_SIGNAL, .cfa_offset = SIGCONTEXT, .flags = UNWIND_RULE_SIGNAL};

static bool add_deltas(struct maker *maker, const struct unwind_go_function *function)
{
  struct unwind_go_step step;

  for (unwind_go_begin(&maker->go, function, function->deltas, &step);
       maker->steps > 0 && unwind_go_next(&maker->go, &step) && step.start < function->end; maker->steps--) {
    if (!maker_add(maker, step.start, step.end < function->end ? step.end : function->end,
                   rule_at(maker->elf->machine, step.value)))
      return false;
  }
  return true;
}

/* The handler returns to the very beginning of sigreturn, where it is looked up one byte before. */
static bool add_signal_return(struct maker *maker, const struct unwind_go_function *function)
{
  if (maker->n > 0 && maker->known[maker->n - 1].range.end == function->start)
    maker->known[maker->n - 1].range.end--;
  return maker_add(maker, function->start - 1, function->end, signalled);
}

static bool add_go_function(struct maker *maker, const struct unwind_go_function *function)
{
  bool is_x86_64 = maker->elf->machine == EM_X86_64;

  if (is_root(maker, function))
    return maker_add(maker, function->start, function->end, unwind_known_root);
  if (is_x86_64 && (is_named(function, "runtime.sigreturn") || begins_with(function, "runtime.sigreturn__")))
    return add_signal_return(maker, function);
  if (function->flags & UNWIND_GO_SWITCH)
    return !is_x86_64 || maker_add(maker, function->start, function->end, switching);
  return add_deltas(maker, function);
}

static bool is_in_range(const struct unwind_range *ranges, uint32_t n_ranges, uint64_t start, uint64_t end)
{
  for (uint32_t i = 0; i < n_ranges; i++)
    if (start >= ranges[i].start && end <= ranges[i].end)
      return true;
  return false;
}

int unwind_known_find_go(const struct unwind_elf *elf, const struct unwind_range *ranges, uint32_t n_ranges,
                         struct unwind_known **ret, uint32_t *ret_n)
{
  struct maker maker = {.elf = elf};
  struct unwind_go_function function;
  uint64_t end = 0;

  *ret = NULL;
  *ret_n = 0;
  if (!unwind_go_open(&maker.go, elf->bytes, elf->size))
    return 0;
  maker.steps = STEPS_A_BYTE * maker.go.table.size;
  for (uint32_t i = 0; i < maker.go.n && unwind_go_read(&maker.go, i, &function); i++) {
    if (function.start < end || !is_in_range(ranges, n_ranges, function.start, function.end))
      break;
    end = function.end;
    if (!add_go_function(&maker, &function)) {
      free(maker.known);
      return -ENOMEM;
    }
  }
  *ret = maker.known;
  *ret_n = maker.n;
  return 0;
}
