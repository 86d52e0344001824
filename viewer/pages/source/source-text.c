/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-text.h"

#include <adwaita.h>
#include <string.h>

#include "viewer/pages/source/cost-gutter.h"
#include "viewer/pages/source/heat-strip.h"

enum {
  COLORED_MAX = 4 << 20, /* bytes: longer texts take too long to be coloured */
  SELF_POSITION = GTK_SOURCE_VIEW_GUTTER_POSITION_LINES - 20,
  TOTAL_POSITION = GTK_SOURCE_VIEW_GUTTER_POSITION_LINES - 10,
  TRIES = 30
};

struct _ViewerSourceText {
  GtkWidget parent;
  GtkWidget *content, *self_title, *total_title;
  GtkSourceView *view;
  ViewerHeatStrip *strip;
  GtkSourceBuffer *buffer;
  ViewerCostGutter *self_gutter, *total_gutter;
  GtkSourceSearchContext *search;
  char *text;      /* that the buffer has; NULL: none */
  guint32 line;    /* current */
  guint scrolling; /* a tick callback; 0: none */
  guint tries;     /* frames in which it still scrolls */
};

G_DEFINE_FINAL_TYPE(ViewerSourceText, viewer_source_text, GTK_TYPE_WIDGET)

enum { MOVED, ACTIVATED, FOUND, N_SIGNALS };
static guint signals[N_SIGNALS];

static GtkTextBuffer *get_buffer(ViewerSourceText *self)
{
  return GTK_TEXT_BUFFER(self->buffer);
}

guint32 viewer_source_text_get_line(ViewerSourceText *self)
{
  return self->line;
}

static void handle_cursor(ViewerSourceText *self)
{
  GtkTextIter cursor;

  gtk_text_buffer_get_iter_at_mark(get_buffer(self), &cursor, gtk_text_buffer_get_insert(get_buffer(self)));
  guint32 line = (guint32)gtk_text_iter_get_line(&cursor) + 1;
  if (line == self->line)
    return;
  self->line = line;
  g_signal_emit(self, signals[MOVED], 0);
}

static void scroll_to_cursor(ViewerSourceText *self)
{
  gtk_text_view_scroll_to_mark(GTK_TEXT_VIEW(self->view), gtk_text_buffer_get_insert(get_buffer(self)), 0.1,
                               TRUE, 0, 0.4);
  /* So that lines get their heights with the next layout: while a frame is drawn it would be too late. */
  gtk_widget_queue_resize(GTK_WIDGET(self->view));
}

static gboolean is_cursor_in_sight(ViewerSourceText *self)
{
  GdkRectangle seen, place;
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_mark(get_buffer(self), &iter, gtk_text_buffer_get_insert(get_buffer(self)));
  gtk_text_view_get_visible_rect(GTK_TEXT_VIEW(self->view), &seen);
  gtk_text_view_get_iter_location(GTK_TEXT_VIEW(self->view), &iter, &place);
  return place.y >= seen.y && place.y + place.height <= seen.y + seen.height;
}

/* Once it is known how much is seen; and again, since a view that was not shown before may forget it while
 * its lines get their heights. */
static gboolean scroll_when_sized(GtkWidget *widget, GdkFrameClock *clock, gpointer data)
{
  ViewerSourceText *self = VIEWER_SOURCE_TEXT(widget);

  if (gtk_widget_get_height(GTK_WIDGET(self->view)) <= 1)
    return G_SOURCE_CONTINUE;
  if (self->tries == 0 || (self->tries < TRIES && is_cursor_in_sight(self))) {
    self->scrolling = 0;
    return G_SOURCE_REMOVE;
  }
  self->tries--;
  scroll_to_cursor(self);
  return G_SOURCE_CONTINUE;
}

void viewer_source_text_go_to(ViewerSourceText *self, guint32 line)
{
  GtkTextIter iter;

  gtk_text_buffer_get_iter_at_line(get_buffer(self), &iter, (int)MIN(line, G_MAXINT) - 1);
  gtk_text_buffer_place_cursor(get_buffer(self), &iter);
  self->tries = TRIES;
  if (gtk_widget_get_height(GTK_WIDGET(self->view)) > 1) {
    self->tries--;
    scroll_to_cursor(self);
  }
  if (!self->scrolling)
    self->scrolling = gtk_widget_add_tick_callback(GTK_WIDGET(self), scroll_when_sized, NULL, NULL);
}

static void go_to_chosen(ViewerSourceText *self, guint line)
{
  viewer_source_text_go_to(self, line);
  gtk_widget_grab_focus(GTK_WIDGET(self->view));
}

static void set_text(ViewerSourceText *self, const ViewerSource *source)
{
  GtkSourceLanguageManager *languages = gtk_source_language_manager_get_default();

  g_free(self->text);
  self->text = g_strdup(source->text);
  gtk_source_buffer_set_language(
      self->buffer, gtk_source_language_manager_guess_language(languages, source->file->path, NULL));
  gtk_source_buffer_set_highlight_syntax(self->buffer, strlen(source->text) <= COLORED_MAX);
  gtk_text_buffer_set_text(get_buffer(self), source->text, -1);
  self->line = 0;
}

void viewer_source_text_show(ViewerSourceText *self, const ViewerSource *source)
{
  viewer_cost_gutter_set_source(self->self_gutter, source);
  viewer_cost_gutter_set_source(self->total_gutter, source);
  viewer_heat_strip_set_source(self->strip, source);
  if (source && g_strcmp0(source->text, self->text) != 0)
    set_text(self, source);
}

void viewer_source_text_describe(ViewerSourceText *self, const char *description)
{
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->view), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, description,
                                 -1);
}

void viewer_source_text_set_menu(ViewerSourceText *self, GMenuModel *menu)
{
  gtk_text_view_set_extra_menu(GTK_TEXT_VIEW(self->view), menu);
}

gboolean viewer_source_text_copy(ViewerSourceText *self)
{
  if (!gtk_text_buffer_get_has_selection(get_buffer(self)))
    return FALSE;
  gtk_text_buffer_copy_clipboard(get_buffer(self), gtk_widget_get_clipboard(GTK_WIDGET(self)));
  return TRUE;
}

gboolean viewer_source_text_has_focus(ViewerSourceText *self)
{
  return gtk_widget_has_focus(GTK_WIDGET(self->view));
}

/* Searching. */

void viewer_source_text_find(ViewerSourceText *self, const char *text)
{
  GtkSourceSearchSettings *settings = gtk_source_search_context_get_settings(self->search);

  gtk_source_search_settings_set_search_text(settings, text && *text ? text : NULL);
  g_signal_emit(self, signals[FOUND], 0);
}

int viewer_source_text_get_n_found(ViewerSourceText *self)
{
  return gtk_source_search_context_get_occurrences_count(self->search);
}

gboolean viewer_source_text_next_match(ViewerSourceText *self, int direction)
{
  GtkTextIter first, end, found, found_end;
  gboolean around;

  gtk_text_buffer_get_selection_bounds(get_buffer(self), &first, &end);
  if (direction > 0 ? !gtk_source_search_context_forward(self->search, &end, &found, &found_end, &around)
                    : !gtk_source_search_context_backward(self->search, &first, &found, &found_end, &around))
    return FALSE;
  gtk_text_buffer_select_range(get_buffer(self), &found, &found_end);
  gtk_text_view_scroll_to_mark(GTK_TEXT_VIEW(self->view), gtk_text_buffer_get_insert(get_buffer(self)), 0.1,
                               FALSE, 0, 0);
  return TRUE;
}

static void handle_count(ViewerSourceText *self)
{
  g_signal_emit(self, signals[FOUND], 0);
}

/* Looks. */

static void choose_scheme(ViewerSourceText *self)
{
  gboolean dark = adw_style_manager_get_dark(adw_style_manager_get_default());
  GtkSourceStyleSchemeManager *schemes = gtk_source_style_scheme_manager_get_default();

  gtk_source_buffer_set_style_scheme(
      self->buffer, gtk_source_style_scheme_manager_get_scheme(schemes, dark ? "Adwaita-dark" : "Adwaita"));
}

/* Titles stand above what they are of. */
static void place_titles(ViewerSourceText *self)
{
  int width;

  gtk_widget_measure(GTK_WIDGET(self->self_gutter), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL, NULL);
  gtk_widget_set_size_request(self->self_title, width, -1);
  gtk_widget_set_size_request(self->total_title, width, -1);
}

static gboolean handle_key(ViewerSourceText *self, guint key, guint code, GdkModifierType state)
{
  gboolean is_enter = key == GDK_KEY_Return || key == GDK_KEY_KP_Enter || key == GDK_KEY_ISO_Enter;

  if (!is_enter || state & gtk_accelerator_get_default_mod_mask())
    return FALSE;
  g_signal_emit(self, signals[ACTIVATED], 0);
  return TRUE;
}

static void viewer_source_text_map(GtkWidget *widget)
{
  place_titles(VIEWER_SOURCE_TEXT(widget));
  GTK_WIDGET_CLASS(viewer_source_text_parent_class)->map(widget);
}

static gboolean viewer_source_text_grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(GTK_WIDGET(VIEWER_SOURCE_TEXT(widget)->view));
}

/* GtkSourceView 5.16 does not free its list of those that are still there. */
static void remove_gutters(ViewerSourceText *self)
{
  GtkSourceGutter *gutter = gtk_source_view_get_gutter(self->view, GTK_TEXT_WINDOW_LEFT);
  GtkWidget *next = gtk_widget_get_first_child(GTK_WIDGET(gutter));

  while (next) {
    GtkWidget *renderer = next;
    next = gtk_widget_get_next_sibling(renderer);
    gtk_source_gutter_remove(gutter, GTK_SOURCE_GUTTER_RENDERER(renderer));
  }
}

static void viewer_source_text_dispose(GObject *object)
{
  ViewerSourceText *self = VIEWER_SOURCE_TEXT(object);

  if (self->content)
    remove_gutters(self);
  if (self->buffer)
    g_signal_handlers_disconnect_by_data(self->buffer, self);
  g_clear_object(&self->search);
  g_clear_object(&self->buffer);
  g_clear_pointer(&self->content, gtk_widget_unparent);
  G_OBJECT_CLASS(viewer_source_text_parent_class)->dispose(object);
}

static void viewer_source_text_finalize(GObject *object)
{
  g_free(VIEWER_SOURCE_TEXT(object)->text);
  G_OBJECT_CLASS(viewer_source_text_parent_class)->finalize(object);
}

static void viewer_source_text_class_init(ViewerSourceTextClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  GType type = G_TYPE_FROM_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_source_text_dispose;
  G_OBJECT_CLASS(class)->finalize = viewer_source_text_finalize;
  widget_class->map = viewer_source_text_map;
  widget_class->grab_focus = viewer_source_text_grab_focus;
  signals[MOVED] = g_signal_new("moved", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[ACTIVATED] =
      g_signal_new("activated", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[FOUND] = g_signal_new("found", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_css_name(widget_class, "sourcetext");
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/source/source-text.ui");
  g_type_ensure(VIEWER_TYPE_HEAT_STRIP);
  g_type_ensure(GTK_SOURCE_TYPE_VIEW);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceText, content);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceText, self_title);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceText, total_title);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceText, view);
  gtk_widget_class_bind_template_child(widget_class, ViewerSourceText, strip);
  gtk_widget_class_bind_template_callback(widget_class, go_to_chosen);
  gtk_widget_class_bind_template_callback(widget_class, handle_key);
}

static ViewerCostGutter *add_gutter(ViewerSourceText *self, gboolean is_total, int position)
{
  GtkSourceGutterRenderer *renderer = viewer_cost_gutter_new(is_total);

  gtk_source_gutter_insert(gtk_source_view_get_gutter(self->view, GTK_TEXT_WINDOW_LEFT), renderer, position);
  return VIEWER_COST_GUTTER(renderer);
}

static void viewer_source_text_init(ViewerSourceText *self)
{
  g_autoptr(GtkSourceSearchSettings) settings = gtk_source_search_settings_new();
  AdwStyleManager *style = adw_style_manager_get_default();

  gtk_widget_init_template(GTK_WIDGET(self));
  self->buffer = gtk_source_buffer_new(NULL);
  gtk_text_view_set_buffer(GTK_TEXT_VIEW(self->view), get_buffer(self));
  self->self_gutter = add_gutter(self, FALSE, SELF_POSITION);
  self->total_gutter = add_gutter(self, TRUE, TOTAL_POSITION);
  gtk_source_search_settings_set_wrap_around(settings, TRUE);
  self->search = gtk_source_search_context_new(self->buffer, settings);
  g_signal_connect_swapped(self->buffer, "notify::cursor-position", G_CALLBACK(handle_cursor), self);
  g_signal_connect_object(self->search, "notify::occurrences-count", G_CALLBACK(handle_count), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(style, "notify::dark", G_CALLBACK(choose_scheme), self, G_CONNECT_SWAPPED);
  choose_scheme(self);
}
