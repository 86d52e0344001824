/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "unwind/unwind-state-private.h"

/* Where r8 stands in a signal frame, seen from rsp's, rbp's, rbx's and rip's places, in words: struct
 * sigcontext. */
#define SIGNAL_FP   10
#define SIGNAL_BASE 11
#define SIGNAL_SP   15
#define SIGNAL_IP   16

/* The C library's way back from a signal handler: everything is restored from the kernel's signal frame. */
static bool is_signal_frame(const struct unwind_rule *rule, uint64_t marks)
{
  int64_t at = rule->cfa_offset / 8 - SIGNAL_SP;

  return rule->cfa == UNWIND_CFA_SP_DEREF && rule->cfa_add == 0 && rule->cfa_offset % 8 == 0 &&
         (marks & UNWIND_MARKS) == (UNWIND_FP_FROM_SP | UNWIND_BASE_FROM_SP | UNWIND_RA_FROM_SP) &&
         rule->saved == UNWIND_SAVED(UNWIND_SAVED_AT_CFA, UNWIND_SAVED_AT_CFA, UNWIND_SAVED_AT_CFA) &&
         rule->fp_at == at + SIGNAL_FP && rule->base_at == at + SIGNAL_BASE && rule->ra_at == at + SIGNAL_IP;
}

static struct unwind_rule make_signal_frame(const struct unwind_rule *rule)
{
  return (struct unwind_rule){
      .cfa = UNWIND_CFA_SIGNAL, .cfa_offset = rule->cfa_offset - 8 * SIGNAL_SP, .flags = UNWIND_RULE_SIGNAL};
}

/* What is at register + 8 × *at is at CFA + 8 × *at - distance, if the CFA counts from that register. */
static enum unwind_saved count_from_cfa(const struct unwind_rule *rule, enum unwind_cfa from, int16_t *at)
{
  int64_t moved = (int64_t)*at - rule->cfa_offset / 8;

  if (rule->cfa != from || rule->cfa_offset % 8 != 0 || moved != (int16_t)moved) {
    *at = 0;
    return UNWIND_SAVED_UNSUPPORTED;
  }
  *at = (int16_t)moved;
  return UNWIND_SAVED_AT_CFA;
}

/* fp and base are counted from the same, or base is not known. */
static void settle_from_fp(struct unwind_rule *rule, uint64_t marks, enum unwind_saved *fp,
                           enum unwind_saved *base)
{
  bool fp_stored = *fp == UNWIND_SAVED_AT_CFA;
  bool base_stored = *base == UNWIND_SAVED_AT_CFA;

  if (rule->cfa == UNWIND_CFA_FP) {
    if (marks & UNWIND_FP_FROM_FP)
      *fp = count_from_cfa(rule, UNWIND_CFA_FP, &rule->fp_at);
    if (marks & UNWIND_BASE_FROM_FP)
      *base = count_from_cfa(rule, UNWIND_CFA_FP, &rule->base_at);
    return;
  }
  if (fp_stored && base_stored && !(marks & UNWIND_FP_FROM_FP) != !(marks & UNWIND_BASE_FROM_FP)) {
    *base = UNWIND_SAVED_UNSUPPORTED;
    rule->base_at = 0;
    base_stored = false;
  }
  if ((fp_stored && marks & UNWIND_FP_FROM_FP) || (base_stored && marks & UNWIND_BASE_FROM_FP))
    rule->flags |= UNWIND_RULE_FROM_FP;
}

struct unwind_state unwind_state_settle(struct unwind_state state)
{
  uint64_t marks = state.high & UNWIND_MARKS;
  struct unwind_rule rule =
      unwind_state_to_rule((struct unwind_state){state.low, state.high & ~UNWIND_MARKS});
  enum unwind_saved fp = UNWIND_SAVED_FP(rule.saved), base = UNWIND_SAVED_BASE(rule.saved),
                    ra = UNWIND_SAVED_RA(rule.saved);

  if (is_signal_frame(&rule, marks))
    return unwind_state_from_rule(make_signal_frame(&rule));
  if (marks & UNWIND_FP_FROM_SP)
    fp = count_from_cfa(&rule, UNWIND_CFA_SP, &rule.fp_at);
  if (marks & UNWIND_BASE_FROM_SP)
    base = count_from_cfa(&rule, UNWIND_CFA_SP, &rule.base_at);
  if (marks & UNWIND_RA_FROM_SP)
    ra = count_from_cfa(&rule, UNWIND_CFA_SP, &rule.ra_at);
  settle_from_fp(&rule, marks, &fp, &base);
  rule.saved = UNWIND_SAVED(fp, base, ra);
  return unwind_state_from_rule(rule);
}
