/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/format.h"

#include <glib/gi18n.h>
#include <string.h>

#include "profile/base/amount.h"
#include "profile/base/duration.h"
#include "profile/base/printable.h"
#include "profile/base/share.h"
#include "profile/views/function-name.h"
#include "viewer/kit/settings.h"

#define SECOND G_GUINT64_CONSTANT(1000000000)

enum { SHORT_NAME = 40 };

char *viewer_format_share(guint64 part, guint64 whole)
{
  return profile_share_to_string(part, whole);
}

char *viewer_format_count(guint64 count)
{
  return g_strdup_printf("%'" G_GUINT64_FORMAT, count);
}

char *viewer_format_samples(guint64 count)
{
  g_autofree char *number = viewer_format_count(count);

  return g_strdup_printf(ngettext("%s sample", "%s samples", (gulong)count), number);
}

char *viewer_format_amount(enum capture_unit unit, guint64 amount)
{
  if (unit == CAPTURE_UNIT_NANOSECONDS)
    return viewer_format_duration(amount);
  return unit == CAPTURE_UNIT_BYTES ? profile_amount_to_string(unit, amount) : viewer_format_count(amount);
}

char *viewer_format_weight(const ProfileWeights *weights, ProfileWeight weight)
{
  guint64 time;

  if (profile_weights_get_time(weights, weight, &time))
    return time > 0 ? viewer_format_duration(time) : viewer_format_count(0);
  return viewer_format_amount(profile_weights_get_unit(weights), profile_weights_measure(weights, weight));
}

char *viewer_format_widest_weight(const ProfileWeights *weights)
{
  static const char most_digits[] = "00.00 ms"; /* a part may be written in a smaller unit */
  ProfileWeight sum = profile_weights_get_sum(weights);
  g_autofree char *all = viewer_format_weight(weights, sum);
  guint64 time;
  gboolean is_scaled = profile_weights_get_time(weights, sum, &time) ||
                       profile_weights_get_unit(weights) == CAPTURE_UNIT_BYTES;

  return is_scaled && strlen(all) < strlen(most_digits) ? g_strdup(most_digits) : g_steal_pointer(&all);
}

char *viewer_format_weight_share(const ProfileWeights *weights, ProfileWeight weight)
{
  return viewer_format_share(profile_weights_measure(weights, weight),
                             profile_weights_measure(weights, profile_weights_get_sum(weights)));
}

char *viewer_format_duration(guint64 nanoseconds)
{
  guint64 seconds = nanoseconds / SECOND + (nanoseconds % SECOND >= SECOND / 2);

  if (seconds < 60)
    return profile_duration_to_string(nanoseconds);
  if (seconds < 3600)
    /* TRANSLATORS: A duration in minutes and seconds. */
    return g_strdup_printf(_("%u:%02u min"), (guint)(seconds / 60), (guint)(seconds % 60));
  /* TRANSLATORS: A duration in hours, minutes and seconds. */
  return g_strdup_printf(_("%u:%02u:%02u h"), (guint)(seconds / 3600), (guint)(seconds / 60 % 60),
                         (guint)(seconds % 60));
}

/* How many decimals of a second tell times apart that have so much between them. */
static int choose_decimals(guint64 step)
{
  int decimals = 0;

  for (guint64 unit = SECOND; unit > MAX(step, 1); unit /= 10)
    decimals++;
  return decimals;
}

char *viewer_format_time(guint64 nanoseconds, guint64 step)
{
  int decimals = choose_decimals(step), width = decimals ? decimals + 3 : 2;
  guint64 unit = SECOND;

  for (int i = 0; i < decimals; i++)
    unit /= 10;
  guint64 rounded = nanoseconds - nanoseconds % unit + (nanoseconds % unit > (unit - 1) / 2 ? unit : 0);
  guint64 minutes = rounded / SECOND / 60;
  double seconds = (double)(rounded % (60 * SECOND)) / (double)SECOND;

  if (minutes == 0)
    return g_strdup_printf(_("%.*f s"), decimals, seconds);
  if (minutes < 60)
    return g_strdup_printf("%u:%0*.*f", (guint)minutes, width, decimals, seconds);
  return g_strdup_printf("%u:%02u:%0*.*f", (guint)(minutes / 60), (guint)(minutes % 60), width, decimals,
                         seconds);
}

char *viewer_format_span(guint64 first, guint64 end)
{
  guint64 step = end > first ? (end - first) / 100 : 1;
  g_autofree char *from = viewer_format_time(first, step), *to = viewer_format_time(end, step);

  /* TRANSLATORS: From a time to another one. */
  return g_strdup_printf(_("%s – %s"), from, to);
}

/* Of long names the middle is left out before anything else is done: they cost no more than short ones then.
 */
static char *cut_middle(char *name, guint n_max)
{
  glong n = g_utf8_strlen(name, -1);

  if (n_max == 0 || n <= (glong)n_max)
    return name;
  glong n_head = (n_max - 1) / 2, n_tail = n_max - 1 - n_head;
  const char *head_end = g_utf8_offset_to_pointer(name, n_head), *tail = name + strlen(name);
  while (n_tail-- > 0)
    tail = g_utf8_prev_char(tail);
  char *cut = g_strdup_printf("%.*s…%s", (int)(head_end - name), name, tail);
  g_free(name);
  return cut;
}

char *viewer_format_name(const char *name, guint n_max)
{
  return cut_middle(profile_printable(name ? name : ""), n_max);
}

char *viewer_format_function(const char *name, guint n_max)
{
  gboolean fold = g_settings_get_boolean(viewer_settings_get(), "fold-templates");
  g_autofree char *folded = fold && name ? profile_function_name_fold(name) : NULL;

  return viewer_format_name(folded ? folded : name, n_max);
}

char *viewer_format_advice(const char *advice)
{
  static const char word_joiner[] = "\342\201\240";
  GString *joined = g_string_new(NULL);
  gboolean is_option = FALSE;

  for (const char *c = advice; *c; c++) {
    is_option = is_option ? *c != ' ' : *c == '-' && (c == advice || !g_ascii_isalnum(c[-1]));
    g_string_append_c(joined, *c);
    if (is_option && *c == '-')
      g_string_append(joined, word_joiner);
  }
  return g_string_free(joined, FALSE);
}

char *viewer_format_short_name(const char *name)
{
  g_autofree char *kept = profile_function_name_shorten(name);

  return viewer_format_name(*kept ? kept : name, SHORT_NAME);
}

char *viewer_format_binary(const char *path)
{
  const char *slash = strrchr(path, '/');

  return viewer_format_name(slash && slash[1] && *path != '[' ? slash + 1 : path, 0);
}
