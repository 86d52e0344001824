/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A running process, for a list to choose from. Main thread only.
 *
 * Properties that change: "cpu" and "recordable"; all else of a process that becomes another program is that
 * of a new object.
 */
#pragma once

#include <gio/gio.h>

#include "viewer/record/process-scan.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_PROCESS (viewer_process_get_type())
G_DECLARE_FINAL_TYPE(ViewerProcess, viewer_process, VIEWER, PROCESS, GObject)

/* Takes a reference to the facts. */
ViewerProcess *viewer_process_new(ViewerProcessFacts *facts);

/* The process's; `time` is that of the first look. */
const ViewerProcessFacts *viewer_process_get_facts(ViewerProcess *self);
/* Whether it belongs to the user who looks. */
gboolean viewer_process_is_own(ViewerProcess *self);

/* The share of one processor that it used since the last look, 0 … 1 and more; negative: not known yet. */
double viewer_process_get_cpu(ViewerProcess *self);
/* It has used `time` of processors by now, the last look being `elapsed` ago (0: long ago); nanoseconds both.
 */
void viewer_process_look(ViewerProcess *self, guint64 time, gint64 elapsed);
gboolean viewer_process_is_recordable(ViewerProcess *self);
void viewer_process_set_recordable(ViewerProcess *self, gboolean recordable);

/* Whether name or command line hold text, without regard to case, or the number begins with it. "" or NULL:
 * yes. */
gboolean viewer_process_matches(ViewerProcess *self, const char *text);

G_END_DECLS
