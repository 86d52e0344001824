/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/loader.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "profile/import/import-file.h"
#include "profile/naming/naming.h"
#include "viewer/kit/format.h"

/* About a tenth of what a busy program gets. */
#define FOLLOW_NICENESS 10
/* A capture that grows is read again and again, and each time some more lines are known from before. */
#define FOLLOW_PLACES_TIME (500 * G_TIME_SPAN_MILLISECOND)

typedef struct {
  GFile *file;
  gboolean with_names;
  ProfileCapture *capture; /* that is to be named */
  gint64 places_time;      /* as in ProfileNamingOptions */
  gboolean is_done;        /* it was long enough */
  ViewerActivity *progress;
} Work;

static void work_free(gpointer data)
{
  Work *self = data;

  g_clear_object(&self->file);
  g_clear_object(&self->capture);
  viewer_activity_unref(self->progress);
  g_free(self);
}

static void on_named(guint done, guint total, const char *name, gpointer data)
{
  const Work *self = data;
  g_autofree char *base = viewer_format_binary(name);
  g_autofree char *activity = g_strdup_printf(
      self->places_time > 0 ? _("Looking for lines of %s") : _("Naming functions of %s"), base);

  viewer_activity_set(self->progress, total > 1 ? (double)done / total : -1, activity);
}

static ProfileCapture *name_capture(Work *self, ProfileCapture *capture, GCancellable *cancellable,
                                    GError **error)
{
  const ProfileNamingOptions options = {
      .progress = on_named, .progress_data = self, .only_missing = TRUE, .places_time = self->places_time};
  ProfileNamingResult result = {0};
  ProfileCapture *named;

  viewer_activity_set(self->progress, -1, _("Looking for names of functions"));
  named = profile_naming_resolve_new(capture, &options, &result, cancellable, error);
  self->is_done = result.left == 0;
  return named;
}

/* Into a file without a name, which is gone when the capture has been read. */
static ProfileCapture *loader_import(const char *path, GCancellable *cancellable, GError **error)
{
  g_autofree char *name = NULL, *link = NULL;
  ProfileImportResult result = {0};
  ProfileCapture *capture = NULL;
  int fd = g_file_open_tmp("capture-XXXXXX", &name, error);

  if (fd < 0)
    return NULL;
  g_unlink(name);
  link = g_strdup_printf("/proc/self/fd/%d", fd);
  if (profile_import_file(path, fd, NULL, &result, error))
    capture = profile_capture_load(link, PROFILE_LOAD_DEFAULT, cancellable, error);
  g_free(result.warning);
  close(fd);
  return capture;
}

static ProfileCapture *loader_load(const Work *self, GCancellable *cancellable, GError **error)
{
  g_autofree char *path = g_file_get_path(self->file), *shown = g_file_get_parse_name(self->file);
  g_autoptr(GError) not_ours = NULL;
  ProfileCapture *capture;

  if (!path) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                _("“%s” is not a file of this machine; copy it here first."), shown);
    return NULL;
  }
  viewer_activity_set(self->progress, -1, _("Loading"));
  capture = profile_capture_load(path, PROFILE_LOAD_DEFAULT, cancellable, &not_ours);
  if (capture)
    return capture;
  if (!g_error_matches(not_ours, PROFILE_ERROR, PROFILE_ERROR_NOT_A_CAPTURE)) {
    g_propagate_error(error, g_steal_pointer(&not_ours));
    return NULL;
  }
  viewer_activity_set(self->progress, -1, _("Converting"));
  return loader_import(path, cancellable, error);
}

/* A fifth of what the program has when something is loaded lies free between what stays. */
static void give_back(void)
{
  malloc_trim(0);
}

static void run_load(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *self = data;
  GError *error = NULL;
  ProfileCapture *capture = loader_load(self, cancellable, &error);

  if (capture && self->with_names && profile_naming_is_wanted(capture)) {
    ProfileCapture *named = name_capture(self, capture, cancellable, NULL);
    if (named) {
      g_object_unref(capture);
      capture = named;
    }
  }
  give_back();
  if (capture)
    g_task_return_pointer(task, capture, g_object_unref);
  else
    g_task_return_error(task, error);
}

static void run_name(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *self = data;
  GError *error = NULL;
  ProfileCapture *named = name_capture(self, self->capture, cancellable, &error);

  give_back();
  if (named)
    g_task_return_pointer(task, named, g_object_unref);
  else
    g_task_return_error(task, error);
}

static GTask *make_task(Work *self, GCancellable *cancellable, GAsyncReadyCallback done, gpointer data)
{
  GTask *task = g_task_new(NULL, cancellable, done, data);

  g_task_set_task_data(task, self, work_free);
  return task;
}

static Work *make_work(GFile *file, ViewerActivity *progress)
{
  Work *self = g_new0(Work, 1);

  self->file = g_object_ref(file);
  self->progress = viewer_activity_ref(progress);
  return self;
}

void viewer_loader_load(GFile *file, ViewerActivity *progress, GCancellable *cancellable,
                        GAsyncReadyCallback done, gpointer data)
{
  g_autoptr(GTask) task = make_task(make_work(file, progress), cancellable, done, data);

  g_task_run_in_thread(task, run_load);
}

/* A thread's niceness is its own in Linux, and that of the threads which it begins. No thread can take it
 * back, so that this one is no longer than the work. */
static gpointer loader_follow(gpointer data)
{
  g_autoptr(GTask) task = data;

  setpriority(PRIO_PROCESS, 0, FOLLOW_NICENESS);
  run_load(task, NULL, g_task_get_task_data(task), g_task_get_cancellable(task));
  return NULL;
}

void viewer_loader_follow(GFile *file, ViewerActivity *progress, GCancellable *cancellable,
                          GAsyncReadyCallback done, gpointer data)
{
  Work *self = make_work(file, progress);

  self->with_names = TRUE;
  self->places_time = FOLLOW_PLACES_TIME;
  g_thread_unref(g_thread_new("viewer-follow", loader_follow, make_task(self, cancellable, done, data)));
}

ProfileCapture *viewer_loader_load_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

void viewer_loader_name(ProfileCapture *capture, gint64 places_time, ViewerActivity *progress,
                        GCancellable *cancellable, GAsyncReadyCallback done, gpointer data)
{
  Work *self = g_new0(Work, 1);

  self->capture = g_object_ref(capture);
  self->places_time = places_time;
  self->progress = viewer_activity_ref(progress);
  g_autoptr(GTask) task = make_task(self, cancellable, done, data);
  g_task_run_in_thread(task, run_name);
}

ProfileCapture *viewer_loader_name_finish(GAsyncResult *result, gboolean *ret_is_done, GError **error)
{
  *ret_is_done = ((const Work *)g_task_get_task_data(G_TASK(result)))->is_done;
  return g_task_propagate_pointer(G_TASK(result), error);
}
