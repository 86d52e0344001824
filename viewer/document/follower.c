/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/follower.h"

#define EVERYTHING (VIEWER_FOLLOW_CAPTURE | VIEWER_FOLLOW_WEIGHTS | VIEWER_FOLLOW_QUERY)

struct _ViewerFollower {
  GtkWidget *page;
  ViewerFollowFlags flags;
  ViewerFollowFunc function;
  ViewerDocument *document;
  ViewerFollowFlags missed;
  gulong map;
};

static void follower_look(ViewerFollower *self)
{
  ViewerFollowFlags missed = self->missed & self->flags;

  if (!missed || !gtk_widget_get_mapped(self->page))
    return;
  self->missed = 0;
  self->function(self->page, missed);
}

static void follower_note(ViewerFollower *self, ViewerFollowFlags what)
{
  self->missed |= what;
  follower_look(self);
}

static void on_capture_changed(ViewerDocument *document, ViewerFollower *self)
{
  follower_note(self, VIEWER_FOLLOW_CAPTURE);
}

static void on_weights_changed(ViewerDocument *document, ViewerFollower *self)
{
  follower_note(self, VIEWER_FOLLOW_WEIGHTS);
}

static void on_query_changed(ViewerQuery *query, ViewerFollower *self)
{
  follower_note(self, VIEWER_FOLLOW_QUERY);
}

/* Runs after the widget's own handler, when it counts as mapped. */
static void on_map(GtkWidget *page, ViewerFollower *self)
{
  follower_look(self);
}

ViewerFollower *viewer_follower_new(GtkWidget *page, ViewerFollowFlags flags, ViewerFollowFunc function)
{
  ViewerFollower *self = g_new0(ViewerFollower, 1);

  self->page = page;
  self->flags = flags;
  self->function = function;
  self->map = g_signal_connect_after(page, "map", G_CALLBACK(on_map), self);
  return self;
}

static void follower_leave(ViewerFollower *self)
{
  if (!self->document)
    return;
  g_signal_handlers_disconnect_by_data(viewer_document_get_query(self->document), self);
  g_signal_handlers_disconnect_by_data(self->document, self);
  g_clear_object(&self->document);
}

void viewer_follower_free(ViewerFollower *self)
{
  follower_leave(self);
  g_signal_handler_disconnect(self->page, self->map);
  g_free(self);
}

void viewer_follower_set_document(ViewerFollower *self, ViewerDocument *document)
{
  if (document == self->document)
    return;
  follower_leave(self);
  if (document) {
    self->document = g_object_ref(document);
    g_signal_connect(document, "capture-changed", G_CALLBACK(on_capture_changed), self);
    g_signal_connect(document, "weights-changed", G_CALLBACK(on_weights_changed), self);
    g_signal_connect(viewer_document_get_query(document), "changed", G_CALLBACK(on_query_changed), self);
  }
  follower_note(self, EVERYTHING);
}

ViewerDocument *viewer_follower_get_document(const ViewerFollower *self)
{
  return self->document;
}

ProfileCapture *viewer_follower_get_capture(const ViewerFollower *self)
{
  return self->document ? viewer_document_get_capture(self->document) : NULL;
}
