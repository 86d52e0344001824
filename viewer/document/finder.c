/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/finder.h"

#include <glib/gi18n.h>

#include "viewer/kit/format.h"

struct _ViewerFinder {
  GObject parent;
  ProfileSearch *search;
  gboolean is_running;
  ProfileWeights *weights; /* of the newest question that waits; NULL: none does */
  char *text;
  guint number; /* of the newest question */
};

G_DEFINE_TYPE(ViewerFinder, viewer_finder, G_TYPE_OBJECT)

enum { FOUND, N_SIGNALS };
static guint signals[N_SIGNALS];

typedef struct {
  ProfileWeights *weights;
  char *text;
  guint number;
} Question;

static void finder_start(ViewerFinder *self);

static void question_free(gpointer data)
{
  Question *question = data;

  profile_weights_unref(question->weights);
  g_free(question->text);
  g_free(question);
}

static void set_found(ViewerFinder *self, ProfileSearch *search)
{
  g_clear_pointer(&self->search, profile_search_unref);
  self->search = search;
  g_signal_emit(self, signals[FOUND], 0);
}

static void finder_run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Question *question = data;

  g_task_return_pointer(task, profile_search_new(question->weights, question->text),
                        (GDestroyNotify)profile_search_unref);
}

static void finder_finish(GObject *source, GAsyncResult *result, gpointer data)
{
  ViewerFinder *self = VIEWER_FINDER(source);
  const Question *question = g_task_get_task_data(G_TASK(result));
  ProfileSearch *search = g_task_propagate_pointer(G_TASK(result), NULL);

  self->is_running = FALSE;
  if (question->number == self->number)
    set_found(self, search);
  else
    profile_search_unref(search);
  finder_start(self);
}

static void finder_start(ViewerFinder *self)
{
  if (self->is_running || !self->weights)
    return;
  Question *question = g_new0(Question, 1);
  question->weights = g_steal_pointer(&self->weights);
  question->text = g_steal_pointer(&self->text);
  question->number = self->number;
  self->is_running = TRUE;
  g_autoptr(GTask) task = g_task_new(self, NULL, finder_finish, NULL);
  g_task_set_task_data(task, question, question_free);
  g_task_run_in_thread(task, finder_run);
}

static void viewer_finder_finalize(GObject *object)
{
  ViewerFinder *self = VIEWER_FINDER(object);

  g_clear_pointer(&self->search, profile_search_unref);
  g_clear_pointer(&self->weights, profile_weights_unref);
  g_free(self->text);
  G_OBJECT_CLASS(viewer_finder_parent_class)->finalize(object);
}

static void viewer_finder_class_init(ViewerFinderClass *class)
{
  G_OBJECT_CLASS(class)->finalize = viewer_finder_finalize;
  signals[FOUND] =
      g_signal_new("found", VIEWER_TYPE_FINDER, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_finder_init(ViewerFinder *self)
{
}

ViewerFinder *viewer_finder_new(void)
{
  return g_object_new(VIEWER_TYPE_FINDER, NULL);
}

void viewer_finder_find(ViewerFinder *self, ProfileWeights *weights, const char *text)
{
  self->number++;
  g_clear_pointer(&self->weights, profile_weights_unref);
  g_clear_pointer(&self->text, g_free);
  if (!weights || !text || !*text) {
    if (self->search)
      set_found(self, NULL);
    return;
  }
  self->weights = profile_weights_ref(weights);
  self->text = g_strdup(text);
  finder_start(self);
}

ProfileSearch *viewer_finder_get(ViewerFinder *self)
{
  return self->search;
}

gboolean viewer_finder_is_busy(ViewerFinder *self)
{
  return self->is_running;
}

char *viewer_finder_describe(ViewerFinder *self)
{
  if (!self->search)
    return NULL;
  guint n = profile_search_get_n_functions(self->search);
  if (n == 0)
    return g_strdup(_("Nothing found"));
  g_autofree char *number = viewer_format_count(n);
  g_autofree char *share = viewer_format_weight_share(profile_search_get_weights(self->search),
                                                      profile_search_get_total(self->search));
  /* TRANSLATORS: How many functions a search found, and the share of samples that leads through them. */
  return g_strdup_printf(ngettext("%s function, %s", "%s functions, %s", n), number, share);
}
