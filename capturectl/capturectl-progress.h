/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line on standard error that is overwritten as work goes on; nothing where that is no terminal. Main
 * thread only. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

void capturectl_progress_show(const char *line);
/* Removes the line, so that something else can be printed there. */
void capturectl_progress_clear(void);

G_END_DECLS
