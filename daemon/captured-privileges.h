/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What this process and those that it starts may do. Masks have a bit a capability, 1 << CAP_NAME. */
#pragma once

#include <glib.h>
#include <linux/capability.h>

G_BEGIN_DECLS

#define CAPTURED_RIGHT(capability) (G_GUINT64_CONSTANT(1) << (capability))

/* A recorder's, by the scope of its session. */
#define CAPTURED_RIGHTS_OWN                                                                                  \
  (CAPTURED_RIGHT(CAP_PERFMON) | CAPTURED_RIGHT(CAP_BPF) | CAPTURED_RIGHT(CAP_SYS_PTRACE) |                  \
   CAPTURED_RIGHT(CAP_IPC_LOCK))
#define CAPTURED_RIGHTS_SYSTEM                                                                               \
  (CAPTURED_RIGHTS_OWN | CAPTURED_RIGHT(CAP_SYSLOG) | CAPTURED_RIGHT(CAP_CHECKPOINT_RESTORE) |               \
   CAPTURED_RIGHT(CAP_DAC_READ_SEARCH))
/* An opener's: since 254 systemd gives it to every program of a user at the seat, and the kernel lets nobody
 * look into a process that has a capability which they lack. */
#define CAPTURED_RIGHTS_LOOK CAPTURED_RIGHT(CAP_WAKE_ALARM)
/* To become a caller. */
#define CAPTURED_RIGHTS_BECOME (CAPTURED_RIGHT(CAP_SETUID) | CAPTURED_RIGHT(CAP_SETGID))

/* What it takes to open an event now: CAP_PERFMON, and CAP_SYS_ADMIN while kernel.perf_event_paranoid is
 * above 2, where kernels of Debian and Ubuntu want it. */
guint64 captured_privileges_open_event(void);

/* To be called once, before there are threads. Makes a process that root started the user captured; gives up,
 * for this process and all its children, whatever is not in the masks above nor needed to open an event;
 * keeps what is left at hand (permitted), but uses none of it (effective); and refuses to be looked into.
 * FALSE with an error when any of that fails. Lacking capabilities are no error: recorders will say what they
 * lack. */
gboolean captured_privileges_settle(GError **error);

/* Makes exactly these capabilities of the calling thread's effective, as far as it has them; 0 puts things
 * back. Async-signal-safe. FALSE when one of them is missing. */
gboolean captured_privileges_use(guint64 rights);

/* In a forked child: these capabilities, as far as there are, survive the exec; no others. Async-signal-safe.
 */
gboolean captured_privileges_hand_on(guint64 rights);

G_END_DECLS
