/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page of processes and their threads as a tree: who started whom, when, with which command line, and how
 * many of the samples that are looked at each has.
 */
#pragma once

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_PROCESSES_PAGE (viewer_processes_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerProcessesPage, viewer_processes_page, VIEWER, PROCESSES_PAGE, GtkWidget)

GtkWidget *viewer_processes_page_new(void);

G_END_DECLS
