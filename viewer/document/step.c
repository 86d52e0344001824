/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/step.h"

#include "profile/capture/translate.h"
#include "viewer/kit/format.h"

enum { LABEL_MAX = 200 }; /* characters */

struct _ViewerStep {
  GObject parent_instance;
  ViewerStepKind kind;
  char *label;
  guint64 first, end;          /* TIME */
  GArray *items;               /* guint32; THREADS, PROCESSES, BINARIES */
  ProfileTransform *transform; /* TRANSFORM */
};

G_DEFINE_FINAL_TYPE(ViewerStep, viewer_step, G_TYPE_OBJECT)

static void viewer_step_finalize(GObject *object)
{
  ViewerStep *self = VIEWER_STEP(object);

  g_free(self->label);
  g_clear_pointer(&self->items, g_array_unref);
  g_clear_pointer(&self->transform, profile_transform_free);
  G_OBJECT_CLASS(viewer_step_parent_class)->finalize(object);
}

static void viewer_step_class_init(ViewerStepClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = viewer_step_finalize;
}

static void viewer_step_init(ViewerStep *self)
{
}

static ViewerStep *new_step(ViewerStepKind kind, const char *label)
{
  ViewerStep *self = g_object_new(VIEWER_TYPE_STEP, NULL);

  self->kind = kind;
  self->label = viewer_format_name(label, LABEL_MAX);
  return self;
}

ViewerStep *viewer_step_new_time(guint64 first, guint64 end, const char *label)
{
  ViewerStep *self = new_step(VIEWER_STEP_TIME, label);

  self->first = first;
  self->end = end;
  return self;
}

ViewerStep *viewer_step_new_items(ViewerStepKind kind, const guint32 *items, guint n, const char *label)
{
  ViewerStep *self = new_step(kind, label);

  self->items = g_array_new(FALSE, FALSE, sizeof *items);
  g_array_append_vals(self->items, items, n);
  return self;
}

ViewerStep *viewer_step_new_transform(const ProfileTransform *transform, const char *label)
{
  ViewerStep *self = new_step(VIEWER_STEP_TRANSFORM, label);

  self->transform = profile_transform_copy(transform);
  return self;
}

ViewerStepKind viewer_step_get_kind(ViewerStep *self)
{
  return self->kind;
}

const char *viewer_step_get_label(ViewerStep *self)
{
  return self->label;
}

const ProfileTransform *viewer_step_get_transform(ViewerStep *self)
{
  return self->transform;
}

static void apply_time(const ViewerStep *self, ProfileFilter *filter)
{
  guint64 first, end;

  profile_filter_get_time(filter, &first, &end);
  first = MAX(first, self->first);
  profile_filter_set_time(filter, first, MAX(MIN(end, self->end), first));
}

void viewer_step_apply(ViewerStep *self, ProfileFilter *filter)
{
  static void (*const clear[])(ProfileFilter *) = {
      [VIEWER_STEP_THREADS] = profile_filter_clear_threads,
      [VIEWER_STEP_PROCESSES] = profile_filter_clear_processes,
      [VIEWER_STEP_BINARIES] = profile_filter_clear_binaries,
  };
  static void (*const add[])(ProfileFilter *, guint32) = {
      [VIEWER_STEP_THREADS] = profile_filter_add_thread,
      [VIEWER_STEP_PROCESSES] = profile_filter_add_process,
      [VIEWER_STEP_BINARIES] = profile_filter_add_binary,
  };

  if (self->kind == VIEWER_STEP_TIME)
    apply_time(self, filter);
  if (!self->items)
    return;
  clear[self->kind](filter);
  for (guint i = 0; i < self->items->len; i++)
    add[self->kind](filter, g_array_index(self->items, guint32, i));
}

static ViewerStep *translate_items(ViewerStep *self, ProfileCapture *from, ProfileCapture *to)
{
  static guint32 (*const translate[])(ProfileCapture *, ProfileCapture *, guint32) = {
      [VIEWER_STEP_THREADS] = profile_capture_translate_thread,
      [VIEWER_STEP_PROCESSES] = profile_capture_translate_process,
      [VIEWER_STEP_BINARIES] = profile_capture_translate_binary,
  };
  g_autofree guint32 *items = g_new(guint32, self->items->len);
  guint n = 0;

  for (guint i = 0; i < self->items->len; i++) {
    guint32 item = g_array_index(self->items, guint32, i);
    guint32 there = translate[self->kind](from, to, item);
    if (there != PROFILE_TRANSLATE_NOTHING || item == there)
      items[n++] = there;
  }
  return n > 0 ? viewer_step_new_items(self->kind, items, n, self->label) : NULL;
}

ViewerStep *viewer_step_translate(ViewerStep *self, ProfileCapture *from, ProfileCapture *to)
{
  g_autoptr(ProfileTransform) transform = NULL;

  if (self->items)
    return translate_items(self, from, to);
  if (!self->transform)
    return g_object_ref(self);
  transform = profile_transform_translate(self->transform, from, to);
  return transform ? viewer_step_new_transform(transform, self->label) : NULL;
}
