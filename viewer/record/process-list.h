/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The running processes: a GListModel of ViewerProcess, one's own first, then by name; so that rows keep
 * their places while one looks. Read away from the main thread every two seconds while it runs. Main thread
 * only.
 */
#pragma once

#include "viewer/record/process.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_PROCESS_LIST (viewer_process_list_get_type())
G_DECLARE_FINAL_TYPE(ViewerProcessList, viewer_process_list, VIEWER, PROCESS_LIST, GObject)

/* Empty, and not running. */
ViewerProcessList *viewer_process_list_new(void);
/* Looks now, and again and again, until it is set to FALSE; what is in the list then stays. */
void viewer_process_list_set_running(ViewerProcessList *self, gboolean running);
/* Whose processes may be recorded: one's own; everybody's. FALSE both to begin with. */
void viewer_process_list_set_rights(ViewerProcessList *self, gboolean own, gboolean others);

G_END_DECLS
