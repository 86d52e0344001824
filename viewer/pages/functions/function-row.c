/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/functions/function-row.h"

struct _ViewerFunctionRow {
  GObject parent;
  ProfileWeights *weights;
  ProfileRow row;
};

G_DEFINE_TYPE(ViewerFunctionRow, viewer_function_row, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void viewer_function_row_finalize(GObject *object)
{
  profile_weights_unref(VIEWER_FUNCTION_ROW(object)->weights);
  G_OBJECT_CLASS(viewer_function_row_parent_class)->finalize(object);
}

static void viewer_function_row_class_init(ViewerFunctionRowClass *class)
{
  G_OBJECT_CLASS(class)->finalize = viewer_function_row_finalize;
  signals[CHANGED] = g_signal_new("changed", VIEWER_TYPE_FUNCTION_ROW, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                  G_TYPE_NONE, 0);
}

static void viewer_function_row_init(ViewerFunctionRow *self)
{
}

ViewerFunctionRow *viewer_function_row_new(ProfileWeights *weights, ProfileRow row)
{
  ViewerFunctionRow *self = g_object_new(VIEWER_TYPE_FUNCTION_ROW, NULL);

  self->weights = profile_weights_ref(weights);
  self->row = row;
  return self;
}

void viewer_function_row_set(ViewerFunctionRow *self, ProfileWeights *weights, ProfileRow row)
{
  profile_weights_ref(weights);
  profile_weights_unref(self->weights);
  self->weights = weights;
  self->row = row;
  g_signal_emit(self, signals[CHANGED], 0);
}

ProfileWeights *viewer_function_row_get_weights(ViewerFunctionRow *self)
{
  return self->weights;
}

const ProfileRow *viewer_function_row_get(ViewerFunctionRow *self)
{
  return &self->row;
}

const char *viewer_function_row_get_name(ViewerFunctionRow *self)
{
  return profile_stacks_get_function_name(profile_weights_get_stacks(self->weights), self->row.item);
}

const char *viewer_function_row_get_binary(ViewerFunctionRow *self)
{
  return profile_stacks_get_function_binary(profile_weights_get_stacks(self->weights), self->row.item);
}
