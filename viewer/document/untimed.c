/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/untimed.h"

struct _ViewerUntimed {
  ProfileCapture *capture;
  guint event;
  GPtrArray *steps; /* ViewerStep: they never change, so being the same object is being the same step */
};

ViewerUntimed *viewer_untimed_new(void)
{
  ViewerUntimed *self = g_new0(ViewerUntimed, 1);

  self->steps = g_ptr_array_new_with_free_func(g_object_unref);
  return self;
}

void viewer_untimed_free(ViewerUntimed *self)
{
  g_clear_object(&self->capture);
  g_ptr_array_unref(self->steps);
  g_free(self);
}

static GPtrArray *get_steps(ViewerQuery *query)
{
  GPtrArray *steps = g_ptr_array_new_with_free_func(g_object_unref);

  for (guint i = 0; i < g_list_model_get_n_items(G_LIST_MODEL(query)); i++) {
    g_autoptr(ViewerStep) step = g_list_model_get_item(G_LIST_MODEL(query), i);
    if (viewer_step_get_kind(step) != VIEWER_STEP_TIME)
      g_ptr_array_add(steps, g_steal_pointer(&step));
  }
  return steps;
}

static gboolean are_same(const GPtrArray *a, const GPtrArray *b)
{
  for (guint i = 0; i < MIN(a->len, b->len); i++)
    if (a->pdata[i] != b->pdata[i])
      return FALSE;
  return a->len == b->len;
}

gboolean viewer_untimed_update(ViewerUntimed *self, ViewerDocument *document)
{
  ViewerQuery *query = document ? viewer_document_get_query(document) : NULL;
  g_autoptr(GPtrArray) steps = query ? get_steps(query) : g_ptr_array_new_with_free_func(g_object_unref);
  ProfileCapture *capture = document ? viewer_document_get_capture(document) : NULL;
  guint event = query ? viewer_query_get_event(query) : 0;

  if (capture == self->capture && event == self->event && are_same(steps, self->steps))
    return FALSE;
  g_set_object(&self->capture, capture);
  self->event = event;
  g_ptr_array_unref(self->steps);
  self->steps = g_steal_pointer(&steps);
  return TRUE;
}

ProfileCapture *viewer_untimed_get_capture(ViewerUntimed *self)
{
  return self->capture;
}
