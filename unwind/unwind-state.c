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

/* Where a register is stored, and what that is counted from. */
struct saved {
  enum unwind_saved how;
  enum unwind_cfa from; /* UNWIND_CFA_SP or UNWIND_CFA_FP, else the CFA */
  int16_t at;
};

static struct saved find_saved(uint64_t marks, uint64_t from_sp, uint64_t from_fp, unsigned int how,
                               int16_t at)
{
  return (struct saved){.how = how,
                        .from = marks & from_sp   ? UNWIND_CFA_SP
                                : marks & from_fp ? UNWIND_CFA_FP
                                                  : UNWIND_CFA_NONE,
                        .at = at};
}

static void give_up(struct saved *saved)
{
  *saved = (struct saved){.how = UNWIND_SAVED_UNSUPPORTED};
}

/* Counts from the CFA what is counted from the same register as the CFA. */
static void count_from_cfa(const struct unwind_rule *rule, struct saved *saved)
{
  int64_t at = (int64_t)saved->at - rule->cfa_offset / 8;

  if (saved->from == UNWIND_CFA_NONE || saved->from != rule->cfa)
    return;
  if (rule->cfa_offset % 8 != 0 || at != (int16_t)at) {
    give_up(saved);
    return;
  }
  saved->at = (int16_t)at;
  saved->from = UNWIND_CFA_NONE;
}

/* A rule has room to say once where fp and base are counted from. */
static void state_agree(const struct saved *fp, struct saved *base, struct unwind_rule *rule)
{
  bool has_fp = fp->how == UNWIND_SAVED_AT_CFA, has_base = base->how == UNWIND_SAVED_AT_CFA;
  enum unwind_cfa from = has_fp ? fp->from : base->from;

  if (has_fp && has_base && fp->from != base->from)
    give_up(base);
  if (has_fp || has_base)
    rule->flags |= from == UNWIND_CFA_SP   ? UNWIND_RULE_FROM_SP
                   : from == UNWIND_CFA_FP ? UNWIND_RULE_FROM_FP
                                           : 0;
}

struct unwind_state unwind_state_settle(struct unwind_state state)
{
  uint64_t marks = state.high & UNWIND_MARKS;
  struct unwind_rule rule =
      unwind_state_to_rule((struct unwind_state){state.low, state.high & ~UNWIND_MARKS});
  struct saved fp =
      find_saved(marks, UNWIND_FP_FROM_SP, UNWIND_FP_FROM_FP, UNWIND_SAVED_FP(rule.saved), rule.fp_at);
  struct saved base = find_saved(marks, UNWIND_BASE_FROM_SP, UNWIND_BASE_FROM_FP,
                                 UNWIND_SAVED_BASE(rule.saved), rule.base_at);
  struct saved ra = find_saved(marks, UNWIND_RA_FROM_SP, 0, UNWIND_SAVED_RA(rule.saved), rule.ra_at);

  if (is_signal_frame(&rule, marks))
    return unwind_state_from_rule(make_signal_frame(&rule));
  count_from_cfa(&rule, &fp);
  count_from_cfa(&rule, &base);
  count_from_cfa(&rule, &ra);
  if (ra.from != UNWIND_CFA_NONE)
    give_up(&ra);
  state_agree(&fp, &base, &rule);
  rule.saved = UNWIND_SAVED(fp.how, base.how, ra.how);
  rule.fp_at = fp.at;
  rule.base_at = base.at;
  rule.ra_at = ra.at;
  return unwind_state_from_rule(rule);
}
