/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/health.h"

#include <glib/gi18n.h>

#include "viewer/kit/latest.h"

struct _ViewerHealth {
  GObject parent_instance;

  ViewerLatest *judging;
  ProfileCapture *capture; /* that was judged last */
};

G_DEFINE_FINAL_TYPE(ViewerHealth, viewer_health, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static gpointer health_judge(gpointer capture)
{
  return profile_health_new(capture);
}

static void on_ready(ViewerLatest *judging, ViewerHealth *self)
{
  g_signal_emit(self, signals[CHANGED], 0);
}

/* The weights of a capture come first, since people look at the graph before anything else. */
static void on_weights_changed(ViewerDocument *document, ViewerHealth *self)
{
  ProfileCapture *capture =
      viewer_document_get_weights(document) ? viewer_document_get_capture(document) : NULL;

  if (capture && g_set_object(&self->capture, capture))
    viewer_latest_request(self->judging, g_object_ref(capture));
}

static void viewer_health_dispose(GObject *object)
{
  ViewerHealth *self = VIEWER_HEALTH(object);

  g_clear_object(&self->judging);
  g_clear_object(&self->capture);
  G_OBJECT_CLASS(viewer_health_parent_class)->dispose(object);
}

static void viewer_health_class_init(ViewerHealthClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_health_dispose;
  signals[CHANGED] =
      g_signal_new("changed", VIEWER_TYPE_HEALTH, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_health_init(ViewerHealth *self)
{
  self->judging = viewer_latest_new(health_judge, g_object_unref, (GDestroyNotify)profile_health_unref);
  g_signal_connect_object(self->judging, "ready", G_CALLBACK(on_ready), self, 0);
}

ViewerHealth *viewer_health_of(ViewerDocument *document)
{
  static const char key[] = "viewer-health";
  ViewerHealth *self = g_object_get_data(G_OBJECT(document), key);

  if (self)
    return self;
  self = g_object_new(VIEWER_TYPE_HEALTH, NULL);
  g_object_set_data_full(G_OBJECT(document), key, self, g_object_unref);
  g_signal_connect_object(document, "weights-changed", G_CALLBACK(on_weights_changed), self, 0);
  on_weights_changed(document, self);
  return self;
}

ProfileHealth *viewer_health_get(ViewerHealth *self)
{
  return viewer_latest_get(self->judging);
}

const char *viewer_health_get_icon(ProfileHealthSeverity severity)
{
  switch (severity) {
  case PROFILE_HEALTH_WARNING:
    return "dialog-warning-symbolic";
  case PROFILE_HEALTH_NOTE:
    return "viewer-note-symbolic";
  default:
    return "emblem-ok-symbolic";
  }
}

const char *viewer_health_get_word(ProfileHealthSeverity severity)
{
  switch (severity) {
  case PROFILE_HEALTH_WARNING:
    return _("Warning");
  case PROFILE_HEALTH_NOTE:
    return _("Note");
  default:
    return _("Good");
  }
}
