/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the viewer remembers: the settings of data/org.capturectl.Viewer.gschema.xml. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Never NULL: without an installed schema the one of the build directory is used, and its defaults where
 * nothing can be stored. The library's; main thread only. */
GSettings *viewer_settings_get(void);

G_END_DECLS
