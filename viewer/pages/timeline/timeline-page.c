/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/timeline/timeline-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "viewer/document/empty.h"
#include "viewer/kit/copy.h"
#include "viewer/pages/timeline/time-ruler.h"
#include "viewer/pages/timeline/timeline-area.h"
#include "viewer/pages/timeline/track-kind.h"
#include "viewer/pages/timeline/track-row.h"

static const double zoom_factor = 1.5, pan_share = 0.15;

struct _ViewerTimelinePage {
  GtkWidget parent;
  GtkWidget *stack, *tracks, *head, *buttons;
  AdwStatusPage *empty;
  GMenuModel *menu;
  GtkWidget *ruler, *area, *list, *popover;
  ViewerTimeline *timeline;
  GtkSingleSelection *selection;
  GSignalGroup *of_query, *of_document;
  guint64 first, end; /* the committed span that was followed; 0, 0: none */
};

static void viewer_timeline_page_page_init(ViewerPageInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerTimelinePage, viewer_timeline_page, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, viewer_timeline_page_page_init))

static ViewerSpanSelector *get_selector(ViewerTimelinePage *self)
{
  return viewer_timeline_area_get_selector(VIEWER_TIMELINE_AREA(self->area));
}

static ViewerTrack *get_selected(ViewerTimelinePage *self)
{
  return gtk_single_selection_get_selected_item(self->selection);
}

/* Without samples, counters and marks. */
static void timeline_page_explain(ViewerTimelinePage *self)
{
  viewer_empty_explain(self->empty, viewer_timeline_get_document(self->timeline));
  adw_status_page_set_title(self->empty, _("Nothing Happened"));
}

static void choose_child(ViewerTimelinePage *self)
{
  const char *name = "tracks";

  if (!viewer_timeline_is_loaded(self->timeline))
    name = "loading";
  else if (g_list_model_get_n_items(viewer_timeline_get_tracks(self->timeline)) == 0)
    name = "empty";
  if (g_str_equal(name, "empty"))
    timeline_page_explain(self);
  gtk_stack_set_visible_child_name(GTK_STACK(self->stack), name);
}

/* What one zoomed into fills the width; taking it back shows what was shown before. */
static void follow_committed(ViewerTimelinePage *self)
{
  guint64 first = 0, end = 0;

  viewer_span_selector_get_committed(get_selector(self), &first, &end);
  if (first == self->first && end == self->end)
    return;
  self->first = first;
  self->end = end;
  if (first < end)
    viewer_timeline_show(self->timeline, first, end);
  else
    viewer_timeline_show_all(self->timeline);
}

static void update_actions(ViewerTimelinePage *self)
{
  ViewerTrack *track = get_selected(self);
  const ViewerTrackKind *kind = track ? viewer_track_get_kind(track) : NULL;
  guint64 first, end;

  gtk_widget_action_set_enabled(GTK_WIDGET(self), "timeline.show-only-thread", kind == &viewer_track_thread);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "timeline.show-only-process", kind && kind->get_process);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "timeline.commit",
                                viewer_span_selector_get_preview(get_selector(self), &first, &end));
  gboolean shows_all = viewer_time_axis_shows_all(viewer_timeline_get_axis(self->timeline));
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "timeline.zoom-fit", !shows_all);
  gtk_widget_action_set_enabled(GTK_WIDGET(self), "timeline.zoom-out", !shows_all);
}

static void timeline_page_update(ViewerTimelinePage *self)
{
  if (!gtk_widget_get_mapped(GTK_WIDGET(self)))
    return;
  viewer_timeline_update(self->timeline);
  follow_committed(self);
  update_actions(self);
  choose_child(self);
}

static void notice_timeline(ViewerTimelinePage *self)
{
  choose_child(self);
  update_actions(self);
}

static void viewer_timeline_page_map(GtkWidget *widget)
{
  GTK_WIDGET_CLASS(viewer_timeline_page_parent_class)->map(widget);
  timeline_page_update(VIEWER_TIMELINE_PAGE(widget));
}

static void viewer_timeline_page_set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(page);

  self->first = self->end = 0;
  g_signal_group_set_target(self->of_document, document);
  g_signal_group_set_target(self->of_query, document ? viewer_document_get_query(document) : NULL);
  viewer_timeline_set_document(self->timeline, document);
  viewer_span_selector_set_document(get_selector(self), document);
  viewer_time_ruler_set_document(VIEWER_TIME_RULER(self->ruler), document);
  choose_child(self);
  timeline_page_update(self);
}

static void append_track(GString *text, guint position, gpointer page)
{
  ViewerTimelinePage *self = page;
  g_autoptr(ViewerTrack) track = g_list_model_get_item(viewer_timeline_get_tracks(self->timeline), position);
  g_autofree char *what = viewer_track_describe(viewer_timeline_get_scene(self->timeline), track);

  g_string_append_printf(text, "%*s%s\t%s\t%s\n", (int)viewer_track_get_depth(track) * 2, "",
                         viewer_track_get_title(track), viewer_track_get_detail(track), what ? what : "");
}

static gboolean viewer_timeline_page_copy(ViewerPage *page)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(page);
  const ViewerCopyRows rows = {.model = viewer_timeline_get_tracks(self->timeline),
                               .n = G_MAXUINT,
                               .append_row = append_track,
                               .data = self};

  return viewer_copy_rows(GTK_WIDGET(self), &rows);
}

static void viewer_timeline_page_get_report(ViewerPage *page, ProfileReportBy *ret_by,
                                            ProfileReportTree *ret_tree)
{
  *ret_by = PROFILE_REPORT_THREAD;
  *ret_tree = PROFILE_REPORT_LIST;
}

static void viewer_timeline_page_page_init(ViewerPageInterface *interface)
{
  interface->get_report = viewer_timeline_page_get_report;
  interface->set_document = viewer_timeline_page_set_document;
  interface->copy = viewer_timeline_page_copy;
}

static void push_items(ViewerTimelinePage *self, ViewerStepKind kind, guint32 item, const char *label)
{
  ViewerQuery *query = viewer_document_get_query(viewer_timeline_get_document(self->timeline));
  g_autoptr(ViewerStep) step = viewer_step_new_items(kind, &item, 1, label);

  viewer_query_push(query, step);
}

static void show_only_thread(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(widget);
  ViewerTrack *track = get_selected(self);

  push_items(self, VIEWER_STEP_THREADS, viewer_track_get_index(track), viewer_track_get_title(track));
}

static void show_only_process(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(widget);
  ProfileCapture *capture = viewer_timeline_get_capture(self->timeline);
  ViewerTrack *track = get_selected(self);
  guint n;

  if (!capture)
    return;
  guint32 process = viewer_track_get_kind(track)->get_process(capture, viewer_track_get_index(track));
  push_items(self, VIEWER_STEP_PROCESSES, process, profile_capture_get_processes(capture, &n)[process].name);
}

static void zoom_in(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(widget);

  viewer_timeline_zoom(self->timeline, zoom_factor,
                       viewer_timeline_area_get_pointer(VIEWER_TIMELINE_AREA(self->area)));
}

static void zoom_out(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(widget);

  viewer_timeline_zoom(self->timeline, 1 / zoom_factor,
                       viewer_timeline_area_get_pointer(VIEWER_TIMELINE_AREA(self->area)));
}

static void zoom_fit(GtkWidget *widget, const char *name, GVariant *parameter)
{
  viewer_timeline_show_all(VIEWER_TIMELINE_PAGE(widget)->timeline);
}

static void timeline_page_pan(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(widget);

  viewer_timeline_pan(self->timeline, g_variant_get_int32(parameter) * pan_share *
                                          viewer_timeline_get_axis(self->timeline)->width);
}

static void timeline_page_commit(GtkWidget *widget, const char *name, GVariant *parameter)
{
  viewer_span_selector_commit(get_selector(VIEWER_TIMELINE_PAGE(widget)));
}

/* The row that has the focus has it in the list's item, whose child it is. */
static ViewerTrack *get_focused(ViewerTimelinePage *self)
{
  GtkWidget *item = gtk_widget_get_focus_child(self->list);
  GtkWidget *row = item ? gtk_widget_get_first_child(item) : NULL;

  return row && VIEWER_IS_TRACK_ROW(row) ? viewer_track_row_get_track(VIEWER_TRACK_ROW(row)) : NULL;
}

static gboolean expand_focused(ViewerTimelinePage *self, gboolean expanded)
{
  ViewerTrack *track = get_focused(self);

  if (!track || viewer_track_get_n_children(track) == 0 || viewer_track_get_expanded(track) == expanded)
    return FALSE;
  viewer_timeline_set_expanded(self->timeline, track, expanded);
  return TRUE;
}

/* Those of the list, before it sees them: it has others in mind. */
static gboolean press_key(GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
                          ViewerTimelinePage *self)
{
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK | GDK_SHIFT_MASK))
    return FALSE;
  switch (key) {
  case GDK_KEY_Left:
    return expand_focused(self, FALSE);
  case GDK_KEY_Right:
    return expand_focused(self, TRUE);
  case GDK_KEY_Return:
  case GDK_KEY_KP_Enter:
    return viewer_span_selector_commit(get_selector(self));
  case GDK_KEY_Escape:
    return viewer_span_selector_drop(get_selector(self));
  default:
    return FALSE;
  }
}

static void activate_row(GtkListView *list, guint position, ViewerTimelinePage *self)
{
  g_autoptr(ViewerTrack) track = g_list_model_get_item(G_LIST_MODEL(self->selection), position);

  if (track && viewer_track_get_n_children(track) > 0)
    viewer_timeline_set_expanded(self->timeline, track, !viewer_track_get_expanded(track));
}

static ViewerTrackRow *find_row(GtkWidget *widget)
{
  for (; widget; widget = gtk_widget_get_parent(widget))
    if (VIEWER_IS_TRACK_ROW(widget))
      return VIEWER_TRACK_ROW(widget);
  return NULL;
}

static void select_track(ViewerTimelinePage *self, ViewerTrack *track)
{
  guint position;

  if (g_list_store_find(G_LIST_STORE(viewer_timeline_get_tracks(self->timeline)), track, &position))
    gtk_single_selection_set_selected(self->selection, position);
}

static void show_menu(ViewerTimelinePage *self, double x, double y)
{
  gtk_popover_set_pointing_to(GTK_POPOVER(self->popover), &(GdkRectangle){(int)x, (int)y, 1, 1});
  gtk_popover_popup(GTK_POPOVER(self->popover));
}

static void press_secondary(GtkGestureClick *gesture, int n, double x, double y, ViewerTimelinePage *self)
{
  ViewerTrackRow *row = find_row(gtk_widget_pick(GTK_WIDGET(self), x, y, GTK_PICK_DEFAULT));

  if (!row)
    return;
  select_track(self, viewer_track_row_get_track(row));
  show_menu(self, x, y);
}

/* By the keyboard: at the row that has the focus. */
static void open_menu(GtkWidget *widget, const char *name, GVariant *parameter)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(widget);
  GtkRoot *root = gtk_widget_get_root(widget);
  GtkWidget *focus = root ? gtk_root_get_focus(root) : NULL;
  double x = 0, y = 0;

  if (get_focused(self))
    select_track(self, get_focused(self));
  if (focus && gtk_widget_is_ancestor(focus, self->list))
    gtk_widget_translate_coordinates(focus, widget, VIEWER_TRACK_ROW_HEADER / 2.0,
                                     gtk_widget_get_height(focus) / 2.0, &x, &y);
  show_menu(self, x, y);
}

static void set_up_row(GtkSignalListItemFactory *factory, GtkListItem *item, ViewerTimelinePage *self)
{
  gtk_list_item_set_child(item, viewer_track_row_new(self->timeline));
}

static void bind_row(GtkSignalListItemFactory *factory, GtkListItem *item, ViewerTimelinePage *self)
{
  viewer_track_row_set_track(VIEWER_TRACK_ROW(gtk_list_item_get_child(item)), gtk_list_item_get_item(item));
}

static void unbind_row(GtkSignalListItemFactory *factory, GtkListItem *item, ViewerTimelinePage *self)
{
  viewer_track_row_set_track(VIEWER_TRACK_ROW(gtk_list_item_get_child(item)), NULL);
}

static GtkWidget *make_list(ViewerTimelinePage *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  GtkEventController *keys = gtk_event_controller_key_new();
  GtkWidget *scrolled = gtk_scrolled_window_new();

  g_signal_connect_object(factory, "setup", G_CALLBACK(set_up_row), self, 0);
  g_signal_connect_object(factory, "bind", G_CALLBACK(bind_row), self, 0);
  g_signal_connect_object(factory, "unbind", G_CALLBACK(unbind_row), self, 0);
  self->list = gtk_list_view_new(GTK_SELECTION_MODEL(g_object_ref(self->selection)), factory);
  gtk_widget_add_css_class(self->list, "tracks");
  gtk_accessible_update_property(GTK_ACCESSIBLE(self->list), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Tracks"), -1);
  g_signal_connect_object(self->list, "activate", G_CALLBACK(activate_row), self, 0);
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object(keys, "key-pressed", G_CALLBACK(press_key), self, 0);
  gtk_widget_add_controller(self->list, keys);
  gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), self->list);
  return scrolled;
}

static void viewer_timeline_page_dispose(GObject *object)
{
  ViewerTimelinePage *self = VIEWER_TIMELINE_PAGE(object);

  g_clear_object(&self->of_query);
  g_clear_object(&self->of_document);
  g_clear_pointer(&self->popover, gtk_widget_unparent);
  g_clear_pointer(&self->stack, gtk_widget_unparent);
  g_clear_object(&self->selection);
  g_clear_object(&self->timeline);
  G_OBJECT_CLASS(viewer_timeline_page_parent_class)->dispose(object);
}

static void add_pan_bindings(GtkWidgetClass *class, guint key, GdkModifierType state, int direction)
{
  gtk_widget_class_add_binding_action(class, key, state, "timeline.pan", "i", direction);
}

static void install_actions(GtkWidgetClass *class)
{
  static const struct {
    guint key;
    const char *action;
  } keys[] = {{GDK_KEY_w, "timeline.zoom-in"},      {GDK_KEY_plus, "timeline.zoom-in"},
              {GDK_KEY_KP_Add, "timeline.zoom-in"}, {GDK_KEY_equal, "timeline.zoom-in"},
              {GDK_KEY_s, "timeline.zoom-out"},     {GDK_KEY_minus, "timeline.zoom-out"},
              {GDK_KEY_0, "timeline.zoom-fit"},     {GDK_KEY_KP_Subtract, "timeline.zoom-out"},
              {GDK_KEY_Menu, "timeline.menu"}};

  gtk_widget_class_install_action(class, "timeline.show-only-thread", NULL, show_only_thread);
  gtk_widget_class_install_action(class, "timeline.show-only-process", NULL, show_only_process);
  gtk_widget_class_install_action(class, "timeline.zoom-in", NULL, zoom_in);
  gtk_widget_class_install_action(class, "timeline.zoom-out", NULL, zoom_out);
  gtk_widget_class_install_action(class, "timeline.zoom-fit", NULL, zoom_fit);
  gtk_widget_class_install_action(class, "timeline.pan", "i", timeline_page_pan);
  gtk_widget_class_install_action(class, "timeline.commit", NULL, timeline_page_commit);
  gtk_widget_class_install_action(class, "timeline.menu", NULL, open_menu);
  for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
    gtk_widget_class_add_binding_action(class, keys[i].key, 0, keys[i].action, NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_plus, GDK_SHIFT_MASK, "timeline.zoom-in", NULL);
  gtk_widget_class_add_binding_action(class, GDK_KEY_F10, GDK_SHIFT_MASK, "timeline.menu", NULL);
  add_pan_bindings(class, GDK_KEY_a, 0, -1);
  add_pan_bindings(class, GDK_KEY_d, 0, 1);
  add_pan_bindings(class, GDK_KEY_Left, GDK_CONTROL_MASK, -1);
  add_pan_bindings(class, GDK_KEY_Right, GDK_CONTROL_MASK, 1);
}

static gboolean viewer_timeline_page_grab_focus(GtkWidget *widget)
{
  return gtk_widget_grab_focus(GTK_WIDGET(VIEWER_TIMELINE_PAGE(widget)->list));
}

static void viewer_timeline_page_class_init(ViewerTimelinePageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_timeline_page_dispose;
  widget_class->grab_focus = viewer_timeline_page_grab_focus;
  widget_class->map = viewer_timeline_page_map;
  gtk_widget_class_set_css_name(widget_class, "timelinepage");
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/timeline/timeline-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerTimelinePage, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerTimelinePage, empty);
  gtk_widget_class_bind_template_child(widget_class, ViewerTimelinePage, tracks);
  gtk_widget_class_bind_template_child(widget_class, ViewerTimelinePage, head);
  gtk_widget_class_bind_template_child(widget_class, ViewerTimelinePage, buttons);
  gtk_widget_class_bind_template_child(widget_class, ViewerTimelinePage, menu);
  install_actions(widget_class);
}

static void add_menu(ViewerTimelinePage *self)
{
  GtkGesture *click = gtk_gesture_click_new();

  self->popover = gtk_popover_menu_new_from_model(self->menu);
  gtk_popover_set_has_arrow(GTK_POPOVER(self->popover), FALSE);
  gtk_widget_set_halign(self->popover, GTK_ALIGN_START);
  gtk_widget_set_parent(self->popover, GTK_WIDGET(self));
  gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(click), GDK_BUTTON_SECONDARY);
  g_signal_connect_object(click, "pressed", G_CALLBACK(press_secondary), self, 0);
  gtk_widget_add_controller(GTK_WIDGET(self), GTK_EVENT_CONTROLLER(click));
}

static void viewer_timeline_page_init(ViewerTimelinePage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->timeline = viewer_timeline_new();
  self->selection =
      gtk_single_selection_new(G_LIST_MODEL(g_object_ref(viewer_timeline_get_tracks(self->timeline))));
  gtk_single_selection_set_autoselect(self->selection, FALSE);
  gtk_single_selection_set_can_unselect(self->selection, TRUE);
  gtk_single_selection_set_selected(self->selection, GTK_INVALID_LIST_POSITION);
  gtk_widget_set_direction(self->head, GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction(self->buttons, GTK_TEXT_DIR_LTR);
  gtk_widget_set_size_request(self->buttons, VIEWER_TRACK_ROW_HEADER - 6, -1);
  self->ruler = viewer_time_ruler_new(self->timeline);
  gtk_box_append(GTK_BOX(self->head), self->ruler);
  self->area = viewer_timeline_area_new(self->timeline, make_list(self), VIEWER_TRACK_ROW_HEADER);
  gtk_widget_set_vexpand(self->area, TRUE);
  gtk_box_append(GTK_BOX(self->tracks), self->area);
  add_menu(self);
  self->of_query = g_signal_group_new(VIEWER_TYPE_QUERY);
  g_signal_group_connect_swapped(self->of_query, "changed", G_CALLBACK(timeline_page_update), self);
  self->of_document = g_signal_group_new(VIEWER_TYPE_DOCUMENT);
  g_signal_group_connect_swapped(self->of_document, "capture-changed", G_CALLBACK(timeline_page_update),
                                 self);
  g_signal_connect_object(self->timeline, "changed", G_CALLBACK(notice_timeline), self, G_CONNECT_SWAPPED);
  g_signal_connect_object(self->selection, "notify::selected-item", G_CALLBACK(update_actions), self,
                          G_CONNECT_SWAPPED);
  choose_child(self);
  update_actions(self);
}

GtkWidget *viewer_timeline_page_new(void)
{
  return g_object_new(VIEWER_TYPE_TIMELINE_PAGE, NULL);
}
