/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/empty.h"

#include <glib/gi18n.h>

gboolean viewer_empty_is(ViewerDocument *document)
{
  ProfileWeights *weights = document ? viewer_document_get_weights(document) : NULL;

  return weights && profile_weights_get_sum(weights).count == 0;
}

static gboolean has_steps(ViewerDocument *document)
{
  ViewerQuery *query = viewer_document_get_query(document);
  guint64 first, end;

  return g_list_model_get_n_items(G_LIST_MODEL(query)) > 0 || viewer_query_get_preview(query, &first, &end);
}

static const char *empty_describe(ViewerDocument *document)
{
  ProfileCapture *capture = viewer_document_get_capture(document);
  guint n_events = 0;

  if (has_steps(document))
    return _("No sample of this event is left after the steps that were taken. Take one back to see more.");
  if (capture)
    profile_capture_get_events(capture, &n_events);
  if (n_events > 1)
    return _("The recording holds no samples of this event. Choose another one above.");
  if (viewer_document_get_state(document) == VIEWER_DOCUMENT_GROWING)
    return _("They appear here as soon as the program uses a processor.");
  return _(
      "The recording holds no samples: the program may have been too short or only waited. Record it for "
      "longer, or with time off the CPU.");
}

static GtkWidget *make_button(void)
{
  GtkWidget *button = gtk_button_new_with_mnemonic(_("_Take Back a Step"));

  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "win.undo");
  gtk_widget_set_halign(button, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class(button, "pill");
  return button;
}

/* Descriptions are markup. */
void viewer_empty_say(AdwStatusPage *page, const char *title, const char *why, ViewerDocument *document)
{
  gboolean steps = document && has_steps(document);
  g_autofree char *escaped = g_markup_escape_text(why, -1);

  adw_status_page_set_title(page, title);
  adw_status_page_set_description(page, escaped);
  if (steps != (adw_status_page_get_child(page) != NULL))
    adw_status_page_set_child(page, steps ? make_button() : NULL);
}

void viewer_empty_explain(AdwStatusPage *page, ViewerDocument *document)
{
  viewer_empty_say(page, _("No Samples"), empty_describe(document), document);
}
