/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/details/details-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "profile/capture/ended.h"
#include "viewer/document/follower.h"
#include "viewer/kit/copy.h"
#include "viewer/kit/format.h"
#include "viewer/kit/latest.h"
#include "viewer/pages/details/details-private.h"
#include "viewer/table/column.h"
#include "viewer/table/table.h"

enum {
  STREAMS_MAX = 50, /* rows; every program that samples itself is one */
  EVENTS_MAX = 50,  /* rows */
  VALUE_CHARS = 60, /* of a line of a value; longer ones wrap */
  VALUE_MAX = 4000, /* characters of a value */
  VALUE_LINES = 8,
  ROWS_SHOWN = 16 /* of a table, without scrolling in it */
};

struct _ViewerDetailsPage {
  GtkWidget parent_instance;

  GtkWidget *content, *recording, *machine, *events, *streams, *counters, *binaries;
  ViewerList *counters_view, *binaries_view;
  ViewerTable *counters_table, *binaries_table;
  GPtrArray *rows; /* GtkWidget: those in the groups */
  ViewerFollower *follower;
  GSignalGroup *of_document;
  ViewerLatest *making;
  ViewerDetails *details; /* that are shown, which is what was made last; NULL: none yet */
};

static void viewer_details_page_interface_init(ViewerPageInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerDetailsPage, viewer_details_page, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, viewer_details_page_interface_init))

/* Metadata, and how a person is told of it. */
typedef struct {
  const char *key, *title;
} Fact;

static const Fact recording_facts[] = {{"command", N_("Command")},
                                       {"source", N_("Imported From")},
                                       {"source-format", N_("Format of the Source")},
                                       {"recorder", N_("Recorded By")},
                                       {"via", N_("Recorded Through")},
                                       {"unwind", N_("Stacks From")}};
static const Fact machine_facts[] = {{"hostname", N_("Host")}, {"os", N_("System")},
                                     {"kernel", N_("Kernel")}, {"architecture", N_("Architecture")},
                                     {"cpu", N_("Processor")}, {"cpus", N_("Number of Processors")}};

/* Words of metadata that say little by themselves. */
static const struct {
  const char *key, *value, *text;
} words[] = {{"via", "direct", N_("A private recorder")},
             {"via", "daemon", N_("The system service")},
             {"via", "preload", N_("The preloaded sampler")},
             {"via", "import", N_("An import")},
             {"unwind", "bpf", N_("Unwind tables, while sampling")},
             {"unwind", "fp", N_("Frame pointers")},
             {"unwind", "dwarf", N_("Unwind tables, from copies of the stack")}};

static const char *translate_value(const char *key, const char *value)
{
  for (guint i = 0; i < G_N_ELEMENTS(words); i++)
    if (g_str_equal(words[i].key, key) && g_str_equal(words[i].value, value))
      return _(words[i].text);
  return value;
}

static GtkWidget *make_value(const char *value)
{
  g_autofree char *shown = viewer_format_name(value, VALUE_MAX);
  GtkWidget *label = gtk_label_new(shown);
  gboolean is_long = g_utf8_strlen(shown, -1) > VALUE_CHARS;

  gtk_label_set_selectable(GTK_LABEL(label), TRUE);
  gtk_label_set_wrap(GTK_LABEL(label), TRUE);
  gtk_label_set_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
  /* A long one leaves its title the room for whole words. */
  gtk_label_set_natural_wrap_mode(GTK_LABEL(label),
                                  is_long ? GTK_NATURAL_WRAP_INHERIT : GTK_NATURAL_WRAP_NONE);
  gtk_label_set_lines(GTK_LABEL(label), VALUE_LINES);
  gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
  gtk_label_set_max_width_chars(GTK_LABEL(label), VALUE_CHARS);
  gtk_label_set_xalign(GTK_LABEL(label), 1);
  gtk_widget_add_css_class(label, "dim-label");
  return label;
}

/* Values come from a file. subtitle may be NULL. */
static void add_row(ViewerDetailsPage *self, GtkWidget *group, const char *title, const char *subtitle,
                    const char *value)
{
  GtkWidget *row = adw_action_row_new();
  g_autofree char *shown = viewer_format_name(title, VALUE_MAX);
  g_autofree char *below = subtitle ? viewer_format_name(subtitle, VALUE_MAX) : NULL;

  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), shown);
  if (below)
    adw_action_row_set_subtitle(ADW_ACTION_ROW(row), below);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), make_value(value));
  adw_preferences_group_add(ADW_PREFERENCES_GROUP(group), row);
  g_object_set_data(G_OBJECT(row), "group", group);
  g_object_set_data_full(G_OBJECT(row), "value", viewer_format_name(value, 0), g_free);
  g_ptr_array_add(self->rows, row);
}

static gboolean add_facts(ViewerDetailsPage *self, GtkWidget *group, const Fact *facts, guint n)
{
  gboolean any = FALSE;

  for (guint i = 0; i < n; i++) {
    const char *value = profile_capture_get_metadata(self->details->capture, facts[i].key);
    if (!value || !*value)
      continue;
    add_row(self, group, _(facts[i].title), NULL, translate_value(facts[i].key, value));
    any = TRUE;
  }
  return any;
}

static void add_count(ViewerDetailsPage *self, const char *title, const char *subtitle, guint64 count)
{
  g_autofree char *text = viewer_format_count(count);

  add_row(self, self->recording, title, subtitle, text);
}

static char *format_date(gint64 nanoseconds)
{
  g_autoptr(GDateTime) utc = g_date_time_new_from_unix_utc(nanoseconds / 1000000000);
  g_autoptr(GDateTime) local = utc ? g_date_time_to_local(utc) : NULL;

  g_autofree char *text = local ? g_date_time_format(local, "%F %T") : NULL;
  gboolean is_turned = gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL;

  return is_turned && text ? g_strdup_printf("\u2066%s\u2069", text) : g_steal_pointer(&text);
}

static void show_file(ViewerDetailsPage *self)
{
  GFile *file = viewer_document_get_file(viewer_follower_get_document(self->follower));
  g_autofree char *name = g_file_get_parse_name(file);

  add_row(self, self->recording, _("File"), NULL, name);
  if (self->details->size > 0) {
    g_autofree char *size = g_format_size(self->details->size);
    add_row(self, self->recording, _("Size"), NULL, size);
  }
}

/* What ends a sentence elsewhere stands alone here. */
static char *describe_end(const struct capture_ended *ended)
{
  g_autofree char *text = profile_ended_describe(ended);
  g_autofree char *first = g_utf8_strup(text, g_utf8_next_char(text) - text);

  return g_strconcat(first, g_utf8_next_char(text), NULL);
}

static void show_recording(ViewerDetailsPage *self)
{
  ViewerDetails *details = self->details;
  struct capture_file_header header;
  guint n_events;
  g_autofree char *duration = viewer_format_duration(profile_capture_get_duration(details->capture));

  profile_capture_get_header(details->capture, &header);
  profile_capture_get_events(details->capture, &n_events);
  g_autofree char *date = header.time_realtime > 0 ? format_date(header.time_realtime) : NULL;
  g_autofree char *end = describe_end(&header.ended);
  g_autofree char *format = g_strdup_printf("%u.%u", header.major, header.minor);
  show_file(self);
  add_facts(self, self->recording, recording_facts, G_N_ELEMENTS(recording_facts));
  if (date)
    add_row(self, self->recording, _("Started"), NULL, date);
  add_row(self, self->recording, _("Duration"), NULL, duration);
  add_row(self, self->recording, _("Ended"), NULL, end);
  add_count(self, _("Samples"), n_events > 1 ? _("Of all events together") : NULL, details->n_samples);
  add_count(self, _("Processes"), NULL, details->n_processes);
  add_count(self, _("Threads"), NULL, details->n_threads);
  add_row(self, self->recording, _("Capture Format"), NULL, format);
}

/* "997 Hz", "every 10,000" */
static char *describe_rate(const ProfileEvent *event)
{
  g_autofree char *number = viewer_format_count(event->frequency ? event->frequency : event->period);

  return event->frequency ? g_strdup_printf(_("%s samples per second"), number)
         : event->period  ? g_strdup_printf(_("A sample every %s"), number)
                          : g_strdup(_("Rate not known"));
}

static const char *get_unit(enum capture_unit unit)
{
  switch (unit) {
  case CAPTURE_UNIT_NANOSECONDS:
    return _("weights in nanoseconds");
  case CAPTURE_UNIT_BYTES:
    return _("weights in bytes");
  case CAPTURE_UNIT_CYCLES:
    return _("weights in cycles");
  default:
    return _("weights in occurrences");
  }
}

static void show_events(ViewerDetailsPage *self)
{
  guint n;
  const ProfileEvent *events = profile_capture_get_events(self->details->capture, &n);

  for (guint i = 0; i < MIN(n, EVENTS_MAX); i++) {
    g_autofree char *rate = describe_rate(&events[i]), *samples = viewer_format_samples(events[i].n_samples);
    /* TRANSLATORS: How often an event was sampled, and what a sample says. */
    g_autofree char *settings = g_strdup_printf(_("%s, %s"), rate, get_unit(events[i].unit));
    add_row(self, self->events, events[i].name, settings, samples);
  }
  if (n > EVENTS_MAX) {
    g_autofree char *more =
        g_strdup_printf(ngettext("%u More Event", "%u More Events", n - EVENTS_MAX), n - EVENTS_MAX);
    add_row(self, self->events, more, NULL, "");
  }
  gtk_widget_set_visible(self->events, n > 0);
}

static const char *get_stream_kind(const ProfileStream *stream)
{
  switch (stream->kind) {
  case CAPTURE_STREAM_RECORDER:
    return _("Recorder");
  case CAPTURE_STREAM_SAMPLER:
    return _("Program that samples itself");
  case CAPTURE_STREAM_FOREIGN:
    return stream->foreign == CAPTURE_FOREIGN_SYSCAP     ? _("Kept file, Sysprof’s format")
           : stream->foreign == CAPTURE_FOREIGN_PERF_MAP ? _("Kept file, a perf map")
           : stream->foreign == CAPTURE_FOREIGN_JITDUMP  ? _("Kept file, a jitdump")
                                                         : _("Kept file");
  case CAPTURE_STREAM_COUNTERS:
    return _("Counters");
  case CAPTURE_STREAM_IMPORT:
    return _("Import");
  default:
    return _("Not known");
  }
}

static guint64 count_samples(ProfileCapture *capture, const ProfileStream *stream)
{
  guint n;
  const ProfileStreamEvent *events = profile_capture_get_stream_events(capture, &n);
  guint64 samples = 0;

  for (guint i = 0; i < n; i++)
    samples += events[i].stream == stream->number ? events[i].n_samples : 0;
  return samples;
}

static void add_stream(ViewerDetailsPage *self, const ProfileStream *stream)
{
  g_autofree char *title =
      stream->pid > 0 ? g_strdup_printf(_("%s (%d)"), stream->name, stream->pid) : g_strdup(stream->name);
  g_autofree char *value = stream->foreign
                               ? g_format_size(stream->bytes)
                               : viewer_format_samples(count_samples(self->details->capture, stream));

  add_row(self, self->streams, title, get_stream_kind(stream), value);
}

static void show_streams(ViewerDetailsPage *self)
{
  guint n;
  const ProfileStream *streams = profile_capture_get_streams(self->details->capture, &n);

  for (guint i = 0; i < MIN(n, STREAMS_MAX); i++)
    add_stream(self, &streams[i]);
  if (n > STREAMS_MAX) {
    g_autofree char *more =
        g_strdup_printf(ngettext("%u More Stream", "%u More Streams", n - STREAMS_MAX), n - STREAMS_MAX);
    add_row(self, self->streams, more, NULL, "");
  }
  gtk_widget_set_visible(self->streams, n > 0);
}

static void show_tables(ViewerDetailsPage *self)
{
  guint n_counters = 0, n_binaries = 0;

  if (self->details) {
    profile_capture_get_counters(self->details->capture, &n_counters);
    n_binaries = self->details->n_binaries;
  }
  viewer_table_reset(self->counters_table, n_counters);
  viewer_table_reset(self->binaries_table, n_binaries);
  viewer_column_fit(self->counters_view, ROWS_SHOWN);
  viewer_column_fit(self->binaries_view, ROWS_SHOWN);
  gtk_widget_set_visible(self->counters, n_counters > 0);
  gtk_widget_set_visible(self->binaries, n_binaries > 0);
}

static void remove_rows(ViewerDetailsPage *self)
{
  for (guint i = 0; i < self->rows->len; i++) {
    GtkWidget *row = self->rows->pdata[i];
    adw_preferences_group_remove(g_object_get_data(G_OBJECT(row), "group"), row);
  }
  g_ptr_array_set_size(self->rows, 0);
}

static void set_details(ViewerDetailsPage *self, ViewerDetails *details)
{
  self->details = details;
  remove_rows(self);
  show_tables(self);
  gtk_widget_set_visible(self->content, details != NULL);
  if (!details)
    return;
  show_recording(self);
  gtk_widget_set_visible(self->machine,
                         add_facts(self, self->machine, machine_facts, G_N_ELEMENTS(machine_facts)));
  show_events(self);
  show_streams(self);
  viewer_page_take_focus(VIEWER_PAGE(self));
}

static void on_ready(ViewerLatest *making, ViewerDetailsPage *self)
{
  set_details(self, viewer_latest_get(making));
}

static void on_followed(GtkWidget *widget, ViewerFollowFlags what)
{
  ViewerDetailsPage *self = VIEWER_DETAILS_PAGE(widget);
  ProfileCapture *capture = viewer_follower_get_capture(self->follower);

  if (capture) {
    GFile *file = viewer_document_get_file(viewer_follower_get_document(self->follower));
    viewer_latest_request(self->making, viewer_details_request_new(capture, file));
    return;
  }
  set_details(self, NULL);
  viewer_latest_clear(self->making);
}

static void on_file_changed(ViewerDetailsPage *self)
{
  if (self->details)
    on_followed(GTK_WIDGET(self), VIEWER_FOLLOW_CAPTURE);
}

static void viewer_details_page_set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerDetailsPage *self = VIEWER_DETAILS_PAGE(page);

  set_details(self, NULL);
  viewer_latest_clear(self->making);
  viewer_follower_set_document(self->follower, document);
  g_signal_group_set_target(self->of_document, document);
}

/* "Title: value", a line each; what a person pastes into a report of a bug. */
static gboolean viewer_details_page_copy(ViewerPage *page)
{
  ViewerDetailsPage *self = VIEWER_DETAILS_PAGE(page);
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < self->rows->len; i++) {
    const char *title = adw_preferences_row_get_title(self->rows->pdata[i]);
    const char *value = g_object_get_data(self->rows->pdata[i], "value");
    g_string_append_printf(text, "%s: %s\n", title, value);
  }
  return viewer_copy_text(GTK_WIDGET(self), g_string_free(text, FALSE));
}

static void viewer_details_page_interface_init(ViewerPageInterface *interface)
{
  interface->set_document = viewer_details_page_set_document;
  interface->copy = viewer_details_page_copy;
  interface->is_of_all_events = TRUE;
}

/* So that keys scroll. */
static gboolean viewer_details_page_grab_focus(GtkWidget *widget)
{
  ViewerDetailsPage *self = VIEWER_DETAILS_PAGE(widget);

  return self->details && gtk_widget_grab_focus(self->content);
}

static void viewer_details_page_dispose(GObject *object)
{
  ViewerDetailsPage *self = VIEWER_DETAILS_PAGE(object);

  g_clear_object(&self->of_document);
  g_clear_pointer(&self->follower, viewer_follower_free);
  g_clear_pointer(&self->content, gtk_widget_unparent);
  g_clear_object(&self->counters_table);
  g_clear_object(&self->binaries_table);
  g_clear_pointer(&self->rows, g_ptr_array_unref);
  self->details = NULL;
  g_clear_object(&self->making);
  G_OBJECT_CLASS(viewer_details_page_parent_class)->dispose(object);
}

static void viewer_details_page_class_init(ViewerDetailsPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_details_page_dispose;
  widget_class->grab_focus = viewer_details_page_grab_focus;
  g_type_ensure(VIEWER_TYPE_LIST);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/details/details-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, content);
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, recording);
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, machine);
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, events);
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, streams);
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, counters);
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, counters_view);
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, binaries);
  gtk_widget_class_bind_template_child(widget_class, ViewerDetailsPage, binaries_view);
}

static void set_model(ViewerList *view, ViewerTable *table)
{
  GtkSorter *sorter = gtk_column_view_get_sorter(viewer_list_get_titles(view));
  GtkSortListModel *sorted = gtk_sort_list_model_new(g_object_ref(G_LIST_MODEL(table)), g_object_ref(sorter));
  g_autoptr(GtkSelectionModel) model = GTK_SELECTION_MODEL(gtk_no_selection_new(G_LIST_MODEL(sorted)));

  gtk_sort_list_model_set_incremental(sorted, TRUE);
  viewer_list_set_selection(view, model);
}

static void viewer_details_page_init(ViewerDetailsPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->rows = g_ptr_array_new();
  self->counters_table = viewer_table_new();
  self->binaries_table = viewer_table_new();
  self->follower = viewer_follower_new(GTK_WIDGET(self), VIEWER_FOLLOW_CAPTURE, on_followed);
  self->of_document = g_signal_group_new(VIEWER_TYPE_DOCUMENT);
  g_signal_group_connect_swapped(self->of_document, "file-changed", G_CALLBACK(on_file_changed), self);
  self->making =
      viewer_latest_new(viewer_details_new, viewer_details_request_free, (GDestroyNotify)viewer_details_free);
  g_signal_connect_object(self->making, "ready", G_CALLBACK(on_ready), self, 0);
  viewer_details_add_counter_columns(self->counters_view, &self->details);
  viewer_details_add_binary_columns(self->binaries_view, &self->details);
  set_model(self->counters_view, self->counters_table);
  set_model(self->binaries_view, self->binaries_table);
  gtk_widget_set_visible(self->content, FALSE);
}

GtkWidget *viewer_details_page_new(void)
{
  return g_object_new(VIEWER_TYPE_DETAILS_PAGE, NULL);
}
