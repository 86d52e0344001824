/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The item of a row in a ViewerFunctionsModel. Emits "changed" when it is of another
 * function or has other numbers. */
#pragma once

#include <gio/gio.h>

#include "profile/views/rows.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_FUNCTION_ROW (viewer_function_row_get_type())
G_DECLARE_FINAL_TYPE(ViewerFunctionRow, viewer_function_row, VIEWER, FUNCTION_ROW, GObject)

ViewerFunctionRow *viewer_function_row_new(ProfileWeights *weights, ProfileRow row);
/* Emits "changed". */
void viewer_function_row_set(ViewerFunctionRow *self, ProfileWeights *weights, ProfileRow row);
/* Borrowed. */
ProfileWeights *viewer_function_row_get_weights(ViewerFunctionRow *self);
const ProfileRow *viewer_function_row_get(ViewerFunctionRow *self);
/* Never NULL. */
const char *viewer_function_row_get_name(ViewerFunctionRow *self);
const char *viewer_function_row_get_binary(ViewerFunctionRow *self);

G_END_DECLS
