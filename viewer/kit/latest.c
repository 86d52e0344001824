/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/latest.h"

struct _ViewerLatest {
  GObject parent;
  ViewerLatestFunc make;
  GDestroyNotify free_request, free_result;
  gpointer waiting; /* request; NULL none */
  gpointer result;
  gboolean is_running;
  guint generation; /* what was begun before the last clear is not wanted */
};

G_DEFINE_FINAL_TYPE(ViewerLatest, viewer_latest, G_TYPE_OBJECT)

enum { READY, N_SIGNALS };
static guint signals[N_SIGNALS];

typedef struct {
  gpointer request;
  GDestroyNotify free_request;
  ViewerLatestFunc make;
  GDestroyNotify free_result;
  guint generation;
} Run;

static void run_free(gpointer data)
{
  Run *run = data;

  run->free_request(run->request);
  g_free(run);
}

static void latest_work(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Run *run = data;

  g_task_return_pointer(task, run->make(run->request), run->free_result);
}

static void latest_start(ViewerLatest *self);

static void latest_finish(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerLatest *self = VIEWER_LATEST(source);
  Run *run = g_task_get_task_data(G_TASK(result));
  gpointer made = g_task_propagate_pointer(G_TASK(result), NULL);

  self->is_running = FALSE;
  if (run->generation == self->generation) {
    if (self->result)
      self->free_result(self->result);
    self->result = made;
  } else {
    self->free_result(made);
    made = NULL;
  }
  if (self->waiting)
    latest_start(self);
  if (made)
    g_signal_emit(self, signals[READY], 0);
}

static void latest_start(ViewerLatest *self)
{
  g_autoptr(GTask) task = g_task_new(self, NULL, latest_finish, NULL);
  Run *run = g_new(Run, 1);

  *run = (Run){g_steal_pointer(&self->waiting), self->free_request, self->make, self->free_result,
               self->generation};
  g_task_set_source_tag(task, latest_start);
  g_task_set_task_data(task, run, run_free);
  self->is_running = TRUE;
  g_task_run_in_thread(task, latest_work);
}

static void forget_waiting(ViewerLatest *self)
{
  if (self->waiting)
    self->free_request(g_steal_pointer(&self->waiting));
}

void viewer_latest_request(ViewerLatest *self, gpointer request)
{
  forget_waiting(self);
  self->waiting = request;
  if (!self->is_running)
    latest_start(self);
}

void viewer_latest_clear(ViewerLatest *self)
{
  forget_waiting(self);
  self->generation++;
  if (self->result)
    self->free_result(g_steal_pointer(&self->result));
}

gpointer viewer_latest_get(ViewerLatest *self)
{
  return self->result;
}

gboolean viewer_latest_is_busy(ViewerLatest *self)
{
  return self->is_running;
}

ViewerLatest *viewer_latest_new(ViewerLatestFunc make, GDestroyNotify free_request,
                                GDestroyNotify free_result)
{
  ViewerLatest *self = g_object_new(VIEWER_TYPE_LATEST, NULL);

  self->make = make;
  self->free_request = free_request;
  self->free_result = free_result;
  return self;
}

static void viewer_latest_finalize(GObject *object)
{
  viewer_latest_clear(VIEWER_LATEST(object));
  G_OBJECT_CLASS(viewer_latest_parent_class)->finalize(object);
}

static void viewer_latest_class_init(ViewerLatestClass *class)
{
  G_OBJECT_CLASS(class)->finalize = viewer_latest_finalize;
  signals[READY] =
      g_signal_new("ready", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_latest_init(ViewerLatest *self)
{
}
