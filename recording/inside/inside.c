/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/inside/inside-private.h"

#include <glib/gi18n.h>

#include "libcapture/pool/capture-announce.h"
#include "recording/common/error.h"
#include "recording/common/paths-private.h"

#define PRELOAD_VARIABLE "LD_PRELOAD"

struct _RecordingInside {
  const RecordingOptions *options;
  RecordingSamplers *samplers;
  char **environment;
  char **preloaded; /* NULL: the library is missing */
};

static gboolean inside_refuse(GError **error, const char *sentence)
{
  g_set_error_literal(error, RECORDING_ERROR, RECORDING_ERROR_FAILED, sentence);
  return FALSE;
}

static gboolean is_target(const RecordingOptions *options)
{
  return options->command && options->pids->len == 0;
}

/* First, so that what others preload is seen as well; but nothing is to be done for a program twice. */
static char *join_preload(const char *library, const char *others)
{
  return others && *others ? g_strconcat(library, ":", others, NULL) : g_strdup(library);
}

/* FALSE: what was asked for cannot be had. */
static gboolean find_preload(RecordingInside *self, GError **error)
{
  g_autoptr(GError) missing = NULL;
  g_autofree char *library = recording_paths_find_preload(&missing);

  if (library) {
    g_autofree char *value = join_preload(library, g_environ_getenv(self->environment, PRELOAD_VARIABLE));
    self->preloaded = g_environ_setenv(g_strdupv(self->environment), PRELOAD_VARIABLE, value, TRUE);
    return TRUE;
  }
  if (self->options->via != RECORDING_VIA_PRELOAD && self->options->allocations == 0)
    return TRUE;
  g_propagate_error(error, g_steal_pointer(&missing));
  return FALSE;
}

static gboolean is_needed(const RecordingOptions *options)
{
  return options->via == RECORDING_VIA_PRELOAD || options->allocations > 0;
}

RecordingInside *recording_inside_new(const RecordingOptions *options, char *const *environment,
                                      char **ret_note, GError **error)
{
  g_autoptr(RecordingInside) self = g_new0(RecordingInside, 1);
  g_autoptr(GError) failure = NULL;

  *ret_note = NULL;
  if (!is_target(options)) {
    if (options->allocations > 0)
      inside_refuse(
          error, _("Allocations are traced from inside of a program from its start; give a COMMAND, without "
                   "-p."));
    return NULL;
  }
  self->options = options;
  self->samplers = recording_samplers_new(&failure);
  if (!self->samplers && is_needed(options)) {
    g_propagate_error(error, g_steal_pointer(&failure));
    return NULL;
  }
  if (!self->samplers) {
    *ret_note = g_strdup(failure->message);
    return NULL;
  }
  self->environment = g_environ_setenv(g_strdupv((char **)environment), CAPTURE_SOCKET_VARIABLE,
                                       recording_samplers_get_path(self->samplers), TRUE);
  return find_preload(self, error) ? g_steal_pointer(&self) : NULL;
}

static gboolean inside_preloads(const RecordingInside *self, RecordingVia via)
{
  return via == RECORDING_VIA_PRELOAD || self->options->allocations > 0;
}

char *const *recording_inside_get_environment(RecordingInside *self, RecordingVia via)
{
  return inside_preloads(self, via) ? self->preloaded : self->environment;
}

static guint32 choose_frequency(const RecordingOptions *options)
{
  if (options->frequency == 0)
    return RECORDING_INSIDE_FREQUENCY;
  return (guint32)MIN(options->frequency, RECORDING_INSIDE_FREQUENCY_MAX);
}

/* Beside a recorder the preload library traces allocations and does not sample: that would be done twice. */
static RecordingSamplersSettings make_settings(const RecordingOptions *options, RecordingVia via)
{
  guint32 flags = 0;
  guint32 sample = CAPTURE_SETTINGS_SAMPLE;
  guint32 preload = CAPTURE_SETTINGS_TABLES;

  if (options->children)
    flags |= CAPTURE_SETTINGS_CHILDREN;
  if (options->wall)
    flags |= CAPTURE_SETTINGS_WALL;
  if (!options->command_lines)
    flags |= CAPTURE_SETTINGS_NO_COMMAND_LINES;
  if (options->allocations > 0)
    preload |= CAPTURE_SETTINGS_ALLOCATIONS;
  if (via == RECORDING_VIA_PRELOAD)
    preload |= sample;
  if (recording_inside_get_unwind(options) != RECORDING_UNWIND_TABLES)
    preload &= ~(guint32)CAPTURE_SETTINGS_TABLES;
  return (RecordingSamplersSettings){
      .flags = flags | sample,
      .preload_flags = flags | preload,
      .frequency = choose_frequency(options),
      .max_stack = options->unwind == RECORDING_UNWIND_NONE ? 1 : options->max_stack,
      .allocation_bytes = options->allocations,
  };
}

void recording_inside_start(RecordingInside *self, RecordingVia via, gint32 pid,
                            RecordingCollector *collector)
{
  RecordingSamplersSettings settings = make_settings(self->options, via);

  if (!self->options->children)
    recording_samplers_confine(self->samplers, pid);
  recording_samplers_start(self->samplers, &settings, collector);
}

void recording_inside_stop(RecordingInside *self)
{
  recording_samplers_stop(self->samplers);
}

void recording_inside_add_events(const RecordingOptions *options, RecordingVia via, GPtrArray *events)
{
  if (via == RECORDING_VIA_PRELOAD)
    g_ptr_array_add(events, g_strdup(options->wall ? "wall-time" : "cpu-time"));
  if (options->allocations > 0) {
    g_ptr_array_add(events, g_strdup("allocations"));
    g_ptr_array_add(events, g_strdup("frees"));
  }
}

RecordingUnwind recording_inside_get_unwind(const RecordingOptions *options)
{
  return options->unwind == RECORDING_UNWIND_AUTO ? RECORDING_UNWIND_TABLES : options->unwind;
}

static char *warn_of_nobody(const RecordingInside *self)
{
  return g_strdup_printf(
      _("No program joined the recording from inside, so nothing was %s: “%s” may be linked statically, be "
        "set-user-ID or of another architecture, or clear its environment, and then the preloaded library "
        "does "
        "not get into it; record it directly or through the system service, “capturectl doctor” says how."),
      self->options->allocations > 0 ? _("traced there") : _("sampled"), self->options->command[0]);
}

char *recording_inside_make_warning(RecordingInside *self, RecordingVia via)
{
  guint n_refused = recording_samplers_get_n_refused(self->samplers);

  if (inside_preloads(self, via) && recording_inside_get_n_programs(self) == 0)
    return warn_of_nobody(self);
  if (n_refused == 0)
    return NULL;
  return g_strdup_printf(ngettext("%u program is missing: too many sampled themselves at once.",
                                  "%u programs are missing: too many sampled themselves at once.", n_refused),
                         n_refused);
}

guint recording_inside_get_n_programs(RecordingInside *self)
{
  return recording_samplers_get_n_programs(self->samplers);
}

void recording_inside_free(RecordingInside *self)
{
  g_clear_pointer(&self->samplers, recording_samplers_free);
  g_strfreev(self->environment);
  g_strfreev(self->preloaded);
  g_free(self);
}
