/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of a ViewerFunctionsModel, sorted by the column that was chosen.
 *
 * Signals:
 *   "selected"               a row was selected by whoever uses it, not by viewer_functions_view_select
 *   "activated"              so was it, by Enter or by two clicks
 *   "menu" (double, double)  a menu is wanted at that place of the view, for what is selected
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/kit/copy.h"
#include "viewer/pages/functions/functions-model.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FUNCTIONS_VIEW (viewer_functions_view_get_type())
G_DECLARE_FINAL_TYPE(ViewerFunctionsView, viewer_functions_view, VIEWER, FUNCTIONS_VIEW, GtkWidget)

GtkWidget *viewer_functions_view_new(void);
/* As viewer_functions_model_show, in the order that was chosen. */
void viewer_functions_view_show(ViewerFunctionsView *self, ProfileWeights *weights, ProfileSearch *search);
/* PROFILE_TREE_NO_FUNCTION: none is selected. */
guint32 viewer_functions_view_get_selected(ViewerFunctionsView *self);
/* Selects the row of a function and scrolls to it; none when it is not among the rows. */
void viewer_functions_view_select(ViewerFunctionsView *self, guint32 function);
/* Selects the row that is so many below the selected one, as whoever uses it would. FALSE: there is none. */
gboolean viewer_functions_view_move(ViewerFunctionsView *self, int n);
/* The selected row, or when there is none the rows, as text. The view is borrowed. */
ViewerCopyRows viewer_functions_view_get_copied(ViewerFunctionsView *self);

G_END_DECLS
