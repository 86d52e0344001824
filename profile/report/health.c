/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/report/health.h"

#include <glib/gi18n.h>
#include <inttypes.h>

#include "profile/base/share.h"
#include "profile/capture/ended.h"
#include "profile/capture/span.h"
#include "profile/report/health-private.h"

/* Of damaged places and of messages; a broken file has thousands. */
enum { SENTENCES_MAX = 20 };

/* A lost sample is missing from all that is shown. */
static const ProfileHealthLimits loss_limits = {0, 1};

static void clear_finding(gpointer data)
{
  ProfileHealthFinding *finding = data;

  g_free(finding->sentence);
  g_free(finding->advice);
}

void profile_health_add(ProfileHealth *self, const ProfileHealthFinding *finding, char *sentence,
                        const char *advice)
{
  ProfileHealthFinding added = *finding;

  added.sentence = sentence;
  added.advice = g_strdup(advice);
  g_array_append_val(self->findings, added);
  self->severity = MAX(self->severity, added.severity);
}

ProfileHealthSeverity profile_health_judge(guint64 part, guint64 whole, const ProfileHealthLimits *limits)
{
  double percent = profile_ledger_get_percent(part, whole);

  return percent >= limits->warning ? PROFILE_HEALTH_WARNING
         : percent >= limits->note  ? PROFILE_HEALTH_NOTE
                                    : PROFILE_HEALTH_GOOD;
}

static void find_damage(ProfileHealth *self)
{
  const char *const *problem = profile_capture_get_problems(self->capture);
  guint n = 0;

  for (; problem[n]; n++)
    if (n < SENTENCES_MAX) {
      ProfileHealthFinding finding = {.subject = PROFILE_HEALTH_DAMAGE, .severity = PROFILE_HEALTH_WARNING};
      profile_health_add(self, &finding, g_strdup(problem[n]),
                         _("The intact part is shown. “capturectl check” describes the damage."));
    }
  if (n > SENTENCES_MAX) {
    ProfileHealthFinding finding = {
        .subject = PROFILE_HEALTH_DAMAGE, .severity = PROFILE_HEALTH_WARNING, .count = n};
    profile_health_add(self, &finding, g_strdup_printf(_("There are %u damaged places in all."), n), NULL);
  }
}

static void find_end(ProfileHealth *self)
{
  ProfileHealthFinding finding = {.subject = PROFILE_HEALTH_ENDED, .severity = PROFILE_HEALTH_WARNING};
  struct capture_file_header header;
  g_autofree char *end = NULL;

  profile_capture_get_header(self->capture, &header);
  end = profile_ended_describe(&header.ended);
  finding.what = header.ended.reason;
  switch (header.ended.reason) {
  case CAPTURE_END_NONE:
    finding.severity = PROFILE_HEALTH_NOTE;
    profile_health_add(self, &finding, g_strdup_printf(_("The recording is %s."), end), NULL);
    break;
  case CAPTURE_END_OUTPUT:
    profile_health_add(self, &finding, g_strdup_printf(_("The recording broke off: %s."), end),
                       _("Make room on the disk, and record again."));
    break;
  case CAPTURE_END_RECORDER_DIED:
  case CAPTURE_END_FAILED:
    profile_health_add(self, &finding, g_strdup_printf(_("The recording broke off: %s."), end),
                       _("What was sampled until then is there."));
    break;
  default:
    break;
  }
}

static guint64 count_losses(const ProfileHealth *self, guint32 reason)
{
  gsize n;
  const ProfileLoss *losses = profile_capture_get_losses(self->capture, &n);
  guint64 lost = 0;

  for (gsize i = 0; i < n; i++)
    if (losses[i].reason == reason)
      lost += losses[i].samples + losses[i].records;
  return lost;
}

static char *describe_loss(guint32 reason, guint64 n)
{
  switch (reason) {
  case CAPTURE_LOST_RING:
    return g_strdup_printf(ngettext("%" PRIu64 " sample was lost because the kernel’s buffer was full.",
                                    "%" PRIu64 " samples were lost because the kernel’s buffer was full.", n),
                           n);
  case CAPTURE_LOST_WINDOWS:
    return g_strdup_printf(
        ngettext("%" PRIu64 " sample was lost because the file was not written fast enough.",
                 "%" PRIu64 " samples were lost because the file was not written fast enough.", n),
        n);
  case CAPTURE_LOST_DAMAGED:
    return g_strdup_printf(ngettext("%" PRIu64 " sample was lost because it could not be understood.",
                                    "%" PRIu64 " samples were lost because they could not be understood.", n),
                           n);
  default:
    return g_strdup_printf(ngettext("%" PRIu64 " sample was lost.", "%" PRIu64 " samples were lost.", n), n);
  }
}

static const char *advise_on_loss(guint32 reason)
{
  switch (reason) {
  case CAPTURE_LOST_RING:
    return _("Record at a lower frequency, or allow larger buffers with “sysctl "
             "kernel.perf_event_mlock_kb=2048”.");
  case CAPTURE_LOST_WINDOWS:
    return _("Record to a faster disk, or at a lower frequency.");
  default:
    return _("Record it anew with this version.");
  }
}

/* Reasons that this version does not know are one. */
static void find_losses(ProfileHealth *self)
{
  guint64 rest = self->lost;

  for (guint32 reason = CAPTURE_LOST_RING; reason <= CAPTURE_LOST_DAMAGED + 1; reason++) {
    gboolean known = reason <= CAPTURE_LOST_DAMAGED;
    guint64 lost = known ? count_losses(self, reason) : rest;
    ProfileHealthFinding finding = {.subject = PROFILE_HEALTH_LOSS, .what = reason, .count = lost};

    if (lost == 0)
      continue;
    rest -= lost;
    finding.of = self->samples + self->lost;
    finding.severity = profile_health_judge(lost, finding.of, &loss_limits);
    profile_health_add(self, &finding, describe_loss(reason, lost), advise_on_loss(reason));
  }
}

static void find_throttling(ProfileHealth *self)
{
  guint64 n = profile_capture_get_n_throttled(self->capture);
  ProfileHealthFinding finding = {
      .subject = PROFILE_HEALTH_THROTTLED, .severity = PROFILE_HEALTH_NOTE, .count = n};

  if (n > 0)
    profile_health_add(
        self, &finding,
        g_strdup_printf(
            ngettext("The kernel paused sampling once, because it took too much time.",
                     "The kernel paused sampling %" PRIu64 " times, because it took too much time.", n),
            n),
        _("What ran during the pauses was not sampled: record at a lower frequency."));
}

static void find_emptiness(ProfileHealth *self)
{
  ProfileHealthFinding finding = {.subject = PROFILE_HEALTH_EMPTY, .severity = PROFILE_HEALTH_NOTE};

  if (self->samples == 0)
    profile_health_add(
        self, &finding, g_strdup(_("The recording holds no samples.")),
        _("What was recorded did not run on a processor: record for longer, or record time off the CPU "
          "too."));
}

static ProfileHealthSeverity get_message_severity(const ProfileHealth *self, guint message)
{
  guint32 severity = profile_capture_get_message_severity(self->capture, message);

  return severity <= 3 ? PROFILE_HEALTH_WARNING : severity == 4 ? PROFILE_HEALTH_NOTE : PROFILE_HEALTH_GOOD;
}

/* One sentence stands for those that are too many, as bad as the worst of them. */
static void find_messages(ProfileHealth *self)
{
  const char *const *messages = profile_capture_get_messages(self->capture);
  ProfileHealthFinding rest = {
      .subject = PROFILE_HEALTH_MESSAGE, .what = SENTENCES_MAX, .severity = PROFILE_HEALTH_GOOD};
  guint n = 0;

  for (; messages[n]; n++) {
    ProfileHealthFinding finding = {
        .subject = PROFILE_HEALTH_MESSAGE, .what = n, .severity = get_message_severity(self, n)};
    if (n < SENTENCES_MAX)
      profile_health_add(self, &finding, g_strdup(messages[n]), NULL);
    else
      rest.severity = MAX(rest.severity, finding.severity);
  }
  if (n > SENTENCES_MAX)
    profile_health_add(self, &rest, g_strdup_printf(_("There are %u messages in all."), n),
                       _("“capturectl info” shows all of them."));
}

static char *summarize_losses(const ProfileHealth *self, const char *lost)
{
  return self->lost ? g_strdup_printf(_("%s of samples were lost."), lost)
                    : g_strdup(_("No sample was lost."));
}

/* Stacks that follow frame pointers throughout are no worse for having no proof of their end. */
static char *health_summarize(const ProfileHealth *self)
{
  guint64 stacks = profile_ledger_get_stacks(self->ledger);
  guint64 proven = profile_ledger_get_samples(self->ledger, CAPTURE_OUTCOME_COMPLETE);
  guint64 unproven = profile_ledger_get_samples(self->ledger, CAPTURE_OUTCOME_FRAME_POINTERS);
  g_autofree char *most = profile_share_to_string(MAX(proven, unproven), stacks);
  g_autofree char *lost = profile_share_to_string(self->lost, self->samples + self->lost);

  if (self->samples == 0)
    return g_strdup(_("The recording holds no samples."));
  if (stacks == 0)
    return summarize_losses(self, lost);
  if (unproven > proven)
    return self->lost ? g_strdup_printf(_("%s of stacks follow frame pointers to an end that is not proven, "
                                          "and %s of samples were lost."),
                                        most, lost)
                      : g_strdup_printf(_("%s of stacks follow frame pointers to an end that is not proven, "
                                          "and no sample was lost."),
                                        most);
  return self->lost
             ? g_strdup_printf(_("%s of stacks are complete, and %s of samples were lost."), most, lost)
             : g_strdup_printf(_("%s of stacks are complete, and no sample was lost."), most);
}

static int compare_findings(const void *a, const void *b)
{
  const ProfileHealthFinding *left = a, *right = b;

  if (left->severity != right->severity)
    return left->severity > right->severity ? -1 : 1;
  if (left->subject != right->subject)
    return left->subject < right->subject ? -1 : 1;
  if (left->count != right->count)
    return left->count > right->count ? -1 : 1;
  return left->what < right->what ? -1 : left->what > right->what;
}

/* Many small reasons may come to much. */
static ProfileHealthSeverity judge_sums(const ProfileHealth *self)
{
  guint64 stacks = profile_ledger_get_stacks(self->ledger);
  guint64 sound = profile_ledger_get_samples(self->ledger, CAPTURE_OUTCOME_COMPLETE) +
                  profile_ledger_get_samples(self->ledger, CAPTURE_OUTCOME_FRAME_POINTERS);

  return MAX(profile_health_judge(stacks - sound, stacks, &profile_health_stack_limits),
             self->lost ? profile_health_judge(self->lost, self->samples + self->lost, &loss_limits)
                        : PROFILE_HEALTH_GOOD);
}

ProfileHealth *profile_health_new(ProfileCapture *capture)
{
  ProfileHealth *self = g_new0(ProfileHealth, 1);
  guint n;
  const ProfileEvent *events = profile_capture_get_events(capture, &n);

  g_atomic_ref_count_init(&self->references);
  self->capture = g_object_ref(capture);
  self->ledger = profile_ledger_new(capture);
  self->missing = profile_missing_names_new(capture);
  self->lost = profile_capture_get_n_lost(capture);
  for (guint i = 0; i < n; i++)
    self->samples += events[i].n_samples;
  self->findings = g_array_new(FALSE, FALSE, sizeof(ProfileHealthFinding));
  g_array_set_clear_func(self->findings, clear_finding);
  find_damage(self);
  find_end(self);
  find_losses(self);
  find_throttling(self);
  find_emptiness(self);
  profile_health_find_stacks(self);
  profile_health_find_names(self);
  find_messages(self);
  g_array_sort(self->findings, compare_findings);
  self->severity = MAX(self->severity, judge_sums(self));
  self->summary = health_summarize(self);
  return self;
}

ProfileHealth *profile_health_ref(ProfileHealth *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_health_unref(ProfileHealth *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  g_array_unref(self->findings);
  profile_ledger_free(self->ledger);
  profile_missing_names_free(self->missing);
  g_object_unref(self->capture);
  g_free(self->summary);
  g_free(self);
}

ProfileCapture *profile_health_get_capture(const ProfileHealth *self)
{
  return self->capture;
}

ProfileHealthSeverity profile_health_get_severity(const ProfileHealth *self)
{
  return self->severity;
}

const char *profile_health_get_summary(const ProfileHealth *self)
{
  return self->summary;
}

const ProfileHealthFinding *profile_health_get_findings(const ProfileHealth *self, guint *n)
{
  *n = self->findings->len;
  return (const ProfileHealthFinding *)self->findings->data;
}

guint64 profile_health_get_n_samples(const ProfileHealth *self)
{
  return self->samples;
}

const ProfileLedger *profile_health_get_ledger(const ProfileHealth *self)
{
  return self->ledger;
}

const ProfileMissingNames *profile_health_get_missing_names(const ProfileHealth *self)
{
  return self->missing;
}

guint64 *profile_health_make_losses(const ProfileHealth *self, guint n, guint64 *ret_first, guint64 *ret_end)
{
  guint64 first, end, *bins;
  gsize n_losses;
  const ProfileLoss *losses = profile_capture_get_losses(self->capture, &n_losses);

  if (n_losses == 0 || n == 0)
    return NULL;
  profile_span_get(self->capture, &first, &end);
  for (gsize i = 0; i < n_losses; i++) {
    first = MIN(first, losses[i].time);
    end = MAX(end, MIN(losses[i].time, G_MAXUINT64 - 1) + 1);
  }
  bins = g_new0(guint64, n);
  for (gsize i = 0; i < n_losses; i++) {
    double at = (double)(losses[i].time - first) / (double)(end - first);
    bins[MIN((guint)(at * n), n - 1)] += losses[i].samples + losses[i].records;
  }
  *ret_first = first;
  *ret_end = end;
  return bins;
}
