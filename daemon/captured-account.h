/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A user as the user database has him: what a process needs to become him. */
#pragma once

#include <gio/gio.h>
#include <sys/types.h>

G_BEGIN_DECLS

typedef struct {
  uid_t uid;
  gid_t gid;
  gsize n_groups;
  gid_t *groups;
} CapturedAccount;

/* Reads the database in a thread: it may ask a network. */
void captured_account_load_async(uid_t uid, GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data);
/* CAPTURED_ERROR_NOT_PERMITTED when there is no such user, or when he is root or in root's group: a child of
 * this service does not become those. */
CapturedAccount *captured_account_load_finish(GAsyncResult *result, GError **error);
void captured_account_free(CapturedAccount *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedAccount, captured_account_free)

G_END_DECLS
