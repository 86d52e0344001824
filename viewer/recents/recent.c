/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/recents/recent.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"
#include "viewer/recents/recordings.h"

struct _ViewerRecent {
  GObject parent_instance;

  ViewerRecentFacts facts;
  GdkTexture *texture;
  gboolean missing, unsaved;
};

G_DEFINE_FINAL_TYPE(ViewerRecent, viewer_recent, G_TYPE_OBJECT)

static void viewer_recent_finalize(GObject *object)
{
  ViewerRecent *self = VIEWER_RECENT(object);

  g_clear_object(&self->facts.file);
  g_free((char *)self->facts.title);
  g_clear_pointer(&self->facts.thumbnail, g_bytes_unref);
  g_clear_object(&self->texture);
  G_OBJECT_CLASS(viewer_recent_parent_class)->finalize(object);
}

static void viewer_recent_class_init(ViewerRecentClass *class)
{
  G_OBJECT_CLASS(class)->finalize = viewer_recent_finalize;
}

static void viewer_recent_init(ViewerRecent *self)
{
}

ViewerRecent *viewer_recent_new(const ViewerRecentFacts *facts)
{
  ViewerRecent *self = g_object_new(VIEWER_TYPE_RECENT, NULL);

  self->facts = *facts;
  g_object_ref(facts->file);
  self->facts.title = g_strdup(facts->title);
  if (facts->thumbnail) {
    g_bytes_ref(facts->thumbnail);
    self->texture = gdk_texture_new_from_bytes(facts->thumbnail, NULL);
  }
  self->missing = !g_file_query_exists(facts->file, NULL);
  self->unsaved = !self->missing && viewer_recordings_is_unsaved(facts->file);
  return self;
}

const ViewerRecentFacts *viewer_recent_get_facts(ViewerRecent *self)
{
  return &self->facts;
}

GdkTexture *viewer_recent_get_texture(ViewerRecent *self)
{
  return self->texture;
}

gboolean viewer_recent_is_missing(ViewerRecent *self)
{
  return self->missing;
}

gboolean viewer_recent_is_unsaved(ViewerRecent *self)
{
  return self->unsaved;
}

static gboolean is_same_day(GDateTime *a, GDateTime *b)
{
  return g_date_time_get_year(a) == g_date_time_get_year(b) &&
         g_date_time_get_day_of_year(a) == g_date_time_get_day_of_year(b);
}

static char *describe_time(gint64 seconds)
{
  g_autoptr(GDateTime) time = g_date_time_new_from_unix_local(seconds);
  g_autoptr(GDateTime) now = g_date_time_new_now_local();
  g_autoptr(GDateTime) yesterday = g_date_time_add_days(now, -1);

  if (!time)
    return g_strdup(_("at an unknown time"));
  if (is_same_day(time, now)) /* Translators: a time today, see strftime(3) */
    return g_date_time_format(time, _("Today %H:%M"));
  if (is_same_day(time, yesterday)) /* Translators: a time yesterday, see strftime(3) */
    return g_date_time_format(time, _("Yesterday %H:%M"));
  if (g_date_time_get_year(time) == g_date_time_get_year(now)) /* Translators: a day of this year */
    return g_date_time_format(time, _("%-e %B"));
  /* Translators: a day of another year */
  return g_date_time_format(time, _("%-e %B %Y"));
}

char *viewer_recent_describe(ViewerRecent *self)
{
  g_autofree char *time = describe_time(self->facts.recorded > 0 ? self->facts.recorded : self->facts.time);
  g_autofree char *samples = viewer_format_samples(self->facts.samples);
  g_autofree char *duration = viewer_format_duration(self->facts.duration);

  if (self->missing) {
    g_autofree char *path = g_file_get_parse_name(self->facts.file);
    return g_strdup_printf(_("The file “%s” is no longer there"), path);
  }
  if (self->unsaved) /* Translators: when, how many samples, in how long a time */
    return g_strdup_printf(_("%s · %s in %s · not saved"), time, samples, duration);
  /* Translators: when, how many samples, in how long a time */
  return g_strdup_printf(_("%s · %s in %s"), time, samples, duration);
}

static gboolean equal_bytes(GBytes *a, GBytes *b)
{
  return a == b || (a && b && g_bytes_equal(a, b));
}

gboolean viewer_recent_equal(ViewerRecent *self, ViewerRecent *other)
{
  const ViewerRecentFacts *a = &self->facts, *b = &other->facts;

  return g_file_equal(a->file, b->file) && g_str_equal(a->title, b->title) && a->time == b->time &&
         a->samples == b->samples && a->duration == b->duration && a->recorded == b->recorded &&
         self->missing == other->missing && self->unsaved == other->unsaved &&
         equal_bytes(a->thumbnail, b->thumbnail);
}
