/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/flame-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "viewer/document/empty.h"
#include "viewer/document/transforms.h"
#include "viewer/kit/copy.h"
#include "viewer/kit/format.h"
#include "viewer/kit/settings.h"
#include "viewer/kit/swatch.h"
#include "viewer/pages/flame/chronology.h"
#include "viewer/pages/flame/flame-details.h"
#include "viewer/pages/flame/flame-graph.h"
#include "viewer/pages/flame/flame-minimap.h"
#include "viewer/pages/flame/flame-text.h"
#include "viewer/pages/flame/matches.h"

#define BUTTON_ZOOM 1.5

struct _ViewerFlamePage {
  GtkWidget parent_instance;
  GtkWidget *content, *legend;
  GtkRevealer *map_revealer;
  ViewerFlameMinimap *minimap;
  GtkStack *stack;
  AdwStatusPage *empty;
  ViewerFlameGraph *graph;
  ViewerChronology *chronology;
  ViewerFlameDetails *details;
  ViewerTransforms *transforms;
  GSimpleActionGroup *actions;

  ViewerDocument *document; /* NULL: none */
  gboolean stale;           /* the weights have changed since they were shown */
  gboolean selecting;       /* we change the document's selection ourselves */
  ProfileSearch *search;    /* that was told of; NULL: none */
  ViewerMatches *matches;   /* places of what is searched for */
  ProfileFlame *described;  /* what details are of; NULL: of nothing */
  guint described_box;
};

static void init_page(ViewerPageInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerFlamePage, viewer_flame_page, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, init_page))

static gboolean has_direction(const char *name)
{
  g_autofree char *direction = g_settings_get_string(viewer_settings_get(), "flame-direction");

  return g_str_equal(direction, name);
}

static gboolean is_inverted(void)
{
  return has_direction("bottom-up");
}

static gboolean is_chronological(void)
{
  return has_direction("chronological");
}

static void set_enabled(ViewerFlamePage *self, const char *name, gboolean enabled)
{
  GAction *action = g_action_map_lookup_action(G_ACTION_MAP(self->actions), name);

  g_simple_action_set_enabled(G_SIMPLE_ACTION(action), enabled);
}

/* A thread need not have the stack that was selected among those of all. */
static gboolean is_selection_seen(ViewerFlamePage *self)
{
  guint n = 1;
  g_autofree guint32 *path =
      is_chronological() ? viewer_stack_chart_get_selection(viewer_chronology_get_chart(self->chronology), &n)
                         : NULL;

  return n > 0;
}

static void show_details(ViewerFlamePage *self)
{
  guint box = 0;
  gboolean any = viewer_flame_graph_get_selected_box(self->graph, &box) && is_selection_seen(self);
  ProfileFlame *flame = any ? viewer_flame_graph_get_flame(self->graph) : NULL;

  if (flame == self->described && box == self->described_box)
    return;
  viewer_flame_details_show(self->details, flame, box);
  g_clear_pointer(&self->described, profile_flame_unref);
  self->described = flame ? profile_flame_ref(flame) : NULL;
  self->described_box = box;
}

static void tell_search(ViewerFlamePage *self)
{
  ProfileSearch *search = viewer_flame_graph_get_search(self->graph);

  viewer_matches_set(self->matches, search, is_inverted());
  if (search == self->search)
    return;
  g_clear_pointer(&self->search, profile_search_unref);
  self->search = search ? profile_search_ref(search) : NULL;
  viewer_stack_chart_set_search(viewer_chronology_get_chart(self->chronology), search);
  g_signal_emit_by_name(self, "search-changed");
}

static void choose_child(ViewerFlamePage *self)
{
  gboolean is_empty = self->document && viewer_empty_is(self->document);

  if (is_empty)
    viewer_empty_explain(self->empty, self->document);
  gtk_widget_set_visible(GTK_WIDGET(self->details), !is_empty);
  gtk_stack_set_visible_child_name(self->stack, is_empty             ? "empty"
                                                : is_chronological() ? "chronology"
                                                                     : "graph");
}

static void flame_page_shown(ViewerFlamePage *self)
{
  gboolean chronological = is_chronological(), zoomed = viewer_flame_graph_is_zoomed(self->graph);
  gboolean shows_all = viewer_viewport_is_all(viewer_flame_graph_get_part(self->graph));
  gboolean whole_time = viewer_stack_chart_shows_all(viewer_chronology_get_chart(self->chronology));

  set_enabled(self, "zoom-back", zoomed && !chronological);
  set_enabled(self, "zoom-out", chronological ? !whole_time : !shows_all);
  set_enabled(self, "zoom-reset", chronological ? !whole_time : zoomed);
  gtk_revealer_set_reveal_child(self->map_revealer, zoomed && !chronological);
  choose_child(self);
  show_details(self);
  tell_search(self);
}

/* Upside down a box stands for many stacks: others are told of its function alone. */
static void flame_page_selected(ViewerFlamePage *self)
{
  guint n;
  const guint32 *path = viewer_flame_graph_get_selection(self->graph, &n);
  gboolean inverted = is_inverted();

  show_details(self);
  if (!self->document)
    return;
  self->selecting = TRUE;
  if (inverted && n > 0)
    viewer_document_select(self->document, &path[n - 1], 1);
  else
    viewer_document_select(self->document, path, n);
  viewer_transforms_set_inverted_path(self->transforms, path, inverted ? n : 0);
  self->selecting = FALSE;
}

/* Details are those of the same frame in the flame graph. */
static void chronology_selected(ViewerFlamePage *self)
{
  guint n;
  g_autofree guint32 *path =
      viewer_stack_chart_get_selection(viewer_chronology_get_chart(self->chronology), &n);

  viewer_flame_graph_select(self->graph, path, n);
  flame_page_selected(self);
}

static void select_path(ViewerFlamePage *self, const guint32 *path, guint n)
{
  viewer_flame_graph_select(self->graph, path, n);
  viewer_stack_chart_select(viewer_chronology_get_chart(self->chronology), path, n);
}

static void document_selected(ViewerFlamePage *self)
{
  guint n;
  const guint32 *path = viewer_document_get_selection(self->document, &n);

  if (self->selecting || is_inverted())
    return;
  select_path(self, path, n);
  show_details(self);
}

/* Only where it is seen: the sequence of samples costs memory. */
static void show_chronology(ViewerFlamePage *self)
{
  ProfileWeights *weights = self->document ? viewer_document_get_weights(self->document) : NULL;
  guint64 first = 0, end = 1;

  if (!weights || !is_chronological()) {
    viewer_chronology_set_weights(self->chronology, NULL, first, end);
    return;
  }
  viewer_query_get_time(viewer_document_get_query(self->document), profile_weights_get_capture(weights),
                        &first, &end);
  viewer_chronology_set_weights(self->chronology, weights, first, end);
}

/* The kinds that there are. */
static void show_legend(ViewerFlamePage *self)
{
  guint kinds = self->document ? viewer_document_get_kinds(self->document) : 0;

  for (GtkWidget *entry = gtk_widget_get_first_child(self->legend); entry; kinds >>= 1) {
    gtk_widget_set_visible(entry, kinds & 1);
    entry = gtk_widget_get_next_sibling(entry);
  }
}

static void show_weights(ViewerFlamePage *self)
{
  self->stale = FALSE;
  show_legend(self);
  viewer_flame_graph_set_weights(self->graph,
                                 self->document ? viewer_document_get_weights(self->document) : NULL);
  show_chronology(self);
  if (self->document)
    document_selected(self);
}

static void weights_changed(ViewerFlamePage *self)
{
  self->stale = TRUE;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    show_weights(self);
}

static void set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerFlamePage *self = VIEWER_FLAME_PAGE(page);

  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_set_object(&self->document, document);
  viewer_transforms_set_document(self->transforms, document);
  if (document) {
    g_signal_connect_object(document, "weights-changed", G_CALLBACK(weights_changed), self,
                            G_CONNECT_SWAPPED);
    g_signal_connect_object(document, "selection-changed", G_CALLBACK(document_selected), self,
                            G_CONNECT_SWAPPED);
  }
  viewer_flame_graph_set_weights(self->graph, NULL);
  weights_changed(self);
}

static void set_search(ViewerPage *page, const char *text)
{
  viewer_flame_graph_set_search(VIEWER_FLAME_PAGE(page)->graph, text);
}

static char *describe_search(ViewerPage *page)
{
  ProfileSearch *search = viewer_flame_graph_get_search(VIEWER_FLAME_PAGE(page)->graph);

  if (!search)
    return NULL;
  guint n = profile_search_get_n_functions(search);
  if (n == 0)
    return g_strdup(_("Nothing found"));
  g_autofree char *share =
      viewer_format_weight_share(profile_search_get_weights(search), profile_search_get_total(search));
  return g_strdup_printf(ngettext("%u function, %s", "%u functions, %s", n), n, share);
}

static void show_match(ViewerFlamePage *self)
{
  const ProfilePath *path = viewer_matches_get(self->matches);

  select_path(self, path->functions, path->n);
  flame_page_selected(self);
}

static gboolean next_match(ViewerPage *page, int direction)
{
  return viewer_matches_go(VIEWER_FLAME_PAGE(page)->matches, direction);
}

/* The name of what is selected. */
static gboolean flame_page_copy(ViewerPage *page)
{
  ViewerFlamePage *self = VIEWER_FLAME_PAGE(page);
  guint box;

  if (!viewer_flame_graph_get_selected_box(self->graph, &box))
    return FALSE;
  return viewer_copy_text(GTK_WIDGET(self),
                          viewer_flame_text_get_name(viewer_flame_graph_get_flame(self->graph), box, 0));
}

static void get_report(ViewerPage *page, ProfileReportBy *ret_by, ProfileReportTree *ret_tree)
{
  if (is_inverted())
    *ret_tree = PROFILE_REPORT_BOTTOM_UP;
}

static void init_page(ViewerPageInterface *iface)
{
  iface->get_report = get_report;
  iface->set_document = set_document;
  iface->set_search = set_search;
  iface->describe_search = describe_search;
  iface->next_match = next_match;
  iface->copy = flame_page_copy;
}

static ViewerBoxCanvas *get_canvas(ViewerFlamePage *self)
{
  return is_chronological() ? VIEWER_BOX_CANVAS(viewer_chronology_get_chart(self->chronology))
                            : VIEWER_BOX_CANVAS(self->graph);
}

static void pop_up(ViewerFlamePage *self, double x, double y)
{
  g_autoptr(GMenu) further = g_menu_new();
  g_autoptr(GMenuItem) zoom = g_menu_item_new(_("_Zoom to Box"), "flame.zoom-to-box");
  double at_x, at_y;

  g_menu_item_set_attribute(zoom, "accel", "s", "z");
  g_menu_append_item(further, zoom);
  gtk_widget_translate_coordinates(GTK_WIDGET(get_canvas(self)), GTK_WIDGET(self), x, y, &at_x, &at_y);
  viewer_transforms_popup(self->transforms, at_x, at_y, G_MENU_MODEL(further));
}

/* The root of all has no source, and what is still recorded has no page for it. */
static void handle_activated(ViewerFlamePage *self)
{
  guint n = 0;

  if (self->document && viewer_document_get_state(self->document) != VIEWER_DOCUMENT_GROWING)
    viewer_document_get_selection(self->document, &n);
  if (n > 0)
    gtk_widget_activate_action(GTK_WIDGET(self), "win.show-page", "s", "source");
  else
    viewer_box_canvas_zoom_to_selected(get_canvas(self));
}

static void change_direction(ViewerFlamePage *self)
{
  viewer_transforms_set_inverted_path(self->transforms, NULL, 0);
  viewer_flame_graph_set_inverted(self->graph, is_inverted());
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    show_chronology(self);
  else
    self->stale = TRUE;
  flame_page_shown(self);
  if (self->document)
    document_selected(self);
}

static void change_root(ViewerFlamePage *self)
{
  viewer_flame_graph_set_from_bottom(self->graph,
                                     g_settings_get_boolean(viewer_settings_get(), "flame-from-bottom"));
}

static void change_colours(ViewerFlamePage *self)
{
  g_autofree char *colours = g_settings_get_string(viewer_settings_get(), "colours");
  gboolean by_kind = g_str_equal(colours, "kind");

  ViewerPaletteMode mode = by_kind ? VIEWER_PALETTE_KIND : VIEWER_PALETTE_BINARY;

  viewer_flame_graph_set_colors(self->graph, mode);
  viewer_stack_chart_set_colors(viewer_chronology_get_chart(self->chronology), mode);
  gtk_widget_set_visible(self->legend, by_kind);
}

static void zoom_to_box(GSimpleAction *action, GVariant *parameter, gpointer self)
{
  viewer_box_canvas_zoom_to_selected(get_canvas(self));
}

static void zoom_back(GSimpleAction *action, GVariant *parameter, gpointer self)
{
  viewer_flame_graph_zoom_back(VIEWER_FLAME_PAGE(self)->graph);
}

static void zoom_by(ViewerFlamePage *self, double factor)
{
  if (is_chronological())
    viewer_stack_chart_zoom_by(viewer_chronology_get_chart(self->chronology), factor);
  else
    viewer_flame_graph_zoom_by(self->graph, 0.5, factor);
}

static void zoom_in(GSimpleAction *action, GVariant *parameter, gpointer self)
{
  zoom_by(self, BUTTON_ZOOM);
}

static void zoom_out(GSimpleAction *action, GVariant *parameter, gpointer self)
{
  zoom_by(self, 1 / BUTTON_ZOOM);
}

static void zoom_reset(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ViewerFlamePage *self = data;

  if (is_chronological())
    viewer_stack_chart_zoom_reset(viewer_chronology_get_chart(self->chronology));
  else
    viewer_flame_graph_zoom_reset(self->graph);
}

static void add_actions(ViewerFlamePage *self)
{
  static const GActionEntry entries[] = {{.name = "zoom-to-box", .activate = zoom_to_box},
                                         {.name = "zoom-back", .activate = zoom_back},
                                         {.name = "zoom-in", .activate = zoom_in},
                                         {.name = "zoom-out", .activate = zoom_out},
                                         {.name = "zoom-reset", .activate = zoom_reset}};
  static const char *const remembered[] = {"flame-direction", "flame-from-bottom", "colours"};

  self->actions = g_simple_action_group_new();
  g_action_map_add_action_entries(G_ACTION_MAP(self->actions), entries, G_N_ELEMENTS(entries), self);
  for (guint i = 0; i < G_N_ELEMENTS(remembered); i++) {
    g_autoptr(GAction) action = g_settings_create_action(viewer_settings_get(), remembered[i]);
    g_action_map_add_action(G_ACTION_MAP(self->actions), action);
  }
  gtk_widget_insert_action_group(GTK_WIDGET(self), "flame", G_ACTION_GROUP(self->actions));
}

static void follow_settings(ViewerFlamePage *self)
{
  GSettings *settings = viewer_settings_get();

  g_signal_connect_object(settings, "changed::flame-direction", G_CALLBACK(change_direction), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(settings, "changed::flame-from-bottom", G_CALLBACK(change_root), self,
                          G_CONNECT_SWAPPED);
  g_signal_connect_object(settings, "changed::colours", G_CALLBACK(change_colours), self, G_CONNECT_SWAPPED);
  change_direction(self);
  change_root(self);
  change_colours(self);
}

static void add_legend(ViewerFlamePage *self)
{
  for (guint i = 0; i < PROFILE_KINDS; i++) {
    GtkWidget *entry = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 6);
    GtkWidget *label = gtk_label_new(viewer_kind_get_label((ProfileKind)i));

    gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
    gtk_widget_add_css_class(label, "caption");
    gtk_box_append(GTK_BOX(entry), viewer_swatch_new((ProfileKind)i));
    gtk_box_append(GTK_BOX(entry), label);
    gtk_box_append(GTK_BOX(self->legend), entry);
  }
}

static void flame_page_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_flame_page_parent_class)->map(widget);
  if (VIEWER_FLAME_PAGE(widget)->stale)
    show_weights(VIEWER_FLAME_PAGE(widget));
}

/* What is still on its way to them may come when the page has gone. */
static void forget_canvases(ViewerFlamePage *self)
{
  if (self->chronology)
    g_signal_handlers_disconnect_by_data(viewer_chronology_get_chart(self->chronology), self);
  if (self->graph)
    g_signal_handlers_disconnect_by_data(self->graph, self);
}

static void flame_page_dispose(GObject *object)
{
  ViewerFlamePage *self = VIEWER_FLAME_PAGE(object);

  forget_canvases(self);
  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_clear_object(&self->document);
  g_clear_object(&self->actions);
  g_clear_pointer(&self->search, profile_search_unref);
  g_clear_pointer(&self->described, profile_flame_unref);
  g_clear_pointer(&self->content, gtk_widget_unparent);
  g_clear_object(&self->matches);
  G_OBJECT_CLASS(viewer_flame_page_parent_class)->dispose(object);
}

/* A canvas that is not to be seen would take the keys and do nothing with them. */
static gboolean viewer_flame_page_grab_focus(GtkWidget *widget)
{
  ViewerFlamePage *self = VIEWER_FLAME_PAGE(widget);
  GtkWidget *canvas = is_chronological() ? GTK_WIDGET(self->chronology) : GTK_WIDGET(self->graph);

  return gtk_widget_get_mapped(canvas) && gtk_widget_grab_focus(canvas);
}

static void viewer_flame_page_class_init(ViewerFlamePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  g_type_ensure(VIEWER_TYPE_CHRONOLOGY);
  g_type_ensure(VIEWER_TYPE_FLAME_DETAILS);
  g_type_ensure(VIEWER_TYPE_FLAME_GRAPH);
  g_type_ensure(VIEWER_TYPE_FLAME_MINIMAP);
  G_OBJECT_CLASS(klass)->dispose = flame_page_dispose;
  widget_class->grab_focus = viewer_flame_page_grab_focus;
  widget_class->map = flame_page_map;
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/flame/flame-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, content);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, legend);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, map_revealer);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, minimap);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, empty);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, graph);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, chronology);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlamePage, details);
}

static void viewer_flame_page_init(ViewerFlamePage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->matches = viewer_matches_new();
  self->transforms = viewer_transforms_install(GTK_WIDGET(self));
  add_actions(self);
  add_legend(self);
  viewer_flame_minimap_set_graph(self->minimap, self->graph);
  follow_settings(self);
  g_signal_connect_object(self->matches, "reached", G_CALLBACK(show_match), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped(self->graph, "shown", G_CALLBACK(flame_page_shown), self);
  g_signal_connect_swapped(self->graph, "selected", G_CALLBACK(flame_page_selected), self);
  g_signal_connect_swapped(self->graph, "menu", G_CALLBACK(pop_up), self);
  g_signal_connect_swapped(self->graph, "activate", G_CALLBACK(handle_activated), self);
  g_signal_connect_swapped(viewer_chronology_get_chart(self->chronology), "activate",
                           G_CALLBACK(handle_activated), self);
  g_signal_connect_object(viewer_chronology_get_chart(self->chronology), "shown",
                          G_CALLBACK(flame_page_shown), self, G_CONNECT_SWAPPED);
  g_signal_connect_swapped(self->chronology, "selected", G_CALLBACK(chronology_selected), self);
  g_signal_connect_swapped(self->chronology, "menu", G_CALLBACK(pop_up), self);
  flame_page_shown(self);
}

GtkWidget *viewer_flame_page_new(void)
{
  return g_object_new(VIEWER_TYPE_FLAME_PAGE, NULL);
}
