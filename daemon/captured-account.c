/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-account.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>

#include "daemon/captured-error.h"

#define BYTES_MAX  (1 << 20)
#define GROUPS_MAX 65536

static gid_t *list_groups(const struct passwd *entry, gsize *ret_n)
{
  for (int room = 64; room <= GROUPS_MAX; room *= 4) {
    g_autofree gid_t *groups = g_new(gid_t, room);
    int n = room;

    if (getgrouplist(entry->pw_name, entry->pw_gid, groups, &n) >= 0) {
      *ret_n = (gsize)n;
      return g_steal_pointer(&groups);
    }
  }
  *ret_n = 0;
  return NULL;
}

static CapturedAccount *from_entry(const struct passwd *entry)
{
  CapturedAccount *self = g_new0(CapturedAccount, 1);

  self->uid = entry->pw_uid;
  self->gid = entry->pw_gid;
  self->groups = list_groups(entry, &self->n_groups);
  return self;
}

/* NULL when there is none. */
static CapturedAccount *read_account(uid_t uid)
{
  for (gsize size = 4096; size <= BYTES_MAX; size *= 4) {
    g_autofree char *bytes = g_malloc(size);
    struct passwd entry, *found = NULL;
    int result = getpwuid_r(uid, &entry, bytes, size, &found);

    if (result != ERANGE)
      return found ? from_entry(found) : NULL;
  }
  return NULL;
}

static void account_load(GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  uid_t uid = GPOINTER_TO_UINT(task_data);
  g_autoptr(CapturedAccount) self = uid == 0 ? NULL : read_account(uid);

  if (self && self->gid != 0 && self->n_groups > 0)
    g_task_return_pointer(task, g_steal_pointer(&self), (GDestroyNotify)captured_account_free);
  else
    g_task_return_new_error(
        task, CAPTURED_ERROR, CAPTURED_ERROR_NOT_PERMITTED,
        uid == 0 ? "Root has no sessions of the scope “own”: it needs no service to record."
                 : "User %u has no sessions of the scope “own”: the user database does not have him, or "
                   "has him in root's group.",
        uid);
}

void captured_account_load_async(uid_t uid, GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, cancellable, callback, user_data);

  g_task_set_task_data(task, GUINT_TO_POINTER(uid), NULL);
  g_task_run_in_thread(task, account_load);
}

CapturedAccount *captured_account_load_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

void captured_account_free(CapturedAccount *self)
{
  g_free(self->groups);
  g_free(self);
}
