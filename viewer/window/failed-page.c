/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/failed-page.h"

#include <glib/gi18n.h>

#include "profile/capture/reader.h"

struct _ViewerFailedPage {
  AdwBin parent;

  AdwStatusPage *status;
  GtkWidget *again;
};

G_DEFINE_FINAL_TYPE(ViewerFailedPage, viewer_failed_page, ADW_TYPE_BIN)

/* What to do, after the sentence that says what is wrong. */
static const char *find_advice(const GError *error)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return _("Opening it was stopped; nothing was changed.");
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND) ||
      g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    return _("It may have been moved, renamed or deleted.");
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED) ||
      g_error_matches(error, G_FILE_ERROR, G_FILE_ERROR_ACCES))
    return _("Ask the one it belongs to for the permission to read it. Recordings that were made as root "
             "often belong to root.");
  if (g_error_matches(error, PROFILE_ERROR, PROFILE_ERROR_NOT_A_CAPTURE))
    return _("What can be opened are captures, perf.data files, and the .syscap files of Sysprof.");
  if (g_error_matches(error, PROFILE_ERROR, PROFILE_ERROR_VERSION))
    return _("It was made by a newer version; update this program to open it.");
  if (g_error_matches(error, PROFILE_ERROR, PROFILE_ERROR_DAMAGED))
    return _("“capturectl check --recover” saves the intact part of a damaged capture.");
  return "";
}

void viewer_failed_page_explain(ViewerFailedPage *self, GFile *file, const GError *error)
{
  g_autofree char *name = g_file_get_basename(file);
  g_autofree char *shown = g_filename_display_name(name);
  g_autofree char *title = g_strdup_printf(_("“%s” Could Not Be Opened"), shown);
  g_autofree char *uri = g_file_get_uri(file);
  gboolean is_cancelled = g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_autofree char *text = is_cancelled ? g_strdup(find_advice(error))
                                       : g_strdup_printf("%s\n%s", error->message, find_advice(error));
  g_autofree char *valid = g_utf8_make_valid(text, -1);
  g_autofree char *description = g_markup_escape_text(valid, -1);

  g_return_if_fail(VIEWER_IS_FAILED_PAGE(self));
  adw_status_page_set_title(self->status, title);
  adw_status_page_set_description(self->status, description);
  gtk_actionable_set_action_target(GTK_ACTIONABLE(self->again), "s", uri);
}

static void viewer_failed_page_class_init(ViewerFailedPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/window/failed-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerFailedPage, status);
  gtk_widget_class_bind_template_child(widget_class, ViewerFailedPage, again);
}

static void viewer_failed_page_init(ViewerFailedPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}
