/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <glib/gi18n.h>
#include <inttypes.h>

#include "profile/base/duration.h"
#include "profile/base/printable.h"
#include "profile/report/report-private.h"
#include "profile/views/mark-rows.h"

enum { CELL_WIDTH = 10 };

/* Blank for marks that have no duration. */
static void append_duration(GString *out, const ProfileMarkRow *row, guint64 nanoseconds)
{
  g_autofree char *text = row->spans > 0 ? profile_duration_to_string(nanoseconds) : g_strdup("");

  profile_report_append_cell(out, text, CELL_WIDTH);
}

static void append_row(GString *out, const ProfileMarkRow *row)
{
  g_autofree char *count = g_strdup_printf("%" G_GUINT64_FORMAT, row->count);

  profile_report_append_cell(out, count, CELL_WIDTH);
  append_duration(out, row, row->total);
  append_duration(out, row, row->median);
  append_duration(out, row, row->p95);
  append_duration(out, row, row->max);
  g_string_append(out, "  ");
  if (*row->category) {
    profile_printable_append(out, row->category);
    g_string_append(out, ": ");
  }
  profile_printable_append(out, row->name);
  if (row->unfinished > 0)
    g_string_append_printf(out, _(" (%" PRIu64 " not ended)"), row->unfinished);
  g_string_append_c(out, '\n');
}

void profile_report_append_marks(const ProfileReport *self, GString *out)
{
  g_autoptr(ProfileMarkRows) rows = profile_mark_rows_new(self->filter);
  const char *const titles[] = {_("Count"), _("Total"), _("Median"), _("95 %"), _("Longest")};
  gsize n;
  const ProfileMarkRow *all = profile_mark_rows_get(rows, &n);

  g_string_append_c(out, '\n');
  for (guint i = 0; i < G_N_ELEMENTS(titles); i++)
    profile_report_append_cell(out, titles[i], CELL_WIDTH);
  g_string_append_printf(out, "  %s\n", _("Mark"));
  for (gsize i = 0; i < n; i++)
    append_row(out, &all[i]);
}
