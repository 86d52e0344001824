/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rule-text.h"

#include <inttypes.h>
#include <stdio.h>

static void saved_text(unsigned int saved, int at, char origin, char *text, size_t size)
{
  static const char *const names[] = {"same", "", "undefined", "unsupported"};

  if (saved == UNWIND_SAVED_AT_CFA)
    snprintf(text, size, "%c%+d", origin, 8 * at);
  else if (saved == UNWIND_SAVED_IN_REGISTER)
    snprintf(text, size, "r%d", at);
  else
    snprintf(text, size, "%s", names[saved & 3]);
}

static void cfa_text(const struct unwind_rule *rule, char *text, size_t size)
{
  static const char *const names[] = {"none",     "sp",  "fp",     "base",        "register", "sp-deref",
                                      "fp-deref", "plt", "signal", "unsupported", "clone",    "fp-elsewhere"};
  char operand[8] = "", added[12] = "";

  if (rule->cfa == UNWIND_CFA_REGISTER || rule->cfa == UNWIND_CFA_PLT || rule->cfa == UNWIND_CFA_CLONE)
    snprintf(operand, sizeof operand, "/%u", rule->operand);
  if (rule->cfa_add != 0)
    snprintf(added, sizeof added, "%+d", rule->cfa_add);
  snprintf(text, size, "%s%+" PRId32 "%s%s", names[rule->cfa], rule->cfa_offset, operand, added);
}

void rule_text(const struct unwind_rule *rule, char *text, size_t size)
{
  char origin = rule->flags & UNWIND_RULE_FROM_FP ? 'f' : rule->flags & UNWIND_RULE_FROM_SP ? 's' : 'c';
  char cfa[48], fp[16], base[16], ra[16];

  cfa_text(rule, cfa, sizeof cfa);
  saved_text(UNWIND_SAVED_FP(rule->saved), rule->fp_at, origin, fp, sizeof fp);
  saved_text(UNWIND_SAVED_BASE(rule->saved), rule->base_at, origin, base, sizeof base);
  saved_text(UNWIND_SAVED_RA(rule->saved), rule->ra_at, 'c', ra, sizeof ra);
  snprintf(text, size, "%s %s %s %s %u", cfa, fp, base, ra, rule->flags);
}
