/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/window/application.h"

#include <glib/gi18n.h>

#include "viewer/kit/settings.h"
#include "viewer/window/help-window.h"
#include "viewer/window/window.h"

struct _ViewerApplication {
  AdwApplication parent;
};

G_DEFINE_FINAL_TYPE(ViewerApplication, viewer_application, ADW_TYPE_APPLICATION)

ViewerApplication *viewer_application_new(void)
{
  return g_object_new(VIEWER_TYPE_APPLICATION, "application-id", VIEWER_APPLICATION_ID, "flags",
                      G_APPLICATION_HANDLES_OPEN, "resource-base-path", "/org/capturectl/Viewer", NULL);
}

static void add_window(ViewerApplication *self)
{
  gtk_window_present(GTK_WINDOW(viewer_window_new(ADW_APPLICATION(self))));
}

/* What failed may be tried again. */
static gboolean application_shows(ViewerWindow *window, GFile *file)
{
  ViewerDocument *document = viewer_window_get_document(window);

  return document && viewer_document_get_state(document) != VIEWER_DOCUMENT_FAILED &&
         g_file_equal(viewer_document_get_file(document), file);
}

static ViewerWindow *find_window(ViewerApplication *self, GFile *file)
{
  ViewerWindow *unused = NULL;

  for (GList *l = gtk_application_get_windows(GTK_APPLICATION(self)); l; l = l->next) {
    if (!VIEWER_IS_WINDOW(l->data))
      continue;
    if (application_shows(l->data, file))
      return l->data;
    if (!unused && viewer_window_is_free(l->data))
      unused = l->data;
  }
  return unused;
}

void viewer_application_open_file(ViewerApplication *self, GFile *file, GtkWindow *window)
{
  ViewerWindow *chosen = find_window(self, file);

  if (VIEWER_IS_WINDOW(window) && viewer_window_is_free(VIEWER_WINDOW(window)) &&
      (!chosen || !application_shows(chosen, file)))
    chosen = VIEWER_WINDOW(window);
  if (!chosen || !application_shows(chosen, file)) {
    g_autoptr(ViewerDocument) document = viewer_document_new(file);
    viewer_document_open(document);
    if (!chosen) /* which takes a while, as loading does */
      chosen = viewer_window_new(ADW_APPLICATION(self));
    viewer_window_show_document(chosen, document);
  }
  gtk_window_present(GTK_WINDOW(chosen));
}

static void viewer_application_activate(GApplication *application)
{
  GtkWindow *active = gtk_application_get_active_window(GTK_APPLICATION(application));

  if (active)
    gtk_window_present(active);
  else
    add_window(VIEWER_APPLICATION(application));
}

static void viewer_application_open(GApplication *application, GFile **files, int n, const char *hint)
{
  for (int i = 0; i < n; i++)
    viewer_application_open_file(VIEWER_APPLICATION(application), files[i], NULL);
}

static int viewer_application_handle_local_options(GApplication *application, GVariantDict *options)
{
  g_autoptr(GError) error = NULL;

  if (g_variant_dict_contains(options, "version")) {
    g_print("capture-viewer %s\n", CAPTURE_VERSION);
    return 0;
  }
  if (g_variant_dict_contains(options, "new-window")) {
    if (!g_application_register(application, NULL, &error)) {
      g_printerr("capture-viewer: %s\n", error->message);
      return 1;
    }
    g_action_group_activate_action(G_ACTION_GROUP(application), "new-window", NULL);
  }
  return -1;
}

static void new_window(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  add_window(data);
}

static void application_quit(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GList *windows = g_list_copy(gtk_application_get_windows(data));

  for (GList *l = windows; l; l = l->next)
    gtk_window_close(l->data);
  g_list_free(windows);
}

static void show_help(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWindow *window = viewer_help_window_new(gtk_application_get_active_window(data));

  gtk_application_add_window(data, window);
  gtk_window_present(window);
}

static void show_about(GSimpleAction *action, GVariant *parameter, gpointer data)
{
  GtkWidget *about = adw_about_window_new();

  g_object_set(about, "transient-for", gtk_application_get_active_window(data), "modal", TRUE,
               "application-name", _("Capture"), "application-icon", VIEWER_APPLICATION_ID, "version",
               CAPTURE_VERSION, "developer-name", _("The authors of Capture"), "comments",
               _("Shows where programs spend their time: records them, and shows what it found as a flame "
                 "graph, as a call tree, over time."),
               "license-type", GTK_LICENSE_GPL_3_0, /* Translators: put your names here. */
               "translator-credits", _("translator-credits"), NULL);
  adw_about_window_add_legal_section(ADW_ABOUT_WINDOW(about), "libcapture", NULL, GTK_LICENSE_BSD, NULL);
  gtk_window_present(GTK_WINDOW(about));
}

/* Only what no entry has a use for: these count before the focused widget is asked. The rest belongs to the
 * window's class. */
static void set_accelerators(GtkApplication *application)
{
  static const struct {
    const char *action;
    const char *accelerators[3];
  } all[] = {
      {"app.new-window", {"<Control>n"}},
      {"app.quit", {"<Control>q"}},
      {"app.help", {"F1"}},
      {"win.open", {"<Control>o"}},
      {"win.new-recording", {"<Control>r"}},
      {"win.search", {"<Control>f"}},
      {"window.close", {"<Control>w"}},
  };

  for (guint i = 0; i < G_N_ELEMENTS(all); i++)
    gtk_application_set_accels_for_action(application, all[i].action, all[i].accelerators);
}

/* An action that switches the setting of its name. */
static void add_remembered(GActionMap *actions, const char *name)
{
  g_autoptr(GAction) action = g_settings_create_action(viewer_settings_get(), name);

  g_action_map_add_action(actions, action);
}

/* The toolkit's own way to do this differs between its releases. */
static void follow_contrast(AdwStyleManager *manager, GParamSpec *property, gpointer provider)
{
  GdkDisplay *display = adw_style_manager_get_display(manager);

  if (adw_style_manager_get_high_contrast(manager))
    gtk_style_context_add_provider_for_display(display, provider, GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  else
    gtk_style_context_remove_provider_for_display(display, provider);
}

static void add_high_contrast(void)
{
  AdwStyleManager *manager = adw_style_manager_get_for_display(gdk_display_get_default());
  g_autoptr(GtkCssProvider) provider = gtk_css_provider_new();

  gtk_css_provider_load_from_resource(provider, "/org/capturectl/Viewer/high-contrast.css");
  g_signal_connect_data(manager, "notify::high-contrast", G_CALLBACK(follow_contrast), g_object_ref(provider),
                        (GClosureNotify)(void (*)(void))g_object_unref, 0);
  follow_contrast(manager, NULL, provider);
}

static void viewer_application_startup(GApplication *application)
{
  static const GActionEntry actions[] = {
      {"new-window", new_window},
      {"quit", application_quit},
      {"help", show_help},
      {"about", show_about},
  };

  G_APPLICATION_CLASS(viewer_application_parent_class)->startup(application);
  add_remembered(G_ACTION_MAP(application), "fold-templates");
  add_remembered(G_ACTION_MAP(application), "inlined-functions");
  add_remembered(G_ACTION_MAP(application), "sample-counts");
  g_action_map_add_action_entries(G_ACTION_MAP(application), actions, G_N_ELEMENTS(actions), application);
  set_accelerators(GTK_APPLICATION(application));
  add_high_contrast();
  gtk_window_set_default_icon_name(VIEWER_APPLICATION_ID);
}

static void viewer_application_class_init(ViewerApplicationClass *class)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS(class);

  application_class->startup = viewer_application_startup;
  application_class->activate = viewer_application_activate;
  application_class->open = viewer_application_open;
  application_class->handle_local_options = viewer_application_handle_local_options;
}

static void viewer_application_init(ViewerApplication *self)
{
  static const GOptionEntry options[] = {
      {"new-window", 'w', 0, G_OPTION_ARG_NONE, NULL, N_("Open a new window"), NULL},
      {"version", 0, 0, G_OPTION_ARG_NONE, NULL, N_("Print the version and exit"), NULL},
      {NULL},
  };

  g_set_application_name(_("Capture"));
  g_application_add_main_option_entries(G_APPLICATION(self), options);
  g_application_set_option_context_parameter_string(G_APPLICATION(self), _("[FILE…]"));
  g_application_set_option_context_summary(G_APPLICATION(self),
                                           _("Shows where programs spend their time: records them, and opens "
                                             "captures, perf.data and Sysprof’s .syscap."));
}
