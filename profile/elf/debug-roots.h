/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where trees of debug files stand beside /usr/lib/debug: in the mount namespace of a container, and in
 * Flatpak's extensions. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The root of the process's mount namespace, if it is another one than ours, with its /usr/lib/debug and
 * /app/lib/debug (pid 0: none); then the installed .Debug extensions of Flatpak. Free it. Thread-safe. */
GStrv profile_debug_roots_find(gint32 pid);

G_END_DECLS
