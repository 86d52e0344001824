/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>

#include "capturectl/capturectl-report-private.h"
#include "profile/profile-duration.h"

enum { CELL_WIDTH = 10 };

/* Names come from files: what would move the cursor or hide text is not passed on. */
static void append_name(GString *out, const char *name)
{
  for (const char *c = name; *c; c++)
    g_string_append_c(out, (guchar)*c < 0x20 || *c == 0x7f ? '?' : *c);
}

static void append_cell(GString *out, const char *text)
{
  for (glong width = g_utf8_strlen(text, -1); width < CELL_WIDTH; width++)
    g_string_append_c(out, ' ');
  g_string_append(out, text);
}

/* Blank for marks that have no duration. */
static void append_duration(GString *out, const ProfileMarkRow *row, guint64 nanoseconds)
{
  g_autofree char *text = row->spans > 0 ? profile_duration_to_string(nanoseconds) : g_strdup("");

  append_cell(out, text);
}

static void append_row(GString *out, const ProfileMarkRow *row)
{
  g_autofree char *count = g_strdup_printf("%" G_GUINT64_FORMAT, row->count);

  append_cell(out, count);
  append_duration(out, row, row->total);
  append_duration(out, row, row->median);
  append_duration(out, row, row->p95);
  append_duration(out, row, row->max);
  g_string_append(out, "  ");
  if (*row->category) {
    append_name(out, row->category);
    g_string_append(out, ": ");
  }
  append_name(out, row->name);
  if (row->unfinished > 0)
    g_string_append_printf(out, _(" (%" G_GUINT64_FORMAT " not ended)"), row->unfinished);
  g_string_append_c(out, '\n');
}

void capturectl_report_marks_text(const CapturectlReport *report, CapturectlOutput *output)
{
  g_autoptr(ProfileMarkRows) rows = profile_mark_rows_new(report->filter);
  const char *const titles[] = {_("Count"), _("Total"), _("Median"), _("95 %"), _("Longest")};
  gsize n;
  const ProfileMarkRow *all = profile_mark_rows_get(rows, &n);

  g_string_append_c(output->text, '\n');
  for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
    append_cell(output->text, titles[i]);
  g_string_append_printf(output->text, "  %s\n", _("Mark"));
  for (gsize i = 0; i < n; i++) {
    append_row(output->text, &all[i]);
    capturectl_output_flush(output);
  }
}
