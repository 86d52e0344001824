/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions that samples lead through as a list of rows, in any order, all of them or those that a search
 * found. A row is four bytes; its item, a ViewerFunctionRow, exists only while somebody holds it. Rows are
 * counted and sorted in a thread, the newest wins. Main thread only.
 *
 * Signals, none with arguments:
 *   "shown"  what was asked for is there
 */
#pragma once

#include <gio/gio.h>

#include "profile/views/rows.h"
#include "profile/views/search.h"

G_BEGIN_DECLS

typedef enum {
  VIEWER_FUNCTIONS_BY_SELF,
  VIEWER_FUNCTIONS_BY_TOTAL,
  VIEWER_FUNCTIONS_BY_NAME,
  VIEWER_FUNCTIONS_BY_BINARY
} ViewerFunctionsBy;

#define VIEWER_TYPE_FUNCTIONS_MODEL (viewer_functions_model_get_type())
G_DECLARE_FINAL_TYPE(ViewerFunctionsModel, viewer_functions_model, VIEWER, FUNCTIONS_MODEL, GObject)

ViewerFunctionsModel *viewer_functions_model_new(void);

/* Weights NULL: no rows, at once. Search, of those weights, restricts to what it found; NULL: all. */
void viewer_functions_model_show(ViewerFunctionsModel *self, ProfileWeights *weights, ViewerFunctionsBy by,
                                 gboolean descending, ProfileSearch *search);
/* Of the rows that are shown; NULL: none are. Borrowed. */
ProfileWeights *viewer_functions_model_get_weights(ViewerFunctionsModel *self);
/* Whether rows are being replaced: a selection that changes meanwhile was not chosen by anybody. */
gboolean viewer_functions_model_is_changing(ViewerFunctionsModel *self);
/* FALSE: there is no such row. */
gboolean viewer_functions_model_get(ViewerFunctionsModel *self, guint position, ProfileRow *ret_row);
/* G_MAXUINT: it is not among the rows. */
guint viewer_functions_model_get_position(ViewerFunctionsModel *self, guint32 function);

G_END_DECLS
