/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-row.h"

struct _ViewerTreeRow {
  GObject parent;
  ViewerTreeModel *model;
  guint32 node;
};

G_DEFINE_TYPE(ViewerTreeRow, viewer_tree_row, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void viewer_tree_row_dispose(GObject *object)
{
  ViewerTreeRow *self = VIEWER_TREE_ROW(object);

  if (self->model)
    viewer_tree_model_forget(self->model, self);
  g_clear_object(&self->model);
  G_OBJECT_CLASS(viewer_tree_row_parent_class)->dispose(object);
}

static void viewer_tree_row_class_init(ViewerTreeRowClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_tree_row_dispose;
  signals[CHANGED] =
      g_signal_new("changed", VIEWER_TYPE_TREE_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_tree_row_init(ViewerTreeRow *self)
{
  self->node = VIEWER_TREE_NO_NODE;
}

ViewerTreeRow *viewer_tree_row_new(ViewerTreeModel *model, guint32 node)
{
  ViewerTreeRow *self = g_object_new(VIEWER_TYPE_TREE_ROW, NULL);

  self->model = g_object_ref(model);
  self->node = node;
  return self;
}

ViewerTreeModel *viewer_tree_row_get_model(ViewerTreeRow *self)
{
  return self->model;
}

guint32 viewer_tree_row_get_node(ViewerTreeRow *self)
{
  return self->node;
}

void viewer_tree_row_set_node(ViewerTreeRow *self, guint32 node)
{
  self->node = node;
  if (node == VIEWER_TREE_NO_NODE)
    viewer_tree_row_changed(self);
}

void viewer_tree_row_changed(ViewerTreeRow *self)
{
  g_signal_emit(self, signals[CHANGED], 0);
}
