/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/inlined-bar.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"

enum { MOST = 12, NAME_CHARS = 2000 };

struct _ViewerInlinedBar {
  GtkWidget parent;
  GtkWidget *content, *buttons;
  GtkLabel *label;
  char *text;
  guint32 first;
};

G_DEFINE_FINAL_TYPE(ViewerInlinedBar, viewer_inlined_bar, GTK_TYPE_WIDGET)

enum { CHOSEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static char *describe_cost(const ViewerSource *source, guint32 number)
{
  const ProfileAnnotationLine *line = viewer_source_get_line(source, number);

  if (!line)
    return g_strdup_printf(_("Line %u: no samples"), number);
  g_autofree char *self = viewer_source_format_share(source, line->self);
  g_autofree char *total = viewer_source_format_share(source, line->total);
  /* TRANSLATORS: What a line of source costs: its number, its own share, its total share. */
  return g_strdup_printf(_("Line %u: self %s, total %s"), number, self, total);
}

static void handle_clicked(ViewerInlinedBar *self, GtkButton *button)
{
  g_signal_emit(self, signals[CHOSEN], 0,
                GPOINTER_TO_UINT(g_object_get_data(G_OBJECT(button), "viewer-function")));
}

static void add_function(ViewerInlinedBar *self, const ViewerSource *source,
                         const ProfileAnnotationInlined *inlined)
{
  g_autofree char *name = viewer_format_short_name(inlined->name);
  g_autofree char *full = viewer_format_name(inlined->name, NAME_CHARS);
  g_autofree char *share = viewer_source_format_share(source, inlined->total);
  g_autofree char *text = g_strdup_printf("%s, %s", name, share);
  GtkWidget *button = gtk_button_new_with_label(text);

  gtk_widget_add_css_class(button, "flat");
  gtk_widget_set_tooltip_text(button, full);
  gtk_widget_set_sensitive(button, inlined->function != G_MAXUINT32);
  g_object_set_data(G_OBJECT(button), "viewer-function", GUINT_TO_POINTER(inlined->function));
  g_signal_connect_swapped(button, "clicked", G_CALLBACK(handle_clicked), self);
  gtk_box_append(GTK_BOX(self->buttons), button);
}

static void inlined_bar_clear(ViewerInlinedBar *self)
{
  for (GtkWidget *child; (child = gtk_widget_get_first_child(self->buttons));)
    gtk_box_remove(GTK_BOX(self->buttons), child);
  g_clear_pointer(&self->text, g_free);
  self->first = G_MAXUINT32;
}

void viewer_inlined_bar_show(ViewerInlinedBar *self, const ViewerSource *source, guint32 number)
{
  const ProfileAnnotationLine *line = source ? viewer_source_get_line(source, number) : NULL;
  g_autofree char *cost = source && number > 0 ? describe_cost(source, number) : g_strdup("");
  const ProfileAnnotationInlined *inlined =
      line ? profile_annotation_get_inlined(source->annotation, line) : NULL;
  guint32 n = line ? MIN(line->n_inlined, MOST) : 0;

  inlined_bar_clear(self);
  GString *text = g_string_new(cost);
  if (n > 0) {
    g_string_append_printf(text, _("; inlined there:"));
    self->first = inlined[0].function;
  }
  gtk_label_set_text(self->label, text->str);
  for (guint32 i = 0; i < n; i++) {
    add_function(self, source, &inlined[i]);
    g_string_append_printf(text, " %s", inlined[i].name);
  }
  self->text = viewer_format_name(text->str, NAME_CHARS);
  g_string_free(text, TRUE);
}

const char *viewer_inlined_bar_get_text(ViewerInlinedBar *self)
{
  return self->text ? self->text : "";
}

guint32 viewer_inlined_bar_get_first(ViewerInlinedBar *self)
{
  return self->first;
}

static void viewer_inlined_bar_dispose(GObject *object)
{
  g_clear_pointer(&VIEWER_INLINED_BAR(object)->content, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_inlined_bar_parent_class)->dispose(object);
}

static void viewer_inlined_bar_finalize(GObject *object)
{
  g_free(VIEWER_INLINED_BAR(object)->text);
  G_OBJECT_CLASS(viewer_inlined_bar_parent_class)->finalize(object);
}

static void viewer_inlined_bar_class_init(ViewerInlinedBarClass *class)
{
  G_OBJECT_CLASS(class)->dispose = viewer_inlined_bar_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_inlined_bar_finalize;
  gtk_widget_class_set_css_name(GTK_WIDGET_CLASS(class), "inlinedbar");
  gtk_widget_class_set_layout_manager_type(GTK_WIDGET_CLASS(class), GTK_TYPE_BIN_LAYOUT);
  signals[CHOSEN] = g_signal_new("chosen", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_UINT);
}

static void viewer_inlined_bar_init(ViewerInlinedBar *self)
{
  GtkWidget *box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *label = gtk_label_new(NULL);

  self->label = GTK_LABEL(label);
  self->buttons = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class(label, "numeric");
  gtk_box_append(GTK_BOX(box), label);
  gtk_box_append(GTK_BOX(box), self->buttons);
  self->content = gtk_scrolled_window_new();
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(self->content), GTK_POLICY_EXTERNAL, GTK_POLICY_NEVER);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(self->content), box);
  gtk_widget_set_parent(self->content, GTK_WIDGET(self));
  self->first = G_MAXUINT32;
}
