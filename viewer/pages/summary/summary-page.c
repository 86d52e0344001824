/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/summary/summary-page.h"

#include <glib/gi18n.h>

#include "profile/summary/summary.h"
#include "viewer/document/list-page.h"
#include "viewer/kit/copy.h"
#include "viewer/kit/latest.h"
#include "viewer/pages/summary/summary-card.h"

#define VIEWER_TYPE_SUMMARY_PAGE (viewer_summary_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerSummaryPage, viewer_summary_page, VIEWER, SUMMARY_PAGE, ViewerListPage)

struct _ViewerSummaryPage {
  ViewerListPage parent;

  GtkWidget *content, *findings;
  ViewerSummaryCard *threads, *binaries;
  GPtrArray *rows; /* of findings; borrowed */
  ViewerLatest *making;
};

static void init_page(ViewerPageInterface *interface);

G_DEFINE_FINAL_TYPE_WITH_CODE(ViewerSummaryPage, viewer_summary_page, VIEWER_TYPE_LIST_PAGE,
                              G_IMPLEMENT_INTERFACE(VIEWER_TYPE_PAGE, init_page))

/* What a finding's button says, and which page it leads to. */
static const struct {
  const char *label; /* NULL: there is no button */
  const char *page;  /* NULL: another recording */
} shows[PROFILE_SUMMARY_SHOWS] = {
    [PROFILE_SUMMARY_SHOW_SOURCE] = {N_("Show Source"), "source"},
    [PROFILE_SUMMARY_SHOW_CALLERS] = {N_("Show Callers"), "functions"},
    [PROFILE_SUMMARY_SHOW_PATH] = {N_("Show Path"), "tree"},
    [PROFILE_SUMMARY_SHOW_THREADS] = {N_("Show Threads"), "timeline"},
    [PROFILE_SUMMARY_SHOW_WAITING] = {N_("Show Waiting"), "timeline"},
    [PROFILE_SUMMARY_RECORD_WAITING] = {N_("Record Waiting"), NULL},
    [PROFILE_SUMMARY_COLLAPSE_RECURSION] = {N_("Collapse Recursion"), "flame"},
    [PROFILE_SUMMARY_SHOW_HEALTH] = {N_("Show Health"), "health"},
};

static gpointer make_summary(gpointer weights)
{
  return profile_summary_new(weights);
}

static const ProfileSummaryFinding *get_finding(ViewerSummaryPage *self, guint i)
{
  ProfileSummary *summary = viewer_latest_get(self->making);
  guint n = 0;
  const ProfileSummaryFinding *findings = summary ? profile_summary_get_findings(summary, &n) : NULL;

  return i < n ? &findings[i] : NULL;
}

/* Also where there is no sample: that is said, too. */
static ProfileWeights *summary_page_get_weights(ViewerSummaryPage *self)
{
  ViewerDocument *document = viewer_list_page_get_document(VIEWER_LIST_PAGE(self));

  return document ? viewer_document_get_weights(document) : NULL;
}

/* What was found of the samples as they are shown, so its functions are those of the page's stacks. */
static gboolean is_current(ViewerSummaryPage *self)
{
  ProfileWeights *weights = summary_page_get_weights(self);
  ProfileSummary *summary = viewer_latest_get(self->making);

  return weights && summary &&
         profile_weights_get_stacks(profile_summary_get_weights(summary)) ==
             profile_weights_get_stacks(weights);
}

static void collapse_recursion(ViewerSummaryPage *self, const ProfileSummaryFinding *finding)
{
  ViewerDocument *document = viewer_list_page_get_document(VIEWER_LIST_PAGE(self));
  ProfileTransform transform = {.kind = PROFILE_TRANSFORM_COLLAPSE_RECURSION, .function = finding->function};
  g_autoptr(ViewerStep) step = viewer_step_new_transform(&transform, finding->sentence);

  viewer_query_push(viewer_document_get_query(document), step);
}

static void select_shown(ViewerSummaryPage *self, const ProfileSummaryFinding *finding)
{
  ViewerDocument *document = viewer_list_page_get_document(VIEWER_LIST_PAGE(self));

  if (finding->path)
    viewer_document_select(document, finding->path->functions, finding->path->n);
  else if (finding->function != G_MAXUINT32)
    viewer_list_page_select_function(VIEWER_LIST_PAGE(self), finding->function);
}

static void act_show(GtkWidget *widget, const char *action, GVariant *parameter)
{
  ViewerSummaryPage *self = VIEWER_SUMMARY_PAGE(widget);
  const ProfileSummaryFinding *finding = get_finding(self, g_variant_get_uint32(parameter));

  if (!finding || !is_current(self))
    return;
  const char *page = shows[finding->show].page;
  select_shown(self, finding);
  if (finding->show == PROFILE_SUMMARY_COLLAPSE_RECURSION)
    collapse_recursion(self, finding);
  if (page)
    gtk_widget_activate_action(widget, "win.show-page", "s", page);
  else
    gtk_widget_activate_action(widget, "win.record-again", "s", "waiting");
}

static void add_button(GtkWidget *row, const ProfileSummaryFinding *finding, guint i)
{
  const char *label = shows[finding->show].label;

  if (!label)
    return;
  GtkWidget *button = gtk_button_new_with_label(_(label));
  gtk_widget_set_valign(button, GTK_ALIGN_CENTER);
  gtk_actionable_set_action_name(GTK_ACTIONABLE(button), "summary.show");
  gtk_actionable_set_action_target(GTK_ACTIONABLE(button), "u", i);
  adw_action_row_add_suffix(ADW_ACTION_ROW(row), button);
  adw_action_row_set_activatable_widget(ADW_ACTION_ROW(row), button);
  /* The row calls it what it is called itself, and newer toolkits nothing else. */
  gtk_accessible_reset_relation(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
}

static GtkWidget *make_row(const ProfileSummaryFinding *finding, guint i)
{
  GtkWidget *row = adw_action_row_new();

  adw_preferences_row_set_use_markup(ADW_PREFERENCES_ROW(row), FALSE);
  adw_preferences_row_set_title(ADW_PREFERENCES_ROW(row), finding->sentence);
  adw_action_row_set_title_lines(ADW_ACTION_ROW(row), 0);
  add_button(row, finding, i);
  return row;
}

static void show_findings(ViewerSummaryPage *self)
{
  const ProfileSummaryFinding *finding;

  for (guint i = 0; i < self->rows->len; i++)
    adw_preferences_group_remove(ADW_PREFERENCES_GROUP(self->findings), self->rows->pdata[i]);
  g_ptr_array_set_size(self->rows, 0);
  for (guint i = 0; (finding = get_finding(self, i)); i++) {
    GtkWidget *row = make_row(finding, i);
    adw_preferences_group_add(ADW_PREFERENCES_GROUP(self->findings), row);
    g_ptr_array_add(self->rows, row);
  }
}

static void on_ready(ViewerSummaryPage *self)
{
  ProfileSummary *summary = viewer_latest_get(self->making);

  if (!summary_page_get_weights(self))
    return;
  show_findings(self);
  viewer_summary_card_show(self->threads, summary, PROFILE_ROWS_THREAD);
  viewer_summary_card_show(self->binaries, summary, PROFILE_ROWS_BINARY);
  viewer_page_take_focus(VIEWER_PAGE(self));
}

static void viewer_summary_page_show(ViewerListPage *page)
{
  ViewerSummaryPage *self = VIEWER_SUMMARY_PAGE(page);
  ProfileWeights *weights = summary_page_get_weights(self);

  if (weights)
    viewer_latest_request(self->making, profile_weights_ref(weights));
}

static void viewer_summary_page_show_selection(ViewerListPage *page)
{
}

static void viewer_summary_page_find(ViewerListPage *page)
{
}

static gboolean viewer_summary_page_grab_focus(GtkWidget *widget)
{
  ViewerSummaryPage *self = VIEWER_SUMMARY_PAGE(widget);

  return self->rows->len > 0 && gtk_widget_child_focus(self->findings, GTK_DIR_TAB_FORWARD);
}

static gboolean summary_page_copy(ViewerPage *page)
{
  ViewerSummaryPage *self = VIEWER_SUMMARY_PAGE(page);
  g_autoptr(GString) text = g_string_new(NULL);
  const ProfileSummaryFinding *finding;

  for (guint i = 0; (finding = get_finding(self, i)); i++)
    g_string_append_printf(text, "%s\n", finding->sentence);
  return viewer_copy_text(GTK_WIDGET(self), g_strdup(text->str));
}

static void init_page(ViewerPageInterface *interface)
{
  interface->copy = summary_page_copy;
}

static void viewer_summary_page_dispose(GObject *object)
{
  ViewerSummaryPage *self = VIEWER_SUMMARY_PAGE(object);

  g_clear_object(&self->making);
  g_clear_pointer(&self->rows, g_ptr_array_unref);
  G_OBJECT_CLASS(viewer_summary_page_parent_class)->dispose(object);
}

static void viewer_summary_page_class_init(ViewerSummaryPageClass *class)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(class);
  ViewerListPageClass *page_class = VIEWER_LIST_PAGE_CLASS(class);

  G_OBJECT_CLASS(class)->dispose = viewer_summary_page_dispose;
  widget_class->grab_focus = viewer_summary_page_grab_focus;
  page_class->show = viewer_summary_page_show;
  page_class->show_selection = viewer_summary_page_show_selection;
  page_class->find = viewer_summary_page_find;
  page_class->found = viewer_summary_page_find;
  g_type_ensure(VIEWER_TYPE_SUMMARY_CARD);
  gtk_widget_class_install_action(widget_class, "summary.show", "u", act_show);
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/summary/summary-page.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerSummaryPage, content);
  gtk_widget_class_bind_template_child(widget_class, ViewerSummaryPage, findings);
  gtk_widget_class_bind_template_child(widget_class, ViewerSummaryPage, threads);
  gtk_widget_class_bind_template_child(widget_class, ViewerSummaryPage, binaries);
}

static void viewer_summary_page_init(ViewerSummaryPage *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
  self->rows = g_ptr_array_new();
  self->making = viewer_latest_new(make_summary, (GDestroyNotify)profile_weights_unref,
                                   (GDestroyNotify)profile_summary_unref);
  g_signal_connect_object(self->making, "ready", G_CALLBACK(on_ready), self, G_CONNECT_SWAPPED);
}

GtkWidget *viewer_summary_page_new(void)
{
  return g_object_new(VIEWER_TYPE_SUMMARY_PAGE, NULL);
}
