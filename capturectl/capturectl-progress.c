/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capturectl/capturectl-progress.h"

#include <stdio.h>
#include <unistd.h>

static gboolean shown;

void capturectl_progress_show(const char *line)
{
  if (!isatty(STDERR_FILENO))
    return;
  fprintf(stderr, "\r\033[K%s", line);
  fflush(stderr);
  shown = TRUE;
}

void capturectl_progress_clear(void)
{
  if (!shown)
    return;
  fputs("\r\033[K", stderr);
  fflush(stderr);
  shown = FALSE;
}

typedef struct {
  CapturectlWork work;
  gpointer data;
  GMainLoop *loop;
} Run;

static void run_in_thread(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Run *run = data;

  run->work(run->data, cancellable);
  g_task_return_boolean(task, TRUE);
}

static void on_done(GObject *source, GAsyncResult *result, gpointer data)
{
  g_main_loop_quit(((Run *)data)->loop);
}

void capturectl_progress_run(CapturectlWork work, gpointer data, GCancellable *cancellable)
{
  g_autoptr(GMainLoop) loop = g_main_loop_new(NULL, FALSE);
  Run run = {work, data, loop};
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, on_done, &run);

  g_task_set_check_cancellable(task, FALSE);
  g_task_set_task_data(task, &run, NULL);
  g_task_run_in_thread(task, run_in_thread);
  g_main_loop_run(loop);
  capturectl_progress_clear();
}

static gboolean progress_show_posted(gpointer line)
{
  capturectl_progress_show(line);
  return G_SOURCE_REMOVE;
}

void capturectl_progress_post(char *line)
{
  g_idle_add_full(G_PRIORITY_DEFAULT, progress_show_posted, line, g_free);
}
