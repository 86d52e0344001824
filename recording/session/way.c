/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/session/way-private.h"

#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "recording/common/error.h"
#include "recording/session/await-private.h"
#include "recording/session/rights-private.h"

static void clear_ready(RecordingMessage *ready)
{
  if (ready->windows_fd >= 0)
    close(ready->windows_fd);
  if (ready->control_fd >= 0)
    close(ready->control_fd);
  ready->windows_fd = ready->control_fd = -1;
}

/* Takes the recorder. */
static RecordingRecorder *way_configure(const RecordingWay *self, RecordingRecorder *recorder,
                                        RecordingMessage *ret_ready, GError **error)
{
  g_autoptr(RecordingRecorder) taken = recorder;

  if (!taken ||
      !recording_recorder_configure(taken, self->options, self->pidfds, self->n_pidfds, self->enable_on_exec,
                                    error) ||
      !recording_await_message(self->control, taken, RECORDER_READY, ret_ready, error))
    return NULL;
  return g_steal_pointer(&taken);
}

static RecordingRecorder *take_direct(const RecordingWay *self, RecordingMessage *ret_ready, GError **error)
{
  return way_configure(self, recording_recorder_new(error), ret_ready, error);
}

static RecordingRecorder *take_service(const RecordingWay *self, gboolean need_bpf,
                                       RecordingMessage *ret_ready, GError **error)
{
  RecordingServiceWish wish = {
      .interactive = self->options->interactive, .need_bpf = need_bpf, .kernel = self->options->kernel};
  return way_configure(self, recording_recorder_new_service(&wish, error), ret_ready, error);
}

static gboolean lacks_kernel(const RecordingWay *self, const struct recorder_ready *ready)
{
  return self->options->kernel == RECORDING_KERNEL_YES && !(ready->flags & RECORDER_KERNEL_STACKS);
}

static gboolean wants_bpf(const RecordingWay *self)
{
  return self->options->unwind == RECORDING_UNWIND_AUTO && recording_rights_kernel_takes_bpf();
}

static gboolean lacks_bpf(const RecordingWay *self, const struct recorder_ready *ready)
{
  return wants_bpf(self) && ready->unwind != RECORDER_UNWIND_BPF;
}

static gboolean is_cancelled(const GError *error)
{
  return g_error_matches(error, RECORDING_ERROR, RECORDING_ERROR_CANCELLED);
}

/* There is no service, or none that could do more. */
static gboolean is_absent(const GError *error)
{
  return g_error_matches(error, RECORDING_ERROR, RECORDING_ERROR_NO_SERVICE);
}

/* Of a machine without the service nothing is said: that is no fault. */
static void note_refusal(RecordingMessage *ready, const GError *refusal)
{
  if (is_absent(refusal))
    return;
  g_autofree char *note = g_strdup_printf(_("The system service was not used: %s"), refusal->message);
  g_strdelimit(note, "\n", ' ');
  gsize used = strlen(ready->ready.notes);
  if (used + strlen(note) + 2 > sizeof ready->ready.notes)
    return;
  g_snprintf(ready->ready.notes + used, sizeof ready->ready.notes - used, "%s%s",
             used && ready->ready.notes[used - 1] != '\n' ? "\n" : "", note);
}

/* Where there is a service it is what people expect to record: why it did not comes first. */
static void set_both_errors(GError **error, const GError *direct, const GError *service)
{
  if (is_absent(service))
    g_propagate_error(error, g_error_copy(direct));
  else
    g_set_error(error, RECORDING_ERROR, direct->code, _("%s Without the system service: %s"),
                service->message, direct->message);
}

/* The caller's own recorder waits meanwhile, so that nothing is started twice. */
static RecordingRecorder *prefer_service(const RecordingWay *self, RecordingRecorder *direct,
                                         RecordingMessage *ready, GError **error)
{
  g_autoptr(RecordingRecorder) own = direct;
  g_autoptr(GError) refusal = NULL;
  RecordingMessage other = {.windows_fd = -1, .control_fd = -1};

  RecordingRecorder *service = take_service(self, !lacks_kernel(self, &ready->ready), &other, &refusal);
  if (service || is_cancelled(refusal)) {
    clear_ready(ready);
    *ready = other;
    if (refusal)
      g_propagate_error(error, g_steal_pointer(&refusal));
    return service;
  }
  note_refusal(ready, refusal);
  return g_steal_pointer(&own);
}

/* Direct comes first: it may be all that could be had. */
static RecordingRecorder *take_direct_or_service(const RecordingWay *self, RecordingMessage *ret_ready,
                                                 const GError *refusal, GError **error)
{
  g_autoptr(GError) direct_error = NULL, service_error = NULL;

  RecordingRecorder *direct = take_direct(self, ret_ready, &direct_error);
  if (direct && refusal)
    note_refusal(ret_ready, refusal);
  else if (direct && (lacks_kernel(self, &ret_ready->ready) || lacks_bpf(self, &ret_ready->ready)))
    return prefer_service(self, direct, ret_ready, error);
  if (direct)
    return direct;
  if (!g_error_matches(direct_error, RECORDING_ERROR, RECORDING_ERROR_PERMISSION)) {
    g_propagate_error(error, g_steal_pointer(&direct_error));
    return NULL;
  }
  if (refusal && !is_absent(refusal)) {
    set_both_errors(error, direct_error, refusal);
    return NULL;
  }
  RecordingRecorder *service = take_service(self, FALSE, ret_ready, &service_error);
  if (!service && is_cancelled(service_error))
    g_propagate_error(error, g_steal_pointer(&service_error));
  else if (!service)
    set_both_errors(error, direct_error, service_error);
  return service;
}

/* Starting a recorder takes longer than asking the service: it is not tried where it cannot be the best. */
static RecordingRecorder *take_best(const RecordingWay *self, RecordingMessage *ret_ready, GError **error)
{
  g_autoptr(GError) refusal = NULL;
  gboolean refused = recording_rights_are_refused();

  if (recording_rights_may_have_bpf() || (!refused && !wants_bpf(self)))
    return take_direct_or_service(self, ret_ready, NULL, error);
  gboolean need_bpf = !refused && self->options->kernel != RECORDING_KERNEL_YES;
  RecordingRecorder *service = take_service(self, need_bpf, ret_ready, &refusal);
  if (!service && is_cancelled(refusal))
    g_propagate_error(error, g_steal_pointer(&refusal));
  else if (!service)
    return take_direct_or_service(self, ret_ready, refusal, error);
  return service;
}

static RecordingRecorder *way_take(const RecordingWay *self, RecordingMessage *ret_ready, GError **error)
{
  switch (self->options->via) {
  case RECORDING_VIA_DIRECT:
    return take_direct(self, ret_ready, error);
  case RECORDING_VIA_SERVICE:
    return take_service(self, FALSE, ret_ready, error);
  default:
    return take_best(self, ret_ready, error);
  }
}

/* What needs no permission comes last: it shows less. */
static gboolean may_preload(const RecordingWay *self, const GError *refusal)
{
  return self->options->via == RECORDING_VIA_AUTO && self->preload &&
         g_error_matches(refusal, RECORDING_ERROR, RECORDING_ERROR_PERMISSION) &&
         recording_options_allow_preload(self->options, NULL);
}

gboolean recording_way_take(const RecordingWay *self, RecordingRecorder **ret_recorder,
                            RecordingMessage *ret_ready, char **ret_reason, GError **error)
{
  g_autoptr(GError) refusal = NULL;

  *ret_recorder = NULL;
  *ret_reason = NULL;
  if (self->options->via == RECORDING_VIA_PRELOAD)
    return TRUE;
  *ret_recorder = way_take(self, ret_ready, &refusal);
  if (*ret_recorder)
    return TRUE;
  if (may_preload(self, refusal)) {
    /* There stands what was said instead of READY. */
    *ret_ready = (RecordingMessage){.windows_fd = -1, .control_fd = -1};
    *ret_reason = g_strdup(refusal->message);
    return TRUE;
  }
  g_propagate_error(error, g_steal_pointer(&refusal));
  return FALSE;
}
