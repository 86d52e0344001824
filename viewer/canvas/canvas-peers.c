/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/canvas/canvas-peers.h"

struct _ViewerCanvasPeers {
  GObject parent_instance;
  GtkWidget *canvas;
  GtkAccessibleRole role;
  GPtrArray *peers; /* ViewerCanvasPeer: those shown, the one with the focus first, then spare ones */
  guint n_shown;
  gboolean moving;     /* we move the focus ourselves */
  gboolean is_awaited; /* the focus was asked for before there was anything to give it to */
};

G_DEFINE_FINAL_TYPE(ViewerCanvasPeers, viewer_canvas_peers, G_TYPE_OBJECT)

static guint focused_signal;

static void viewer_canvas_peers_dispose(GObject *object)
{
  ViewerCanvasPeers *self = VIEWER_CANVAS_PEERS(object);

  self->moving = TRUE;
  self->n_shown = 0;
  g_ptr_array_set_size(self->peers, 0);
  G_OBJECT_CLASS(viewer_canvas_peers_parent_class)->dispose(object);
}

static void viewer_canvas_peers_finalize(GObject *object)
{
  g_ptr_array_unref(VIEWER_CANVAS_PEERS(object)->peers);
  G_OBJECT_CLASS(viewer_canvas_peers_parent_class)->finalize(object);
}

static void viewer_canvas_peers_class_init(ViewerCanvasPeersClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS(klass);

  object_class->dispose = viewer_canvas_peers_dispose;
  object_class->finalize = viewer_canvas_peers_finalize;
  focused_signal = g_signal_new("focused", VIEWER_TYPE_CANVAS_PEERS, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_UINT64);
}

static void viewer_canvas_peers_init(ViewerCanvasPeers *self)
{
  self->peers = g_ptr_array_new_with_free_func((GDestroyNotify)gtk_widget_unparent);
}

ViewerCanvasPeers *viewer_canvas_peers_new(GtkWidget *canvas, GtkAccessibleRole role)
{
  ViewerCanvasPeers *self = g_object_new(VIEWER_TYPE_CANVAS_PEERS, NULL);

  self->canvas = canvas;
  self->role = role;
  return self;
}

static void canvas_peers_enter(GtkEventController *controller, ViewerCanvasPeers *self)
{
  ViewerCanvasPeer *peer = VIEWER_CANVAS_PEER(gtk_event_controller_get_widget(controller));

  if (!self->moving && self->n_shown > 0 && peer != self->peers->pdata[0])
    g_signal_emit(self, focused_signal, 0, viewer_canvas_peer_get_id(peer));
}

static void add_peer(ViewerCanvasPeers *self)
{
  GtkWidget *peer = viewer_canvas_peer_new(self->role);
  GtkEventController *focus = gtk_event_controller_focus_new();

  g_signal_connect(focus, "enter", G_CALLBACK(canvas_peers_enter), self);
  gtk_widget_add_controller(peer, focus);
  gtk_widget_set_parent(peer, self->canvas);
  g_ptr_array_add(self->peers, peer);
}

static void canvas_peers_swap(GPtrArray *peers, guint a, guint b)
{
  gpointer peer = peers->pdata[a];

  peers->pdata[a] = peers->pdata[b];
  peers->pdata[b] = peer;
}

/* Puts a peer that stands for the item already in its place. */
static gboolean keep_peer(ViewerCanvasPeers *self, const ViewerCanvasItem *items, guint item, guint n_known)
{
  for (guint i = item; i < n_known; i++)
    if (viewer_canvas_peer_get_id(self->peers->pdata[i]) == items[item].id) {
      canvas_peers_swap(self->peers, i, item);
      return TRUE;
    }
  return FALSE;
}

static gboolean is_among(const ViewerCanvasItem *items, guint n, guint64 id)
{
  for (guint i = 0; i < n; i++)
    if (items[i].id == id)
      return TRUE;
  return FALSE;
}

/* Takes a peer that nobody needs: not one that a later item wants to keep. */
static void take_peer(ViewerCanvasPeers *self, const ViewerCanvasItem *items, guint n, guint item,
                      guint n_known)
{
  for (guint i = item; i < self->peers->len; i++)
    if (i >= n_known || !is_among(items + item, n - item, viewer_canvas_peer_get_id(self->peers->pdata[i]))) {
      canvas_peers_swap(self->peers, i, item);
      return;
    }
  add_peer(self);
  canvas_peers_swap(self->peers, self->peers->len - 1, item);
}

static gboolean is_awaited(ViewerCanvasPeers *self)
{
  GtkRoot *root = gtk_widget_get_root(self->canvas);

  return self->is_awaited && root && !gtk_root_get_focus(root);
}

void viewer_canvas_peers_show(ViewerCanvasPeers *self, const ViewerCanvasItem *items, guint n)
{
  /* Keys that go to what is out of sight are lost. */
  gboolean focused =
      gtk_widget_get_mapped(self->canvas) && (viewer_canvas_peers_have_focus(self) || is_awaited(self));
  guint n_known = self->n_shown;

  self->moving = TRUE;
  for (guint i = 0; i < n; i++) {
    if (!keep_peer(self, items, i, n_known)) {
      take_peer(self, items, n, i, n_known);
      n_known = MAX(n_known, i + 1);
    }
    viewer_canvas_peer_set_item(self->peers->pdata[i], &items[i]);
    gtk_widget_set_visible(self->peers->pdata[i], TRUE);
  }
  self->n_shown = n;
  if (focused && n > 0)
    gtk_widget_grab_focus(self->peers->pdata[0]);
  for (guint i = n; i < self->peers->len; i++)
    gtk_widget_set_visible(self->peers->pdata[i], FALSE);
  self->moving = FALSE;
}

void viewer_canvas_peers_allocate(ViewerCanvasPeers *self)
{
  for (guint i = 0; i < self->n_shown; i++)
    viewer_canvas_peer_allocate(self->peers->pdata[i]);
}

/* Where nothing is drawn yet the focus is taken later, unless it is somewhere by then. */
gboolean viewer_canvas_peers_grab_focus(ViewerCanvasPeers *self)
{
  self->is_awaited = self->n_shown == 0;
  return self->n_shown > 0 && gtk_widget_grab_focus(self->peers->pdata[0]);
}

gboolean viewer_canvas_peers_focus(ViewerCanvasPeers *self)
{
  return !viewer_canvas_peers_have_focus(self) && viewer_canvas_peers_grab_focus(self);
}

gboolean viewer_canvas_peers_have_focus(ViewerCanvasPeers *self)
{
  GtkWidget *child = self->n_shown > 0 ? gtk_widget_get_focus_child(self->canvas) : NULL;

  return child && VIEWER_IS_CANVAS_PEER(child) && gtk_widget_has_focus(child);
}
