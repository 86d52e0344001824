/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/health/health-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "viewer/document/health.h"
#include "viewer/kit/copy.h"
#include "viewer/kit/format.h"
#include "viewer/pages/health/downloads.h"
#include "viewer/pages/health/loss-chart.h"
#include "viewer/table/column.h"
#include "viewer/table/table.h"

/* Rows of a table that are seen without scrolling in it; and the width of a column that both tables have, so
 * that one stands below the other. */
enum { ROWS_SHOWN = 12, WHY_CHARS = 26 };

struct _ViewerHealthPage {
  GtkWidget parent_instance;

  GtkWidget *stack, *content, *icon, *title, *summary;
  GtkWidget *findings, *losses, *chart, *outcomes, *names, *downloads;
  ViewerList *outcomes_view, *names_view;
  ViewerTable *outcomes_table, *names_table;
  GPtrArray *rows; /* of findings */
  ViewerDocument *document;
  ProfileHealth *health; /* that is shown */
  gboolean missed;       /* it changed while nobody looked */
};

static void viewer_health_page_interface_init(ViewerPageInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerHealthPage, viewer_health_page, GTK_TYPE_WIDGET,
                              G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, viewer_health_page_interface_init))

static const ProfileLedgerEntry *get_outcome(const ViewerHealthPage *self, gpointer item)
{
  gsize n;

  return &profile_ledger_get_entries(profile_health_get_ledger(self->health),
                                     &n)[viewer_table_item_get_index(item)];
}

static const ProfileMissingEntry *get_missing(const ViewerHealthPage *self, gpointer item)
{
  guint n;

  return &profile_missing_names_get_entries(profile_health_get_missing_names(self->health),
                                            &n)[viewer_table_item_get_index(item)];
}

static const char *get_outcome_binary(const ViewerHealthPage *self, gpointer item)
{
  const char *binary =
      profile_ledger_get_binary(profile_health_get_capture(self->health), get_outcome(self, item));

  return binary ? binary : _("No frame of the program");
}

static char *get_outcome_binary_text(gpointer item, gpointer page)
{
  return g_strdup(get_outcome_binary(page, item));
}

static char *get_outcome_text(gpointer item, gpointer page)
{
  return g_strdup(profile_outcome_get_label(get_outcome(page, item)->outcome));
}

static char *get_outcome_samples_text(gpointer item, gpointer page)
{
  return viewer_format_count(get_outcome(page, item)->samples);
}

static char *get_outcome_share_text(gpointer item, gpointer page)
{
  ViewerHealthPage *self = page;

  return viewer_format_share(get_outcome(self, item)->samples,
                             profile_ledger_get_stacks(profile_health_get_ledger(self->health)));
}

static int compare_numbers(guint64 a, guint64 b)
{
  return a < b ? -1 : a > b;
}

static int compare_outcome_binaries(gpointer a, gpointer b, gpointer page)
{
  return g_strcmp0(get_outcome_binary(page, a), get_outcome_binary(page, b));
}

static int compare_outcomes(gpointer a, gpointer b, gpointer page)
{
  return compare_numbers(get_outcome(page, a)->outcome, get_outcome(page, b)->outcome);
}

static int compare_outcome_samples(gpointer a, gpointer b, gpointer page)
{
  return compare_numbers(get_outcome(page, a)->samples, get_outcome(page, b)->samples);
}

static char *get_missing_binary_text(gpointer item, gpointer page)
{
  ViewerHealthPage *self = page;

  return g_strdup(
      profile_missing_names_get_binary(profile_health_get_capture(self->health), get_missing(self, item)));
}

static char *get_missing_text(gpointer item, gpointer page)
{
  return g_strdup(profile_missing_reason_get_label(get_missing(page, item)->reason));
}

static char *get_missing_samples_text(gpointer item, gpointer page)
{
  return viewer_format_count(get_missing(page, item)->samples);
}

static char *get_missing_share_text(gpointer item, gpointer page)
{
  ViewerHealthPage *self = page;

  return viewer_format_share(get_missing(self, item)->samples, profile_health_get_n_samples(self->health));
}

static int compare_missing_binaries(gpointer a, gpointer b, gpointer page)
{
  g_autofree char *left = get_missing_binary_text(a, page), *right = get_missing_binary_text(b, page);

  return g_strcmp0(left, right);
}

static int compare_missing(gpointer a, gpointer b, gpointer page)
{
  return compare_numbers(get_missing(page, a)->reason, get_missing(page, b)->reason);
}

static int compare_missing_samples(gpointer a, gpointer b, gpointer page)
{
  return compare_numbers(get_missing(page, a)->samples, get_missing(page, b)->samples);
}

static void add_columns(ViewerHealthPage *self)
{
  const ViewerColumn outcomes[] = {
      {_("Binary"), VIEWER_COLUMN_EXPAND | VIEWER_COLUMN_PATH, 0, get_outcome_binary_text,
       compare_outcome_binaries},
      {_("Why"), VIEWER_COLUMN_TEXT, WHY_CHARS, get_outcome_text, compare_outcomes},
      {_("Samples"), VIEWER_COLUMN_NUMBER, 9, get_outcome_samples_text, compare_outcome_samples},
      {_("Share"), VIEWER_COLUMN_NUMBER, 8, get_outcome_share_text, compare_outcome_samples}};
  const ViewerColumn names[] = {
      {_("Binary"), VIEWER_COLUMN_EXPAND | VIEWER_COLUMN_PATH, 0, get_missing_binary_text,
       compare_missing_binaries},
      {_("Why"), VIEWER_COLUMN_TEXT, WHY_CHARS, get_missing_text, compare_missing},
      {_("Samples"), VIEWER_COLUMN_NUMBER, 9, get_missing_samples_text, compare_missing_samples},
      {_("Share"), VIEWER_COLUMN_NUMBER, 8, get_missing_share_text, compare_missing_samples}};

  for (guint i = 0; i < G_N_ELEMENTS(outcomes); i++)
    viewer_column_append(self->outcomes_view, &outcomes[i], self);
  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    viewer_column_append(self->names_view, &names[i], self);
}

static void set_model(ViewerList *view, ViewerTable *table)
{
  GtkSorter *sorter = gtk_column_view_get_sorter(viewer_list_get_titles(view));
  GtkSortListModel *sorted = gtk_sort_list_model_new(g_object_ref(G_LIST_MODEL(table)), g_object_ref(sorter));
  g_autoptr(GtkSelectionModel) model = GTK_SELECTION_MODEL(gtk_no_selection_new(G_LIST_MODEL(sorted)));

  viewer_list_set_selection(view, model);
}

/* "1,234 of 56,789"; NULL: the finding is about no number. */
static char *describe_count(const ProfileHealthFinding *finding)
{
  g_autofree char *count = viewer_format_count(finding->count), *of = viewer_format_count(finding->of);

  if (finding->count == 0)
    return NULL;
  /* TRANSLATORS: So many samples of so many. */
  return finding->of ? g_strdup_printf(_("%s of %s"), count, of) : g_steal_pointer(&count);
}

static void add_icon(AdwActionRow *row, ProfileHealthSeverity severity)
{
  GtkWidget *icon = gtk_image_new_from_icon_name(viewer_health_get_icon(severity));

  gtk_widget_add_css_class(icon, severity == PROFILE_HEALTH_WARNING ? "warning"
                                 : severity == PROFILE_HEALTH_NOTE  ? "accent"
                                                                    : "success");
  gtk_accessible_update_property(GTK_ACCESSIBLE(icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                 viewer_health_get_word(severity), -1);
  adw_action_row_add_prefix(row, icon);
}

static void add_count(AdwActionRow *row, const ProfileHealthFinding *finding)
{
  g_autofree char *count = describe_count(finding);
  GtkWidget *label;

  if (!count)
    return;
  label = gtk_label_new(count);
  gtk_widget_add_css_class(label, "numeric");
  gtk_widget_add_css_class(label, "dim-label");
  adw_action_row_add_suffix(row, label);
}

/* Sentences may come from a file. */
static GtkWidget *make_row(const ProfileHealthFinding *finding)
{
  GtkWidget *row = adw_action_row_new();
  g_autofree char *sentence = viewer_format_name(finding->sentence, 1000);
  g_autofree char *advice = viewer_format_advice(finding->advice ? finding->advice : "");

  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), sentence);
  adw_preferences_row_set_title_selectable(ADW_PREFERENCES_ROW(row), TRUE);
  adw_action_row_set_subtitle(ADW_ACTION_ROW(row), advice);
  adw_action_row_set_title_lines(ADW_ACTION_ROW(row), 0);
  adw_action_row_set_subtitle_lines(ADW_ACTION_ROW(row), 0);
  add_icon(ADW_ACTION_ROW(row), finding->severity);
  add_count(ADW_ACTION_ROW(row), finding);
  return row;
}

static void show_findings(ViewerHealthPage *self)
{
  guint n;
  const ProfileHealthFinding *findings = profile_health_get_findings(self->health, &n);

  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove(ADW_PREFERENCES_GROUP(self->findings), self->rows->pdata[i]);
  g_ptr_array_set_size(self->rows, 0);
  for (guint i = 0; i < n; i++) {
    GtkWidget *row = make_row(&findings[i]);
    adw_preferences_group_add(ADW_PREFERENCES_GROUP(self->findings), row);
    g_ptr_array_add(self->rows, row);
  }
  gtk_widget_set_visible(self->findings, n > 0);
}

/* That of the worst finding. When none is as bad as all together, stacks are what adds up. */
static ProfileHealthSubject get_subject(const ProfileHealth *health)
{
  guint n;
  const ProfileHealthFinding *findings = profile_health_get_findings(health, &n);

  return n > 0 && findings[0].severity == profile_health_get_severity(health) ? findings[0].subject
                                                                              : PROFILE_HEALTH_STACKS;
}

/* Of what may mislead. */
static const char *get_warning(ProfileHealthSubject subject)
{
  switch (subject) {
  case PROFILE_HEALTH_DAMAGE:
    return _("This Recording Is Damaged");
  case PROFILE_HEALTH_ENDED:
    return _("This Recording Broke Off");
  case PROFILE_HEALTH_LOSS:
    return _("Many Samples Were Lost");
  case PROFILE_HEALTH_STACKS:
    return _("Many Stacks Are Incomplete");
  default:
    return _("This Recording May Mislead");
  }
}

/* Of what is right, but not all there is. */
static const char *get_note(ProfileHealthSubject subject)
{
  switch (subject) {
  case PROFILE_HEALTH_ENDED:
    return _("This Recording Was Cut Off");
  case PROFILE_HEALTH_LOSS:
    return _("A Few Samples Were Lost");
  case PROFILE_HEALTH_THROTTLED:
    return _("Sampling Was Paused at Times");
  case PROFILE_HEALTH_EMPTY:
    return _("There Are No Samples");
  case PROFILE_HEALTH_STACKS:
    return _("Some Stacks May Be Incomplete");
  case PROFILE_HEALTH_NAMES:
    return _("Some Functions Have No Names");
  case PROFILE_HEALTH_LINES:
    return _("Some Lines Are Not Known");
  default:
    return _("This Recording Comes with a Note");
  }
}

static const char *get_title(const ProfileHealth *health)
{
  switch (profile_health_get_severity(health)) {
  case PROFILE_HEALTH_WARNING:
    return get_warning(get_subject(health));
  case PROFILE_HEALTH_NOTE:
    return get_note(get_subject(health));
  default:
    return _("This Recording Is Sound");
  }
}

static void show_head(ViewerHealthPage *self)
{
  ProfileHealthSeverity severity = profile_health_get_severity(self->health);
  static const char *const classes[] = {"success", "accent", "warning"};

  for (guint i = 0; i < G_N_ELEMENTS(classes); i++)
    gtk_widget_remove_css_class(self->icon, classes[i]);
  gtk_widget_add_css_class(self->icon, classes[severity]);
  gtk_image_set_from_icon_name(GTK_IMAGE(self->icon), viewer_health_get_icon(severity));
  gtk_label_set_text(GTK_LABEL(self->title), get_title(self->health));
  gtk_label_set_text(GTK_LABEL(self->summary), profile_health_get_summary(self->health));
}

static void show_tables(ViewerHealthPage *self)
{
  guint n_names;
  gsize n_outcomes;

  profile_ledger_get_entries(profile_health_get_ledger(self->health), &n_outcomes);
  profile_missing_names_get_entries(profile_health_get_missing_names(self->health), &n_names);
  viewer_table_reset(self->outcomes_table, (guint)n_outcomes);
  viewer_table_reset(self->names_table, n_names);
  viewer_column_fit(self->outcomes_view, ROWS_SHOWN);
  viewer_column_fit(self->names_view, ROWS_SHOWN);
  gtk_widget_set_visible(self->outcomes, n_outcomes > 0);
  gtk_widget_set_visible(self->names, n_names > 0);
}

static void show_losses(ViewerHealthPage *self)
{
  ProfileCapture *capture = profile_health_get_capture(self->health);

  gtk_widget_set_visible(self->losses, profile_capture_get_n_lost(capture) > 0);
  viewer_loss_chart_show(VIEWER_LOSS_CHART(self->chart), self->health);
}

/* Rows of the tables point into what is shown: it goes when they are gone. */
static void set_health(ViewerHealthPage *self, ProfileHealth *health)
{
  g_autoptr(ProfileHealth) before = g_steal_pointer(&self->health);

  self->missed = FALSE;
  if (!health) {
    viewer_table_reset(self->outcomes_table, 0);
    viewer_table_reset(self->names_table, 0);
    viewer_downloads_show(VIEWER_DOWNLOADS(self->downloads), NULL, NULL);
    gtk_stack_set_visible_child_name(GTK_STACK(self->stack), "waiting");
    return;
  }
  self->health = profile_health_ref(health);
  show_head(self);
  show_findings(self);
  show_losses(self);
  show_tables(self);
  viewer_downloads_show(VIEWER_DOWNLOADS(self->downloads), self->document, health);
  gtk_stack_set_visible_child_name(GTK_STACK(self->stack), "health");
  viewer_page_take_focus(VIEWER_PAGE(self));
}

static void health_page_look(ViewerHealthPage *self)
{
  set_health(self, self->document ? viewer_health_get(viewer_health_of(self->document)) : NULL);
}

static void on_changed(ViewerHealth *shared, ViewerHealthPage *self)
{
  self->missed = TRUE;
  if (gtk_widget_get_mapped(GTK_WIDGET(self)))
    health_page_look(self);
}

static void viewer_health_page_map(GtkWidget *widget)
{
  ViewerHealthPage *self = VIEWER_HEALTH_PAGE(widget);

  GTK_WIDGET_CLASS(viewer_health_page_parent_class)->map(widget);
  if (self->missed)
    health_page_look(self);
}

static void viewer_health_page_set_document(ViewerPage *page, ViewerDocument *document)
{
  ViewerHealthPage *self = VIEWER_HEALTH_PAGE(page);

  if (document == self->document)
    return;
  if (self->document)
    g_signal_handlers_disconnect_by_data(viewer_health_of(self->document), self);
  g_set_object(&self->document, document);
  if (document)
    g_signal_connect(viewer_health_of(document), "changed", G_CALLBACK(on_changed), self);
  health_page_look(self);
}

/* The summary and the findings, as text. */
static gboolean viewer_health_page_copy(ViewerPage *page)
{
  ViewerHealthPage *self = VIEWER_HEALTH_PAGE(page);
  g_autoptr(GString) text = g_string_new(NULL);
  guint n;

  if (!self->health)
    return FALSE;
  const ProfileHealthFinding *findings = profile_health_get_findings(self->health, &n);
  g_string_append_printf(text, "%s\n", profile_health_get_summary(self->health));
  for (guint i = 0; i < n; i++) {
    g_string_append_printf(text, "• %s", findings[i].sentence);
    if (findings[i].advice)
      g_string_append_printf(text, " → %s", findings[i].advice);
    g_string_append_c(text, '\n');
  }
  return viewer_copy_text(GTK_WIDGET(self), g_utf8_make_valid(text->str, -1));
}

static void viewer_health_page_interface_init(ViewerPageInterface *interface)
{
  interface->set_document = viewer_health_page_set_document;
  interface->copy = viewer_health_page_copy;
  interface->is_of_all_events = TRUE;
}

/* So that keys scroll. */
static gboolean viewer_health_page_grab_focus(GtkWidget *widget)
{
  ViewerHealthPage *self = VIEWER_HEALTH_PAGE(widget);

  return self->health && gtk_widget_grab_focus(self->content);
}

static void viewer_health_page_dispose(GObject *object)
{
  ViewerHealthPage *self = VIEWER_HEALTH_PAGE(object);

  if (self->stack)
    viewer_health_page_set_document(VIEWER_PAGE(self), NULL);
  g_clear_pointer(&self->stack, gtk_widget_unparent);
  g_clear_object(&self->outcomes_table);
  g_clear_object(&self->names_table);
  g_clear_pointer(&self->rows, g_ptr_array_unref);
  G_OBJECT_CLASS(viewer_health_page_parent_class)->dispose(object);
}

static void viewer_health_page_class_init(ViewerHealthPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_health_page_dispose;
  widget_class->map = viewer_health_page_map;
  widget_class->grab_focus = viewer_health_page_grab_focus;
  g_type_ensure(VIEWER_TYPE_DOWNLOADS);
  g_type_ensure(VIEWER_TYPE_LOSS_CHART);
  g_type_ensure(VIEWER_TYPE_LIST);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/health/health-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, content);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, icon);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, title);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, summary);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, findings);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, losses);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, chart);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, outcomes);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, outcomes_view);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, names);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, names_view);
  gtk_widget_class_bind_template_child(widget_class, ViewerHealthPage, downloads);
}

static void viewer_health_page_init(ViewerHealthPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->rows = g_ptr_array_new();
  self->outcomes_table = viewer_table_new();
  self->names_table = viewer_table_new();
  add_columns(self);
  set_model(self->outcomes_view, self->outcomes_table);
  set_model(self->names_view, self->names_table);
}

GtkWidget *viewer_health_page_new(void)
{
  return g_object_new(VIEWER_TYPE_HEALTH_PAGE, NULL);
}
