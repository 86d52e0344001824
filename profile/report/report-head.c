/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands above the tables of a report, and the cells that all of them have. */
#include <glib/gi18n.h>
#include <inttypes.h>
#include <string.h>

#include "profile/base/amount.h"
#include "profile/base/printable.h"
#include "profile/capture/ledger.h"
#include "profile/naming/place-gaps.h"
#include "profile/report/report-private.h"

enum { FACT_WIDTH = 10 };

/* Printed by hand, since long lists have hundreds of thousands of cells. */
void profile_report_append_share(GString *out, guint64 part, guint64 whole)
{
  double percent = whole ? 100.0 * (double)part / (double)whole : 0;
  /* Sums of a damaged capture wrap: parts may be more than the whole. */
  guint hundredths = (guint)(MIN(percent, 999999) * 100 + 0.5);
  char cell[16];
  guint i = sizeof cell;

  cell[--i] = '%';
  cell[--i] = '0' + hundredths % 10;
  cell[--i] = '0' + hundredths / 10 % 10;
  cell[--i] = '.';
  hundredths /= 100;
  do
    cell[--i] = '0' + hundredths % 10;
  while (hundredths /= 10);
  while (sizeof cell - i < PROFILE_REPORT_SHARE_WIDTH)
    cell[--i] = ' ';
  g_string_append_len(out, cell + i, sizeof cell - i);
}

void profile_report_append_cell(GString *out, const char *text, glong wanted)
{
  for (glong width = MIN(g_utf8_strlen(text, -1), wanted - 1); width < wanted; width++)
    g_string_append_c(out, ' ');
  g_string_append(out, text);
}

const char *profile_report_get_amount_title(const ProfileWeights *weights)
{
  switch (profile_weights_get_unit(weights)) {
  case CAPTURE_UNIT_NANOSECONDS:
    return _("Time");
  case CAPTURE_UNIT_BYTES:
    return _("Bytes");
  default:
    return _("Samples");
  }
}

void profile_report_append_line(GString *out, const char *text)
{
  profile_printable_append(out, text);
  g_string_append_c(out, '\n');
}

void profile_report_append_fact(GString *out, const char *what, const char *value)
{
  g_string_append(out, what);
  for (glong width = MIN(g_utf8_strlen(what, -1), FACT_WIDTH - 1); width < FACT_WIDTH; width++)
    g_string_append_c(out, ' ');
  profile_report_append_line(out, value);
}

/* So that nobody takes the first event's section for all there is. */
static void append_names_of_events(ProfileCapture *capture, const GArray *events, GString *out)
{
  g_autoptr(GString) names = g_string_new(NULL);
  guint n;
  const ProfileEvent *all = profile_capture_get_events(capture, &n);

  for (guint i = 0; i < events->len; i++)
    g_string_append_printf(names, "%s%s", i > 0 ? ", " : "", all[g_array_index(events, guint, i)].name);
  profile_report_append_fact(out, _("Events"), names->str);
}

/* What is whole is no news. */
static void append_stacks(ProfileCapture *capture, GString *out)
{
  g_autoptr(ProfileLedger) ledger = profile_ledger_new(capture);
  gsize n;

  profile_ledger_get_entries(ledger, &n);
  if (n == 0 && profile_ledger_get_by_frame_pointers(ledger) == 0)
    return;
  g_autofree char *summary = profile_ledger_summarize(ledger);
  g_autofree char *line = g_strdup_printf(_("%s; “capturectl info” says why"), summary);
  profile_report_append_fact(out, _("Stacks"), line);
}

static void append_gaps(ProfileCapture *capture, GString *out)
{
  g_auto(GStrv) gaps = profile_place_gaps_list(capture);

  for (guint i = 0; gaps[i]; i++)
    profile_report_append_fact(out, _("Lines"), gaps[i]);
}

void profile_report_append_head(const ProfileReport *self, const GArray *events, GString *out)
{
  ProfileCapture *capture = profile_report_get_capture(self);
  g_autofree char *duration =
      g_strdup_printf(_("%.3f seconds"), (double)profile_capture_get_duration(capture) / 1e9);
  guint64 lost = profile_capture_get_n_lost(capture);

  profile_report_append_fact(out, _("Capture"), self->path);
  if (profile_capture_get_metadata(capture, "command"))
    profile_report_append_fact(out, _("Command"), profile_capture_get_metadata(capture, "command"));
  profile_report_append_fact(out, _("Duration"), duration);
  if (events->len > 1)
    append_names_of_events(capture, events, out);
  if (lost > 0) {
    g_autofree char *losses =
        g_strdup_printf(ngettext("%" PRIu64 " sample: what follows is incomplete",
                                 "%" PRIu64 " samples: what follows is incomplete", lost),
                        lost);
    profile_report_append_fact(out, _("Lost"), losses);
  }
  append_stacks(capture, out);
  append_gaps(capture, out);
}

void profile_report_append_event_head(const ProfileWeights *weights, GString *out)
{
  enum capture_unit unit = profile_weights_get_unit(weights);
  ProfileWeight sum = profile_weights_get_sum(weights);
  const ProfileEvent *event = profile_capture_get_event(
      profile_weights_get_capture(weights), profile_filter_get_event(profile_weights_get_filter(weights)));
  g_autofree char *line = g_strdup_printf(_("%" PRIu64 " of %s"), sum.count, event->name);

  profile_report_append_fact(out, _("Samples"), line);
  if (unit != CAPTURE_UNIT_COUNT) {
    g_autofree char *amount = profile_amount_to_string(unit, sum.weight);
    g_autofree char *all = g_strdup_printf(_("%s, of all threads together"), amount);
    profile_report_append_fact(out, profile_report_get_amount_title(weights), all);
  }
}
