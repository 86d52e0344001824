/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that get in each other's way. */
#include <glib/gi18n.h>

#include "profile/summary/summary-private.h"

#define LEAST 0.05

/* What is called only where a lock is taken already, or what gives one up that others wait for. Sorted. */
static const char *const contended[] = {
    "__GI___lll_lock_wait",
    "__GI___lll_lock_wake",
    "___pthread_mutex_lock_slow",
    "__lll_lock_wait",
    "__lll_lock_wait_private",
    "__lll_lock_wake",
    "__lll_lock_wake_private",
    "__mutex_lock",
    "__pv_queued_spin_lock_slowpath",
    "__x64_sys_futex",
    "__arm64_sys_futex",
    "do_futex",
    "futex_wait",
    "futex_wake",
    "g_mutex_lock_slowpath",
    "lll_lock_wait",
    "native_queued_spin_lock_slowpath",
    "osq_lock",
    "pthread_spin_lock",
    "queued_read_lock_slowpath",
    "queued_spin_lock_slowpath",
    "queued_write_lock_slowpath",
    "runtime.lock2",
    "rwsem_down_read_slowpath",
    "rwsem_down_write_slowpath",
};

gboolean profile_summary_find_locks(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  ProfileSummaryGroup group;

  profile_summary_measure_group(facts, contended, G_N_ELEMENTS(contended), &group);
  if (group.measure == 0 || (double)group.measure < LEAST * (double)facts->sum)
    return FALSE;
  g_autofree char *share = profile_summary_format_share(facts, group.measure);
  g_autofree char *caller =
      group.callers == G_MAXUINT32 ? NULL : profile_summary_format_function(facts, group.callers);
  /* TRANSLATORS: "12 % goes into locks that other threads hold, mostly in put." */
  ret->sentence =
      caller ? g_strdup_printf(_("%s goes into locks that other threads hold, mostly in %s."), share, caller)
             : g_strdup_printf(_("%s goes into locks that other threads hold."), share);
  ret->show = PROFILE_SUMMARY_SHOW_CALLERS;
  ret->function = group.most;
  return TRUE;
}
