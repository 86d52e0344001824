/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/fetching.h"

#include <glib/gi18n.h>

#include "profile/fetch/fetch.h"
#include "profile/naming/naming.h"
#include "viewer/kit/format.h"

#define INTERVAL 100 /* ms between two looks at how far it is */

/* Of one run; the thread and the main thread share it. */
typedef struct {
  ProfileHealth *health; /* the capture's */
  guint first, n;        /* entries of what has no names */
  char *servers;
  char *file;            /* NULL: it has no path */
  ProfileCapture *shown; /* main thread only: which of them the document has from here; NULL: none */
  GPtrArray *sentences;
  GMutex lock;           /* of the next */
  ProfileCapture *named; /* as far as names came; NULL: nothing new */
  char *path;            /* whose file comes; NULL: names are looked up */
  guint64 bytes, total;
} Run;

struct _ViewerFetching {
  GObject parent_instance;
  ViewerDocument *document;  /* has this one */
  GCancellable *cancellable; /* NULL: not busy */
  Run *run;                  /* likewise; the task's */
  guint source;
  GPtrArray *sentences;
};

G_DEFINE_FINAL_TYPE(ViewerFetching, viewer_fetching, G_TYPE_OBJECT)

enum { CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void run_free(gpointer data)
{
  Run *self = data;

  profile_health_unref(self->health);
  g_clear_object(&self->named);
  g_clear_object(&self->shown);
  g_clear_pointer(&self->sentences, g_ptr_array_unref);
  g_mutex_clear(&self->lock);
  g_free(self->servers);
  g_free(self->file);
  g_free(self->path);
  g_free(self);
}

static void run_set(Run *self, const char *path, guint64 bytes, guint64 total)
{
  g_mutex_lock(&self->lock);
  if (g_strcmp0(path, self->path) != 0) {
    g_free(self->path);
    self->path = g_strdup(path);
  }
  self->bytes = bytes;
  self->total = total;
  g_mutex_unlock(&self->lock);
}

static void on_fetched(const char *path, guint64 bytes, guint64 total, gpointer data)
{
  run_set(data, path, bytes, total);
}

/* Not of what somebody may still write, and not of what was imported, which is no file of ours. */
static gboolean run_may_write(const Run *self)
{
  struct capture_file_header header;

  profile_capture_get_header(profile_health_get_capture(self->health), &header);
  return self->file && header.ended.reason != CAPTURE_END_NONE && header.ended.reason != CAPTURE_END_IMPORTED;
}

/* In the file, and in a capture for who looks at it now. */
static void run_name(Run *self, const ProfileMissingEntry *entries, GCancellable *cancellable)
{
  ProfileCapture *capture = profile_health_get_capture(self->health);
  g_autoptr(GHashTable) only = profile_fetch_list_build_ids(capture, entries, self->n);
  const ProfileNamingOptions options = {.only = only};
  g_autoptr(GError) error = NULL;
  g_autoptr(ProfileCapture) named = NULL;

  run_set(self, NULL, 0, 0);
  named = profile_naming_resolve_new(capture, &options, NULL, cancellable, NULL);
  if (named && run_may_write(self) && !profile_naming_run(self->file, &options, NULL, cancellable, &error))
    g_ptr_array_add(self->sentences, g_strdup(error->message));
  g_mutex_lock(&self->lock);
  if (named)
    g_set_object(&self->named, named);
  g_mutex_unlock(&self->lock);
}

/* In the main thread: what was found here is shown before servers answer. */
static void run_show(Run *self, ViewerDocument *document)
{
  g_autoptr(ProfileCapture) named = NULL;

  g_mutex_lock(&self->lock);
  named = g_steal_pointer(&self->named);
  g_mutex_unlock(&self->lock);
  if (!named)
    return;
  viewer_document_take_named(document, self->shown ? self->shown : profile_health_get_capture(self->health),
                             named);
  g_set_object(&self->shown, named);
}

static void run_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Run *self = data;
  guint n;
  const ProfileMissingEntry *entries =
      profile_missing_names_get_entries(profile_health_get_missing_names(self->health), &n);
  const ProfileFetchOptions options = {
      .servers = self->servers, .progress = on_fetched, .progress_data = self};
  ProfileFetchResult *results = g_new0(ProfileFetchResult, self->n);
  guint fetched;

  entries += self->first;
  if (profile_fetch_look(profile_health_get_capture(self->health), entries, self->n, results) > 0)
    run_name(self, entries, cancellable);
  fetched = profile_fetch_run(profile_health_get_capture(self->health), entries, self->n, &options, results,
                              cancellable);
  for (guint i = 0; i < self->n; i++) {
    if (results[i].error && !g_error_matches(results[i].error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      g_ptr_array_add(self->sentences, g_strdup(results[i].error->message));
    profile_fetch_result_clear(&results[i]);
  }
  g_free(results);
  if (fetched > 0)
    run_name(self, entries, cancellable);
  g_task_return_boolean(task, TRUE);
}

static void fetching_end(ViewerFetching *self)
{
  g_clear_object(&self->cancellable);
  g_clear_handle_id(&self->source, g_source_remove);
  self->run = NULL;
}

static void on_done(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerFetching *self = VIEWER_FETCHING(source);
  Run *run = g_task_get_task_data(G_TASK(result));

  if (g_task_get_cancellable(G_TASK(result)) != self->cancellable)
    return;
  fetching_end(self);
  g_clear_pointer(&self->sentences, g_ptr_array_unref);
  self->sentences = g_steal_pointer(&run->sentences);
  run_show(run, self->document);
  g_signal_emit(self, signals[CHANGED], 0);
}

static gboolean fetching_look(gpointer data)
{
  ViewerFetching *self = data;

  run_show(self->run, self->document);
  g_signal_emit(self, signals[CHANGED], 0);
  return G_SOURCE_CONTINUE;
}

void viewer_fetching_start(ViewerFetching *self, ProfileHealth *health, guint index, const char *servers)
{
  Run *run = g_new0(Run, 1);
  g_autoptr(GTask) task = NULL;

  g_return_if_fail(!self->cancellable);
  run->health = profile_health_ref(health);
  run->servers = g_strdup(servers);
  run->file = g_file_get_path(viewer_document_get_file(self->document));
  run->sentences = g_ptr_array_new_with_free_func(g_free);
  g_mutex_init(&run->lock);
  run->first = index == G_MAXUINT ? 0 : index;
  run->n = 1;
  if (index == G_MAXUINT)
    profile_missing_names_get_entries(profile_health_get_missing_names(health), &run->n);
  self->run = run;
  self->cancellable = g_cancellable_new();
  self->source = g_timeout_add(INTERVAL, fetching_look, self);
  g_ptr_array_set_size(self->sentences, 0);
  task = g_task_new(self, self->cancellable, on_done, NULL);
  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, run, run_free);
  g_task_run_in_thread(task, run_in_thread);
  g_signal_emit(self, signals[CHANGED], 0);
}

void viewer_fetching_cancel(ViewerFetching *self)
{
  if (!self->cancellable)
    return;
  g_cancellable_cancel(self->cancellable);
  fetching_end(self);
  g_signal_emit(self, signals[CHANGED], 0);
}

gboolean viewer_fetching_is_busy(ViewerFetching *self)
{
  return self->cancellable != NULL;
}

char *viewer_fetching_describe(ViewerFetching *self, char **ret_amount, double *ret_share)
{
  g_autofree char *path = NULL, *base = NULL, *bytes = NULL, *total = NULL;

  g_mutex_lock(&self->run->lock);
  path = g_strdup(self->run->path);
  bytes = viewer_format_amount(CAPTURE_UNIT_BYTES, self->run->bytes);
  total = self->run->total ? viewer_format_amount(CAPTURE_UNIT_BYTES, self->run->total) : NULL;
  *ret_share = self->run->total ? (double)self->run->bytes / (double)self->run->total : -1;
  g_mutex_unlock(&self->run->lock);
  if (!path) {
    *ret_amount = g_strdup("");
    return g_strdup(_("Looking for names of functions"));
  }
  base = viewer_format_binary(path);
  /* TRANSLATORS: So many bytes of so many. */
  *ret_amount = total ? g_strdup_printf(_("%s of %s"), bytes, total) : g_steal_pointer(&bytes);
  return g_strdup_printf(_("Fetching for %s"), base);
}

const GPtrArray *viewer_fetching_get_sentences(ViewerFetching *self)
{
  return self->sentences;
}

/* Its document is gone; the thread ends by itself. */
static void viewer_fetching_dispose(GObject *object)
{
  ViewerFetching *self = VIEWER_FETCHING(object);

  if (self->cancellable)
    g_cancellable_cancel(self->cancellable);
  fetching_end(self);
  G_OBJECT_CLASS(viewer_fetching_parent_class)->dispose(object);
}

static void viewer_fetching_finalize(GObject *object)
{
  g_ptr_array_unref(VIEWER_FETCHING(object)->sentences);
  G_OBJECT_CLASS(viewer_fetching_parent_class)->finalize(object);
}

static void viewer_fetching_class_init(ViewerFetchingClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_fetching_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_fetching_finalize;
  signals[CHANGED] =
      g_signal_new("changed", VIEWER_TYPE_FETCHING, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_fetching_init(ViewerFetching *self)
{
  self->sentences = g_ptr_array_new_with_free_func(g_free);
}

/* The document's end is this one's; until then nobody looks. */
static void fetching_forget(gpointer data)
{
  ViewerFetching *self = data;

  viewer_fetching_cancel(self);
  self->document = NULL;
  g_object_unref(self);
}

ViewerFetching *viewer_fetching_of(ViewerDocument *document)
{
  static const char key[] = "viewer-fetching";
  ViewerFetching *self = g_object_get_data(G_OBJECT(document), key);

  if (self)
    return self;
  self = g_object_new(VIEWER_TYPE_FETCHING, NULL);
  self->document = document;
  g_object_set_data_full(G_OBJECT(document), key, self, fetching_forget);
  return self;
}
