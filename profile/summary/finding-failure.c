/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whoever measures a command that failed measures something else. */
#include <glib/gi18n.h>
#include <string.h>
#include <sys/wait.h>

#include "profile/summary/summary-private.h"

gboolean profile_summary_find_failure(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  struct capture_file_header header;

  profile_capture_get_header(facts->capture, &header);
  int status = (int)header.ended.status;
  if (header.ended.reason != CAPTURE_END_EXITED || status == 0)
    return FALSE;
  ret->sentence = WIFSIGNALED(status)
                      ? g_strdup_printf(_("The command was killed by signal %d (%s)."), WTERMSIG(status),
                                        strsignal(WTERMSIG(status)))
                      : g_strdup_printf(_("The command failed: status %d."), WEXITSTATUS(status));
  return TRUE;
}
