/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/viewer-gradual-list.h"

/* Rows that are made in one frame, and of how many on a view makes no more; and among how many new ones it
 * may look for those that were removed, which it does one by one. */
enum { AT_ONCE = 16, ENOUGH = 240, MOST_LOOKED_AT = 2000 };
/* Rows whose widgets go in one frame. */
enum { GO_AT_ONCE = 32 };

struct _ViewerGradualList {
  GObject parent;
  GListModel *whole;
  guint n;    /* rows of it that are there; more than it has: the last ones have to go */
  guint kept; /* position; G_MAXUINT: none */
  gboolean lingers;
};

static void init_list(GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerGradualList, viewer_gradual_list, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, init_list))

enum { BEHIND, N_SIGNALS };
static guint signals[N_SIGNALS];

static GType get_item_type(GListModel *list)
{
  return g_list_model_get_item_type(VIEWER_GRADUAL_LIST(list)->whole);
}

static guint get_n_items(GListModel *list)
{
  return VIEWER_GRADUAL_LIST(list)->n;
}

static gpointer get_item(GListModel *list, guint position)
{
  ViewerGradualList *self = VIEWER_GRADUAL_LIST(list);

  if (position >= self->n)
    return NULL;
  if (position >= g_list_model_get_n_items(self->whole))
    return g_object_new(get_item_type(list), NULL);
  return g_list_model_get_item(self->whole, position);
}

static void init_list(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static void change(ViewerGradualList *self, guint position, guint removed, guint added)
{
  self->n = self->n - removed + added;
  if (removed > 0 || added > 0)
    g_list_model_items_changed(G_LIST_MODEL(self), position, removed, added);
}

static void grow_to(ViewerGradualList *self, guint n)
{
  if (n > self->n)
    change(self, self->n, 0, n - self->n);
}

/* All rows from position on are others, and so many there shall be. */
static void replace_end(ViewerGradualList *self, guint position, guint n, guint kept)
{
  guint looked_at = MAX(MOST_LOOKED_AT, kept == G_MAXUINT || kept < position ? 0 : kept + 1 - position);

  change(self, position, self->n - position, MIN(n - position, looked_at));
  grow_to(self, n);
}

/* How many of n rows there may be when the kept one stands there. */
static guint get_limit(const ViewerGradualList *self, guint n, guint kept)
{
  guint limit = self->n >= ENOUGH ? n : MIN(n, self->n + AT_ONCE);

  return kept < n ? MAX(limit, kept + 1) : limit;
}

/* Where the kept row stands after a change; one that is removed may come back anywhere among the new ones. */
static guint follow_kept(const ViewerGradualList *self, guint position, guint removed, guint added)
{
  if (self->kept == G_MAXUINT || self->kept < position)
    return self->kept;
  return self->kept >= position + removed ? self->kept - removed + added : MIN(self->kept, position + added);
}

/* Rows have gone from the end of the whole: those that a view may have widgets of stay for some frames. */
static void linger(ViewerGradualList *self, guint n)
{
  guint end = self->n - n > GO_AT_ONCE ? MIN(self->n, n + ENOUGH) : n;

  change(self, end, self->n - end, 0);
}

/* Rows behind the change are the same ones, if all of them may stay; else all from there on are others. */
static void handle_changed(ViewerGradualList *self, guint position, guint removed, guint added)
{
  guint n = g_list_model_get_n_items(self->whole), kept = follow_kept(self, position, removed, added);
  guint limit = get_limit(self, n, kept);

  if (self->n > n - added + removed) {
    replace_end(self, position, limit, kept);
  } else if (self->lingers && added == 0 && position == n && position < self->n) {
    linger(self, n);
  } else if (position < self->n) {
    guint gone = MIN(removed, self->n - position), behind = self->n - position - gone;
    if (behind > 0 && position + added + behind <= limit)
      change(self, position, gone, added);
    else
      replace_end(self, position, limit, kept);
  } else {
    grow_to(self, limit);
  }
  if (self->n != n)
    g_signal_emit(self, signals[BEHIND], 0);
}

static void viewer_gradual_list_dispose(GObject *object)
{
  g_clear_object(&VIEWER_GRADUAL_LIST(object)->whole);
  G_OBJECT_CLASS(viewer_gradual_list_parent_class)->dispose(object);
}

static void viewer_gradual_list_class_init(ViewerGradualListClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_gradual_list_dispose;
  signals[BEHIND] = g_signal_new("behind", VIEWER_TYPE_GRADUAL_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 0);
}

static void viewer_gradual_list_init(ViewerGradualList *self)
{
  self->kept = G_MAXUINT;
}

ViewerGradualList *viewer_gradual_list_new(GListModel *whole)
{
  ViewerGradualList *self = g_object_new(VIEWER_TYPE_GRADUAL_LIST, NULL);

  self->whole = g_object_ref(whole);
  self->n = get_limit(self, g_list_model_get_n_items(whole), G_MAXUINT);
  g_signal_connect_object(whole, "items-changed", G_CALLBACK(handle_changed), self, G_CONNECT_SWAPPED);
  return self;
}

GListModel *viewer_gradual_list_get_whole(ViewerGradualList *self)
{
  return self->whole;
}

void viewer_gradual_list_linger(ViewerGradualList *self)
{
  self->lingers = TRUE;
}

gboolean viewer_gradual_list_grow(ViewerGradualList *self)
{
  guint n = g_list_model_get_n_items(self->whole);

  if (self->n > n)
    change(self, MAX(n, self->n - MIN(self->n, GO_AT_ONCE)), MIN(self->n - n, GO_AT_ONCE), 0);
  else
    grow_to(self, get_limit(self, n, G_MAXUINT));
  return self->n != n;
}

void viewer_gradual_list_reach(ViewerGradualList *self, guint position)
{
  guint n = g_list_model_get_n_items(self->whole);

  if (position < n && position >= self->n)
    grow_to(self, MIN(n - position, AT_ONCE) + position);
}

void viewer_gradual_list_keep(ViewerGradualList *self, guint position)
{
  self->kept = position;
}
