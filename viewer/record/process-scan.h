/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What /proc says of all running processes, but the kernel's threads and those that only wait for their end
 * to be seen. */
#pragma once

#include <gio/gio.h>
#include <sys/types.h>

G_BEGIN_DECLS

/* Of one process. All texts are valid UTF-8 on one line. */
typedef struct {
  pid_t pid;
  guint64 start; /* which process of that number: when it was started */
  uid_t uid;     /* whom it belongs to; root where the kernel keeps others from looking into it */
  char *user;    /* that user's name, or number */
  char *name;
  char *command_line; /* "" when it has none */
  guint64 time;       /* of processors that it has used, nanoseconds */
  GIcon *icon;
} ViewerProcessFacts;

ViewerProcessFacts *viewer_process_facts_ref(ViewerProcessFacts *self);
void viewer_process_facts_unref(ViewerProcessFacts *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerProcessFacts, viewer_process_facts_unref)

/* Remembers names of users and icons of programs from one look to the next. */
typedef struct _ViewerProcessScan ViewerProcessScan;

ViewerProcessScan *viewer_process_scan_new(void);
void viewer_process_scan_free(ViewerProcessScan *self);
/* Looks at all processes: of ViewerProcessFacts, one's own first, then by name and number. Free it. On any
 * thread, on one at a time; reads hundreds of small files. */
GPtrArray *viewer_process_scan_look(ViewerProcessScan *self);
/* The order of that. */
int viewer_process_facts_compare(const ViewerProcessFacts *a, const ViewerProcessFacts *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerProcessScan, viewer_process_scan_free)

G_END_DECLS
