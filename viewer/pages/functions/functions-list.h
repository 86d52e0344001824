/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of functions in an order. Immutable, readable from any thread. */
#pragma once

#include "viewer/pages/functions/functions-model.h"

G_BEGIN_DECLS

typedef struct _ViewerFunctionsList ViewerFunctionsList;

/* Blocking. Search, of the same weights, restricts to what it found; NULL: all. `known` is a list of the same
 * weights, whose rows need not be counted again, or NULL. */
ViewerFunctionsList *viewer_functions_list_new(ProfileWeights *weights, ViewerFunctionsBy by,
                                               gboolean descending, ProfileSearch *search,
                                               ViewerFunctionsList *known);
ViewerFunctionsList *viewer_functions_list_ref(ViewerFunctionsList *self);
void viewer_functions_list_unref(ViewerFunctionsList *self);
ProfileWeights *viewer_functions_list_get_weights(const ViewerFunctionsList *self);
guint viewer_functions_list_get_n(const ViewerFunctionsList *self);
ProfileRow viewer_functions_list_get(const ViewerFunctionsList *self, guint position);
/* G_MAXUINT: it is not among the rows. */
guint viewer_functions_list_get_position(const ViewerFunctionsList *self, guint32 function);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerFunctionsList, viewer_functions_list_unref)

G_END_DECLS
