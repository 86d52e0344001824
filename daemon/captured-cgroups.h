/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cgroup for each user whose recordings are at work, below the service's own: the kernel bounds what all of
 * them take together and, when that is too much, ends them and nobody else's. There are none where the
 * service manager did not give us our cgroup (Delegate=memory). Main thread only.
 */
#pragma once

#include <gio/gio.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* Of a user's recorders, openers and elf-readers, without what recorders allocate before they begin: windows
 * and what BPF programs share, which are bounded by themselves. An elf-reader takes some 15 MiB for the
 * largest libraries. */
#define CAPTURED_CGROUP_BYTES_MAX (G_GUINT64_CONSTANT(192) << 20)

#define CAPTURED_TYPE_CGROUPS (captured_cgroups_get_type())
G_DECLARE_FINAL_TYPE(CapturedCgroups, captured_cgroups, CAPTURED, CGROUPS, GObject)

/* A user's, which is there until nobody holds a reference and all its processes have ended. */
typedef struct _CapturedCgroup CapturedCgroup;

CapturedCgroups *captured_cgroups_new(void);
/* A reference to the user's; NULL where there are no cgroups. Takes no time: it is made when the first
 * process is moved. */
CapturedCgroup *captured_cgroups_take(CapturedCgroups *self, uid_t user);

/* Makes a child of ours a member, in a thread, for the kernel takes some 20 ms for it and holds up forks
 * meanwhile. The first time this process and its other children are moved, too, beside those of users. One
 * that has ended is no error. The callback has to come to captured_cgroup_add_finish. */
void captured_cgroup_add_async(CapturedCgroup *cgroup, pid_t pid, GAsyncReadyCallback callback,
                               gpointer user_data);
/* FALSE with CAPTURED_ERROR_FAILED. */
gboolean captured_cgroup_add_finish(GAsyncResult *result, GError **error);
CapturedCgroup *captured_cgroup_ref(CapturedCgroup *cgroup);
void captured_cgroup_unref(CapturedCgroup *cgroup);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(CapturedCgroup, captured_cgroup_unref)

G_END_DECLS
