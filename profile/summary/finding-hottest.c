/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The function that most samples were taken in, and its hottest line. */
#include <glib/gi18n.h>

#include "profile/base/printable.h"
#include "profile/summary/summary-private.h"
#include "profile/views/annotation.h"

/* "slow.cpp:17"; NULL: no line is known. */
static char *find_line(const ProfileSummaryFacts *facts, guint32 function)
{
  g_autoptr(ProfileAnnotation) annotation = profile_annotation_new(facts->filter, function);
  gsize n;
  const ProfileAnnotationFile *files = profile_annotation_get_files(annotation, &n);

  if (n == 0)
    return NULL;
  const ProfileAnnotationLine *line = profile_annotation_get_hottest(annotation, &files[0]);
  g_autofree char *base = g_path_get_basename(files[0].path);
  g_autofree char *name = profile_printable(base);
  return line ? g_strdup_printf("%s:%u", name, line->line) : NULL;
}

gboolean profile_summary_find_hottest(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  if (facts->sum == 0 || profile_rows_get_n(facts->functions) == 0)
    return FALSE;
  ProfileRow row = profile_rows_get(facts->functions, 0);
  guint64 self = profile_weights_measure(facts->weights, row.self);
  if (self == 0 || row.item == 0)
    return FALSE;
  g_autofree char *share = profile_summary_format_share(facts, self);
  g_autofree char *name = profile_summary_format_function(facts, row.item);
  g_autofree char *line = find_line(facts, row.item);
  /* TRANSLATORS: "41 % in score (slow.cpp:17)." */
  ret->sentence = line ? g_strdup_printf(_("%s in %s (%s)."), share, name, line)
                       : g_strdup_printf(_("%s in %s."), share, name);
  ret->show = line ? PROFILE_SUMMARY_SHOW_SOURCE : PROFILE_SUMMARY_SHOW_CALLERS;
  ret->function = row.item;
  return TRUE;
}
