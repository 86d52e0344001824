/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <unistd.h>

#include "profile/base/share.h"
#include "profile/capture/runtime-advice.h"
#include "profile/naming/place-gaps.h"
#include "profile/report/health-private.h"

/* Some names are missing in nearly every recording; an address in place of a name misleads nobody. */
static const ProfileHealthLimits limits = {10, 101};

/* Ends a sentence that begins with "12 % of samples lead through functions without names". */
static const char *describe_reason(ProfileMissingReason reason)
{
  switch (reason) {
  case PROFILE_MISSING_STRIPPED:
    return _("it names only what it exports");
  case PROFILE_MISSING_SYMBOLS:
    return _("it has no symbols");
  case PROFILE_MISSING_UNREADABLE:
    return geteuid() == 0
               ? _("it was another file by then, or others may write it, and root reads no such file")
               : _("it could not be opened, or was another file by then");
  case PROFILE_MISSING_HIDDEN:
    return _("the kernel hid its addresses");
  case PROFILE_MISSING_UNCOVERED:
    return _("its symbols do not cover them");
  default:
    return _("nobody has looked for them yet");
  }
}

static const char *health_names_advise(ProfileCapture *capture, ProfileMissingReason reason)
{
  const char *advice;

  switch (reason) {
  case PROFILE_MISSING_STRIPPED:
  case PROFILE_MISSING_SYMBOLS:
    return _(
        "Install its debug symbols or get them from a debuginfod server (“capturectl symbols”), or build it "
        "without stripping them and record again.");
  case PROFILE_MISSING_UNREADABLE:
    return geteuid() == 0
               ? _("Open the recording as the user to whom the file belongs.")
               : _("Open the recording on the machine where it was made, while the file is still there; or "
                   "record as root.");
  case PROFILE_MISSING_HIDDEN:
    return _("Record through the system service or as root, or show them with “sysctl "
             "kernel.kptr_restrict=0 kernel.perf_event_paranoid=1”.");
  case PROFILE_MISSING_RUN_TIME:
    advice = profile_runtime_advise(capture, PROFILE_RUNTIME_LACKS_NAMES);
    if (advice)
      return advice;
    return _("Let the program tell the names of what it compiles: in a perf map, as “node --perf-basic-prof” "
             "writes it, in a jitdump, or through libcapture.");
  default:
    return NULL;
  }
}

/* A share is of one file: samples that lead through several would count twice in a sum. */
static char *health_names_describe(ProfileMissingReason reason, const char *share,
                                   const ProfileHealthPlaces *places)
{
  g_autofree char *name = NULL, *sentence = NULL;

  if (reason == PROFILE_MISSING_RUN_TIME)
    return g_strdup_printf(_("%s of samples lead through machine code made at run time that has no names."),
                           share);
  name = g_path_get_basename(places->first);
  sentence = g_strdup_printf(_("%s of samples lead through functions without names in %s: %s."), share, name,
                             describe_reason(reason));
  if (places->n == 1)
    return g_steal_pointer(&sentence);
  return g_strdup_printf(ngettext("%s %u other file has the same problem.",
                                  "%s %u other files have the same problem.", places->n - 1),
                         sentence, places->n - 1);
}

/* Entries come with most samples first. */
static void find_reason(ProfileHealth *self, ProfileMissingReason reason)
{
  guint n;
  const ProfileMissingEntry *entries = profile_missing_names_get_entries(self->missing, &n);
  ProfileHealthPlaces places = {NULL};
  ProfileHealthFinding finding = {.subject = PROFILE_HEALTH_NAMES, .what = reason, .of = self->samples};

  for (guint i = 0; i < n; i++) {
    if (entries[i].reason != reason)
      continue;
    if (places.n++ == 0)
      places.first = profile_missing_names_get_binary(self->capture, &entries[i]);
    if (finding.count == 0)
      finding.count = entries[i].samples;
  }
  if (places.n == 0)
    return;
  g_autofree char *share = profile_share_to_string(finding.count, finding.of);
  if (reason != PROFILE_MISSING_NOT_SOUGHT)
    finding.severity = profile_health_judge(finding.count, finding.of, &limits);
  profile_health_add(self, &finding, health_names_describe(reason, share, &places),
                     health_names_advise(self->capture, reason));
}

static void find_outcome(ProfileHealth *self, enum capture_places_outcome outcome)
{
  const ProfileHealthFinding finding = {
      .subject = PROFILE_HEALTH_LINES, .what = outcome, .severity = PROFILE_HEALTH_NOTE};
  char *sentence = profile_place_gaps_describe(self->capture, outcome);

  if (sentence)
    profile_health_add(self, &finding, sentence,
                       outcome == CAPTURE_PLACES_LEFT
                           ? _("Open the recording on the machine where it was made: the rest is read there.")
                           : NULL);
}

void profile_health_find_names(ProfileHealth *self)
{
  for (guint reason = 0; reason < PROFILE_MISSING_REASONS; reason++)
    find_reason(self, reason);
  for (guint outcome = CAPTURE_PLACES_DAMAGED; outcome <= CAPTURE_PLACES_LEFT; outcome++)
    find_outcome(self, outcome);
}
