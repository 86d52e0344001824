/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/told-list.h"

#include <string.h>

struct _ProfileToldList {
  GArray *marks, *log; /* guint32 */
};

gboolean profile_told_holds(const char *haystack, const char *text)
{
  if (!haystack)
    return FALSE;
  if (g_str_is_ascii(text))
    return strcasestr(haystack, text) != NULL;
  g_autofree char *folded = g_utf8_casefold(text, -1), *valid = g_utf8_make_valid(haystack, -1);
  g_autofree char *in = g_utf8_casefold(valid, -1);
  return strstr(in, folded) != NULL;
}

static gboolean is_in_time(guint64 time, guint64 first, guint64 end)
{
  return time >= first && (time < end || end == G_MAXUINT64);
}

static gboolean is_wanted(const ProfileMark *mark, const ProfileToldOptions *options)
{
  if (options->name && (strcmp(mark->name, options->name) != 0 ||
                        g_strcmp0(mark->category, options->category ? options->category : "") != 0))
    return FALSE;
  return !options->text || profile_told_holds(mark->name, options->text) ||
         profile_told_holds(mark->category, options->text) ||
         profile_told_holds(mark->message, options->text);
}

static void choose_marks(ProfileToldList *self, const ProfileFilter *filter,
                         const ProfileToldOptions *options)
{
  gsize n;
  const ProfileMark *marks = profile_capture_get_marks(profile_filter_get_capture(filter), &n);
  const guint8 *threads = profile_filter_get_threads(filter);
  guint64 first, end;

  profile_filter_get_time(filter, &first, &end);
  for (guint32 i = 0; i < MIN(n, G_MAXUINT32); i++)
    if (is_in_time(marks[i].time, first, end) && (!threads || threads[marks[i].thread]) &&
        is_wanted(&marks[i], options))
      g_array_append_val(self->marks, i);
}

static void choose_log(ProfileToldList *self, const ProfileFilter *filter, const ProfileToldOptions *options)
{
  gsize n;
  const ProfileLogLine *lines = profile_capture_get_log(profile_filter_get_capture(filter), &n);
  const guint8 *threads = profile_filter_get_threads(filter);
  guint64 first, end;

  profile_filter_get_time(filter, &first, &end);
  for (guint32 i = 0; i < MIN(n, G_MAXUINT32); i++)
    if (is_in_time(lines[i].time, first, end) && (!threads || threads[lines[i].thread]) &&
        (!options->text || profile_told_holds(lines[i].text, options->text) ||
         profile_told_holds(lines[i].domain, options->text)))
      g_array_append_val(self->log, i);
}

ProfileToldList *profile_told_list_new(const ProfileFilter *filter, const ProfileToldOptions *options)
{
  static const ProfileToldOptions any = {NULL};
  ProfileToldList *self = g_new0(ProfileToldList, 1);

  self->marks = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->log = g_array_new(FALSE, FALSE, sizeof(guint32));
  choose_marks(self, filter, options ? options : &any);
  choose_log(self, filter, options ? options : &any);
  return self;
}

void profile_told_list_free(ProfileToldList *self)
{
  g_array_unref(self->marks);
  g_array_unref(self->log);
  g_free(self);
}

const guint32 *profile_told_list_get_marks(const ProfileToldList *self, guint *n)
{
  *n = self->marks->len;
  return (const guint32 *)self->marks->data;
}

const guint32 *profile_told_list_get_log(const ProfileToldList *self, guint *n)
{
  *n = self->log->len;
  return (const guint32 *)self->log->data;
}
