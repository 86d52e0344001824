/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "profile/base/share.h"
#include "profile/report/health-private.h"

const ProfileHealthLimits profile_health_stack_limits = {1, 10};

/* Entries of the ledger of which the same is to be said. */
typedef struct {
  enum capture_outcome outcome;
  const char *advice;
  guint64 samples;
  ProfileHealthPlaces places;
} Group;

static Group *get_group(GArray *groups, enum capture_outcome outcome, const char *advice)
{
  Group group = {.outcome = outcome, .advice = advice};

  for (guint i = 0; i < groups->len; i++) {
    Group *known = &g_array_index(groups, Group, i);
    if (known->outcome == outcome && g_strcmp0(known->advice, advice) == 0)
      return known;
  }
  g_array_append_val(groups, group);
  return &g_array_index(groups, Group, groups->len - 1);
}

/* Entries come with most samples first, so that the first of a group is the one to name. */
static GArray *group_entries(const ProfileHealth *self)
{
  GArray *groups = g_array_new(FALSE, FALSE, sizeof(Group));
  gsize n;
  const ProfileLedgerEntry *entries = profile_ledger_get_entries(self->ledger, &n);

  for (gsize i = 0; i < n; i++) {
    Group *group =
        get_group(groups, entries[i].outcome, profile_ledger_get_advice(self->capture, &entries[i]));
    const char *binary = profile_ledger_get_binary(self->capture, &entries[i]);

    group->samples += entries[i].samples;
    if (!binary || entries[i].binary == PROFILE_LEDGER_NO_FILE)
      continue;
    if (!group->places.first)
      group->places.first = binary;
    group->places.n++;
  }
  return groups;
}

/* Goes on from "12 % of stacks". */
static const char *describe_outcome(enum capture_outcome outcome)
{
  const char *clause = profile_outcome_get_clause(outcome);

  return clause ? clause : _("end for a reason that is not known");
}

/* "libfoo.so", "libfoo.so and 3 other files" */
static char *describe_places(const ProfileHealthPlaces *places)
{
  g_autofree char *name = g_path_get_basename(places->first);

  if (places->n <= 1)
    return g_steal_pointer(&name);
  return g_strdup_printf(ngettext("%s and %u other file", "%s and %u other files", places->n - 1), name,
                         places->n - 1);
}

static char *describe_group(const Group *group, guint64 stacks)
{
  g_autofree char *share = profile_share_to_string(group->samples, stacks);
  g_autofree char *places = NULL;

  if (!group->places.first)
    return g_strdup_printf(_("%s of stacks %s."), share, describe_outcome(group->outcome));
  places = describe_places(&group->places);
  return g_strdup_printf(_("%s of stacks %s, in %s."), share, describe_outcome(group->outcome), places);
}

/* An end that is not proven may well be the right one. */
static ProfileHealthSeverity judge_group(const Group *group, guint64 stacks)
{
  ProfileHealthSeverity severity = profile_health_judge(group->samples, stacks, &profile_health_stack_limits);

  return group->outcome == CAPTURE_OUTCOME_FRAME_POINTERS ? MIN(severity, PROFILE_HEALTH_NOTE) : severity;
}

static void find_partly_proven(ProfileHealth *self)
{
  guint64 partly = profile_ledger_get_by_frame_pointers(self->ledger);
  guint64 complete = profile_ledger_get_samples(self->ledger, CAPTURE_OUTCOME_COMPLETE);
  ProfileHealthFinding finding = {.subject = PROFILE_HEALTH_STACKS,
                                  .what = CAPTURE_OUTCOME_COMPLETE,
                                  .severity = PROFILE_HEALTH_GOOD,
                                  .count = partly,
                                  .of = complete};

  if (partly == 0)
    return;
  g_autofree char *share = profile_share_to_string(partly, complete);
  profile_health_add(
      self, &finding,
      g_strdup_printf(_("%s of complete stacks lead through code without unwind tables, by its "
                        "instructions or by frame pointers."),
                      share),
      _("A function there that keeps no frame pointer may be missing from them."));
}

void profile_health_find_stacks(ProfileHealth *self)
{
  guint64 stacks = profile_ledger_get_stacks(self->ledger);
  g_autoptr(GArray) groups = group_entries(self);

  for (guint i = 0; i < groups->len; i++) {
    const Group *group = &g_array_index(groups, Group, i);
    ProfileHealthFinding finding = {.subject = PROFILE_HEALTH_STACKS,
                                    .what = group->outcome,
                                    .severity = judge_group(group, stacks),
                                    .count = group->samples,
                                    .of = stacks};
    profile_health_add(self, &finding, describe_group(group, stacks), group->advice);
  }
  find_partly_proven(self);
}
