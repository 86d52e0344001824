/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/canvas/canvas-peer.h"

/* A screen reader says no more of a name than this, and buses dislike long messages. */
enum { MAX_CHARACTERS = 500 };

struct _ViewerCanvasPeer {
  GtkWidget parent_instance;
  guint64 id;
  char *name, *description;
  graphene_rect_t bounds;
};

G_DEFINE_FINAL_TYPE(ViewerCanvasPeer, viewer_canvas_peer, GTK_TYPE_WIDGET)

static void viewer_canvas_peer_finalize(GObject *object)
{
  ViewerCanvasPeer *self = VIEWER_CANVAS_PEER(object);

  g_free(self->name);
  g_free(self->description);
  G_OBJECT_CLASS(viewer_canvas_peer_parent_class)->finalize(object);
}

static void viewer_canvas_peer_class_init(ViewerCanvasPeerClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = viewer_canvas_peer_finalize;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(klass), "canvaspeer");
}

static void viewer_canvas_peer_init(ViewerCanvasPeer *self)
{
  gtk_widget_set_focusable(GTK_WIDGET(self), TRUE);
  gtk_widget_set_can_target(GTK_WIDGET(self), FALSE);
}

GtkWidget *viewer_canvas_peer_new(GtkAccessibleRole role)
{
  return g_object_new(VIEWER_TYPE_CANVAS_PEER, "accessible-role", role, NULL);
}

/* What may go over the accessibility bus: UTF-8, and not much of it. */
static char *make_speakable(const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text ? text : "", -1);

  if (g_utf8_strlen(valid, -1) <= MAX_CHARACTERS)
    return g_steal_pointer(&valid);
  *g_utf8_offset_to_pointer(valid, MAX_CHARACTERS) = '\0';
  return g_strconcat(valid, "…", NULL);
}

static gboolean canvas_peer_replace(char **text, const char *with)
{
  g_autofree char *speakable = make_speakable(with);

  if (g_strcmp0(*text, speakable) == 0)
    return FALSE;
  g_free(*text);
  *text = g_steal_pointer(&speakable);
  return TRUE;
}

void viewer_canvas_peer_set_item(ViewerCanvasPeer *self, const ViewerCanvasItem *item)
{
  GtkAccessible *accessible = GTK_ACCESSIBLE(self);

  self->id = item->id;
  if (canvas_peer_replace(&self->name, item->name))
    gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_LABEL, self->name, -1);
  if (canvas_peer_replace(&self->description, item->description))
    gtk_accessible_update_property(accessible, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, self->description, -1);
  if (graphene_rect_equal(&self->bounds, &item->bounds))
    return;
  self->bounds = item->bounds;
  if (gtk_widget_get_parent(GTK_WIDGET(self)))
    gtk_widget_queue_allocate(gtk_widget_get_parent(GTK_WIDGET(self)));
}

guint64 viewer_canvas_peer_get_id(ViewerCanvasPeer *self)
{
  return self->id;
}

void viewer_canvas_peer_allocate(ViewerCanvasPeer *self)
{
  int minimum;
  GdkRectangle place = {.x = (int)self->bounds.origin.x,
                        .y = (int)self->bounds.origin.y,
                        .width = MAX(1, (int)self->bounds.size.width),
                        .height = MAX(1, (int)self->bounds.size.height)};

  gtk_widget_measure(GTK_WIDGET(self), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
  gtk_widget_size_allocate(GTK_WIDGET(self), &place, -1);
}
