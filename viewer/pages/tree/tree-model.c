/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/tree/tree-model.h"

#include <glib/gi18n.h>
#include <string.h>

#include "viewer/kit/format.h"
#include "viewer/pages/tree/tree-nodes.h"
#include "viewer/pages/tree/tree-row.h"

/* Rows that may stay the same ones when another tree is shown; what is behind them is new. */
enum { MOST_SAME = 20000 };

struct _ViewerTreeModel {
  GObject parent;
  ProfileWeights *weights; /* of what is shown; NULL: nothing is */
  ProfileStacks *stacks;   /* the weights' */
  ViewerTreeKind kind;
  guint32 function;
  ProfileTree *tree; /* NULL while a job has it */
  ViewerTreeNodes *nodes;
  GHashTable *items;  /* node → ViewerTreeRow, those that somebody holds */
  ViewerTreeJob *job; /* in a thread */
  GQueue jobs;        /* ViewerTreeJob, which come next */
  GCancellable *cancellable;
  ProfileSearch *search;
  GArray *places; /* guint32, in the order of rows */
  gboolean is_changing;
};

static void init_list(GListModelInterface *interface);

G_DEFINE_TYPE_WITH_CODE(ViewerTreeModel, viewer_tree_model, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, init_list))

enum { SHOWN, REVEALED, PLACES_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void start_next(ViewerTreeModel *self);

static const ViewerTreeKnown *get_known(const ViewerTreeModel *self, guint32 node)
{
  return viewer_tree_nodes_get(self->nodes, node);
}

void viewer_tree_model_forget(ViewerTreeModel *self, gpointer row)
{
  gpointer node = GUINT_TO_POINTER(viewer_tree_row_get_node(row));

  if (g_hash_table_lookup(self->items, node) == row)
    g_hash_table_remove(self->items, node);
}

static gpointer get_item(GListModel *list, guint position)
{
  ViewerTreeModel *self = VIEWER_TREE_MODEL(list);

  guint32 node = viewer_tree_nodes_get_row(self->nodes, position);
  if (node == VIEWER_TREE_NO_NODE)
    return NULL;
  ViewerTreeRow *item = g_hash_table_lookup(self->items, GUINT_TO_POINTER(node));
  if (item)
    return g_object_ref(item);
  item = viewer_tree_row_new(self, node);
  g_hash_table_insert(self->items, GUINT_TO_POINTER(node), item);
  return item;
}

static GType get_item_type(GListModel *list)
{
  return VIEWER_TYPE_TREE_ROW;
}

static guint get_n_items(GListModel *list)
{
  return viewer_tree_nodes_get_n_rows(VIEWER_TREE_MODEL(list)->nodes);
}

static void init_list(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

/* Whoever listens may let go of items or take others: those that are told hold still meanwhile. */
static void tell_items(ViewerTreeModel *self)
{
  g_autoptr(GPtrArray) items = g_ptr_array_new_with_free_func(g_object_unref);
  GHashTableIter iterator;
  gpointer item;

  g_hash_table_iter_init(&iterator, self->items);
  while (g_hash_table_iter_next(&iterator, NULL, &item))
    g_ptr_array_add(items, g_object_ref(item));
  for (guint i = 0; i < items->len; i++)
    viewer_tree_row_changed(items->pdata[i]);
}

static void tell_rows(ViewerTreeModel *self, guint position, guint removed, guint added)
{
  self->is_changing = TRUE;
  if (removed > 0 || added > 0)
    g_list_model_items_changed(G_LIST_MODEL(self), position, removed, added);
  self->is_changing = FALSE;
  tell_items(self);
}

/* After it was opened or closed, or nodes below it were; so many rows were below it. */
static void tell_rows_below(ViewerTreeModel *self, guint32 node, guint n_below)
{
  guint position = viewer_tree_model_get_position(self, node);

  if (position != G_MAXUINT)
    tell_rows(self, position + 1, n_below, viewer_tree_nodes_count_rows_below(self->nodes, node));
}

static void set_open(ViewerTreeModel *self, guint32 node, gboolean is_open)
{
  guint n_before = viewer_tree_nodes_count_rows_below(self->nodes, node);

  if (get_known(self, node)->is_open == is_open)
    return;
  viewer_tree_nodes_set_open(self->nodes, node, is_open);
  tell_rows_below(self, node, n_before);
}

static guint32 get_first_row(const ViewerTreeNodes *nodes)
{
  return viewer_tree_nodes_get_n(nodes) > 0 ? 0 : VIEWER_TREE_NO_NODE;
}

static gboolean is_same(const ViewerTreeNodes *old_nodes, guint32 old_node, const ViewerTreeNodes *nodes,
                        guint32 node)
{
  if (old_node == VIEWER_TREE_NO_NODE || node == VIEWER_TREE_NO_NODE)
    return FALSE;
  const ProfileTreeNode *old = &viewer_tree_nodes_get(old_nodes, old_node)->node;
  const ProfileTreeNode *new = &viewer_tree_nodes_get(nodes, node)->node;
  return old->function == new->function && old->depth == new->depth;
}

static void renumber_item(ViewerTreeModel *self, GHashTable *old_items, guint32 old_node, guint32 node)
{
  gpointer item;

  if (!g_hash_table_steal_extended(old_items, GUINT_TO_POINTER(old_node), NULL, &item))
    return;
  viewer_tree_row_set_node(item, node);
  g_hash_table_insert(self->items, GUINT_TO_POINTER(node), item);
}

/* How many rows from the first on lead through the same functions as before. Their items are the same ones
 * under new numbers: so what is focused stays. */
static guint renumber_items(ViewerTreeModel *self, const ViewerTreeNodes *old_nodes)
{
  g_autoptr(GHashTable) old_items = g_steal_pointer(&self->items);
  guint32 old_node = get_first_row(old_nodes), node = get_first_row(self->nodes);
  GHashTableIter iterator;
  gpointer item;
  guint same = 0;

  self->items = g_hash_table_new(NULL, NULL);
  for (; same < MOST_SAME && is_same(old_nodes, old_node, self->nodes, node); same++) {
    renumber_item(self, old_items, old_node, node);
    old_node = viewer_tree_nodes_get_next_row(old_nodes, old_node);
    node = viewer_tree_nodes_get_next_row(self->nodes, node);
  }
  g_hash_table_iter_init(&iterator, old_items);
  while (g_hash_table_iter_next(&iterator, NULL, &item))
    viewer_tree_row_set_node(item, VIEWER_TREE_NO_NODE);
  return same;
}

/* Puts another tree, which is in nodes already, in place of the old one. */
static void show_rows(ViewerTreeModel *self, const ViewerTreeNodes *old_nodes)
{
  guint same = renumber_items(self, old_nodes), n_old = viewer_tree_nodes_get_n_rows(old_nodes);
  guint n = viewer_tree_nodes_get_n_rows(self->nodes);

  tell_rows(self, same, n_old - same, n - same);
  g_signal_emit(self, signals[SHOWN], 0);
}

/* Those that are about the nodes of another tree. */
static void drop_jobs_but_make(ViewerTreeModel *self)
{
  for (GList *link = self->jobs.head; link;) {
    GList *next = link->next;
    ViewerTreeJob *job = link->data;
    if (job->kind != VIEWER_TREE_JOB_MAKE) {
      g_queue_delete_link(&self->jobs, link);
      viewer_tree_job_free(job);
    }
    link = next;
  }
}

static void set_places(ViewerTreeModel *self, const GArray *places)
{
  g_array_set_size(self->places, 0);
  if (places)
    g_array_append_vals(self->places, places->data, places->len);
  g_signal_emit(self, signals[PLACES_CHANGED], 0);
}

static void set_weights(ViewerTreeModel *self, ProfileWeights *weights)
{
  ProfileStacks *stacks = weights ? profile_weights_get_stacks(weights) : NULL;

  if (stacks != self->stacks)
    g_clear_pointer(&self->search, profile_search_unref);
  if (weights)
    profile_weights_ref(weights);
  g_clear_pointer(&self->weights, profile_weights_unref);
  self->weights = weights;
  self->stacks = stacks;
  g_clear_pointer(&self->tree, profile_tree_free);
  g_array_set_size(self->places, 0);
}

static void apply_make(ViewerTreeModel *self, ViewerTreeJob *job)
{
  g_autoptr(ViewerTreeNodes) old_nodes = g_steal_pointer(&self->nodes);

  drop_jobs_but_make(self);
  set_weights(self, job->weights);
  self->kind = job->tree_kind;
  self->function = job->function;
  self->tree = g_steal_pointer(&job->tree);
  self->nodes = g_steal_pointer(&job->made);
  show_rows(self, old_nodes);
}

static void tree_model_apply(ViewerTreeModel *self, ViewerTreeJob *job)
{
  if (job->kind == VIEWER_TREE_JOB_MAKE) {
    apply_make(self, job);
    return;
  }
  guint n_before = viewer_tree_nodes_count_rows_below(self->nodes, job->node);
  self->tree = g_steal_pointer(&job->tree);
  viewer_tree_nodes_add(self->nodes, job);
  switch (job->kind) {
  case VIEWER_TREE_JOB_EXPAND:
    viewer_tree_model_open(self, job->node);
    break;
  case VIEWER_TREE_JOB_EXPAND_BELOW:
    tell_rows_below(self, job->node, n_before);
    break;
  case VIEWER_TREE_JOB_FOLLOW:
    viewer_tree_model_reveal(self, g_array_index(job->found, guint32, 0));
    break;
  default:
    g_array_sort_with_data(job->found, viewer_tree_nodes_compare, self->nodes);
    if (job->search == self->search)
      set_places(self, job->found);
  }
}

static void finish_job(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerTreeModel *self = VIEWER_TREE_MODEL(source);
  g_autoptr(ViewerTreeJob) job = g_steal_pointer(&self->job);

  if (!g_cancellable_is_cancelled(g_task_get_cancellable(G_TASK(result))))
    tree_model_apply(self, job);
  start_next(self);
}

static void run_job(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  viewer_tree_job_run(data, cancellable);
  g_task_return_boolean(task, TRUE);
}

static void start_next(ViewerTreeModel *self)
{
  if (self->job || g_queue_is_empty(&self->jobs))
    return;
  self->job = g_queue_pop_head(&self->jobs);
  if (self->job->kind != VIEWER_TREE_JOB_MAKE) {
    self->job->tree = g_steal_pointer(&self->tree);
    self->job->n_known = viewer_tree_nodes_get_n(self->nodes);
  }
  g_autoptr(GTask) task = g_task_new(self, self->cancellable, finish_job, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, self->job, NULL);
  g_task_run_in_thread(task, run_job);
}

static void push_job(ViewerTreeModel *self, ViewerTreeJob *job)
{
  g_queue_push_tail(&self->jobs, job);
  start_next(self);
}

static void drop_jobs(ViewerTreeModel *self)
{
  g_queue_clear_full(&self->jobs, (GDestroyNotify)viewer_tree_job_free);
}

static void tree_model_stop(ViewerTreeModel *self)
{
  g_cancellable_cancel(self->cancellable);
  g_object_unref(self->cancellable);
  self->cancellable = g_cancellable_new();
}

static void viewer_tree_model_finalize(GObject *object)
{
  ViewerTreeModel *self = VIEWER_TREE_MODEL(object);

  drop_jobs(self);
  set_weights(self, NULL);
  viewer_tree_nodes_free(self->nodes);
  g_array_unref(self->places);
  g_hash_table_unref(self->items);
  g_object_unref(self->cancellable);
  G_OBJECT_CLASS(viewer_tree_model_parent_class)->finalize(object);
}

static void viewer_tree_model_class_init(ViewerTreeModelClass *class)
{
  GType type = VIEWER_TYPE_TREE_MODEL;

  G_OBJECT_CLASS(class)->finalize = viewer_tree_model_finalize;
  signals[SHOWN] = g_signal_new("shown", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[REVEALED] =
      g_signal_new("revealed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_UINT);
  signals[PLACES_CHANGED] =
      g_signal_new("places-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_tree_model_init(ViewerTreeModel *self)
{
  self->nodes = viewer_tree_nodes_new();
  self->places = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->items = g_hash_table_new(NULL, NULL);
  self->cancellable = g_cancellable_new();
}

ViewerTreeModel *viewer_tree_model_new(void)
{
  return g_object_new(VIEWER_TYPE_TREE_MODEL, NULL);
}

static void tree_model_clear(ViewerTreeModel *self)
{
  g_autoptr(ViewerTreeNodes) old_nodes = g_steal_pointer(&self->nodes);

  tree_model_stop(self);
  set_weights(self, NULL);
  self->nodes = viewer_tree_nodes_new();
  show_rows(self, old_nodes);
}

void viewer_tree_model_show(ViewerTreeModel *self, ProfileWeights *weights, ViewerTreeKind kind,
                            guint32 function)
{
  drop_jobs(self);
  if (!weights) {
    tree_model_clear(self);
    return;
  }
  ViewerTreeJob *job = viewer_tree_job_new(VIEWER_TREE_JOB_MAKE);
  job->weights = profile_weights_ref(weights);
  job->tree_kind = kind;
  job->function = function;
  if (self->weights && self->kind == kind && self->function == function) {
    job->old_weights = profile_weights_ref(self->weights);
    job->was_open = viewer_tree_nodes_get_open(self->nodes);
  }
  push_job(self, job);
}

ProfileWeights *viewer_tree_model_get_weights(ViewerTreeModel *self)
{
  return self->weights;
}

ViewerTreeKind viewer_tree_model_get_kind(ViewerTreeModel *self)
{
  return self->kind;
}

gboolean viewer_tree_model_is_busy(ViewerTreeModel *self)
{
  return self->job != NULL;
}

gboolean viewer_tree_model_is_changing(ViewerTreeModel *self)
{
  return self->is_changing;
}

guint32 viewer_tree_model_get_node_at(ViewerTreeModel *self, guint position)
{
  return viewer_tree_nodes_get_row(self->nodes, position);
}

guint viewer_tree_model_get_position(ViewerTreeModel *self, guint32 node)
{
  return viewer_tree_nodes_get_position(self->nodes, node);
}

const ProfileTreeNode *viewer_tree_model_get(ViewerTreeModel *self, guint32 node)
{
  return &get_known(self, node)->node;
}

const char *viewer_tree_model_get_name(ViewerTreeModel *self, guint32 node)
{
  guint32 function = get_known(self, node)->node.function;

  return function == PROFILE_TREE_NO_FUNCTION ? _("All Samples")
                                              : profile_stacks_get_function_name(self->stacks, function);
}

const char *viewer_tree_model_get_binary(ViewerTreeModel *self, guint32 node)
{
  guint32 function = get_known(self, node)->node.function;

  return function == PROFILE_TREE_NO_FUNCTION ? ""
                                              : profile_stacks_get_function_binary(self->stacks, function);
}

ProfilePath *viewer_tree_model_get_path(ViewerTreeModel *self, guint32 node)
{
  return viewer_tree_nodes_get_path(self->nodes, node);
}

static guint64 tree_model_measure(ViewerTreeModel *self, guint32 node)
{
  return profile_weights_measure(viewer_tree_model_get_weights(self), get_known(self, node)->node.total);
}

double viewer_tree_model_get_share(ViewerTreeModel *self, guint32 node)
{
  guint64 whole = tree_model_measure(self, 0);

  return whole > 0 ? (double)tree_model_measure(self, node) / (double)whole : 0;
}

char *viewer_tree_model_format_share(ViewerTreeModel *self, guint32 node)
{
  return viewer_format_share(tree_model_measure(self, node), tree_model_measure(self, 0));
}

gboolean viewer_tree_model_can_open(ViewerTreeModel *self, guint32 node)
{
  const ViewerTreeKnown *known = get_known(self, node);

  return known->is_made ? known->n_children > 0 : known->node.total.count > known->node.self.count;
}

gboolean viewer_tree_model_is_open(ViewerTreeModel *self, guint32 node)
{
  return get_known(self, node)->is_open && viewer_tree_model_can_open(self, node);
}

static void push_node_job(ViewerTreeModel *self, ViewerTreeJobKind kind, guint32 node)
{
  ViewerTreeJob *job = viewer_tree_job_new(kind);

  job->node = node;
  push_job(self, job);
}

void viewer_tree_model_open(ViewerTreeModel *self, guint32 node)
{
  if (get_known(self, node)->is_made)
    set_open(self, node, TRUE);
  else
    push_node_job(self, VIEWER_TREE_JOB_EXPAND, node);
}

void viewer_tree_model_close(ViewerTreeModel *self, guint32 node)
{
  set_open(self, node, FALSE);
}

void viewer_tree_model_open_below(ViewerTreeModel *self, guint32 node)
{
  push_node_job(self, VIEWER_TREE_JOB_EXPAND_BELOW, node);
}

void viewer_tree_model_reveal(ViewerTreeModel *self, guint32 node)
{
  guint32 uppermost = viewer_tree_nodes_open_to(self->nodes, node);

  if (uppermost != VIEWER_TREE_NO_NODE)
    tell_rows_below(self, uppermost, 0);
  g_signal_emit(self, signals[REVEALED], 0, node);
}

void viewer_tree_model_reveal_path(ViewerTreeModel *self, const guint32 *path, guint n)
{
  guint n_known;

  if (!self->weights)
    return;
  guint32 node = viewer_tree_nodes_follow(self->nodes, path, n, &n_known);
  if (n_known == n || get_known(self, node)->is_made) {
    viewer_tree_model_reveal(self, node);
    return;
  }
  ViewerTreeJob *job = viewer_tree_job_new(VIEWER_TREE_JOB_FOLLOW);
  job->path = g_malloc(sizeof *job->path + n * sizeof *path);
  job->path->n = n;
  memcpy(job->path->functions, path, n * sizeof *path);
  push_job(self, job);
}

void viewer_tree_model_set_search(ViewerTreeModel *self, ProfileSearch *search)
{
  gboolean of_shown = search && self->weights && profile_search_get_weights(search) == self->weights;

  if (search)
    profile_search_ref(search);
  g_clear_pointer(&self->search, profile_search_unref);
  self->search = of_shown ? search : NULL;
  if (search && !of_shown)
    profile_search_unref(search);
  set_places(self, NULL);
  tell_items(self);
  if (!of_shown || profile_search_get_n_functions(search) == 0 || self->kind >= VIEWER_TREE_CALLEES)
    return;
  ViewerTreeJob *job = viewer_tree_job_new(VIEWER_TREE_JOB_SEARCH);
  job->search = profile_search_ref(search);
  job->tree_kind = self->kind;
  push_job(self, job);
}

gboolean viewer_tree_model_is_found(ViewerTreeModel *self, guint32 node)
{
  return self->search && profile_search_has(self->search, get_known(self, node)->node.function);
}

guint32 viewer_tree_model_get_place(ViewerTreeModel *self, guint32 node, int direction)
{
  guint n = self->places->len, before = 0;
  const guint32 *places = (const guint32 *)self->places->data;

  if (n == 0)
    return VIEWER_TREE_NO_NODE;
  if (node == VIEWER_TREE_NO_NODE)
    return places[direction > 0 ? 0 : n - 1];
  while (before < n && viewer_tree_nodes_compare(&places[before], &node, self->nodes) < 0)
    before++;
  if (direction < 0)
    return places[(before + n - 1) % n];
  gboolean is_place = before < n && places[before] == node;
  return places[(before + is_place) % n];
}
