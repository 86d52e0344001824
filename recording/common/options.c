/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/common/options.h"

#include <glib/gi18n.h>

#include "recording/common/error.h"

RecordingOptions *recording_options_new(void)
{
  RecordingOptions *self = g_new0(RecordingOptions, 1);
  self->pids = g_array_new(FALSE, FALSE, sizeof(pid_t));
  self->events = g_ptr_array_new_with_free_func(g_free);
  self->children = TRUE;
  self->compress = TRUE;
  self->command_lines = TRUE;
  self->counters = TRUE;
  self->sysprof = TRUE;
  return self;
}

static gpointer copy_string(gconstpointer string, gpointer data)
{
  return g_strdup(string);
}

RecordingOptions *recording_options_copy(const RecordingOptions *self)
{
  RecordingOptions *copy = g_memdup2(self, sizeof *self);
  copy->path = g_strdup(self->path);
  copy->command = g_strdupv(self->command);
  copy->directory = g_strdup(self->directory);
  copy->pids = g_array_copy(self->pids);
  copy->events = g_ptr_array_copy(self->events, copy_string, NULL);
  copy->version = g_strdup(self->version);
  return copy;
}

void recording_options_free(RecordingOptions *self)
{
  g_free(self->path);
  g_strfreev(self->command);
  g_free(self->directory);
  g_array_unref(self->pids);
  g_ptr_array_unref(self->events);
  g_free(self->version);
  g_free(self);
}

static gboolean has_event(const RecordingOptions *self, const char *name)
{
  return g_ptr_array_find_with_equal_func(self->events, name, g_str_equal, NULL);
}

/* The empty name stands for the default event. */
void recording_options_add_off_cpu(RecordingOptions *self, guint64 shortest)
{
  self->off_cpu = shortest;
  if (self->events->len == 0)
    g_ptr_array_add(self->events, g_strdup(""));
  if (!has_event(self, "off-cpu"))
    g_ptr_array_add(self->events, g_strdup("off-cpu"));
}

static char *name_of_process(pid_t pid)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/comm", pid);
  char *name = NULL;

  if (!g_file_get_contents(path, &name, NULL, NULL) || !*g_strstrip(name)) {
    g_free(name);
    return g_strdup_printf("%d", pid);
  }
  return g_strdelimit(name, "/", '_');
}

char *recording_options_get_name(const RecordingOptions *self)
{
  if (self->command)
    return g_path_get_basename(self->command[0]);
  if (self->pids->len > 0)
    return name_of_process(g_array_index(self->pids, pid_t, 0));
  return g_strdup("system");
}

static gboolean options_refuse(GError **error, const char *sentence)
{
  g_set_error_literal(error, RECORDING_ERROR, RECORDING_ERROR_FAILED, sentence);
  return FALSE;
}

gboolean recording_options_allow_preload(const RecordingOptions *options, GError **error)
{
  if (!options->command || options->pids->len > 0 || options->system_wide)
    return options_refuse(
        error, _("The preloaded sampler enters programs when they start, so it records commands only; "
                 "give a COMMAND, without -p and -a."));
  if (options->events->len > 0 || options->period > 0)
    return options_refuse(
        error,
        _("The preloaded sampler samples by time only; leave -e, -c and --off-cpu out, or record directly."));
  if (options->kernel == RECORDING_KERNEL_YES)
    return options_refuse(error,
                          _("The preloaded sampler does not see the kernel; leave --kernel out, or record "
                            "directly."));
  return TRUE;
}
