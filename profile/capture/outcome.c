/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/outcome.h"

#include <glib/gi18n.h>

#include "libcapture/format/capture-outcome-names.h"

static const struct {
  const char *label, *clause;
} words[PROFILE_OUTCOMES] = {
    [CAPTURE_OUTCOME_UNKNOWN] = {N_("Not known"), NULL},
    [CAPTURE_OUTCOME_COMPLETE] = {N_("Complete"), NULL},
    [CAPTURE_OUTCOME_FRAME_POINTERS] = {N_("End not proven"),
                                        N_("follow frame pointers to an end that is not proven")},
    [CAPTURE_OUTCOME_TRUNCATED] = {N_("Deeper than recorded"),
                                   N_("are deeper than what was recorded of them")},
    [CAPTURE_OUTCOME_NO_USER_STACK] = {N_("No user stack"), NULL},
    [CAPTURE_OUTCOME_NO_TABLE] = {N_("No unwind table"), N_("end in code without unwind tables")},
    [CAPTURE_OUTCOME_UNREADABLE] = {N_("Stack not readable"), N_("end where the stack could not be read")},
    [CAPTURE_OUTCOME_NOT_RESIDENT] = {N_("Stack not in memory"), N_("end where the stack was not in memory")},
    [CAPTURE_OUTCOME_BAD_FRAME] = {N_("Frame makes no sense"), N_("end where the next frame makes no sense")},
    [CAPTURE_OUTCOME_UNSUPPORTED] = {N_("Unwind table not understood"),
                                     N_("end in code whose unwind tables are not understood")},
    [CAPTURE_OUTCOME_NO_STACK] = {N_("No stack"), N_("were not recorded at all")},
    [CAPTURE_OUTCOME_LOST] = {N_("Lost on the way"), N_("were found, but lost on the way")},
    [CAPTURE_OUTCOME_LATE] = {N_("Unwind table came late"),
                              N_("end in code whose unwind table was not there in time")},
};

const char *profile_outcome_get_name(enum capture_outcome outcome)
{
  return capture_outcome_names[outcome];
}

const char *profile_outcome_get_label(enum capture_outcome outcome)
{
  return _(words[outcome].label);
}

const char *profile_outcome_get_clause(enum capture_outcome outcome)
{
  return words[outcome].clause ? _(words[outcome].clause) : NULL;
}
