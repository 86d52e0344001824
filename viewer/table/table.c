/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/table/table.h"

struct _ViewerTableItem {
  GObject parent_instance;

  guint index;
};

G_DEFINE_FINAL_TYPE(ViewerTableItem, viewer_table_item, G_TYPE_OBJECT)

static void viewer_table_item_class_init(ViewerTableItemClass *class)
{
}

static void viewer_table_item_init(ViewerTableItem *self)
{
}

guint viewer_table_item_get_index(ViewerTableItem *self)
{
  return self->index;
}

struct _ViewerTable {
  GObject parent_instance;

  guint first, n;
};

static void viewer_table_list_model_init(GListModelInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerTable, viewer_table, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, viewer_table_list_model_init))

static GType viewer_table_get_item_type(GListModel *model)
{
  return VIEWER_TYPE_TABLE_ITEM;
}

static guint viewer_table_get_n_items(GListModel *model)
{
  return VIEWER_TABLE(model)->n;
}

static gpointer viewer_table_get_item(GListModel *model, guint position)
{
  ViewerTableItem *item;

  if (position >= VIEWER_TABLE(model)->n)
    return NULL;
  item = g_object_new(VIEWER_TYPE_TABLE_ITEM, NULL);
  item->index = VIEWER_TABLE(model)->first + position;
  return item;
}

static void viewer_table_list_model_init(GListModelInterface *interface)
{
  interface->get_item_type = viewer_table_get_item_type;
  interface->get_n_items = viewer_table_get_n_items;
  interface->get_item = viewer_table_get_item;
}

static void viewer_table_class_init(ViewerTableClass *class)
{
}

static void viewer_table_init(ViewerTable *self)
{
}

ViewerTable *viewer_table_new(void)
{
  return g_object_new(VIEWER_TYPE_TABLE, NULL);
}

ViewerTable *viewer_table_new_part(guint first, guint n)
{
  ViewerTable *self = viewer_table_new();

  self->first = first;
  self->n = n;
  return self;
}

/* In two steps: rows that are gone must not be shown again, and nobody needs to look whether what was
 * selected is among the new ones. */
void viewer_table_reset(ViewerTable *self, guint n)
{
  guint before = self->n;

  self->n = 0;
  if (before > 0)
    g_list_model_items_changed(G_LIST_MODEL(self), 0, before, 0);
  self->n = n;
  if (n > 0)
    g_list_model_items_changed(G_LIST_MODEL(self), 0, 0, n);
}
