/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A process with a caller's rights (helpers/opener-protocol.h): proves that processes are his, and later
 * opens files for a recorder. What it says of files is the recorder's to distrust; of a proof the kernel
 * keeps him away. Main thread only.
 */
#pragma once

#include <gio/gio.h>

#include "daemon/captured-account.h"
#include "daemon/captured-cgroups.h"
#include "daemon/captured-targets.h"

G_BEGIN_DECLS

#define CAPTURED_TYPE_OPENER (captured_opener_get_type())
G_DECLARE_FINAL_TYPE(CapturedOpener, captured_opener, CAPTURED, OPENER, GObject)

CapturedOpener *captured_opener_new(const CapturedAccount *account, GError **error);

/* Whether the caller, who is the process `caller`, is confined by nothing that the opener is not, and his
 * user may look into all of the targets, which must stay until this is done. */
void captured_opener_prove_async(CapturedOpener *self, pid_t caller, const CapturedTargets *targets,
                                 GAsyncReadyCallback callback, gpointer user_data);
/* FALSE with CAPTURED_ERROR_NOT_PERMITTED when he may not, _TARGET_GONE, _INVALID_TARGET or _FAILED. */
gboolean captured_opener_prove_finish(CapturedOpener *self, GAsyncResult *result, GError **error);
/* Ends it; what is under way fails. */
void captured_opener_abort(CapturedOpener *self);
/* Between two requests: our end of its socket. */
int captured_opener_get_socket(CapturedOpener *self);
/* Moves it into the cgroup; ends it when that fails. */
void captured_opener_move(CapturedOpener *self, CapturedCgroup *cgroup);
/* The same is somebody else's now, too: hangs up here, without ending it. */
void captured_opener_hand_on(CapturedOpener *self);

G_END_DECLS
