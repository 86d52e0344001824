/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/flame/flame-details.h"

#include <glib/gi18n.h>

#include "profile/views/path-outcomes.h"
#include "viewer/kit/format.h"
#include "viewer/pages/flame/flame-text.h"

struct _ViewerFlameDetails {
  GtkWidget parent_instance;
  GtkStack *stack;
  GtkLabel *name, *total, *self, *parent, *binary, *place, *outcome;
  GtkWidget *self_box, *parent_box;
  GCancellable *counting; /* NULL: nothing is counted */
};

G_DEFINE_FINAL_TYPE(ViewerFlameDetails, viewer_flame_details, GTK_TYPE_WIDGET)

/* The stacks of one path, and how they ended. */
typedef struct {
  ProfileWeights *weights;
  gboolean inverted;
  guint32 *path;
  guint n_path;
  guint64 samples[PROFILE_OUTCOMES];
} Counting;

static void free_counting(Counting *counting)
{
  profile_weights_unref(counting->weights);
  g_free(counting->path);
  g_free(counting);
}

static void flame_details_dispose(GObject *object)
{
  ViewerFlameDetails *self = VIEWER_FLAME_DETAILS(object);

  g_cancellable_cancel(self->counting);
  g_clear_object(&self->counting);
  gtk_widget_dispose_template(GTK_WIDGET(self), VIEWER_TYPE_FLAME_DETAILS);
  G_OBJECT_CLASS(viewer_flame_details_parent_class)->dispose(object);
}

static void viewer_flame_details_class_init(ViewerFlameDetailsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = flame_details_dispose;
  gtk_widget_class_set_template_from_resource(widget_class,
                                              "/org/capturectl/Viewer/pages/flame/flame-details.ui");
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, stack);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, name);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, total);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, self);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, parent);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, parent_box);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, self_box);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, binary);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, place);
  gtk_widget_class_bind_template_child(widget_class, ViewerFlameDetails, outcome);
  gtk_widget_class_set_accessible_role(widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
}

static void viewer_flame_details_init(ViewerFlameDetails *self)
{
  gtk_widget_init_template(GTK_WIDGET(self));
}

GtkWidget *viewer_flame_details_new(void)
{
  return g_object_new(VIEWER_TYPE_FLAME_DETAILS, NULL);
}

/* An end that is not proven may well be the right one. NULL: all ends are. */
static char *describe_unproven(guint64 unproven, guint64 known)
{
  g_autofree char *part = viewer_format_share(unproven, known);

  if (unproven == 0)
    return NULL;
  return g_strdup_printf(_("The end of %s of its stacks is not proven: they follow frame pointers, and a "
                           "function that keeps none may be missing."),
                         part);
}

static char *describe_incomplete(guint64 incomplete, guint64 most, guint64 known, const char *clause)
{
  g_autofree char *part = viewer_format_share(incomplete, known);

  if (most == incomplete)
    return g_strdup_printf(_("%s of its stacks are incomplete: they %s."), part, clause);
  return g_strdup_printf(_("%s of its stacks are incomplete: most of them %s."), part, clause);
}

/* Free it; NULL: nothing is known of how these stacks ended. */
static char *describe_outcomes(const guint64 *samples)
{
  guint64 unproven = samples[CAPTURE_OUTCOME_FRAME_POINTERS], incomplete = 0, most = 0;
  const char *reason = NULL;

  for (guint i = 0; i < PROFILE_OUTCOMES; i++) {
    const char *clause = profile_outcome_get_clause((enum capture_outcome)i);

    if (!clause || i == CAPTURE_OUTCOME_FRAME_POINTERS)
      continue;
    incomplete += samples[i];
    if (samples[i] > most) {
      most = samples[i];
      reason = clause;
    }
  }
  guint64 known = samples[CAPTURE_OUTCOME_COMPLETE] + unproven + incomplete;
  if (known == 0)
    return NULL;
  if (incomplete + unproven == 0)
    return g_strdup(_("All of its stacks are complete."));
  g_autofree char *open = describe_unproven(unproven, known);
  if (incomplete == 0)
    return g_steal_pointer(&open);
  g_autofree char *broken = describe_incomplete(incomplete, most, known, reason);
  return g_strjoin(" ", broken, open, NULL);
}

static void flame_details_count(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Counting *counting = data;

  profile_path_outcomes(counting->weights, counting->inverted, counting->path, counting->n_path,
                        counting->samples);
  g_task_return_boolean(task, TRUE);
}

static void flame_details_counted(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerFlameDetails *self = VIEWER_FLAME_DETAILS(source);

  if (!g_task_propagate_boolean(G_TASK(result), NULL))
    return;
  Counting *counting = g_task_get_task_data(G_TASK(result));
  g_autofree char *text = describe_outcomes(counting->samples);
  gtk_label_set_text(self->outcome, text ? text : "");
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->outcome), text);
}

static void count_outcomes(ViewerFlameDetails *self, ProfileFlame *flame, guint box)
{
  Counting *counting = g_new0(Counting, 1);
  guint n;

  counting->weights = profile_weights_ref(profile_flame_get_weights(flame));
  counting->inverted = profile_flame_is_inverted(flame);
  counting->n_path = profile_flame_get_boxes(flame, &n)[box].depth;
  counting->path = g_new(guint32, counting->n_path + 1);
  profile_flame_get_path(flame, box, counting->path);
  self->counting = g_cancellable_new();
  g_autoptr(GTask) task = g_task_new(self, self->counting, flame_details_counted, NULL);
  g_task_set_task_data(task, counting, (GDestroyNotify)free_counting);
  g_task_run_in_thread(task, flame_details_count);
}

static void set_weight(GtkLabel *label, const ProfileWeights *weights, ProfileWeight weight)
{
  g_autofree char *amount = viewer_format_weight(weights, weight);
  g_autofree char *share = viewer_format_weight_share(weights, weight);
  g_autofree char *text = g_strdup_printf("%s (%s)", amount, share);
  g_autofree char *samples = viewer_format_samples(weight.count);

  gtk_label_set_text(label, text);
  gtk_widget_set_tooltip_text(GTK_WIDGET(label), samples);
}

static void set_text(GtkLabel *label, char *text)
{
  gtk_label_set_text(label, text ? text : "");
  gtk_widget_set_visible(GTK_WIDGET(label), text != NULL);
  g_free(text);
}

void viewer_flame_details_show(ViewerFlameDetails *self, ProfileFlame *flame, guint box)
{
  guint n;

  g_cancellable_cancel(self->counting);
  g_clear_object(&self->counting);
  gtk_stack_set_visible_child_name(self->stack, flame ? "box" : "nothing");
  if (!flame)
    return;
  const ProfileFlameBox *item = &profile_flame_get_boxes(flame, &n)[box];
  g_autofree char *full = viewer_flame_text_get_name(flame, box, 2000);
  g_autofree char *share = viewer_flame_text_get_share_of_parent(flame, box);
  gtk_label_set_text(self->name, full);
  gtk_widget_set_tooltip_text(GTK_WIDGET(self->name), full);
  set_weight(self->total, profile_flame_get_weights(flame), item->total);
  set_weight(self->self, profile_flame_get_weights(flame), item->self);
  gtk_widget_set_visible(self->self_box, !profile_flame_is_inverted(flame));
  gtk_widget_set_visible(self->parent_box, share != NULL);
  gtk_label_set_text(self->parent, share ? share : "");
  set_text(self->binary, viewer_flame_text_get_binary(flame, box));
  set_text(self->place, viewer_flame_text_get_place(flame, box));
  count_outcomes(self, flame, box);
}
