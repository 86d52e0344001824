/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls that neither this process nor any that it starts ever needs. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Refuses them (EPERM) from now on: becoming root, mounting, loading modules, attaching to processes, and so
 * on. Inherited by children; goes on top of what a unit forbids. FALSE with an error when the kernel does not
 * take the filter. */
gboolean captured_filter_install(GError **error);

G_END_DECLS
