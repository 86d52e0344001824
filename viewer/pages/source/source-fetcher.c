/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-fetcher.h"

#include "profile/elf/debug-files.h"
#include "profile/fetch/fetch.h"

/* What became of a file. */
typedef struct {
  GBytes *text;  /* NULL: it did not come */
  char *failure; /* NULL: it did */
} Outcome;

/* What is being fetched; the task's. */
typedef struct {
  ProfileCapture *capture;
  guint32 binary;
  char *path, *servers, *key;
} Run;

struct _ViewerSourceFetcher {
  GObject parent_instance;
  GMutex lock;
  GHashTable *outcomes;      /* key → Outcome */
  GCancellable *cancellable; /* NULL: not busy */
  char *key;                 /* of what is being fetched; NULL: likewise */
};

G_DEFINE_FINAL_TYPE(ViewerSourceFetcher, viewer_source_fetcher, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void outcome_free(gpointer data)
{
  Outcome *self = data;

  g_clear_pointer(&self->text, g_bytes_unref);
  g_free(self->failure);
  g_free(self);
}

static void run_free(gpointer data)
{
  Run *self = data;

  g_object_unref(self->capture);
  g_free(self->path);
  g_free(self->servers);
  g_free(self->key);
  g_free(self);
}

/* The same in each capture, whatever number the binary has there. */
static char *make_key(ProfileCapture *capture, guint32 binary, const char *path)
{
  guint n;
  const ProfileBinary *of = &profile_capture_get_binaries(capture, &n)[binary];
  g_autofree char *build_id = profile_debug_file_print_build_id(of->build_id, of->build_id_size);

  return g_strconcat(build_id, path, NULL);
}

static void fetcher_end(ViewerSourceFetcher *self)
{
  g_clear_object(&self->cancellable);
  g_clear_pointer(&self->key, g_free);
}

static void fetcher_keep(ViewerSourceFetcher *self, const char *key, GBytes *text, const char *failure)
{
  Outcome *outcome = g_new(Outcome, 1);

  *outcome = (Outcome){text, g_strdup(failure)};
  g_mutex_lock(&self->lock);
  g_hash_table_insert(self->outcomes, g_strdup(key), outcome);
  g_mutex_unlock(&self->lock);
}

static void run_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Run *run = data;
  const ProfileFetchOptions options = {.servers = run->servers};
  GError *error = NULL;
  GBytes *text = profile_fetch_source(run->capture, run->binary, run->path, &options, cancellable, &error);

  if (text)
    g_task_return_pointer(task, text, (GDestroyNotify)g_bytes_unref);
  else
    g_task_return_error(task, error);
}

static void on_done(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerSourceFetcher *self = VIEWER_SOURCE_FETCHER(source);
  const Run *run = g_task_get_task_data(G_TASK(result));
  g_autoptr(GError) error = NULL;
  GBytes *text = g_task_propagate_pointer(G_TASK(result), &error);

  if (!g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    fetcher_keep(self, run->key, text, error ? error->message : NULL);
  if (g_task_get_cancellable(G_TASK(result)) == self->cancellable)
    fetcher_end(self);
  g_signal_emit(self, signals[CHANGED], 0);
}

static const Outcome *fetcher_find(ViewerSourceFetcher *self, const char *key)
{
  return g_hash_table_lookup(self->outcomes, key);
}

void viewer_source_fetcher_start(ViewerSourceFetcher *self, ProfileCapture *capture, guint32 binary,
                                 const char *path, const char *servers)
{
  g_autofree char *key = make_key(capture, binary, path);
  g_autoptr(GTask) task = NULL;
  Run *run;

  if (g_strcmp0(key, self->key) == 0)
    return;
  viewer_source_fetcher_cancel(self);
  if (fetcher_find(self, key))
    return;
  run = g_new(Run, 1);
  *run = (Run){g_object_ref(capture), binary, g_strdup(path), g_strdup(servers), g_strdup(key)};
  self->key = g_steal_pointer(&key);
  self->cancellable = g_cancellable_new();
  task = g_task_new(self, self->cancellable, on_done, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, run, run_free);
  g_task_run_in_thread(task, run_in_thread);
}

void viewer_source_fetcher_cancel(ViewerSourceFetcher *self)
{
  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  fetcher_end(self);
}

gboolean viewer_source_fetcher_is_busy(ViewerSourceFetcher *self)
{
  return self->cancellable != NULL;
}

GBytes *viewer_source_fetcher_lookup(ViewerSourceFetcher *self, ProfileCapture *capture, guint32 binary,
                                     const char *path)
{
  g_autofree char *key = make_key(capture, binary, path);
  const Outcome *outcome;
  GBytes *text = NULL;

  g_mutex_lock(&self->lock);
  outcome = fetcher_find(self, key);
  if (outcome && outcome->text)
    text = g_bytes_ref(outcome->text);
  g_mutex_unlock(&self->lock);
  return text;
}

char *viewer_source_fetcher_explain(ViewerSourceFetcher *self, ProfileCapture *capture, guint32 binary,
                                    const char *path)
{
  g_autofree char *key = make_key(capture, binary, path);
  const Outcome *outcome = fetcher_find(self, key);

  return outcome ? g_strdup(outcome->failure) : NULL;
}

/* The thread's task holds this one: it is gone when nothing is fetched any more. */
static void viewer_source_fetcher_finalize(GObject *object)
{
  ViewerSourceFetcher *self = VIEWER_SOURCE_FETCHER(object);

  fetcher_end(self);
  g_hash_table_unref(self->outcomes);
  g_mutex_clear(&self->lock);
  G_OBJECT_CLASS(viewer_source_fetcher_parent_class)->finalize(object);
}

static void viewer_source_fetcher_class_init(ViewerSourceFetcherClass *class)
{
  G_OBJECT_CLASS(class)->finalize = viewer_source_fetcher_finalize;
  signals[CHANGED] = g_signal_new("changed", VIEWER_TYPE_SOURCE_FETCHER, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                  NULL, G_TYPE_NONE, 0);
}

static void viewer_source_fetcher_init(ViewerSourceFetcher *self)
{
  g_mutex_init(&self->lock);
  self->outcomes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, outcome_free);
}

ViewerSourceFetcher *viewer_source_fetcher_new(void)
{
  return g_object_new(VIEWER_TYPE_SOURCE_FETCHER, NULL);
}
