/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether debuginfod servers may be asked: the person decides once. Main thread only. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef void (*ViewerServersAllowed)(GtkWidget *widget);

/* Calls `allowed` if the person said yes to these servers (profile/fetch/debug-servers.h), else asks in the
 * window of widget, keeps a yes, and calls it then, while widget lives. */
void viewer_servers_dialog_want(GtkWidget *widget, const char *servers, ViewerServersAllowed allowed);

G_END_DECLS
