/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/crumbs.h"

#include <glib/gi18n.h>

#include "viewer/kit/accessible.h"
#include "viewer/kit/format.h"

enum { EVENT_NAME_MAX = 60 }; /* characters */

struct _ViewerCrumbs {
  GtkWidget parent;

  GtkScrolledWindow *scroller;
  GtkBox *steps;
  GtkDropDown *events;
  gboolean has_use_of_events;

  ViewerDocument *document;
  GSignalGroup *document_signals;
  GSignalGroup *query_signals;
};

G_DEFINE_FINAL_TYPE(ViewerCrumbs, viewer_crumbs, GTK_TYPE_WIDGET)

GtkWidget *viewer_crumbs_new(void)
{
  return g_object_new(VIEWER_TYPE_CRUMBS, NULL);
}

static void go_back(GtkButton *button, gpointer data)
{
  ViewerCrumbs *self = data;
  guint n = GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "steps"));

  viewer_query_go_back_to(viewer_document_get_query(self->document), n);
}

/* A button that takes back all but the first n steps. */
static void add_crumb(ViewerCrumbs *self, guint n, const char *text)
{
  GtkWidget *label = gtk_label_new(text);
  GtkWidget *button = gtk_button_new();

  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_max_width_chars(GTK_LABEL(label), 32);
  gtk_button_set_child(GTK_BUTTON(button), label);
  gtk_widget_set_tooltip_text(button, text);
  viewer_accessible_set_name(button, text);
  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  g_object_set_data(G_OBJECT(button), "steps", GUINT_TO_POINTER(n));
  g_signal_connect(button, "clicked", G_CALLBACK(go_back), self);
  gtk_box_append(self->steps, button);
}

static void add_separator(ViewerCrumbs *self)
{
  GtkWidget *image = gtk_image_new_from_icon_name("go-next-symbolic");

  gtk_widget_add_css_class(image, "dim-label");
  gtk_image_set_pixel_size(GTK_IMAGE(image), 12);
  gtk_accessible_update_state(GTK_ACCESSIBLE(image), GTK_ACCESSIBLE_STATE_HIDDEN, TRUE, -1);
  gtk_box_append(self->steps, image);
}

/* Removes all but the first n children, so that the focus stays on a step that stays. */
static void crumbs_keep(ViewerCrumbs *self, guint n)
{
  GtkWidget *child = gtk_widget_get_first_child(GTK_WIDGET(self->steps));

  while (child) {
    GtkWidget *next = gtk_widget_get_next_sibling(child);

    if (n)
      n--;
    else
      gtk_box_remove(self->steps, child);
    child = next;
  }
}

static void mark_last(ViewerCrumbs *self)
{
  GtkWidget *steps = GTK_WIDGET(self->steps);

  for (GtkWidget *child = gtk_widget_get_first_child(steps); child;
       child = gtk_widget_get_next_sibling(child))
    if (child == gtk_widget_get_last_child(steps))
      gtk_widget_add_css_class(child, "current");
    else
      gtk_widget_remove_css_class(child, "current");
}

/* The first `position` steps are shown already, each with a separator before it. */
static void show_steps_from(ViewerCrumbs *self, guint position)
{
  GListModel *steps = G_LIST_MODEL(viewer_document_get_query(self->document));
  guint n = g_list_model_get_n_items(steps);

  crumbs_keep(self, 1 + 2 * position);
  for (guint i = position; i < n; i++) {
    g_autoptr(ViewerStep) step = g_list_model_get_item(steps, i);

    add_separator(self);
    add_crumb(self, i + 1, viewer_step_get_label(step));
  }
  mark_last(self);
}

static void show_document(ViewerCrumbs *self)
{
  crumbs_keep(self, 0);
  add_crumb(self, 0, _("Whole Recording"));
  show_steps_from(self, 0);
}

static gboolean scroll_to_end(gpointer data)
{
  GtkAdjustment *adjustment = data;

  gtk_adjustment_set_value(adjustment, gtk_adjustment_get_upper(adjustment));
  return G_SOURCE_REMOVE;
}

/* The step that came last is the one to be seen; once the bar has its new length, which it is still being
 * told. */
static void show_end(GtkAdjustment *adjustment)
{
  g_idle_add_full(G_PRIORITY_DEFAULT_IDLE, scroll_to_end, g_object_ref(adjustment), g_object_unref);
}

static void select_event(ViewerCrumbs *self)
{
  guint event = viewer_query_get_event(viewer_document_get_query(self->document));

  if (gtk_widget_get_visible(GTK_WIDGET(self->events)))
    gtk_drop_down_set_selected(self->events, event);
}

/* As it is listed. */
static char *name_event(const ProfileEvent *event)
{
  return viewer_format_name(event->name, EVENT_NAME_MAX);
}

static gboolean crumbs_lists(GListModel *model, const ProfileEvent *events, guint n)
{
  if (!model || g_list_model_get_n_items(model) != n)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    g_autofree char *name = name_event(&events[i]);
    if (!g_str_equal(gtk_string_list_get_string(GTK_STRING_LIST(model), i), name))
      return FALSE;
  }
  return TRUE;
}

static void show_events(ViewerCrumbs *self)
{
  ProfileCapture *capture = viewer_document_get_capture(self->document);
  guint n = 0;
  const ProfileEvent *events = capture ? profile_capture_get_events(capture, &n) : NULL;

  if (!crumbs_lists(gtk_drop_down_get_model(self->events), events, n)) {
    g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);

    for (guint i = 0; i < n; i++)
      gtk_string_list_take(names, name_event(&events[i]));
    /* To fill the list chooses its first line, which nobody did. */
    gtk_widget_set_visible(GTK_WIDGET(self->events), FALSE);
    gtk_drop_down_set_model(self->events, G_LIST_MODEL(names));
  }
  gtk_widget_set_visible(GTK_WIDGET(self->events), n > 1 && self->has_use_of_events);
  select_event(self);
}

void viewer_crumbs_set_page(ViewerCrumbs *self, ViewerPage *page)
{
  g_return_if_fail(VIEWER_IS_CRUMBS(self));
  self->has_use_of_events = page && !viewer_page_is_of_all_events(page);
  if (self->document)
    show_events(self);
}

static void choose_event(ViewerCrumbs *self)
{
  guint event = gtk_drop_down_get_selected(self->events);

  if (self->document && gtk_widget_get_visible(GTK_WIDGET(self->events)) &&
      event != GTK_INVALID_LIST_POSITION &&
      event != viewer_query_get_event(viewer_document_get_query(self->document)))
    viewer_query_set_event(viewer_document_get_query(self->document), event);
}

void viewer_crumbs_set_document(ViewerCrumbs *self, ViewerDocument *document)
{
  ViewerQuery *query = document ? viewer_document_get_query(document) : NULL;

  g_return_if_fail(VIEWER_IS_CRUMBS(self));
  if (!g_set_object(&self->document, document))
    return;
  g_signal_group_set_target(self->document_signals, document);
  g_signal_group_set_target(self->query_signals, query);
  if (document) {
    show_document(self);
    show_events(self);
  } else {
    crumbs_keep(self, 0);
    gtk_widget_set_visible(GTK_WIDGET(self->events), FALSE);
  }
}

static void viewer_crumbs_dispose(GObject *object)
{
  ViewerCrumbs *self = VIEWER_CRUMBS(object);
  GtkWidget *child;

  viewer_crumbs_set_document(self, NULL);
  g_clear_object(&self->document_signals);
  g_clear_object(&self->query_signals);
  while ((child = gtk_widget_get_first_child(GTK_WIDGET(self))))
    gtk_widget_unparent(child);
  G_OBJECT_CLASS(viewer_crumbs_parent_class)->dispose(object);
}

static void viewer_crumbs_class_init(ViewerCrumbsClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_crumbs_dispose;
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/window/crumbs.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerCrumbs, scroller);
  gtk_widget_class_bind_template_child(widget_class, ViewerCrumbs, steps);
  gtk_widget_class_bind_template_child(widget_class, ViewerCrumbs, events);
  gtk_widget_class_bind_template_callback(widget_class, choose_event);
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_NAVIGATION);
  gtk_widget_class_set_css_name(widget_class, "crumbs");
}

static void viewer_crumbs_init(ViewerCrumbs *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  viewer_accessible_describe_chosen(self->events);
  self->document_signals = g_signal_group_new(VIEWER_TYPE_DOCUMENT);
  g_signal_group_connect_swapped(self->document_signals, "capture-changed", G_CALLBACK(show_events), self);
  self->query_signals = g_signal_group_new(VIEWER_TYPE_QUERY);
  g_signal_group_connect_swapped(self->query_signals, "items-changed", G_CALLBACK(show_steps_from), self);
  g_signal_group_connect_swapped(self->query_signals, "changed", G_CALLBACK(select_event), self);
  g_signal_connect(gtk_scrolled_window_get_hadjustment(self->scroller), "changed", G_CALLBACK(show_end),
                   NULL);
}
