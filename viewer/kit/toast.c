/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/toast.h"

/* An action's parameter must be UTF-8; names of files, which errors tell of, need not be. */
void viewer_toast(GtkWidget *widget, const char *text)
{
  g_autofree char *valid = g_utf8_make_valid(text, -1);

  gtk_widget_activate_action(widget, "win.toast", "s", valid);
}
