/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/functions/functions-model.h"

#include "viewer/pages/functions/function-row.h"
#include "viewer/pages/functions/functions-list.h"

/* What a thread does, or shall do next. */
typedef struct {
  ProfileWeights *weights;
  ProfileSearch *search;
  ViewerFunctionsBy by;
  gboolean descending;
  ViewerFunctionsList *known;
  guint number; /* of the call of show that it is for */
} Job;

struct _ViewerFunctionsModel {
  GObject parent;
  ViewerFunctionsList *list; /* NULL: no rows */
  GHashTable *items;         /* position → ViewerFunctionRow, those that somebody holds */
  gboolean is_running;
  Job *next;
  guint cleared; /* jobs up to this number come too late */
  guint number;
  gboolean is_changing;
};

static void init_list(GListModelInterface *interface);

G_DEFINE_TYPE_WITH_CODE(ViewerFunctionsModel, viewer_functions_model, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, init_list))

enum { SHOWN, N_SIGNALS };
static guint signals[N_SIGNALS];

static void start_next(ViewerFunctionsModel *self);

static guint get_n(const ViewerFunctionsList *list)
{
  return list ? viewer_functions_list_get_n(list) : 0;
}

static guint get_n_items(GListModel *list)
{
  return get_n(VIEWER_FUNCTIONS_MODEL(list)->list);
}

static GType get_item_type(GListModel *list)
{
  return VIEWER_TYPE_FUNCTION_ROW;
}

static void forget_item(gpointer data, GObject *item)
{
  ViewerFunctionsModel *self = data;
  GHashTableIter iterator;
  gpointer value;

  g_hash_table_iter_init(&iterator, self->items);
  while (g_hash_table_iter_next(&iterator, NULL, &value))
    if (value == (gpointer)item) {
      g_hash_table_iter_remove(&iterator);
      return;
    }
}

static gpointer get_item(GListModel *list, guint position)
{
  ViewerFunctionsModel *self = VIEWER_FUNCTIONS_MODEL(list);
  ViewerFunctionRow *item = g_hash_table_lookup(self->items, GUINT_TO_POINTER(position));

  if (position >= get_n(self->list))
    return NULL;
  if (item)
    return g_object_ref(item);
  item = viewer_function_row_new(viewer_functions_list_get_weights(self->list),
                                 viewer_functions_list_get(self->list, position));
  g_object_weak_ref(G_OBJECT(item), forget_item, self);
  g_hash_table_insert(self->items, GUINT_TO_POINTER(position), item);
  return item;
}

static void init_list(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

static void let_go(ViewerFunctionsModel *self, gpointer item)
{
  g_object_weak_unref(item, forget_item, self);
}

/* Items belong to positions: those of rows that there still are say something else from now on, which costs
 * what is seen of them; the others are no longer the list's. */
static void renew_items(ViewerFunctionsModel *self, guint n)
{
  g_autoptr(GPtrArray) kept = g_ptr_array_new_with_free_func(g_object_unref);
  g_autoptr(GArray) positions = g_array_new(FALSE, FALSE, sizeof(guint));
  GHashTableIter iterator;
  gpointer key, item;

  g_hash_table_iter_init(&iterator, self->items);
  while (g_hash_table_iter_next(&iterator, &key, &item)) {
    guint position = GPOINTER_TO_UINT(key);
    if (position < n) {
      g_ptr_array_add(kept, g_object_ref(item));
      g_array_append_val(positions, position);
    } else {
      let_go(self, item);
      g_hash_table_iter_remove(&iterator);
    }
  }
  for (guint i = 0; i < kept->len; i++)
    viewer_function_row_set(kept->pdata[i], viewer_functions_list_get_weights(self->list),
                            viewer_functions_list_get(self->list, g_array_index(positions, guint, i)));
}

static void set_list(ViewerFunctionsModel *self, ViewerFunctionsList *list)
{
  g_autoptr(ViewerFunctionsList) old = self->list;
  guint n_old = get_n(old), n_new = get_n(list), kept = MIN(n_old, n_new);

  self->list = list;
  self->is_changing = TRUE;
  renew_items(self, kept);
  if (n_old != n_new)
    g_list_model_items_changed(G_LIST_MODEL(self), kept, n_old - kept, n_new - kept);
  self->is_changing = FALSE;
  g_signal_emit(self, signals[SHOWN], 0);
}

static void job_free(gpointer data)
{
  Job *job = data;

  profile_weights_unref(job->weights);
  g_clear_pointer(&job->search, profile_search_unref);
  g_clear_pointer(&job->known, viewer_functions_list_unref);
  g_free(job);
}

static void functions_model_run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Job *job = data;

  g_task_return_pointer(
      task, viewer_functions_list_new(job->weights, job->by, job->descending, job->search, job->known),
      (GDestroyNotify)viewer_functions_list_unref);
}

/* A list that is no longer the newest is shown all the same: it is newer than the one before. */
static void functions_model_finish(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerFunctionsModel *self = VIEWER_FUNCTIONS_MODEL(source);
  const Job *job = g_task_get_task_data(G_TASK(result));
  g_autoptr(ViewerFunctionsList) list = g_task_propagate_pointer(G_TASK(result), NULL);

  self->is_running = FALSE;
  if (job->number > self->cleared)
    set_list(self, g_steal_pointer(&list));
  start_next(self);
}

static void start_next(ViewerFunctionsModel *self)
{
  Job *job = self->next;

  if (self->is_running || !job)
    return;
  self->next = NULL;
  self->is_running = TRUE;
  if (self->list && viewer_functions_list_get_weights(self->list) == job->weights)
    job->known = viewer_functions_list_ref(self->list);
  g_autoptr(GTask) task = g_task_new(self, NULL, functions_model_finish, NULL);
  g_task_set_task_data(task, job, job_free);
  g_task_run_in_thread(task, functions_model_run);
}

static void viewer_functions_model_finalize(GObject *object)
{
  ViewerFunctionsModel *self = VIEWER_FUNCTIONS_MODEL(object);
  GHashTableIter iterator;
  gpointer item;

  g_hash_table_iter_init(&iterator, self->items);
  while (g_hash_table_iter_next(&iterator, NULL, &item))
    let_go(self, item);
  g_hash_table_unref(self->items);
  g_clear_pointer(&self->list, viewer_functions_list_unref);
  g_clear_pointer(&self->next, job_free);
  G_OBJECT_CLASS(viewer_functions_model_parent_class)->finalize(object);
}

static void viewer_functions_model_class_init(ViewerFunctionsModelClass *class)
{
  G_OBJECT_CLASS(class)->finalize = viewer_functions_model_finalize;
  signals[SHOWN] = g_signal_new("shown", VIEWER_TYPE_FUNCTIONS_MODEL, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 0);
}

static void viewer_functions_model_init(ViewerFunctionsModel *self)
{
  self->items = g_hash_table_new(NULL, NULL);
}

ViewerFunctionsModel *viewer_functions_model_new(void)
{
  return g_object_new(VIEWER_TYPE_FUNCTIONS_MODEL, NULL);
}

void viewer_functions_model_show(ViewerFunctionsModel *self, ProfileWeights *weights, ViewerFunctionsBy by,
                                 gboolean descending, ProfileSearch *search)
{
  self->number++;
  g_clear_pointer(&self->next, job_free);
  if (!weights) {
    self->cleared = self->number;
    set_list(self, NULL);
    return;
  }
  self->next = g_new0(Job, 1);
  self->next->weights = profile_weights_ref(weights);
  self->next->search = search ? profile_search_ref(search) : NULL;
  self->next->by = by;
  self->next->descending = descending;
  self->next->number = self->number;
  start_next(self);
}

ProfileWeights *viewer_functions_model_get_weights(ViewerFunctionsModel *self)
{
  return self->list ? viewer_functions_list_get_weights(self->list) : NULL;
}

gboolean viewer_functions_model_is_changing(ViewerFunctionsModel *self)
{
  return self->is_changing;
}

gboolean viewer_functions_model_get(ViewerFunctionsModel *self, guint position, ProfileRow *ret_row)
{
  if (position >= get_n(self->list))
    return FALSE;
  *ret_row = viewer_functions_list_get(self->list, position);
  return TRUE;
}

guint viewer_functions_model_get_position(ViewerFunctionsModel *self, guint32 function)
{
  return self->list ? viewer_functions_list_get_position(self->list, function) : G_MAXUINT;
}
