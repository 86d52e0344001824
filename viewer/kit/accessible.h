/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What GTK 4.8 leaves to programs so that a screen reader meets what others see. Main thread only. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Hides those pages from screen readers that a stack does not show, of all stacks that stand in root now. GTK
 * would let all be read. */
void viewer_accessible_follow_stacks(GtkWidget *root);
/* What the widget is called: a button without a text is not called what its tooltip says. */
void viewer_accessible_set_name(GtkWidget *widget, const char *name);
/* Describes a drop-down of GtkStringObject by the string that is chosen, now and ever after. Since 4.18 GTK
 * says that in place of its name, unless that is another widget's text; and then nowhere. */
void viewer_accessible_describe_chosen(GtkDropDown *drop_down);

G_END_DECLS
