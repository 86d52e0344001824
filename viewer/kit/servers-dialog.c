/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/kit/servers-dialog.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "profile/fetch/debug-servers.h"
#include "viewer/kit/toast.h"

/* Of a dialog. */
typedef struct {
  GtkWidget *widget; /* which gets no answer once it is gone */
  char *servers;
  ViewerServersAllowed allowed;
} Question;

static void question_free(gpointer data, GClosure *closure)
{
  Question *self = data;

  g_clear_weak_pointer(&self->widget);
  g_free(self->servers);
  g_free(self);
}

static void question_answer(AdwMessageDialog *dialog, const char *answer, gpointer data)
{
  Question *self = data;
  g_autoptr(GError) error = NULL;

  if (!self->widget || !g_str_equal(answer, "download"))
    return;
  if (!profile_debug_servers_allow(self->servers, &error))
    viewer_toast(self->widget, error->message);
  self->allowed(self->widget);
}

static void question_ask(Question *self)
{
  GtkWidget *root = GTK_WIDGET(gtk_widget_get_root(self->widget));
  GtkWidget *dialog = adw_message_dialog_new(GTK_WINDOW(root), _("Ask Servers for Debug Information?"), NULL);

  adw_message_dialog_format_body(
      ADW_MESSAGE_DIALOG(dialog),
      _("These servers learn which programs and libraries were recorded and which of their source files you "
        "look at, not what the programs did:\n%s\nYou are asked once; what comes is kept on this computer."),
      self->servers);
  adw_message_dialog_add_responses(ADW_MESSAGE_DIALOG(dialog), "cancel", _("_Cancel"), "download",
                                   _("_Download"), NULL);
  adw_message_dialog_set_response_appearance(ADW_MESSAGE_DIALOG(dialog), "download", ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response(ADW_MESSAGE_DIALOG(dialog), "download");
  adw_message_dialog_set_close_response(ADW_MESSAGE_DIALOG(dialog), "cancel");
  g_signal_connect_data(dialog, "response", G_CALLBACK(question_answer), self, question_free, 0);
  gtk_window_present(GTK_WINDOW(dialog));
}

void viewer_servers_dialog_want(GtkWidget *widget, const char *servers, ViewerServersAllowed allowed)
{
  Question *question;

  if (profile_debug_servers_are_allowed(servers)) {
    allowed(widget);
    return;
  }
  question = g_new0(Question, 1);
  question->servers = g_strdup(servers);
  question->allowed = allowed;
  g_set_weak_pointer(&question->widget, widget);
  question_ask(question);
}
