/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stacks in which a recorded frame is several: with functions that were inlined at it, or its lines of
 * source. */
#include <string.h>

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/stacks-builder.h"

typedef struct {
  const ProfileStacks *own;
  guint32 *to; /* one a node of own: its last one */
  ProfileStacksBuilder tree;
} Expansion;

static void expansion_begin(Expansion *self, const ProfileStacks *own, gsize n_max)
{
  self->own = own;
  self->to = profile_new(guint32, own->n_nodes);
  self->to[0] = 0;
  profile_stacks_builder_init(&self->tree, n_max);
}

static void expansion_end(Expansion *self, ProfileStacks *stacks)
{
  profile_stacks_builder_finish(&self->tree, stacks, self->to, self->own->n_nodes);
  stacks->map = g_steal_pointer(&self->to);
  profile_stacks_builder_clear(&self->tree);
}

const ProfileChain *profile_capture_get_chain(const ProfileCapture *capture, gsize node)
{
  static const ProfileChain empty;
  const ProfileNames *names = &capture->names;

  if (!names->chains)
    return &empty;
  return &names->chains[(capture->exact[node] ? names->leaf_chain
                                              : names->caller_chain)[capture->frame[node]]];
}

static guint32 add_inlined(ProfileStacksBuilder *tree, guint32 parent, guint32 function, gboolean inlined)
{
  guint32 n = tree->n_nodes, node = profile_stacks_builder_add(tree, parent, function);

  tree->inlined[node] = node == n ? inlined : tree->inlined[node] && inlined;
  return node;
}

static void add_chains(Expansion *self)
{
  const ProfileCapture *capture = self->own->capture;

  for (guint32 node = 1; node < self->own->n_nodes; node++) {
    const ProfileChain *chain = profile_capture_get_chain(capture, node);
    guint32 to = self->to[self->own->parents[node]];

    to = add_inlined(&self->tree, to, self->own->functions[node], FALSE);
    for (guint32 i = 0; i < chain->n; i++)
      to = add_inlined(&self->tree, to, capture->names.chain_functions[chain->first + i], TRUE);
    self->to[node] = to;
  }
}

void profile_stacks_renew_inlined(ProfileStacks *self)
{
  const ProfileStacks *own = self->capture->stacks;
  Expansion expansion;
  gsize n = own->n_nodes;

  profile_stacks_clear(self);
  for (gsize node = 1; node < own->n_nodes; node++)
    n += profile_capture_get_chain(own->capture, node)->n;
  expansion_begin(&expansion, own, n);
  expansion.tree.inlined = profile_new0(guint8, n);
  add_chains(&expansion);
  expansion_end(&expansion, self);
  self->n_capture_functions = own->n_capture_functions;
}

/* A line, or with line 0 a file. */
typedef struct {
  const char *file;
  guint32 line;
} Source;

typedef struct {
  Expansion expansion;
  ProfileStacks *stacks;
  gboolean by_file;
  GHashTable *known;           /* Source → function */
  const ProfilePlace **places; /* one a node; NULL: none */
} Sourcing;

static guint source_hash(gconstpointer key)
{
  const Source *source = key;

  return g_str_hash(source->file) * 31 + source->line;
}

static gboolean source_equal(gconstpointer a, gconstpointer b)
{
  const Source *left = a, *right = b;

  return left->line == right->line && strcmp(left->file, right->file) == 0;
}

static guint32 add_source(Sourcing *self, const Source *source, const ProfileFunction *function)
{
  g_autofree char *base = g_path_get_basename(source->file);
  g_autofree char *name =
      self->by_file ? g_strdup(source->file) : g_strdup_printf("%s:%" G_GUINT32_FORMAT, base, source->line);
  const ProfileFunctionRange range = {.name = name,
                                      .file = source->file,
                                      .module = function->range ? function->range->module : NULL,
                                      .line = source->line};

  profile_collapsed_add(self->stacks->collapsed, &range, function->binary, function->kind);
  return (guint32)self->stacks->n_capture_functions + self->stacks->collapsed->len - 1;
}

/* What stands for a line; where none is known, the function itself does. */
static guint32 get_source(Sourcing *self, const char *file, guint32 line, guint32 function)
{
  Source source = {.file = file, .line = self->by_file ? 0 : line};
  gpointer found;

  if (!file || line == 0)
    return function;
  found = g_hash_table_lookup(self->known, &source);
  if (!found) {
    found = GUINT_TO_POINTER(add_source(self, &source, &self->stacks->capture->names.functions[function]));
    g_hash_table_insert(self->known, g_memdup2(&source, sizeof source), found);
  }
  return GPOINTER_TO_UINT(found);
}

/* Of code that programs told of. */
static guint32 get_told_source(Sourcing *self, guint32 node, guint32 function)
{
  const char *file = NULL, *inlined;
  guint32 line = 0;

  if (!profile_capture_get_node_line(self->stacks->capture, node, &file, &line, &inlined))
    return function;
  return get_source(self, file, line, function);
}

static guint32 add_sources_of_node(Sourcing *self, guint32 node, guint32 to)
{
  const ProfileCapture *capture = self->stacks->capture;
  const ProfileFrame *frame = &capture->frames[capture->frame[node]];
  const ProfilePlace *place = self->places[node];
  ProfileStacksBuilder *tree = &self->expansion.tree;
  guint32 function = self->expansion.own->functions[node];

  if (!place)
    return profile_stacks_builder_add(tree, to, get_told_source(self, node, function));
  const ProfilePlaces *places = capture->places[profile_capture_get_slot(capture, frame)];
  for (guint32 i = place->n_frames; i-- > 0;) {
    const ProfilePlaceFrame *at = profile_places_get_frame(places, place, i);

    to = profile_stacks_builder_add(tree, to, get_source(self, at->file, at->line, function));
  }
  return to;
}

/* How many nodes there will be at most. */
static gsize find_places(Sourcing *self)
{
  const ProfileCapture *capture = self->stacks->capture;
  gsize n = capture->n_nodes;

  self->places = profile_new0(const ProfilePlace *, n);
  for (gsize node = 1; node < capture->n_nodes; node++) {
    self->places[node] = profile_capture_find_place(capture, &capture->frames[capture->frame[node]],
                                                    capture->exact[node] != 0);
    n += self->places[node] ? self->places[node]->n_frames - 1 : 0;
  }
  return n;
}

/* Samples that transforms dropped are dropped here too. */
static void drop_dropped(guint32 *map, const ProfileStacks *from)
{
  for (gsize node = 0; from->map && node < from->capture->n_nodes; node++)
    if (from->map[node] == PROFILE_STACKS_DROPPED)
      map[node] = PROFILE_STACKS_DROPPED;
}

ProfileStacks *profile_stacks_new_by_source(ProfileStacks *from, gboolean by_file)
{
  ProfileCapture *capture = from->capture;
  const ProfileStacks *own = capture->stacks;
  Sourcing self = {.stacks = g_new0(ProfileStacks, 1), .by_file = by_file};

  g_atomic_ref_count_init(&self.stacks->references);
  self.stacks->capture = g_object_ref(capture);
  self.stacks->is_transformed = TRUE;
  self.stacks->n_capture_functions = own->n_capture_functions;
  self.stacks->collapsed = profile_collapsed_copy(NULL);
  self.known = g_hash_table_new_full(source_hash, source_equal, g_free, NULL);
  expansion_begin(&self.expansion, own, find_places(&self));
  for (guint32 node = 1; node < own->n_nodes; node++)
    self.expansion.to[node] = add_sources_of_node(&self, node, self.expansion.to[own->parents[node]]);
  expansion_end(&self.expansion, self.stacks);
  g_free(self.places);
  drop_dropped(self.stacks->map, from);
  g_hash_table_unref(self.known);
  return self.stacks;
}
