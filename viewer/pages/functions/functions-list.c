/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/functions/functions-list.h"

#include <string.h>
#include <strings.h>

/* What was counted; shared by lists in other orders. */
typedef struct {
  ProfileWeights *weights;
  ProfileRows *rows;
} Counted;

struct _ViewerFunctionsList {
  gatomicrefcount references;
  Counted *counted;   /* of g_atomic_rc_box */
  GArray *order;      /* guint32: indices of rows */
  guint32 *positions; /* by function; G_MAXUINT32: it has none */
  guint32 n_functions;
};

/* What a row is compared by, before they are compared. */
typedef struct {
  guint64 measure;
  const char *text;
  guint32 row;
} Key;

typedef struct {
  gboolean by_text, descending;
} Order;

static void clear_counted(Counted *counted)
{
  profile_rows_free(counted->rows);
  profile_weights_unref(counted->weights);
}

static Counted *functions_list_count(ProfileWeights *weights)
{
  Counted *counted = g_atomic_rc_box_new(Counted);

  counted->weights = profile_weights_ref(weights);
  counted->rows = profile_rows_new(weights, PROFILE_ROWS_FUNCTION);
  return counted;
}

static Key make_key(const Counted *counted, guint32 i, ViewerFunctionsBy by)
{
  ProfileRow row = profile_rows_get(counted->rows, i);
  ProfileStacks *stacks = profile_weights_get_stacks(counted->weights);
  Key key = {.row = i};

  if (by == VIEWER_FUNCTIONS_BY_NAME)
    key.text = profile_stacks_get_function_name(stacks, row.item);
  else if (by == VIEWER_FUNCTIONS_BY_BINARY)
    key.text = profile_stacks_get_function_binary(stacks, row.item);
  else
    key.measure =
        profile_weights_measure(counted->weights, by == VIEWER_FUNCTIONS_BY_SELF ? row.self : row.total);
  return key;
}

/* Equal ones stand as the rows do, most self first, whatever the direction. */
static gint compare_keys(gconstpointer a, gconstpointer b, gpointer data)
{
  const Key *left = a, *right = b;
  const Order *order = data;
  gint result = order->by_text ? strcasecmp(left->text, right->text)
                               : (left->measure > right->measure) - (left->measure < right->measure);

  if (result == 0)
    return left->row < right->row ? -1 : left->row > right->row;
  return order->descending ? -result : result;
}

static void functions_list_sort(ViewerFunctionsList *self, ViewerFunctionsBy by, gboolean descending,
                                ProfileSearch *search)
{
  g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(Key));
  Order order = {by >= VIEWER_FUNCTIONS_BY_NAME, descending};
  gsize n = profile_rows_get_n(self->counted->rows);

  for (guint32 i = 0; i < n; i++) {
    if (search && !profile_search_has(search, profile_rows_get(self->counted->rows, i).item))
      continue;
    Key key = make_key(self->counted, i, by);
    g_array_append_val(keys, key);
  }
  if (by != VIEWER_FUNCTIONS_BY_SELF || !descending)
    g_array_sort_with_data(keys, compare_keys, &order);
  for (guint i = 0; i < keys->len; i++)
    g_array_append_val(self->order, g_array_index(keys, Key, i).row);
}

static void note_positions(ViewerFunctionsList *self)
{
  self->n_functions = profile_stacks_get_n_functions(profile_weights_get_stacks(self->counted->weights));
  self->positions = g_new(guint32, self->n_functions);
  memset(self->positions, 0xff, self->n_functions * sizeof *self->positions);
  for (guint32 i = 0; i < self->order->len; i++)
    self->positions[viewer_functions_list_get(self, i).item] = i;
}

ViewerFunctionsList *viewer_functions_list_new(ProfileWeights *weights, ViewerFunctionsBy by,
                                               gboolean descending, ProfileSearch *search,
                                               ViewerFunctionsList *known)
{
  ViewerFunctionsList *self = g_new0(ViewerFunctionsList, 1);

  g_atomic_ref_count_init(&self->references);
  self->counted = known ? g_atomic_rc_box_acquire(known->counted) : functions_list_count(weights);
  self->order = g_array_new(FALSE, FALSE, sizeof(guint32));
  functions_list_sort(self, by, descending, search);
  note_positions(self);
  return self;
}

ViewerFunctionsList *viewer_functions_list_ref(ViewerFunctionsList *self)
{
  g_atomic_ref_count_inc(&self->references);
  return self;
}

void viewer_functions_list_unref(ViewerFunctionsList *self)
{
  if (!g_atomic_ref_count_dec(&self->references))
    return;
  g_atomic_rc_box_release_full(self->counted, (GDestroyNotify)clear_counted);
  g_array_unref(self->order);
  g_free(self->positions);
  g_free(self);
}

ProfileWeights *viewer_functions_list_get_weights(const ViewerFunctionsList *self)
{
  return self->counted->weights;
}

guint viewer_functions_list_get_n(const ViewerFunctionsList *self)
{
  return self->order->len;
}

ProfileRow viewer_functions_list_get(const ViewerFunctionsList *self, guint position)
{
  return profile_rows_get(self->counted->rows, g_array_index(self->order, guint32, position));
}

guint viewer_functions_list_get_position(const ViewerFunctionsList *self, guint32 function)
{
  return function < self->n_functions ? self->positions[function] : G_MAXUINT;
}
