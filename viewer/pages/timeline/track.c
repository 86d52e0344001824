/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/track.h"

#include "viewer/pages/timeline/track-kind.h"

struct _ViewerTrack {
  GObject parent;
  const ViewerTrackKind *kind;
  guint32 index;
  char *title, *detail;
  guint n_children;
  gboolean expanded;
};

G_DEFINE_FINAL_TYPE(ViewerTrack, viewer_track, G_TYPE_OBJECT)

enum { PROP_TITLE = 1, PROP_EXPANDED, N_PROPERTIES };
static GParamSpec *properties[N_PROPERTIES];

ViewerTrack *viewer_track_new(const ViewerTrackKind *kind, guint32 index)
{
  ViewerTrack *self = g_object_new(VIEWER_TYPE_TRACK, NULL);

  self->kind = kind;
  self->index = index;
  return self;
}

const ViewerTrackKind *viewer_track_get_kind(ViewerTrack *self)
{
  return self->kind;
}

guint32 viewer_track_get_index(ViewerTrack *self)
{
  return self->index;
}

guint viewer_track_get_depth(ViewerTrack *self)
{
  return self->kind->is_head ? 0 : 1;
}

void viewer_track_set_texts(ViewerTrack *self, const char *title, const char *detail)
{
  if (g_strcmp0(self->title, title) == 0 && g_strcmp0(self->detail, detail) == 0)
    return;
  g_free(self->title);
  g_free(self->detail);
  self->title = g_strdup(title);
  self->detail = g_strdup(detail);
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_TITLE]);
}

const char *viewer_track_get_title(ViewerTrack *self)
{
  return self->title ? self->title : "";
}

const char *viewer_track_get_detail(ViewerTrack *self)
{
  return self->detail ? self->detail : "";
}

void viewer_track_set_n_children(ViewerTrack *self, guint n)
{
  if (self->n_children == n)
    return;
  self->n_children = n;
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_EXPANDED]);
}

guint viewer_track_get_n_children(ViewerTrack *self)
{
  return self->n_children;
}

void viewer_track_set_expanded(ViewerTrack *self, gboolean expanded)
{
  if (self->expanded == expanded)
    return;
  self->expanded = expanded;
  g_object_notify_by_pspec(G_OBJECT(self), properties[PROP_EXPANDED]);
}

gboolean viewer_track_get_expanded(ViewerTrack *self)
{
  return self->expanded && self->n_children > 0;
}

static void viewer_track_get_property(GObject *object, guint id, GValue *value, GParamSpec *spec)
{
  ViewerTrack *self = VIEWER_TRACK(object);

  if (id == PROP_TITLE)
    g_value_set_string(value, viewer_track_get_title(self));
  else if (id == PROP_EXPANDED)
    g_value_set_boolean(value, viewer_track_get_expanded(self));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

static void viewer_track_finalize(GObject *object)
{
  ViewerTrack *self = VIEWER_TRACK(object);

  g_free(self->title);
  g_free(self->detail);
  G_OBJECT_CLASS(viewer_track_parent_class)->finalize(object);
}

static void viewer_track_class_init(ViewerTrackClass *class)
{
  GObjectClass *object_class = G_OBJECT_CLASS(class);

  object_class->get_property = viewer_track_get_property;
  object_class->finalize = viewer_track_finalize;
  properties[PROP_TITLE] =
      g_param_spec_string("title", NULL, NULL, "", G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  properties[PROP_EXPANDED] =
      g_param_spec_boolean("expanded", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties(object_class, N_PROPERTIES, properties);
}

static void viewer_track_init(ViewerTrack *self)
{
}
