/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the viewer remembers: the settings of data/org.capturectl.Viewer.gschema.xml. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Never NULL: the schema beside the program counts, else the installed one. What cannot be stored is kept for
 * as long as the program runs. The library's; main thread only. */
GSettings *viewer_settings_get(void);

G_END_DECLS
