/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line on standard error that is overwritten as work goes on; nothing where that is no terminal. Main
 * thread only, but for capturectl_progress_post(). */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

void capturectl_progress_show(const char *line);
/* Removes the line, so that something else can be printed there. */
void capturectl_progress_clear(void);

typedef void (*CapturectlWork)(gpointer data, GCancellable *cancellable);

/* Does something in a thread, with the line of progress that it posts. Runs the default main context
 * meanwhile, so that signals can cancel. */
void capturectl_progress_run(CapturectlWork work, gpointer data, GCancellable *cancellable);
/* Shows a line from that thread, and takes it. */
void capturectl_progress_post(char *line);

G_END_DECLS
