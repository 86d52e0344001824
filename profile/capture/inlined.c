/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which functions were inlined where the frames are. */
#include "profile/base/memory.h"
#include "profile/base/parallel.h"
#include "profile/capture/capture-private.h"

enum { PIECE = 1 << 14 };

typedef struct {
  const ProfileCapture *capture;
  ProfileNames *names;
  GArray *functions;
  guint32 slot;         /* the binary at hand; behind the last one's the kernel */
  guint32 *first_place; /* number of the first place of each slot's */
  guint32 *chain;       /* one a place: first whether it is used, then its chain */
  GHashTable *known;    /* functions of the slot, by name and module: ProfileFunctionRange → index */
  GArray *chains, *chain_functions;
  GHashTable *told;        /* functions that programs told of: Told → index */
  GHashTable *told_chains; /* a function of these → chain */
} Inlining;

typedef struct {
  const char *name;
  guint32 binary;
} Told;

guint32 profile_capture_get_slot(const ProfileCapture *self, const ProfileFrame *frame)
{
  if (frame->kind == CAPTURE_SPACE_KERNEL)
    return self->binaries->len;
  return frame->kind == CAPTURE_SPACE_BINARY ? frame->owner : G_MAXUINT32;
}

const ProfilePlace *profile_capture_find_place(const ProfileCapture *self, const ProfileFrame *frame,
                                               gboolean exact)
{
  guint32 slot = profile_capture_get_slot(self, frame);
  const ProfilePlaces *places = slot == G_MAXUINT32 ? NULL : self->places[slot];

  return places ? profile_places_lookup(places, exact ? frame->address : frame->address - 1) : NULL;
}

/* 1 + the number of the place, where something was inlined; else 0. */
static guint32 inlined_use_place(const Inlining *self, const ProfileFrame *frame, gboolean exact)
{
  const ProfilePlace *place = profile_capture_find_place(self->capture, frame, exact);
  guint32 slot = profile_capture_get_slot(self->capture, frame), number;
  gsize n;

  if (!place || place->n_frames < 2)
    return 0;
  number = self->first_place[slot] + (guint32)(place - profile_places_get(self->capture->places[slot], &n));
  __atomic_store_n(&self->chain[number], 1, __ATOMIC_RELAXED);
  return number + 1;
}

static void inlined_find_places(gsize begin, gsize end, gpointer data)
{
  Inlining *self = data;

  for (gsize i = begin; i < end; i++) {
    self->names->leaf_chain[i] = inlined_use_place(self, &self->capture->frames[i], TRUE);
    self->names->caller_chain[i] = inlined_use_place(self, &self->capture->frames[i], FALSE);
  }
}

static void inlined_take_chains(gsize begin, gsize end, gpointer data)
{
  Inlining *self = data;
  guint32 *leaf = self->names->leaf_chain, *caller = self->names->caller_chain;

  for (gsize i = begin; i < end; i++) {
    leaf[i] = leaf[i] ? self->chain[leaf[i] - 1] : 0;
    caller[i] = caller[i] ? self->chain[caller[i] - 1] : 0;
  }
}

static guint inlined_hash(gconstpointer key)
{
  const ProfileFunctionRange *range = key;

  return g_str_hash(range->name) ^ (range->module ? g_str_hash(range->module) : 0);
}

static gboolean inlined_equal(gconstpointer a, gconstpointer b)
{
  const ProfileFunctionRange *left = a, *right = b;

  return g_str_equal(left->name, right->name) && g_strcmp0(left->module, right->module) == 0;
}

static gboolean is_kernel(const Inlining *self)
{
  return self->slot == self->capture->binaries->len;
}

/* A function that was also called is one function with where it was inlined. */
static void inlined_learn_known(Inlining *self)
{
  guint16 kind = is_kernel(self) ? CAPTURE_SPACE_KERNEL : CAPTURE_SPACE_BINARY;

  g_hash_table_remove_all(self->known);
  for (guint i = 0; i < self->functions->len; i++) {
    const ProfileFunction *function = &g_array_index(self->functions, ProfileFunction, i);

    if (function->range && !function->range->nameless && function->kind == kind &&
        (is_kernel(self) || function->binary == self->slot))
      g_hash_table_insert(self->known, (gpointer)function->range, GUINT_TO_POINTER(i));
  }
}

static guint32 inlined_add_function(Inlining *self, const ProfileFunctionRange *range)
{
  ProfileFunctionRange *own = g_memdup2(range, sizeof *range);
  ProfileFunction function = {.range = own,
                              .binary = is_kernel(self) ? G_MAXUINT32 : self->slot,
                              .kind = is_kernel(self) ? CAPTURE_SPACE_KERNEL : CAPTURE_SPACE_BINARY};

  g_ptr_array_add(self->names->inlined, own);
  g_array_append_val(self->functions, function);
  g_hash_table_insert(self->known, own, GUINT_TO_POINTER(self->functions->len - 1));
  return self->functions->len - 1;
}

static guint32 inlined_get_function(Inlining *self, const ProfilePlaceFrame *frame, const char *module)
{
  ProfileFunctionRange range = {.name = frame->name,
                                .linkage_name = frame->linkage_name,
                                .file = frame->declared_file,
                                .line = frame->declared_line,
                                .module = module};
  guint32 function = GPOINTER_TO_UINT(g_hash_table_lookup(self->known, &range));

  return function ? function : inlined_add_function(self, &range);
}

/* The kernel's module that the place is in; NULL: none. */
static const char *find_module(const Inlining *self, const ProfilePlace *place)
{
  const ProfileFunctionTable *table = is_kernel(self) ? self->capture->kernel_table : NULL;
  const ProfileFunctionRange *range = table ? profile_function_table_lookup(table, place->start) : NULL;

  return range ? range->module : NULL;
}

static guint32 inlined_add_chain(Inlining *self, const ProfilePlace *place)
{
  const ProfilePlaces *places = self->capture->places[self->slot];
  const char *module = find_module(self, place);
  ProfileChain chain = {.first = self->chain_functions->len};

  for (guint32 i = place->n_frames - 1; i-- > 0;) {
    const ProfilePlaceFrame *frame = profile_places_get_frame(places, place, i);
    guint32 function = frame->name ? inlined_get_function(self, frame, module) : 0;

    if (function)
      g_array_append_val(self->chain_functions, function);
  }
  chain.n = self->chain_functions->len - chain.first;
  g_array_append_val(self->chains, chain);
  return self->chains->len - 1;
}

static void inlined_add_chains(Inlining *self)
{
  gsize n;
  const ProfilePlace *places = profile_places_get(self->capture->places[self->slot], &n);
  guint32 *chain = self->chain + self->first_place[self->slot];

  inlined_learn_known(self);
  for (gsize i = 0; i < n; i++)
    if (chain[i])
      chain[i] = inlined_add_chain(self, &places[i]);
}

static guint told_hash(gconstpointer key)
{
  const Told *told = key;

  return g_str_hash(told->name) * 31 + told->binary;
}

static gboolean told_equal(gconstpointer a, gconstpointer b)
{
  const Told *left = a, *right = b;

  return left->binary == right->binary && g_str_equal(left->name, right->name);
}

/* What the program says was inlined at a frame of code that it made; NULL: nothing. */
static const char *inlined_get_told(const Inlining *self, gsize frame, gboolean exact, const char **ret_file)
{
  const char *inlined = NULL;
  guint32 line;

  if (self->capture->frames[frame].kind != PROFILE_SPACE_CODE)
    return NULL;
  profile_capture_get_frame_line((ProfileCapture *)self->capture, (guint32)frame, exact, ret_file, &line,
                                 &inlined);
  return inlined;
}

static gboolean inlined_is_told(const Inlining *self)
{
  const char *file;

  for (gsize i = 0; i < self->capture->n_frames; i++)
    if (inlined_get_told(self, i, TRUE, &file) || inlined_get_told(self, i, FALSE, &file))
      return TRUE;
  return FALSE;
}

static void inlined_learn_told(Inlining *self, guint32 number)
{
  const ProfileFunction *function = &g_array_index(self->functions, ProfileFunction, number);
  const Told told = {function->range->name, function->binary};

  g_hash_table_insert(self->told, g_memdup2(&told, sizeof told), GUINT_TO_POINTER(number));
}

static guint32 inlined_add_told(Inlining *self, const Told *told, const char *file)
{
  ProfileFunctionRange *range;
  ProfileFunction function = {.binary = told->binary, .kind = CAPTURE_SPACE_IDENTIFIERS};

  range = g_new0(ProfileFunctionRange, 1);
  range->name = range->linkage_name = told->name;
  range->file = file;
  function.range = range;
  g_ptr_array_add(self->names->inlined, range);
  g_array_append_val(self->functions, function);
  inlined_learn_told(self, self->functions->len - 1);
  return self->functions->len - 1;
}

/* It is one function with code of that name, where that was told of. A program says of code only what is
 * innermost, and in which line of its own file: so that is a chain of one.
 */
static guint32 inlined_get_told_chain(Inlining *self, gsize frame, gboolean exact)
{
  const ProfileCapture *capture = self->capture;
  const char *file = NULL, *name = inlined_get_told(self, frame, exact, &file);
  ProfileChain chain = {.first = self->chain_functions->len, .n = 1};
  guint32 function, number;
  Told told = {.name = name};

  if (!name)
    return 0;
  number = capture->code_functions[capture->frames[frame].owner];
  if (number < capture->told->len)
    told.binary = g_array_index(capture->told, ProfileToldFunction, number).binary;
  else
    told.binary = G_MAXUINT32;
  function = GPOINTER_TO_UINT(g_hash_table_lookup(self->told, &told));
  if (function == 0)
    function = inlined_add_told(self, &told, file);
  number = GPOINTER_TO_UINT(g_hash_table_lookup(self->told_chains, GUINT_TO_POINTER(function)));
  if (number > 0)
    return number;
  g_array_append_val(self->chain_functions, function);
  g_array_append_val(self->chains, chain);
  g_hash_table_insert(self->told_chains, GUINT_TO_POINTER(function), GUINT_TO_POINTER(self->chains->len - 1));
  return self->chains->len - 1;
}

static void inlined_take_told(Inlining *self)
{
  self->told = g_hash_table_new_full(told_hash, told_equal, g_free, NULL);
  self->told_chains = g_hash_table_new(NULL, NULL);
  for (guint i = 1; i < self->functions->len; i++)
    if (g_array_index(self->functions, ProfileFunction, i).kind == CAPTURE_SPACE_IDENTIFIERS)
      inlined_learn_told(self, i);
  for (gsize i = 0; i < self->capture->n_frames; i++)
    if (self->capture->frames[i].kind == PROFILE_SPACE_CODE) {
      self->names->leaf_chain[i] = inlined_get_told_chain(self, i, TRUE);
      self->names->caller_chain[i] = inlined_get_told_chain(self, i, FALSE);
    }
  g_hash_table_unref(self->told);
  g_hash_table_unref(self->told_chains);
}

/* How many places there are; numbers them through. */
static guint32 inlined_count_places(Inlining *self)
{
  guint32 total = 0;

  self->first_place = g_new0(guint32, self->capture->binaries->len + 1);
  for (guint32 slot = 0; slot <= self->capture->binaries->len; slot++) {
    gsize n = 0;

    self->first_place[slot] = total;
    if (self->capture->places[slot])
      profile_places_get(self->capture->places[slot], &n);
    total += (guint32)n;
  }
  return total;
}

static void inlined_fill(Inlining *self)
{
  static const ProfileChain empty;
  const ProfileCapture *capture = self->capture;
  ProfileNames *names = self->names;

  names->leaf_chain = profile_new(guint32, capture->n_frames);
  names->caller_chain = profile_new(guint32, capture->n_frames);
  names->inlined = g_ptr_array_new_with_free_func(g_free);
  self->known = g_hash_table_new(inlined_hash, inlined_equal);
  self->chains = g_array_new(FALSE, FALSE, sizeof(ProfileChain));
  self->chain_functions = g_array_new(FALSE, FALSE, sizeof(guint32));
  g_array_append_val(self->chains, empty);
  profile_parallel(capture->n_frames, PIECE, inlined_find_places, self);
  for (self->slot = 0; self->slot <= capture->binaries->len; self->slot++)
    if (capture->places[self->slot])
      inlined_add_chains(self);
  profile_parallel(capture->n_frames, PIECE, inlined_take_chains, self);
  inlined_take_told(self);
  names->chains = (ProfileChain *)(gpointer)g_array_free(self->chains, FALSE);
  names->chain_functions = (guint32 *)(gpointer)g_array_free(self->chain_functions, FALSE);
  g_hash_table_unref(self->known);
}

void profile_names_find_inlined(ProfileNames *names, const ProfileCapture *capture, GArray *functions)
{
  Inlining self = {.capture = capture, .names = names, .functions = functions};
  guint32 n = inlined_count_places(&self);

  if (n > 0 || inlined_is_told(&self)) {
    self.chain = profile_new0(guint32, n + 1);
    inlined_fill(&self);
    g_free(self.chain);
  }
  g_free(self.first_place);
}
