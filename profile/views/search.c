/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/search.h"

#include <string.h>

#include "profile/base/memory.h"

struct _ProfileSearch {
  gatomicrefcount references;
  ProfileWeights *weights;
  ProfileStacks *stacks; /* the weights' */
  char *text;
  guint8 *has; /* one a function */
  gsize n_all; /* functions */
  guint n_functions;
  ProfileWeight total;
};

/* A place before its path is made: from a node to an ancestor of it (inverted), or to it. */
typedef struct {
  guint64 measure;
  guint32 node, end;
} Place;

/* Those that samples lead through get a 1. */
static void mark_functions(ProfileSearch *self)
{
  const guint32 *functions = profile_stacks_get_functions(self->stacks);
  const guint32 *totals = profile_weights_get_total_counts(self->weights);
  gsize n = profile_stacks_get_n_nodes(self->stacks);

  for (gsize i = 1; i < n; i++)
    if (totals[i])
      self->has[functions[i]] = 1;
}

static gboolean search_holds(const char *name, const char *text, const char *folded)
{
  if (!folded)
    return strcasestr(name, text) != NULL;
  g_autofree char *folded_name = g_utf8_casefold(name, -1);
  return strstr(folded_name, folded) != NULL;
}

/* Of those that are marked, the ones whose names do not hold the text lose their mark. */
static void match_functions(ProfileSearch *self)
{
  g_autofree char *folded = g_str_is_ascii(self->text) ? NULL : g_utf8_casefold(self->text, -1);

  for (gsize i = 0; i < self->n_all; i++) {
    if (self->has[i])
      self->has[i] =
          search_holds(profile_stacks_get_function_name(self->stacks, (guint32)i), self->text, folded);
    self->n_functions += self->has[i];
  }
}

/* For each node the nearest one, of itself and its ancestors, with such a function; 0: there is none. */
static guint32 *find_nearest(const ProfileSearch *self)
{
  const guint32 *functions = profile_stacks_get_functions(self->stacks);
  const guint32 *parents = profile_stacks_get_parents(self->stacks);
  gsize n = profile_stacks_get_n_nodes(self->stacks);
  guint32 *nearest = profile_new(guint32, n);

  nearest[0] = 0;
  for (gsize i = 1; i < n; i++)
    nearest[i] = self->has[functions[i]] ? (guint32)i : nearest[parents[i]];
  return nearest;
}

static void add_up(ProfileSearch *self)
{
  g_autofree guint32 *nearest = find_nearest(self);
  const guint32 *parents = profile_stacks_get_parents(self->stacks);
  gsize n = profile_stacks_get_n_nodes(self->stacks);

  for (gsize i = 1; i < n; i++)
    if (nearest[i] == i && !nearest[parents[i]])
      profile_weight_add(&self->total, profile_weights_get_total(self->weights, (guint32)i));
}

ProfileSearch *profile_search_new(ProfileWeights *weights, const char *text)
{
  ProfileSearch *self = g_new0(ProfileSearch, 1);

  g_atomic_ref_count_init(&self->references);
  self->weights = profile_weights_ref(weights);
  self->stacks = profile_weights_get_stacks(weights);
  self->text = g_strdup(text);
  self->n_all = profile_stacks_get_n_functions(self->stacks);
  self->has = profile_new0(guint8, self->n_all);
  if (*text) {
    mark_functions(self);
    match_functions(self);
    add_up(self);
  }
  return self;
}

ProfileSearch *profile_search_ref(ProfileSearch *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void profile_search_unref(ProfileSearch *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  profile_weights_unref(self->weights);
  g_free(self->text);
  g_free(self->has);
  g_free(self);
}

ProfileWeights *profile_search_get_weights(const ProfileSearch *self)
{
  return self->weights;
}

gboolean profile_search_has(const ProfileSearch *self, guint32 function)
{
  return function < self->n_all && self->has[function];
}

guint profile_search_get_n_functions(const ProfileSearch *self)
{
  return self->n_functions;
}

ProfileWeight profile_search_get_total(const ProfileSearch *self)
{
  return self->total;
}

static gint compare_places(gconstpointer a, gconstpointer b)
{
  const Place *left = a, *right = b;

  if (left->measure != right->measure)
    return left->measure > right->measure ? -1 : 1;
  return left->node < right->node ? -1 : left->node > right->node;
}

static GArray *find_places(const ProfileSearch *self, gboolean inverted)
{
  g_autofree guint32 *nearest = find_nearest(self);
  GArray *places = g_array_new(FALSE, FALSE, sizeof(Place));
  gsize n = profile_stacks_get_n_nodes(self->stacks);

  for (gsize i = 1; i < n; i++) {
    if (inverted ? nearest[i] == 0 : nearest[i] != i)
      continue;
    ProfileWeight weight = inverted ? profile_weights_get_self(self->weights, (guint32)i)
                                    : profile_weights_get_total(self->weights, (guint32)i);
    Place place = {profile_weights_measure(self->weights, weight), (guint32)i, nearest[i]};
    if (place.measure)
      g_array_append_val(places, place);
  }
  g_array_sort(places, compare_places);
  return places;
}

GPtrArray *profile_search_find_paths(const ProfileSearch *self, gboolean inverted, guint n_max)
{
  g_autoptr(GArray) places = find_places(self, inverted);
  GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GHashTable) known = g_hash_table_new(profile_path_hash, profile_path_equal);

  for (guint i = 0; i < places->len && paths->len < n_max; i++) {
    const Place *place = &g_array_index(places, Place, i);
    ProfilePath *path = inverted ? profile_path_new_inverted(self->stacks, place->node, place->end)
                                 : profile_path_new(self->stacks, place->node);
    if (g_hash_table_contains(known, path)) {
      g_free(path);
      continue;
    }
    g_hash_table_add(known, path);
    g_ptr_array_add(paths, path);
  }
  return paths;
}
