/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/accessible.h"

#include <adwaita.h>

static void follow_map(GtkWidget *page)
{
  gtk_accessible_update_state(GTK_ACCESSIBLE(page), GTK_ACCESSIBLE_STATE_HIDDEN, !gtk_widget_get_mapped(page),
                              -1);
}

static void follow_page(GtkWidget *page)
{
  g_signal_connect_after(page, "map", G_CALLBACK(follow_map), NULL);
  g_signal_connect_after(page, "unmap", G_CALLBACK(follow_map), NULL);
  follow_map(page);
}

void viewer_accessible_follow_stacks(GtkWidget *root)
{
  g_return_if_fail(GTK_IS_WIDGET(root));
  for (GtkWidget *child = gtk_widget_get_first_child(root); child;
       child = gtk_widget_get_next_sibling(child)) {
    if (GTK_IS_STACK(root) || ADW_IS_VIEW_STACK(root))
      follow_page(child);
    viewer_accessible_follow_stacks(child);
  }
}

void viewer_accessible_set_name(GtkWidget *widget, const char *name)
{
  g_return_if_fail(GTK_IS_WIDGET(widget));
  /* Newer GTK says that what it shows names it, which counts for more. */
  gtk_accessible_reset_relation(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void describe_chosen(GtkDropDown *drop_down)
{
  GtkStringObject *chosen = gtk_drop_down_get_selected_item(drop_down);

  gtk_accessible_update_property(GTK_ACCESSIBLE(drop_down), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                 chosen ? gtk_string_object_get_string(chosen) : "", -1);
}

void viewer_accessible_describe_chosen(GtkDropDown *drop_down)
{
  g_return_if_fail(GTK_IS_DROP_DOWN(drop_down));
  g_signal_connect(drop_down, "notify::selected-item", G_CALLBACK(describe_chosen), NULL);
  describe_chosen(drop_down);
}
