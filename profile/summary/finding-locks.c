/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads that get in each other's way. */
#include <glib/gi18n.h>

#include "profile/summary/summary-private.h"

/* Of user space those that take and give back; of the kernel, where there are more of them, what only those
 * come to who have to wait. Sorted. */
static const char *const locks[] = {
    "__arm64_sys_futex",
    "__lll_lock_wait",
    "__lll_lock_wait_private",
    "__lll_lock_wake",
    "__lll_lock_wake_private",
    "__mutex_lock",
    "__pv_queued_spin_lock_slowpath",
    "__x64_sys_futex",
    "do_futex",
    "futex_wait",
    "futex_wake",
    "g_mutex_lock",
    "g_mutex_unlock",
    "g_rec_mutex_lock",
    "g_rec_mutex_unlock",
    "native_queued_spin_lock_slowpath",
    "osq_lock",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_unlock",
    "pthread_rwlock_wrlock",
    "pthread_spin_lock",
    "queued_read_lock_slowpath",
    "queued_spin_lock_slowpath",
    "queued_write_lock_slowpath",
    "runtime.lock2",
    "runtime.unlock2",
    "rwsem_down_read_slowpath",
    "rwsem_down_write_slowpath",
};

gboolean profile_summary_find_locks(const ProfileSummaryFacts *facts, ProfileSummaryFinding *ret)
{
  g_autofree char *share = NULL, *caller = NULL;

  if (!profile_summary_find_group(facts, locks, G_N_ELEMENTS(locks), ret, &share, &caller))
    return FALSE;
  /* TRANSLATORS: "12 % takes and gives back locks, mostly in put." */
  ret->sentence = caller ? g_strdup_printf(_("%s takes and gives back locks, mostly in %s."), share, caller)
                         : g_strdup_printf(_("%s takes and gives back locks."), share);
  return TRUE;
}
