/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transforms of what is selected, for a widget that shows frames: actions "transform.*" on the widget and
 * all within it, keys, and a menu. Each pushes a step onto the query of the document. The keys are those of
 * the Firefox Profiler:
 *
 *   transform.focus-function               f        transform.collapse-function          c
 *   transform.focus-subtree                Shift+F  transform.collapse-binary            Shift+C
 *   transform.merge-function               m        transform.collapse-recursion         r
 *   transform.merge-node                   Shift+M  transform.collapse-direct-recursion  Shift+R
 *   transform.drop-function                d        transform.show-only-binary
 *   transform.copy-name                             transform.show-source
 *
 * What cannot be done with the selected frame is disabled. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_TRANSFORMS (viewer_transforms_get_type())
G_DECLARE_FINAL_TYPE(ViewerTransforms, viewer_transforms, VIEWER, TRANSFORMS, GObject)

/* Once a widget, which keeps it. The widget must have a layout manager, for the menu's place. */
ViewerTransforms *viewer_transforms_install(GtkWidget *widget);
/* The document whose selection is meant; NULL: none. */
void viewer_transforms_set_document(ViewerTransforms *self, ViewerDocument *document);
/* While a widget shows stacks upside down: the selected frame as the path of functions that leads to it from
 * where samples were taken, which the document's selection does not tell. Copied; n 0: the document's
 * selection alone counts. */
void viewer_transforms_set_inverted_path(ViewerTransforms *self, const guint32 *path, guint n);
/* Shows the menu of transforms at a place in the widget; further is a section of the widget's own above it,
 * or NULL. */
void viewer_transforms_popup(ViewerTransforms *self, double x, double y, GMenuModel *further);

G_END_DECLS
