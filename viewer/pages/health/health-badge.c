/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/health/health-badge.h"

#include <glib/gi18n.h>

#include "viewer/document/health.h"

struct _ViewerHealthBadge {
  GtkWidget parent_instance;

  GtkWidget *button, *icon, *label;
  ViewerDocument *document;
};

G_DEFINE_FINAL_TYPE(ViewerHealthBadge, viewer_health_badge, GTK_TYPE_WIDGET)

static guint count_findings(const ProfileHealth *health, ProfileHealthSeverity severity)
{
  guint n, count = 0;
  const ProfileHealthFinding *findings = profile_health_get_findings(health, &n);

  for (guint i = 0; i < n; i++)
    count += findings[i].severity == severity;
  return count;
}

/* How many findings there are of the worst kind; a sum of small ones may be worse than each of them. */
static char *health_badge_describe(const ProfileHealth *health)
{
  ProfileHealthSeverity severity = profile_health_get_severity(health);
  guint n = MAX(count_findings(health, severity), 1);

  if (severity == PROFILE_HEALTH_WARNING)
    return g_strdup_printf(ngettext("%u Warning", "%u Warnings", n), n);
  return g_strdup_printf(ngettext("%u Note", "%u Notes", n), n);
}

static void health_badge_show(ViewerHealthBadge *self, const ProfileHealth *health)
{
  ProfileHealthSeverity severity = profile_health_get_severity(health);
  g_autofree char *text = health_badge_describe(health);

  gtk_image_set_from_icon_name(GTK_IMAGE(self->icon), viewer_health_get_icon(severity));
  gtk_label_set_text(GTK_LABEL(self->label), text);
  gtk_widget_set_tooltip_text(self->button, profile_health_get_summary(health));
  if (severity == PROFILE_HEALTH_WARNING)
    gtk_widget_add_css_class(self->button, "warning");
  else
    gtk_widget_remove_css_class(self->button, "warning");
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->button), GTK_ACCESSIBLE_PROPERTY_LABEL, text,
                                 GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, profile_health_get_summary(health), -1);
}

static void on_changed(ViewerHealth *shared, ViewerHealthBadge *self)
{
  const ProfileHealth *health = viewer_health_get(shared);
  gboolean matters = health && profile_health_get_severity(health) != PROFILE_HEALTH_GOOD;

  if (matters)
    health_badge_show(self, health);
  gtk_widget_set_visible(GTK_WIDGET(self), matters);
}

void viewer_health_badge_set_document(ViewerHealthBadge *self, ViewerDocument *document)
{
  if (document == self->document)
    return;
  if (self->document)
    g_signal_handlers_disconnect_by_data(viewer_health_of(self->document), self);
  g_set_object(&self->document, document);
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
  if (!document)
    return;
  g_signal_connect(viewer_health_of(document), "changed", G_CALLBACK(on_changed), self);
  on_changed(viewer_health_of(document), self);
}

static void viewer_health_badge_dispose(GObject *object)
{
  ViewerHealthBadge *self = VIEWER_HEALTH_BADGE(object);

  viewer_health_badge_set_document(self, NULL);
  g_clear_pointer(&self->button, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_health_badge_parent_class)->dispose(object);
}

static void viewer_health_badge_class_init(ViewerHealthBadgeClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_health_badge_dispose;
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(class), GTK_TYPE_BIN_LAYOUT);
}

static void viewer_health_badge_init(ViewerHealthBadge *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);

  self->icon = gtk_image_new();
  self->label = gtk_label_new(NULL);
  gtk_box_append(GTK_BOX(box), self->icon);
  gtk_box_append(GTK_BOX(box), self->label);
  self->button = gtk_button_new();
  gtk_button_set_child(GTK_BUTTON(self->button), box);
  gtk_widget_add_css_class(self->button, "flat");
  gtk_actionable_set_detailed_action_name(GTK_ACTIONABLE(self->button), "win.show-page::health");
  gtk_widget_set_parent(self->button, GTK_WIDGET(self));
  gtk_widget_set_visible(GTK_WIDGET(self), FALSE);
}

GtkWidget *viewer_health_badge_new(void)
{
  return g_object_new(VIEWER_TYPE_HEALTH_BADGE, NULL);
}
