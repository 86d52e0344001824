/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/process-list.h"

#include <unistd.h>

#define PERIOD_MS 2000
/* The second look comes soon: only then is it known who is busy. */
#define FIRST_PERIOD_MS 500

struct _ViewerProcessList {
  GObject parent_instance;

  GPtrArray *items; /* of ViewerProcess, in the order of viewer_process_facts_compare */
  ViewerProcessScan *scan;
  gint64 last_look; /* µs; 0: none yet */
  gboolean own, others;
  gboolean running, looking;
  guint timer;
};

static void viewer_process_list_list_model_init(GListModelInterface *interface);
G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerProcessList, viewer_process_list, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, viewer_process_list_list_model_init))

static GType get_item_type(GListModel *model)
{
  return VIEWER_TYPE_PROCESS;
}

static guint get_n_items(GListModel *model)
{
  return VIEWER_PROCESS_LIST(model)->items->len;
}

static gpointer get_item(GListModel *model, guint position)
{
  GPtrArray *items = VIEWER_PROCESS_LIST(model)->items;

  return position < items->len ? g_object_ref(items->pdata[position]) : NULL;
}

static void viewer_process_list_list_model_init(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static void update_rights(ViewerProcessList *self, ViewerProcess *process)
{
  gboolean itself = viewer_process_get_facts(process)->pid == getpid();
  gboolean right = viewer_process_is_own(process) ? self->own || self->others : self->others;

  viewer_process_set_recordable(process, right && !itself);
}

static void process_list_insert(ViewerProcessList *self, guint position, ViewerProcessFacts *facts)
{
  ViewerProcess *process = viewer_process_new(facts);

  update_rights(self, process);
  g_ptr_array_insert(self->items, (int)position, process);
  g_list_model_items_changed(G_LIST_MODEL(self), position, 0, 1);
}

static void process_list_drop(ViewerProcessList *self, guint position)
{
  g_ptr_array_remove_index(self->items, position);
  g_list_model_items_changed(G_LIST_MODEL(self), position, 1, 0);
}

/* It may have become another program under the same name. */
static void process_list_update(ViewerProcessList *self, guint position, ViewerProcessFacts *facts,
                                gint64 elapsed)
{
  ViewerProcess *process = self->items->pdata[position];

  if (g_str_equal(viewer_process_get_facts(process)->command_line, facts->command_line)) {
    viewer_process_look(process, facts->time, elapsed);
    return;
  }
  process_list_drop(self, position);
  process_list_insert(self, position, facts);
}

/* Both are in one order. elapsed: nanoseconds since the last look; 0: there was none. */
static void process_list_merge(ViewerProcessList *self, GPtrArray *found, gint64 elapsed)
{
  guint position = 0;

  for (guint i = 0; i < found->len; i++) {
    ViewerProcessFacts *facts = found->pdata[i];
    int order = -1;

    while (position < self->items->len &&
           (order = viewer_process_facts_compare(viewer_process_get_facts(self->items->pdata[position]),
                                                 facts)) < 0)
      process_list_drop(self, position);
    if (position == self->items->len || order > 0)
      process_list_insert(self, position, facts);
    else
      process_list_update(self, position, facts, elapsed);
    position++;
  }
  while (position < self->items->len)
    process_list_drop(self, position);
}

static void look_in_thread(GTask *task, gpointer source, gpointer scan, GCancellable *cancellable)
{
  g_task_return_pointer(task, viewer_process_scan_look(scan), (GDestroyNotify)g_ptr_array_unref);
}

static void process_list_look(ViewerProcessList *self);

static gboolean on_timer(gpointer data)
{
  ViewerProcessList *self = data;

  self->timer = 0;
  process_list_look(self);
  return G_SOURCE_REMOVE;
}

static void on_look(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerProcessList *self = VIEWER_PROCESS_LIST(source);
  g_autoptr(GPtrArray) found = g_task_propagate_pointer(G_TASK(result), NULL);
  gint64 now = g_get_monotonic_time();
  gboolean first = self->last_look == 0;

  self->looking = FALSE;
  if (!self->running)
    return;
  process_list_merge(self, found, first ? 0 : (now - self->last_look) * 1000);
  self->last_look = now;
  self->timer = g_timeout_add(first ? FIRST_PERIOD_MS : PERIOD_MS, on_timer, self);
}

static void process_list_look(ViewerProcessList *self)
{
  if (self->looking)
    return;
  GTask *task = g_task_new(self, NULL, on_look, NULL);
  self->looking = TRUE;
  g_task_set_task_data(task, self->scan, NULL);
  g_task_run_in_thread(task, look_in_thread);
  g_object_unref(task);
}

/* A look that is under way keeps the object. */
static void viewer_process_list_finalize(GObject *object)
{
  ViewerProcessList *self = VIEWER_PROCESS_LIST(object);

  g_clear_handle_id(&self->timer, g_source_remove);
  g_ptr_array_unref(self->items);
  viewer_process_scan_free(self->scan);
  G_OBJECT_CLASS(viewer_process_list_parent_class)->finalize(object);
}

static void viewer_process_list_class_init(ViewerProcessListClass *class)
{
  G_OBJECT_CLASS(class)->finalize = viewer_process_list_finalize;
}

static void viewer_process_list_init(ViewerProcessList *self)
{
  self->items = g_ptr_array_new_with_free_func(g_object_unref);
  self->scan = viewer_process_scan_new();
}

ViewerProcessList *viewer_process_list_new(void)
{
  return g_object_new(VIEWER_TYPE_PROCESS_LIST, NULL);
}

void viewer_process_list_set_running(ViewerProcessList *self, gboolean running)
{
  if (self->running == running)
    return;
  self->running = running;
  g_clear_handle_id(&self->timer, g_source_remove);
  self->last_look = 0; /* shares of a long while ago say nothing of now */
  if (running)
    process_list_look(self);
}

void viewer_process_list_set_rights(ViewerProcessList *self, gboolean own, gboolean others)
{
  self->own = own;
  self->others = others;
  for (guint i = 0; i < self->items->len; i++)
    update_rights(self, self->items->pdata[i]);
}
