/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/transforms.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"

struct _ViewerTransforms {
  GObject parent;
  GtkWidget *widget; /* owns self */
  ViewerDocument *document;
  GSimpleActionGroup *actions;
  GMenuModel *menu;
  GtkWidget *popover; /* a child of widget; NULL until it is needed */
  guint32 *inverted_path;
  guint n_inverted_path;
};

G_DEFINE_TYPE(ViewerTransforms, viewer_transforms, G_TYPE_OBJECT)

typedef struct {
  const char *action;
  const char *accelerator;
  const char *label; /* in the menu */
  const char *crumb; /* of the step, with the function's or binary's name */
  ProfileTransformKind kind;
  guint section; /* of the menu */
} Entry;

static const Entry entries[] = {
    {"focus-function", "f", N_("_Focus on Function"), N_("Focus: %s"), PROFILE_TRANSFORM_FOCUS_FUNCTION, 0},
    {"focus-subtree", "<Shift>f", N_("Focus on _Subtree Only"), N_("Subtree: %s"),
     PROFILE_TRANSFORM_FOCUS_PATH, 0},
    {"merge-function", "m", N_("_Merge Function"), N_("Merge: %s"), PROFILE_TRANSFORM_MERGE_FUNCTION, 1},
    {"merge-node", "<Shift>m", N_("Merge This _Node Only"), N_("Merge Node: %s"),
     PROFILE_TRANSFORM_MERGE_PATH, 1},
    {"drop-function", "d", N_("_Drop Samples with Function"), N_("Drop: %s"), PROFILE_TRANSFORM_DROP_FUNCTION,
     1},
    {"collapse-function", "c", N_("_Collapse Function"), N_("Collapse: %s"),
     PROFILE_TRANSFORM_COLLAPSE_FUNCTION, 2},
    {"collapse-binary", "<Shift>c", N_("Collapse _Binary"), N_("Collapse: %s"),
     PROFILE_TRANSFORM_COLLAPSE_BINARY, 2},
    {"collapse-recursion", "r", N_("Collapse _Recursion"), N_("Collapse Recursion: %s"),
     PROFILE_TRANSFORM_COLLAPSE_RECURSION, 2},
    {"collapse-direct-recursion", "<Shift>r", N_("Collapse D_irect Recursion"),
     N_("Collapse Direct Recursion: %s"), PROFILE_TRANSFORM_COLLAPSE_DIRECT_RECURSION, 2},
};

enum { N_SECTIONS = 3 };

static gboolean is_inverted(const ViewerTransforms *self)
{
  return self->n_inverted_path > 0;
}

static ProfileStacks *get_stacks(const ViewerTransforms *self)
{
  ProfileWeights *weights = self->document ? viewer_document_get_weights(self->document) : NULL;

  return weights ? profile_weights_get_stacks(weights) : NULL;
}

/* False: none is selected. The selection may be of other stacks than these while new ones are made. */
static gboolean get_function(const ViewerTransforms *self, guint32 *ret_function)
{
  ProfileStacks *stacks = get_stacks(self);
  guint n = self->n_inverted_path;
  const guint32 *path = self->inverted_path;

  if (!stacks)
    return FALSE;
  if (!is_inverted(self))
    path = viewer_document_get_selection(self->document, &n);
  if (n == 0 || path[n - 1] >= profile_stacks_get_n_functions(stacks))
    return FALSE;
  *ret_function = path[n - 1];
  return TRUE;
}

/* False: nobody knows where the function is, or it is what a binary was collapsed into. */
static gboolean get_binary(const ViewerTransforms *self, guint32 function, guint32 *ret_binary)
{
  ProfileStacks *stacks = get_stacks(self);
  gsize n_own;

  profile_capture_get_functions(profile_stacks_get_capture(stacks), &n_own);
  if (function >= n_own)
    return FALSE;
  const ProfileFunction *item = profile_stacks_get_function(stacks, function);
  *ret_binary = item->binary;
  return item->binary != G_MAXUINT32 || item->kind == CAPTURE_SPACE_KERNEL;
}

static gboolean is_possible(const ViewerTransforms *self, const Entry *entry)
{
  guint32 function, binary;

  if (!get_function(self, &function))
    return FALSE;
  if (entry->kind == PROFILE_TRANSFORM_COLLAPSE_BINARY)
    return get_binary(self, function, &binary);
  return entry->kind != PROFILE_TRANSFORM_MERGE_PATH || !is_inverted(self);
}

static void transforms_enable(ViewerTransforms *self, const char *name, gboolean enabled)
{
  GAction *action = g_action_map_lookup_action(G_ACTION_MAP(self->actions), name);

  g_simple_action_set_enabled(G_SIMPLE_ACTION(action), enabled);
}

static void update_actions(ViewerTransforms *self)
{
  guint32 function, binary;

  for (guint i = 0; i < G_N_ELEMENTS(entries); i++)
    transforms_enable(self, entries[i].action, is_possible(self, &entries[i]));
  transforms_enable(self, "show-only-binary",
                    get_function(self, &function) && get_binary(self, function, &binary));
  transforms_enable(self, "copy-name", get_function(self, &function));
  transforms_enable(self, "show-source",
                    get_function(self, &function) &&
                        viewer_document_get_state(self->document) != VIEWER_DOCUMENT_GROWING);
}

static char *make_crumb(const ViewerTransforms *self, const Entry *entry, guint32 function)
{
  ProfileStacks *stacks = get_stacks(self);
  g_autofree char *name = NULL;

  if (entry->kind == PROFILE_TRANSFORM_COLLAPSE_BINARY)
    name = viewer_format_binary(profile_stacks_get_function_binary(stacks, function));
  else
    name = viewer_format_short_name(profile_stacks_get_function_name(stacks, function));
  return g_strdup_printf(_(entry->crumb), name);
}

static guint find_first(const guint32 *path, guint n, guint32 function)
{
  guint i = 0;

  while (i < n && path[i] != function)
    i++;
  return i;
}

/* Where the selected frame, which path ends in, is after the transform; returns the new length. */
static guint move_path(guint32 *path, guint n, ProfileTransformKind kind)
{
  guint32 function = path[n - 1];
  guint first = find_first(path, n, function), kept = 0;

  switch (kind) {
  case PROFILE_TRANSFORM_FOCUS_FUNCTION:
    memmove(path, path + first, (n - first) * sizeof *path);
    return n - first;
  case PROFILE_TRANSFORM_FOCUS_PATH:
    path[0] = function;
    return 1;
  case PROFILE_TRANSFORM_MERGE_FUNCTION:
    for (guint i = 0; i < n; i++)
      if (path[i] != function)
        path[kept++] = path[i];
    return kept;
  case PROFILE_TRANSFORM_MERGE_PATH:
    return n - 1;
  case PROFILE_TRANSFORM_DROP_FUNCTION:
    return first;
  case PROFILE_TRANSFORM_COLLAPSE_FUNCTION:
  case PROFILE_TRANSFORM_COLLAPSE_RECURSION:
    return first + 1;
  case PROFILE_TRANSFORM_COLLAPSE_DIRECT_RECURSION:
    for (guint i = 0; i < n; i++)
      if (i == 0 || path[i] != function || path[i - 1] != function)
        path[kept++] = path[i];
    return kept;
  default:
    return n;
  }
}

static void keep_selection(ViewerTransforms *self, ProfileTransformKind kind)
{
  guint n;
  const guint32 *selection = viewer_document_get_selection(self->document, &n);
  g_autofree guint32 *path = g_memdup2(selection, n * sizeof *path);

  if (n == 0)
    return;
  n = move_path(path, n, kind);
  viewer_document_select(self->document, path, n);
}

static void transforms_apply(ViewerTransforms *self, const Entry *entry)
{
  ProfileTransform transform = {.kind = entry->kind, .binary = G_MAXUINT32};
  guint n = self->n_inverted_path;
  const guint32 *path = self->inverted_path;

  if (!is_possible(self, entry) || !get_function(self, &transform.function))
    return;
  if (!is_inverted(self))
    path = viewer_document_get_selection(self->document, &n);
  else if (entry->kind == PROFILE_TRANSFORM_FOCUS_PATH)
    transform.kind = PROFILE_TRANSFORM_FOCUS_PATH_INVERTED;
  if (entry->kind == PROFILE_TRANSFORM_COLLAPSE_BINARY)
    get_binary(self, transform.function, &transform.binary);
  g_autofree guint32 *copy = g_memdup2(path, n * sizeof *copy);
  if (entry->kind == PROFILE_TRANSFORM_FOCUS_PATH || entry->kind == PROFILE_TRANSFORM_MERGE_PATH) {
    transform.path = copy;
    transform.n_path = n;
  }
  g_autofree char *crumb = make_crumb(self, entry, transform.function);
  g_autoptr(ViewerStep) step = viewer_step_new_transform(&transform, crumb);
  viewer_query_push(viewer_document_get_query(self->document), step);
  keep_selection(self, transform.kind);
}

static void handle_transform(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ViewerTransforms *self = data;

  for (guint i = 0; i < G_N_ELEMENTS(entries); i++)
    if (g_str_equal(g_action_get_name(G_ACTION(action)), entries[i].action))
      transforms_apply(self, &entries[i]);
}

/* No transform: stacks stay whole, but only those of samples that were taken in the binary count. */
static void handle_show_only_binary(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ViewerTransforms *self = data;
  guint32 function, binary;

  if (!get_function(self, &function) || !get_binary(self, function, &binary))
    return;
  g_autofree char *name =
      viewer_format_binary(profile_stacks_get_function_binary(get_stacks(self), function));
  g_autoptr(ViewerStep) step = viewer_step_new_items(VIEWER_STEP_BINARIES, &binary, 1, name);
  viewer_query_push(viewer_document_get_query(self->document), step);
}

static void handle_copy_name(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ViewerTransforms *self = data;
  guint32 function;

  if (!get_function(self, &function))
    return;
  g_autofree char *name = viewer_format_name(profile_stacks_get_function_name(get_stacks(self), function), 0);
  gdk_clipboard_set_text(gtk_widget_get_clipboard(self->widget), name);
}

static void handle_show_source(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  ViewerTransforms *self = data;

  gtk_widget_activate_action(self->widget, "win.show-page", "s", "source");
}

static void add_action(ViewerTransforms *self, const char *name, GCallback callback)
{
  g_autoptr(GSimpleAction) action = g_simple_action_new(name, NULL);

  g_signal_connect(action, "activate", callback, self);
  g_action_map_add_action(G_ACTION_MAP(self->actions), G_ACTION(action));
}

static void add_item(GMenu *section, const char *label, const char *action, const char *accelerator)
{
  g_autofree char *detailed = g_strconcat("transform.", action, NULL);
  g_autoptr(GMenuItem) item = g_menu_item_new(label, detailed);

  if (accelerator)
    g_menu_item_set_attribute(item, "accel", "s", accelerator);
  g_menu_append_item(section, item);
}

static GMenuModel *make_menu(void)
{
  GMenu *menu = g_menu_new();
  g_autoptr(GMenu) source = g_menu_new();
  g_autoptr(GMenu) filter = g_menu_new();
  g_autoptr(GMenu) copy = g_menu_new();

  add_item(source, _("Sho_w Source"), "show-source", "Return");
  g_menu_append_section(menu, NULL, G_MENU_MODEL(source));
  for (guint section = 0; section < N_SECTIONS; section++) {
    g_autoptr(GMenu) items = g_menu_new();
    for (guint i = 0; i < G_N_ELEMENTS(entries); i++)
      if (entries[i].section == section)
        add_item(items, _(entries[i].label), entries[i].action, entries[i].accelerator);
    g_menu_append_section(menu, NULL, G_MENU_MODEL(items));
  }
  add_item(filter, _("Show _Only This Binary"), "show-only-binary", NULL);
  g_menu_append_section(menu, NULL, G_MENU_MODEL(filter));
  add_item(copy, _("Copy Function Na_me"), "copy-name", NULL);
  g_menu_append_section(menu, NULL, G_MENU_MODEL(copy));
  return G_MENU_MODEL(menu);
}

static void add_keys(GtkWidget *widget)
{
  GtkEventController *controller = gtk_shortcut_controller_new();

  for (guint i = 0; i < G_N_ELEMENTS(entries); i++) {
    g_autofree char *detailed = g_strconcat("transform.", entries[i].action, NULL);
    gtk_shortcut_controller_add_shortcut(
        GTK_SHORTCUT_CONTROLLER(controller),
        gtk_shortcut_new(gtk_shortcut_trigger_parse_string(entries[i].accelerator),
                         gtk_named_action_new(detailed)));
  }
  gtk_widget_add_controller(widget, controller);
}

static void remove_popover(ViewerTransforms *self)
{
  g_clear_pointer(&self->popover, gtk_widget_unparent);
}

static void viewer_transforms_finalize(GObject *object)
{
  ViewerTransforms *self = VIEWER_TRANSFORMS(object);

  g_clear_object(&self->document);
  g_object_unref(self->actions);
  g_object_unref(self->menu);
  g_free(self->inverted_path);
  G_OBJECT_CLASS(viewer_transforms_parent_class)->finalize(object);
}

static void viewer_transforms_class_init(ViewerTransformsClass *class)
{
  G_OBJECT_CLASS(class)->finalize = viewer_transforms_finalize;
}

static void viewer_transforms_init(ViewerTransforms *self)
{
  self->actions = g_simple_action_group_new();
  self->menu = make_menu();
  for (guint i = 0; i < G_N_ELEMENTS(entries); i++)
    add_action(self, entries[i].action, G_CALLBACK(handle_transform));
  add_action(self, "show-only-binary", G_CALLBACK(handle_show_only_binary));
  add_action(self, "copy-name", G_CALLBACK(handle_copy_name));
  add_action(self, "show-source", G_CALLBACK(handle_show_source));
  update_actions(self);
}

ViewerTransforms *viewer_transforms_install(GtkWidget *widget)
{
  ViewerTransforms *self = g_object_new(VIEWER_TYPE_TRANSFORMS, NULL);

  self->widget = widget;
  gtk_widget_insert_action_group(widget, "transform", G_ACTION_GROUP(self->actions));
  add_keys(widget);
  g_signal_connect_swapped(widget, "destroy", G_CALLBACK(remove_popover), self);
  g_object_set_data_full(G_OBJECT(widget), "viewer-transforms", self, g_object_unref);
  return self;
}

void viewer_transforms_set_document(ViewerTransforms *self, ViewerDocument *document)
{
  static const char *const signals[] = {"selection-changed", "weights-changed"};

  if (document == self->document)
    return;
  if (self->document)
    g_signal_handlers_disconnect_by_data(self->document, self);
  g_set_object(&self->document, document);
  for (guint i = 0; document && i < G_N_ELEMENTS(signals); i++)
    g_signal_connect_object(document, signals[i], G_CALLBACK(update_actions), self, G_CONNECT_SWAPPED);
  viewer_transforms_set_inverted_path(self, NULL, 0);
}

void viewer_transforms_set_inverted_path(ViewerTransforms *self, const guint32 *path, guint n)
{
  g_free(self->inverted_path);
  self->inverted_path = g_memdup2(path, n * sizeof *path);
  self->n_inverted_path = n;
  update_actions(self);
}

void viewer_transforms_popup(ViewerTransforms *self, double x, double y, GMenuModel *further)
{
  g_autoptr(GMenu) menu = g_menu_new();

  if (further)
    g_menu_append_section(menu, NULL, further);
  g_menu_append_section(menu, NULL, self->menu);
  if (!self->popover) {
    self->popover = gtk_popover_menu_new_from_model(NULL);
    gtk_widget_set_parent(self->popover, self->widget);
    gtk_popover_set_has_arrow(GTK_POPOVER(self->popover), FALSE);
    gtk_widget_set_halign(self->popover, GTK_ALIGN_START);
  }
  gtk_popover_menu_set_menu_model(GTK_POPOVER_MENU(self->popover), G_MENU_MODEL(menu));
  gtk_popover_set_pointing_to(GTK_POPOVER(self->popover), &(GdkRectangle){(int)x, (int)y, 1, 1});
  gtk_popover_popup(GTK_POPOVER(self->popover));
}
