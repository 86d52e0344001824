/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/document/weigher.h"

#include "viewer/kit/palette.h"

/* Stacks that a step led to from those of the link before it. */
typedef struct {
  ViewerStep *step;
  ProfileStacks *stacks;
} Link;

typedef struct {
  ProfileFilter *filter;
  ProfileStacks *base; /* the filter's, before there are transforms; not a reference */
  GPtrArray *steps;    /* ViewerStep; the transforms */
  GArray *chain;       /* Link; as many as are known of these steps */
  ProfileWeights *weights;
  ProfileStacks *looked_at; /* whose kinds are known */
  guint kinds;
} Work;

struct _ViewerWeigher {
  GObject parent_instance;
  ViewerQuery *query;
  ProfileCapture *wanted;  /* not NULL: to be asked for as soon as nothing is under way */
  ProfileCapture *capture; /* that the chain belongs to */
  ProfileStacks *base;     /* and that it begins with; not a reference */
  GArray *chain;           /* Link */
  ProfileWeights *weights;
  ProfileStacks *looked_at; /* whose kinds are known */
  guint kinds;
  GCancellable *current; /* not NULL while something is under way */
};

enum { SIGNAL_READY, N_SIGNALS };

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(ViewerWeigher, viewer_weigher, G_TYPE_OBJECT)

static void link_clear(gpointer data)
{
  Link *link = data;

  g_object_unref(link->step);
  profile_stacks_unref(link->stacks);
}

static GArray *new_chain(void)
{
  GArray *chain = g_array_new(FALSE, FALSE, sizeof(Link));

  g_array_set_clear_func(chain, link_clear);
  return chain;
}

static void add_link(GArray *chain, ViewerStep *step, ProfileStacks *stacks)
{
  Link link = {.step = g_object_ref(step), .stacks = profile_stacks_ref(stacks)};

  g_array_append_val(chain, link);
}

static void work_free(gpointer data)
{
  Work *self = data;

  profile_filter_free(self->filter);
  g_ptr_array_unref(self->steps);
  g_array_unref(self->chain);
  g_clear_pointer(&self->weights, profile_weights_unref);
  g_clear_pointer(&self->looked_at, profile_stacks_unref);
  g_free(self);
}

static void viewer_weigher_dispose(GObject *object)
{
  ViewerWeigher *self = VIEWER_WEIGHER(object);

  viewer_weigher_clear(self);
  g_clear_object(&self->query);
  G_OBJECT_CLASS(viewer_weigher_parent_class)->dispose(object);
}

static void viewer_weigher_finalize(GObject *object)
{
  g_array_unref(VIEWER_WEIGHER(object)->chain);
  G_OBJECT_CLASS(viewer_weigher_parent_class)->finalize(object);
}

static void viewer_weigher_class_init(ViewerWeigherClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = viewer_weigher_dispose;
  G_OBJECT_CLASS(klass)->finalize = viewer_weigher_finalize;
  signals[SIGNAL_READY] =
      g_signal_new("ready", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void viewer_weigher_init(ViewerWeigher *self)
{
  self->chain = new_chain();
}

ViewerWeigher *viewer_weigher_new(ViewerQuery *query)
{
  ViewerWeigher *self = g_object_new(VIEWER_TYPE_WEIGHER, NULL);

  self->query = g_object_ref(query);
  return self;
}

/* Those of the query that are transforms. */
static GPtrArray *get_transforms(ViewerQuery *query)
{
  GPtrArray *steps = g_ptr_array_new_with_free_func(g_object_unref);
  guint n = g_list_model_get_n_items(G_LIST_MODEL(query));

  for (guint i = 0; i < n; i++) {
    g_autoptr(ViewerStep) step = g_list_model_get_item(G_LIST_MODEL(query), i);
    if (viewer_step_get_transform(step))
      g_ptr_array_add(steps, g_steal_pointer(&step));
  }
  return steps;
}

static Work *new_work(ViewerWeigher *self, ProfileCapture *capture)
{
  Work *work = g_new0(Work, 1);

  work->filter = viewer_query_make_filter(self->query, capture, TRUE);
  work->base = profile_filter_get_stacks(work->filter);
  work->steps = get_transforms(self->query);
  work->chain = new_chain();
  work->looked_at = self->looked_at ? profile_stacks_ref(self->looked_at) : NULL;
  work->kinds = self->kinds;
  if (capture != self->capture || work->base != self->base)
    return work;
  for (guint i = 0; i < MIN(self->chain->len, work->steps->len); i++) {
    const Link *link = &g_array_index(self->chain, Link, i);
    if (link->step != work->steps->pdata[i])
      break;
    add_link(work->chain, link->step, link->stacks);
  }
  return work;
}

static void extend_chain(Work *work)
{
  while (work->chain->len < work->steps->len) {
    guint n = work->chain->len;
    ViewerStep *step = work->steps->pdata[n];
    g_autoptr(ProfileStacks) before = n > 0
                                          ? profile_stacks_ref(g_array_index(work->chain, Link, n - 1).stacks)
                                          : profile_stacks_ref(profile_filter_get_stacks(work->filter));
    g_autoptr(ProfileStacks) after = profile_stacks_transform(before, viewer_step_get_transform(step));
    add_link(work->chain, step, after);
  }
}

/* Of stacks that are others than before: of what is filtered, the legend is that of everything. */
static void find_kinds(Work *work)
{
  ProfileStacks *stacks = profile_weights_get_stacks(work->weights);

  if (stacks == work->looked_at)
    return;
  g_clear_pointer(&work->looked_at, profile_stacks_unref);
  work->looked_at = profile_stacks_ref(stacks);
  work->kinds = viewer_palette_find_kinds(stacks);
}

static void weigher_run(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  Work *work = data;

  extend_chain(work);
  if (work->chain->len > 0)
    profile_filter_set_stacks(work->filter, g_array_index(work->chain, Link, work->chain->len - 1).stacks);
  work->weights = profile_weights_new(work->filter);
  find_kinds(work);
  g_task_return_boolean(task, TRUE);
}

static void weigher_begin(ViewerWeigher *self);

static void on_done(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(ViewerWeigher) self = data;
  Work *work = g_task_get_task_data(G_TASK(result));
  GCancellable *cancellable = g_task_get_cancellable(G_TASK(result));

  if (cancellable != self->current)
    return;
  g_clear_object(&self->current);
  g_set_object(&self->capture, profile_filter_get_capture(work->filter));
  self->base = work->base;
  g_array_unref(self->chain);
  self->chain = g_array_ref(work->chain);
  g_clear_pointer(&self->weights, profile_weights_unref);
  self->weights = g_steal_pointer(&work->weights);
  g_clear_pointer(&self->looked_at, profile_stacks_unref);
  self->looked_at = g_steal_pointer(&work->looked_at);
  self->kinds = work->kinds;
  if (self->wanted)
    weigher_begin(self);
  g_signal_emit(self, signals[SIGNAL_READY], 0);
}

static void weigher_begin(ViewerWeigher *self)
{
  g_autoptr(ProfileCapture) capture = g_steal_pointer(&self->wanted);
  g_autoptr(GTask) task = NULL;

  self->current = g_cancellable_new();
  task = g_task_new(NULL, self->current, on_done, g_object_ref(self));
  g_task_set_task_data(task, new_work(self, capture), work_free);
  g_task_run_in_thread(task, weigher_run);
}

void viewer_weigher_ask(ViewerWeigher *self, ProfileCapture *capture)
{
  g_set_object(&self->wanted, capture);
  if (!self->current)
    weigher_begin(self);
}

ProfileWeights *viewer_weigher_get_weights(ViewerWeigher *self)
{
  return self->weights;
}

guint viewer_weigher_get_kinds(ViewerWeigher *self)
{
  return self->kinds;
}

void viewer_weigher_clear(ViewerWeigher *self)
{
  g_clear_object(&self->wanted);
  g_clear_object(&self->current);
  g_clear_object(&self->capture);
  g_array_set_size(self->chain, 0);
  g_clear_pointer(&self->weights, profile_weights_unref);
  g_clear_pointer(&self->looked_at, profile_stacks_unref);
  self->kinds = 0;
}
