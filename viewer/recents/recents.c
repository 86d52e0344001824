/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/recents/recents.h"

#include "viewer/recents/recents-store.h"
#include "viewer/recents/recordings.h"
#include "viewer/recents/thumbnail.h"

#define THUMBNAIL_WIDTH  192
#define THUMBNAIL_HEIGHT 108
#define NANOSECONDS      1000000000

struct _ViewerRecents {
  GObject parent_instance;

  ViewerRecentsStore *store;
  GThreadPool *pool; /* one thread: what is asked for first is done first */
  GPtrArray *items;  /* of ViewerRecent */
  char **commands;
};

typedef enum { REFRESH, TIDY, ADD_CAPTURE, REMOVE, FORGET, ADD_COMMAND } Kind;

/* Something to be done with the store, after which it is looked at. */
typedef struct {
  Kind kind;
  GFile *file;
  char *text; /* title or command */
  ProfileWeights *weights;
} Job;

/* What the store says then. */
typedef struct {
  GPtrArray *items;
  char **commands;
  char *problem;
} State;

static void viewer_recents_list_model_init(GListModelInterface *interface);
G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerRecents, viewer_recents, G_TYPE_OBJECT,
                              G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, viewer_recents_list_model_init))

enum { COMMANDS_CHANGED, PROBLEM, N_SIGNALS };
static guint signals[N_SIGNALS];

static void job_free(Job *job)
{
  g_clear_object(&job->file);
  g_clear_pointer(&job->weights, profile_weights_unref);
  g_free(job->text);
  g_free(job);
}

static void state_free(State *state)
{
  g_clear_pointer(&state->items, g_ptr_array_unref);
  g_strfreev(state->commands);
  g_free(state->problem);
  g_free(state);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(State, state_free)

static void put_capture(ViewerRecentsStore *store, const Job *job)
{
  ProfileCapture *capture = profile_weights_get_capture(job->weights);
  g_autoptr(GBytes) thumbnail = viewer_thumbnail_new(job->weights, THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT);
  ViewerRecentFacts facts = {.file = job->file,
                             .title = job->text,
                             .time = g_get_real_time() / G_USEC_PER_SEC,
                             .duration = profile_capture_get_duration(capture),
                             .thumbnail = thumbnail};
  struct capture_file_header header;
  guint n_events;
  const ProfileEvent *events = profile_capture_get_events(capture, &n_events);

  profile_capture_get_header(capture, &header);
  facts.recorded = header.time_realtime / NANOSECONDS;
  for (guint i = 0; i < n_events; i++)
    facts.samples += events[i].n_samples;
  viewer_recents_store_put(store, &facts);
}

/* What is deleted can be opened no more. */
static void recents_tidy(ViewerRecentsStore *store)
{
  g_autoptr(GPtrArray) removed = viewer_recordings_tidy(g_get_real_time() / G_USEC_PER_SEC);

  for (guint i = 0; i < removed->len; i++)
    viewer_recents_store_remove(store, removed->pdata[i]);
}

static void recents_work(gpointer data, gpointer unused)
{
  g_autoptr(GTask) task = data;
  ViewerRecentsStore *store = VIEWER_RECENTS(g_task_get_source_object(task))->store;
  const Job *job = g_task_get_task_data(task);
  State *state = g_new0(State, 1);

  if (job->kind == REMOVE)
    viewer_recordings_remove(job->file);
  if (job->kind == ADD_CAPTURE)
    put_capture(store, job);
  else if (job->kind == TIDY)
    recents_tidy(store);
  else if (job->kind == REMOVE || job->kind == FORGET)
    viewer_recents_store_remove(store, job->file);
  else if (job->kind == ADD_COMMAND)
    viewer_recents_store_put_command(store, job->text);
  state->items = viewer_recents_store_load(store);
  state->commands = viewer_recents_store_load_commands(store);
  state->problem = viewer_recents_store_take_problem(store);
  g_task_return_pointer(task, state, (GDestroyNotify)state_free);
}

/* Rows that stay are left alone: one of them may have the focus. */
static void replace_items(ViewerRecents *self, GPtrArray *items)
{
  guint n_old = self->items->len, n_new = items->len, head = 0, tail = 0;

  while (head < MIN(n_old, n_new) && viewer_recent_equal(self->items->pdata[head], items->pdata[head]))
    head++;
  while (tail < MIN(n_old, n_new) - head &&
         viewer_recent_equal(self->items->pdata[n_old - 1 - tail], items->pdata[n_new - 1 - tail]))
    tail++;
  for (guint i = 0; i < head; i++)
    g_set_object((GObject **)&items->pdata[i], self->items->pdata[i]);
  for (guint i = 1; i <= tail; i++)
    g_set_object((GObject **)&items->pdata[n_new - i], self->items->pdata[n_old - i]);
  g_ptr_array_unref(self->items);
  self->items = g_ptr_array_ref(items);
  if (head + tail < MAX(n_old, n_new))
    g_list_model_items_changed(G_LIST_MODEL(self), head, n_old - head - tail, n_new - head - tail);
}

static void on_done(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerRecents *self = VIEWER_RECENTS(source);
  g_autoptr(State) state = g_task_propagate_pointer(G_TASK(result), NULL);

  replace_items(self, state->items);
  if (!g_strv_equal((const char *const *)self->commands, (const char *const *)state->commands)) {
    g_strfreev(self->commands);
    self->commands = g_steal_pointer(&state->commands);
    g_signal_emit(self, signals[COMMANDS_CHANGED], 0);
  }
  if (state->problem)
    g_signal_emit(self, signals[PROBLEM], 0, state->problem);
}

static void recents_push(ViewerRecents *self, Kind kind, GFile *file, const char *text,
                         ProfileWeights *weights)
{
  GTask *task = g_task_new(self, NULL, on_done, NULL);
  Job *job = g_new0(Job, 1);

  job->kind = kind;
  g_set_object(&job->file, file);
  job->weights = weights ? profile_weights_ref(weights) : NULL;
  job->text = text ? g_utf8_make_valid(text, -1) : NULL;
  g_task_set_task_data(task, job, (GDestroyNotify)job_free);
  g_thread_pool_push(self->pool, task, NULL);
}

static GType get_item_type(GListModel *model)
{
  return VIEWER_TYPE_RECENT;
}

static guint get_n_items(GListModel *model)
{
  return VIEWER_RECENTS(model)->items->len;
}

static gpointer get_item(GListModel *model, guint position)
{
  GPtrArray *items = VIEWER_RECENTS(model)->items;

  return position < items->len ? g_object_ref(items->pdata[position]) : NULL;
}

static void viewer_recents_list_model_init(GListModelInterface *interface)
{
  interface->get_item_type = get_item_type;
  interface->get_n_items = get_n_items;
  interface->get_item = get_item;
}

/* Each job keeps the object, so that none is left now. */
static void viewer_recents_finalize(GObject *object)
{
  ViewerRecents *self = VIEWER_RECENTS(object);

  g_thread_pool_free(self->pool, FALSE, FALSE);
  g_clear_pointer(&self->store, viewer_recents_store_free);
  g_clear_pointer(&self->items, g_ptr_array_unref);
  g_clear_pointer(&self->commands, g_strfreev);
  G_OBJECT_CLASS(viewer_recents_parent_class)->finalize(object);
}

static void viewer_recents_class_init(ViewerRecentsClass *class)
{
  GType type = G_OBJECT_CLASS_TYPE(class);

  G_OBJECT_CLASS(class)->finalize = viewer_recents_finalize;
  signals[COMMANDS_CHANGED] =
      g_signal_new("commands-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROBLEM] =
      g_signal_new("problem", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void viewer_recents_init(ViewerRecents *self)
{
  self->pool = g_thread_pool_new(recents_work, NULL, 1, FALSE, NULL);
  self->items = g_ptr_array_new_with_free_func(g_object_unref);
  self->commands = g_new0(char *, 1);
}

ViewerRecents *viewer_recents_new(const char *path)
{
  ViewerRecents *self = g_object_new(VIEWER_TYPE_RECENTS, NULL);

  self->store = viewer_recents_store_new(path);
  viewer_recents_refresh(self);
  return self;
}

ViewerRecents *viewer_recents_get_default(void)
{
  static ViewerRecents *recents;

  if (!recents) {
    g_autofree char *path = viewer_recents_store_get_path();
    recents = viewer_recents_new(path);
    recents_push(recents, TIDY, NULL, NULL, NULL);
  }
  return recents;
}

void viewer_recents_refresh(ViewerRecents *self)
{
  recents_push(self, REFRESH, NULL, NULL, NULL);
}

void viewer_recents_add_capture(ViewerRecents *self, GFile *file, const char *title, ProfileWeights *weights)
{
  recents_push(self, ADD_CAPTURE, file, title, weights);
}

void viewer_recents_remove(ViewerRecents *self, ViewerRecent *recent)
{
  recents_push(self, REMOVE, viewer_recent_get_facts(recent)->file, NULL, NULL);
}

void viewer_recents_forget(ViewerRecents *self, GFile *file)
{
  recents_push(self, FORGET, file, NULL, NULL);
}

const char *const *viewer_recents_get_commands(ViewerRecents *self)
{
  return (const char *const *)self->commands;
}

void viewer_recents_add_command(ViewerRecents *self, const char *command)
{
  recents_push(self, ADD_COMMAND, NULL, command, NULL);
}
