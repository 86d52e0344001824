/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/ended.h"

#include <glib/gi18n.h>
#include <string.h>
#include <sys/wait.h>

static const char *const names[] = {"cut-off",      "exited",        "duration",     "interrupted",
                                    "targets-gone", "recorder-died", "output-error", "failed",
                                    "imported",     "written"};

const char *profile_ended_get_name(guint32 reason)
{
  return reason < G_N_ELEMENTS(names) ? names[reason] : "unknown";
}

static char *format_wait_status(int status)
{
  if (WIFSIGNALED(status))
    return g_strdup_printf(_("killed by signal %d (%s)"), WTERMSIG(status), strsignal(WTERMSIG(status)));
  return g_strdup_printf(_("exit status %d"), WEXITSTATUS(status));
}

char *profile_ended_describe(const struct capture_ended *ended)
{
  g_autofree char *status = NULL;

  switch (ended->reason) {
  case CAPTURE_END_NONE:
    return g_strdup(_("cut off: its collector was killed, or is still recording"));
  case CAPTURE_END_EXITED:
    status = format_wait_status(ended->status);
    return g_strdup_printf(_("the command ended: %s"), status);
  case CAPTURE_END_DURATION:
    return g_strdup(_("the duration asked for was over"));
  case CAPTURE_END_INTERRUPTED:
    return ended->status
               ? g_strdup_printf(_("interrupted by signal %d (%s)"), ended->status, strsignal(ended->status))
               : g_strdup(_("stopped on request"));
  case CAPTURE_END_TARGETS_GONE:
    return g_strdup(_("every recorded process had exited"));
  case CAPTURE_END_RECORDER_DIED:
    if (ended->status < 0)
      return g_strdup(_("the recorder died"));
    status = format_wait_status(ended->status);
    return g_strdup_printf(_("the recorder died: %s"), status);
  case CAPTURE_END_OUTPUT:
    return g_strdup_printf(_("the output could not be written: %s"), g_strerror(ended->status));
  case CAPTURE_END_FAILED:
    if (ended->status == 0)
      return g_strdup(_("the recorder reported an error"));
    return g_strdup_printf(_("the recorder reported an error: %s"), g_strerror(ended->status));
  case CAPTURE_END_IMPORTED:
    return g_strdup(_("imported from another format"));
  case CAPTURE_END_WRITTEN:
    return g_strdup(_("written by a program of its own accord"));
  default:
    return g_strdup_printf(_("for a reason that this version does not know (%u)"), ended->reason);
  }
}
