/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/query.h"

#include "profile/capture/span.h"
#include "profile/capture/translate.h"
#include "viewer/kit/settings.h"

struct _ViewerQuery {
  GObject parent_instance;
  guint event;
  GPtrArray *steps; /* ViewerStep: those in force, then those that were taken back */
  guint n_steps;    /* in force */
  gboolean has_preview;
  guint64 first, end; /* the preview */
};

enum { SIGNAL_CHANGED, N_SIGNALS };

static guint signals[N_SIGNALS];

static GType viewer_query_get_item_type(GListModel *model)
{
  return VIEWER_TYPE_STEP;
}

static guint viewer_query_get_n_items(GListModel *model)
{
  return VIEWER_QUERY(model)->n_steps;
}

static gpointer viewer_query_get_item(GListModel *model, guint position)
{
  ViewerQuery *self = VIEWER_QUERY(model);

  return position < self->n_steps ? g_object_ref(self->steps->pdata[position]) : NULL;
}

static void viewer_query_list_model_init(GListModelInterface *interface)
{
  interface->get_item_type = viewer_query_get_item_type;
  interface->get_n_items = viewer_query_get_n_items;
  interface->get_item = viewer_query_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerQuery, viewer_query, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, viewer_query_list_model_init))

static void viewer_query_finalize(GObject *object)
{
  g_ptr_array_unref(VIEWER_QUERY(object)->steps);
  G_OBJECT_CLASS(viewer_query_parent_class)->finalize(object);
}

static void viewer_query_class_init(ViewerQueryClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = viewer_query_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new("changed", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                         NULL, NULL, G_TYPE_NONE, 0);
}

static void emit_changed(ViewerQuery *self)
{
  g_signal_emit(self, signals[SIGNAL_CHANGED], 0);
}

static void viewer_query_init(ViewerQuery *self)
{
  self->steps = g_ptr_array_new_with_free_func(g_object_unref);
  g_signal_connect_object(viewer_settings_get(), "changed::inlined-functions", G_CALLBACK(emit_changed), self,
                          G_CONNECT_SWAPPED);
}

ViewerQuery *viewer_query_new(void)
{
  return g_object_new(VIEWER_TYPE_QUERY, NULL);
}

guint viewer_query_get_event(ViewerQuery *self)
{
  return self->event;
}

void viewer_query_set_event(ViewerQuery *self, guint event)
{
  if (self->event == event)
    return;
  self->event = event;
  emit_changed(self);
}

/* Steps from n on, of which there were n_before, are other ones now. */
static void query_tell(ViewerQuery *self, guint n, guint n_before)
{
  self->has_preview = FALSE;
  g_list_model_items_changed(G_LIST_MODEL(self), n, n_before - n, self->n_steps - n);
  emit_changed(self);
}

void viewer_query_push(ViewerQuery *self, ViewerStep *step)
{
  g_ptr_array_set_size(self->steps, (gint)self->n_steps);
  g_ptr_array_add(self->steps, g_object_ref(step));
  self->n_steps++;
  query_tell(self, self->n_steps - 1, self->n_steps - 1);
}

void viewer_query_go_back_to(ViewerQuery *self, guint n)
{
  guint before = self->n_steps;

  if (n >= before)
    return;
  self->n_steps = n;
  query_tell(self, n, before);
}

gboolean viewer_query_undo(ViewerQuery *self)
{
  if (self->n_steps == 0)
    return FALSE;
  viewer_query_go_back_to(self, self->n_steps - 1);
  return TRUE;
}

gboolean viewer_query_redo(ViewerQuery *self)
{
  if (self->n_steps == self->steps->len)
    return FALSE;
  self->n_steps++;
  query_tell(self, self->n_steps - 1, self->n_steps - 1);
  return TRUE;
}

gboolean viewer_query_can_redo(ViewerQuery *self)
{
  return self->n_steps < self->steps->len;
}

void viewer_query_set_preview(ViewerQuery *self, guint64 first, guint64 end)
{
  gboolean has = first < end;

  if (has == self->has_preview && (!has || (first == self->first && end == self->end)))
    return;
  self->has_preview = has;
  self->first = first;
  self->end = end;
  emit_changed(self);
}

gboolean viewer_query_get_preview(ViewerQuery *self, guint64 *ret_first, guint64 *ret_end)
{
  if (!self->has_preview)
    return FALSE;
  *ret_first = self->first;
  *ret_end = self->end;
  return TRUE;
}

void viewer_query_commit_preview(ViewerQuery *self, const char *label)
{
  g_autoptr(ViewerStep) step = NULL;

  if (!self->has_preview)
    return;
  step = viewer_step_new_time(self->first, self->end, label);
  viewer_query_push(self, step);
}

static void apply_preview(ViewerQuery *self, ProfileFilter *filter)
{
  g_autoptr(ViewerStep) step = viewer_step_new_time(self->first, self->end, NULL);

  viewer_step_apply(step, filter);
}

ProfileFilter *viewer_query_make_filter(ViewerQuery *self, ProfileCapture *capture, gboolean with_time)
{
  ProfileFilter *filter = profile_filter_new(capture);
  g_autoptr(ProfileStacks) recorded = profile_stacks_new_without_inlined(capture);

  if (!g_settings_get_boolean(viewer_settings_get(), "inlined-functions"))
    profile_filter_set_stacks(filter, recorded);
  profile_filter_set_event(filter, self->event);
  for (guint i = 0; i < self->n_steps; i++) {
    ViewerStep *step = self->steps->pdata[i];
    if (with_time || viewer_step_get_kind(step) != VIEWER_STEP_TIME)
      viewer_step_apply(step, filter);
  }
  if (with_time && self->has_preview)
    apply_preview(self, filter);
  return filter;
}

void viewer_query_get_time(ViewerQuery *self, ProfileCapture *capture, guint64 *ret_first, guint64 *ret_end)
{
  g_autoptr(ProfileFilter) filter = viewer_query_make_filter(self, capture, TRUE);
  guint64 first, end, whole_first, whole_end;

  profile_span_get(capture, &whole_first, &whole_end);
  profile_filter_get_time(filter, &first, &end);
  *ret_first = MAX(first, whole_first);
  *ret_end = MIN(end, whole_end);
}

/* What cannot be translated is no step any more. */
void viewer_query_translate(ViewerQuery *self, ProfileCapture *from, ProfileCapture *to)
{
  guint before = self->n_steps, kept = 0;
  guint32 event = profile_capture_translate_event(from, to, self->event);

  self->event = event == PROFILE_TRANSLATE_NOTHING ? 0 : event;
  for (guint i = 0; i < self->steps->len; i++) {
    ViewerStep *step = viewer_step_translate(self->steps->pdata[i], from, to);
    g_object_unref(self->steps->pdata[i]);
    if (step)
      self->steps->pdata[kept++] = step;
    else if (i < before)
      self->n_steps--;
  }
  for (guint i = kept; i < self->steps->len; i++)
    self->steps->pdata[i] = NULL;
  g_ptr_array_set_free_func(self->steps, NULL);
  g_ptr_array_set_size(self->steps, (gint)kept);
  g_ptr_array_set_free_func(self->steps, g_object_unref);
  g_list_model_items_changed(G_LIST_MODEL(self), 0, before, self->n_steps);
}
