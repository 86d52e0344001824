/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An application that tests of the window need beside it: it ends with Ctrl+Q. */
#ifndef SMALL_APPLICATION_H
#define SMALL_APPLICATION_H

#include <gtk/gtk.h>

static inline void small_application_quit(GSimpleAction *action, GVariant *parameter, gpointer application)
{
  g_application_quit(application);
}

/* Runs it to its end; `start` is what its signal "activate" or "open" calls. Returns its exit status. */
static inline int small_application_run(GtkApplication *application, const char *signal, GCallback start,
                                        int argc, char **argv)
{
  static const char *const keys[] = {"<Control>q", NULL};
  static const GActionEntry actions[] = {{"quit", small_application_quit}};

  g_action_map_add_action_entries(G_ACTION_MAP(application), actions, G_N_ELEMENTS(actions), application);
  gtk_application_set_accels_for_action(application, "app.quit", keys);
  g_signal_connect(application, signal, start, NULL);
  return g_application_run(G_APPLICATION(application), argc, argv);
}

#endif
