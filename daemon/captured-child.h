/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A helper's process: started with exactly the rights it needs, an environment made from nothing, and no
 * descriptor but its end of a socket pair, and gone with this process. Main thread only. */
#pragma once

#include <glib.h>

#include "daemon/captured-account.h"
#include "daemon/captured-cgroups.h"
#include "daemon/captured-ledger.h"

G_BEGIN_DECLS

/* What every helper's environment begins with. */
#ifdef __SANITIZE_ADDRESS__ /* whose leak detector would attach to what nobody may attach to */
#define CAPTURED_CHILD_ENVIRONMENT "PATH=/usr/bin:/bin", "ASAN_OPTIONS=detect_leaks=0"
#else
#define CAPTURED_CHILD_ENVIRONMENT "PATH=/usr/bin:/bin"
#endif

typedef struct _CapturedChild CapturedChild;

typedef struct {
  const char *program;            /* of helpers/: "recorder" */
  guint64 rights;                 /* capabilities that it keeps */
  gboolean precedence;            /* it runs before other processes, where the unit's LimitNICE= permits it */
  const CapturedAccount *account; /* whom it becomes; NULL: our own user */
  const char *const *environment; /* NULL-terminated */
} CapturedChildSpec;

/* NULL with CAPTURED_ERROR_FAILED. That it could not be executed shows as end of file on the socket. */
CapturedChild *captured_child_new(const CapturedChildSpec *spec, GError **error);
/* Our end of the SOCK_SEQPACKET pair; -1 when it was closed. */
int captured_child_get_socket(CapturedChild *self);
/* For a socket that was handed on: the child ends when the other one does. */
void captured_child_close_socket(CapturedChild *self);
/* Refers to the entry until the process is gone; once. */
void captured_child_charge(CapturedChild *self, CapturedEntry *entry);
/* Moves it into the cgroup, to which it refers until the process is gone; once. What it starts before that is
 * done is not moved. To be finished by captured_cgroup_add_finish. */
void captured_child_move_async(CapturedChild *self, CapturedCgroup *cgroup, GAsyncReadyCallback callback,
                               gpointer user_data);
/* Hangs up; what does not end by that is killed after a second. */
void captured_child_free(CapturedChild *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedChild, captured_child_free)

G_END_DECLS
