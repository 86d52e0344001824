/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where programs knock: a listening SOCK_SEQPACKET socket in a directory that only this user may enter, and
 * the look at who comes.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

G_BEGIN_DECLS

typedef struct _RecordingDoor RecordingDoor;

/* The directory is below $XDG_RUNTIME_DIR, else $TMPDIR or /tmp, and has mode 0700. */
RecordingDoor *recording_door_new(GError **error);
const char *recording_door_get_path(RecordingDoor *self);
/* Readable when somebody is there. */
int recording_door_get_fd(RecordingDoor *self);
/* The next one's socket, which does not block, and pid; -EAGAIN when there is none. Who is not this user, or
 * has no pid here, is sent away unheard, and so is everybody while no descriptor can be had. */
int recording_door_open(RecordingDoor *self, pid_t *ret_pid);
/* Removes socket and directory. */
void recording_door_free(RecordingDoor *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingDoor, recording_door_free)

G_END_DECLS
