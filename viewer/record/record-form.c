/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/record/record-form.h"

#include <glib/gi18n.h>
#include <string.h>

#include "recording/common/options.h"
#include "viewer/kit/format.h"
#include "viewer/kit/settings.h"
#include "viewer/kit/toast.h"
#include "viewer/recents/recordings.h"
#include "viewer/record/process-chooser.h"
#include "viewer/record/recorder.h"

/* Commands of before that a menu can show without scrolling, and characters of each. */
#define MENU_LENGTH 12
#define MENU_WIDTH  60

/* Values of the setting record-target. */
typedef enum { TARGET_COMMAND, TARGET_PROCESS, TARGET_SYSTEM } Target;

static const guint frequencies[] = {99, 999, 3999, 9999};

struct _ViewerRecordForm {
  AdwBin parent_instance;

  ViewerRecents *recents;
  GSettings *settings;
  gboolean known; /* whether it is known what may be recorded: the four below */
  RecordingRight command_right, own_right, system_right;
  gboolean has_bpf;
  pid_t pid; /* the chosen process; 0: none */

  GtkCheckButton *target_command, *target_process, *target_system;
  AdwEntryRow *command;
  GMenu *history_menu;
  GtkMenuButton *history;
  AdwActionRow *directory, *process, *system, *place;
  AdwComboRow *frequency, *via;
  AdwActionRow *off_cpu_row, *allocations_row, *children_row;
  GtkSwitch *off_cpu, *allocations, *children, *kernel;
  GtkButton *record;
  GtkLabel *hint;
};

G_DEFINE_FINAL_TYPE(ViewerRecordForm, viewer_record_form, ADW_TYPE_BIN)

enum { RECORD, N_SIGNALS };
static guint signals[N_SIGNALS];

static Target get_target(ViewerRecordForm *self)
{
  if (gtk_check_button_get_active(self->target_process))
    return TARGET_PROCESS;
  return gtk_check_button_get_active(self->target_system) ? TARGET_SYSTEM : TARGET_COMMAND;
}

static const char *get_command(ViewerRecordForm *self)
{
  return gtk_editable_get_text(GTK_EDITABLE(self->command));
}

static RecordingRight get_right(ViewerRecordForm *self)
{
  const RecordingRight rights[] = {self->command_right, self->own_right, self->system_right};

  return self->known ? rights[get_target(self)] : RECORDING_RIGHT_YES;
}

/* Whether there is something to begin with. */
static gboolean has_target(ViewerRecordForm *self)
{
  switch (get_target(self)) {
  case TARGET_COMMAND:
    return *get_command(self) != '\0';
  case TARGET_PROCESS:
    return self->pid != 0;
  default:
    return TRUE;
  }
}

static const char *describe_right(ViewerRecordForm *self)
{
  RecordingRight right = get_right(self);

  if (right == RECORDING_RIGHT_YES)
    return "";
  if (right == RECORDING_RIGHT_PASSWORD)
    return _("You will be asked for a password.");
  switch (get_target(self)) {
  case TARGET_COMMAND:
    return _("Commands cannot be recorded here yet; see what limits recordings.");
  case TARGET_PROCESS:
    return _("Running processes cannot be recorded here, commands can; see what limits recordings.");
  default:
    return _("The whole system cannot be recorded here; see what limits recordings.");
  }
}

static void record_form_update(ViewerRecordForm *self)
{
  Target target = get_target(self);
  const char *hint = describe_right(self);

  gtk_widget_set_visible(GTK_WIDGET(self->command), target == TARGET_COMMAND);
  gtk_widget_set_visible(GTK_WIDGET(self->directory), target == TARGET_COMMAND);
  gtk_widget_set_visible(GTK_WIDGET(self->allocations_row), target == TARGET_COMMAND);
  gtk_widget_set_visible(GTK_WIDGET(self->children_row), target != TARGET_SYSTEM);
  gtk_widget_set_sensitive(GTK_WIDGET(self->off_cpu_row), !self->known || self->has_bpf);
  gtk_widget_set_sensitive(GTK_WIDGET(self->record),
                           has_target(self) && get_right(self) != RECORDING_RIGHT_NO);
  gtk_label_set_text(self->hint, hint);
  gtk_widget_set_visible(GTK_WIDGET(self->hint), *hint != '\0');
}

/* With "~" for the home directory. */
static char *record_form_abbreviate(const char *path)
{
  const char *home = g_get_home_dir();
  g_autofree char *shown = g_filename_display_name(path);
  gsize length = strlen(home);

  if (g_str_equal(shown, home))
    return g_strdup(_("Home Directory"));
  if (g_str_has_prefix(shown, home) && shown[length] == '/')
    return g_strconcat("~", shown + length, NULL);
  return g_steal_pointer(&shown);
}

/* Settings hold URIs: a path may be no UTF-8. "" is the default. */
static char *get_path(ViewerRecordForm *self, const char *key)
{
  g_autofree char *uri = g_settings_get_string(self->settings, key);

  return *uri ? g_filename_from_uri(uri, NULL, NULL) : NULL;
}

static char *get_directory(ViewerRecordForm *self)
{
  char *path = get_path(self, "record-directory");

  return path ? path : g_strdup(g_get_home_dir());
}

static void show_places(ViewerRecordForm *self)
{
  g_autofree char *directory = get_directory(self);
  g_autofree char *place = get_path(self, "record-place");
  g_autofree char *standard = viewer_recordings_get_directory();
  g_autofree char *short_directory = record_form_abbreviate(directory);
  g_autofree char *short_place = record_form_abbreviate(place ? place : standard);

  adw_action_row_set_subtitle(self->directory, short_directory);
  adw_action_row_set_subtitle(self->place, short_place);
}

static GtkWindow *get_window(ViewerRecordForm *self)
{
  return GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(self)));
}

static void on_program(GtkNativeDialog *dialog, int response, gpointer data)
{
  ViewerRecordForm *self = data;
  g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
  g_autofree char *path = file ? g_file_get_path(file) : NULL;

  if (response != GTK_RESPONSE_ACCEPT || !path)
    return;
  g_autofree char *quoted =
      strpbrk(path, " \t'\"\\$`*?[]#&|;<>()~!{}") ? g_shell_quote(path) : g_strdup(path);
  gtk_editable_set_text(GTK_EDITABLE(self->command), quoted);
  gtk_editable_set_position(GTK_EDITABLE(self->command), -1);
  gtk_widget_grab_focus(GTK_WIDGET(self->command));
}

/* Which setting a directory is chosen for. */
static void on_directory(GtkNativeDialog *dialog, int response, gpointer data)
{
  ViewerRecordForm *self = data;
  g_autoptr(GFile) file = gtk_file_chooser_get_file(GTK_FILE_CHOOSER(dialog));
  g_autofree char *path = file ? g_file_get_path(file) : NULL;

  if (response != GTK_RESPONSE_ACCEPT || !path)
    return;
  g_autofree char *uri = g_filename_to_uri(path, NULL, NULL);
  g_settings_set_string(self->settings, g_object_get_data(G_OBJECT(dialog), "key"), uri);
  show_places(self);
}

static GtkFileChooserNative *record_form_ask(ViewerRecordForm *self, const char *title,
                                             GtkFileChooserAction action, GCallback on_response)
{
  GtkFileChooserNative *dialog =
      gtk_file_chooser_native_new(title, get_window(self), action, _("_Choose"), _("_Cancel"));

  gtk_native_dialog_set_modal(GTK_NATIVE_DIALOG(dialog), TRUE);
  g_signal_connect_object(dialog, "response", on_response, self, 0);
  g_signal_connect(dialog, "response", G_CALLBACK(g_object_unref), NULL);
  return dialog;
}

static void ask_directory(ViewerRecordForm *self, const char *title, const char *key, const char *now)
{
  GtkFileChooserNative *dialog =
      record_form_ask(self, title, GTK_FILE_CHOOSER_ACTION_SELECT_FOLDER, G_CALLBACK(on_directory));
  g_autoptr(GFile) folder = g_file_new_for_path(now);

  g_object_set_data(G_OBJECT(dialog), "key", (gpointer)key);
  gtk_file_chooser_set_current_folder(GTK_FILE_CHOOSER(dialog), folder, NULL);
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(dialog));
}

static void choose_program(ViewerRecordForm *self)
{
  gtk_native_dialog_show(GTK_NATIVE_DIALOG(
      record_form_ask(self, _("Choose a Program"), GTK_FILE_CHOOSER_ACTION_OPEN, G_CALLBACK(on_program))));
}

static void choose_directory(ViewerRecordForm *self)
{
  g_autofree char *now = get_directory(self);

  ask_directory(self, _("Choose the Working Directory"), "record-directory", now);
}

static void choose_place(ViewerRecordForm *self)
{
  g_autofree char *place = get_path(self, "record-place");

  ask_directory(self, _("Choose Where Captures Are Saved"), "record-place", place ? place : g_get_home_dir());
}

static void on_chosen(ViewerRecordForm *self, ViewerProcess *process)
{
  const ViewerProcessFacts *facts = viewer_process_get_facts(process);
  g_autofree char *name = g_strdup_printf("%s (%d)", facts->name, facts->pid);

  self->pid = facts->pid;
  adw_action_row_set_subtitle(self->process, name);
  gtk_check_button_set_active(self->target_process, TRUE);
  record_form_update(self);
}

static void choose_process(ViewerRecordForm *self)
{
  gboolean own = !self->known || self->own_right != RECORDING_RIGHT_NO;
  gboolean others = self->known && self->system_right != RECORDING_RIGHT_NO;
  GtkWidget *chooser = viewer_process_chooser_new(get_window(self), own, others);

  g_signal_connect_object(chooser, "chosen", G_CALLBACK(on_chosen), self, G_CONNECT_SWAPPED);
  gtk_window_present(GTK_WINDOW(chooser));
}

static guint64 get_frequency(ViewerRecordForm *self)
{
  return frequencies[MIN(adw_combo_row_get_selected(self->frequency), G_N_ELEMENTS(frequencies) - 1)];
}

static void set_options(ViewerRecordForm *self, RecordingOptions *options)
{
  options->frequency = get_frequency(self);
  options->children = gtk_switch_get_active(self->children);
  options->kernel = gtk_switch_get_active(self->kernel) ? RECORDING_KERNEL_AUTO : RECORDING_KERNEL_NO;
  options->via = (RecordingVia)adw_combo_row_get_selected(self->via);
  options->path = get_path(self, "record-place");
  options->interactive = TRUE;
  options->version = g_strdup("capture-viewer " CAPTURE_VERSION);
  if (gtk_switch_get_active(self->off_cpu) && gtk_widget_get_sensitive(GTK_WIDGET(self->off_cpu)))
    recording_options_add_off_cpu(options, 0);
}

/* FALSE, and said why: the command is none. */
static gboolean set_target(ViewerRecordForm *self, RecordingOptions *options)
{
  g_autoptr(GError) error = NULL;

  if (get_target(self) == TARGET_PROCESS)
    g_array_append_val(options->pids, self->pid);
  options->system_wide = get_target(self) == TARGET_SYSTEM;
  if (get_target(self) != TARGET_COMMAND)
    return TRUE;
  options->command = viewer_recorder_parse_command(get_command(self), &error);
  options->directory = get_directory(self);
  if (gtk_switch_get_active(self->allocations))
    options->allocations = RECORDING_OPTIONS_ALLOCATIONS;
  if (!options->command)
    viewer_toast(GTK_WIDGET(self), error->message);
  return options->command != NULL;
}

static void record_form_remember(ViewerRecordForm *self)
{
  g_settings_set_enum(self->settings, "record-target", (int)get_target(self));
  g_settings_set_uint(self->settings, "record-frequency", (guint)get_frequency(self));
  if (get_target(self) != TARGET_COMMAND)
    return;
  g_settings_set_string(self->settings, "record-command", get_command(self));
  if (self->recents)
    viewer_recents_add_command(self->recents, get_command(self));
}

static void record_form_record(ViewerRecordForm *self)
{
  g_autoptr(RecordingOptions) options = recording_options_new();

  if (!gtk_widget_get_sensitive(GTK_WIDGET(self->record)) || !set_target(self, options))
    return;
  set_options(self, options);
  record_form_remember(self);
  g_signal_emit(self, signals[RECORD], 0, options);
}

static void use_command(GtkWidget *widget, const char *action, GVariant *line)
{
  ViewerRecordForm *self = VIEWER_RECORD_FORM(widget);

  gtk_editable_set_text(GTK_EDITABLE(self->command), g_variant_get_string(line, NULL));
  gtk_editable_set_position(GTK_EDITABLE(self->command), -1);
  gtk_widget_grab_focus(GTK_WIDGET(self->command));
}

static char *make_label(const char *line)
{
  g_autofree char *shown = viewer_format_name(line, MENU_WIDTH);
  g_auto(GStrv) words = g_strsplit(shown, "_", -1);

  return g_strjoinv("__", words);
}

static void show_history(ViewerRecordForm *self)
{
  const char *const *lines = viewer_recents_get_commands(self->recents);

  g_menu_remove_all(self->history_menu);
  for (guint i = 0; i < MENU_LENGTH && lines[i]; i++) {
    g_autofree char *label = make_label(lines[i]);
    g_autoptr(GMenuItem) item = g_menu_item_new(label, NULL);
    g_menu_item_set_action_and_target(item, "form.use-command", "s", lines[i]);
    g_menu_append_item(self->history_menu, item);
  }
  gtk_widget_set_visible(GTK_WIDGET(self->history), lines[0] != NULL);
}

static void viewer_record_form_dispose(GObject *object)
{
  ViewerRecordForm *self = VIEWER_RECORD_FORM(object);

  g_clear_object(&self->recents);
  G_OBJECT_CLASS(viewer_record_form_parent_class)->dispose(object);
}

static void bind_children(GtkWidgetClass *class)
{
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, target_command);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, target_process);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, target_system);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, command);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, history_menu);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, history);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, directory);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, process);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, system);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, place);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, frequency);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, via);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, off_cpu_row);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, allocations_row);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, children_row);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, off_cpu);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, allocations);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, children);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, kernel);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, record);
  gtk_widget_class_bind_template_child(class, ViewerRecordForm, hint);
}

static void viewer_record_form_class_init(ViewerRecordFormClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_record_form_dispose;
  signals[RECORD] = g_signal_new("record", G_OBJECT_CLASS_TYPE(class), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                 G_TYPE_NONE, 1, G_TYPE_POINTER);
  gtk_widget_class_set_template_from_resource(widget_class, "/org/capturectl/Viewer/record/record-form.ui");
  bind_children(widget_class);
  gtk_widget_class_bind_template_callback(widget_class, record_form_update);
  gtk_widget_class_bind_template_callback(widget_class, record_form_record);
  gtk_widget_class_bind_template_callback(widget_class, choose_program);
  gtk_widget_class_bind_template_callback(widget_class, choose_directory);
  gtk_widget_class_bind_template_callback(widget_class, choose_place);
  gtk_widget_class_bind_template_callback(widget_class, choose_process);
  gtk_widget_class_install_action(widget_class, "form.use-command", "s", use_command);
}

static void show_frequencies(ViewerRecordForm *self)
{
  g_autoptr(GtkStringList) names = gtk_string_list_new(NULL);
  guint wanted = g_settings_get_uint(self->settings, "record-frequency"), nearest = 0;

  for (guint i = 0; i < G_N_ELEMENTS(frequencies); i++) {
    gtk_string_list_take(names, viewer_format_count(frequencies[i]));
    if (ABS((gint64)frequencies[i] - wanted) < ABS((gint64)frequencies[nearest] - wanted))
      nearest = i;
  }
  adw_combo_row_set_model(self->frequency, G_LIST_MODEL(names));
  adw_combo_row_set_selected(self->frequency, nearest);
}

static void bind_settings(ViewerRecordForm *self)
{
  g_autofree char *command = g_settings_get_string(self->settings, "record-command");
  GtkCheckButton *targets[] = {self->target_command, self->target_process, self->target_system};

  gtk_editable_set_text(GTK_EDITABLE(self->command), command);
  gtk_check_button_set_active(targets[g_settings_get_enum(self->settings, "record-target")], TRUE);
  g_settings_bind(self->settings, "record-off-cpu", self->off_cpu, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "record-allocations", self->allocations, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "record-children", self->children, "active", G_SETTINGS_BIND_DEFAULT);
  g_settings_bind(self->settings, "record-kernel", self->kernel, "active", G_SETTINGS_BIND_DEFAULT);
}

static void viewer_record_form_init(ViewerRecordForm *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->settings = viewer_settings_get();
  adw_action_row_set_subtitle(self->process, _("Attaches to one that runs already"));
  gtk_widget_set_visible(GTK_WIDGET(self->history), FALSE);
  show_frequencies(self);
  bind_settings(self);
  show_places(self);
  record_form_update(self);
}

void viewer_record_form_set_recents(ViewerRecordForm *self, ViewerRecents *recents)
{
  g_return_if_fail(!self->recents);

  self->recents = g_object_ref(recents);
  g_signal_connect_object(recents, "commands-changed", G_CALLBACK(show_history), self, G_CONNECT_SWAPPED);
  show_history(self);
}

static gboolean way_has_bpf(const RecordingWayRights *way)
{
  return way->own != RECORDING_RIGHT_NO && way->unwind == RECORDING_UNWIND_BPF;
}

void viewer_record_form_set_rights(ViewerRecordForm *self, const RecordingDiagnosis *diagnosis)
{
  const RecordingWays *ways = &diagnosis->ways;

  self->known = TRUE;
  self->command_right = recording_ways_get_command(ways);
  self->own_right = recording_ways_get_own(ways);
  self->system_right = recording_ways_get_system(ways);
  self->has_bpf = way_has_bpf(&ways->direct) || way_has_bpf(&ways->service);
  adw_action_row_set_subtitle(self->off_cpu_row, self->has_bpf
                                                     ? _("Also where and why threads were off the CPU")
                                                     : _("Needs BPF programs, which are not permitted here"));
  record_form_update(self);
}
