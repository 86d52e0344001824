/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which function each frame and node belongs to. */
#include <string.h>

#include "profile/base/memory.h"
#include "profile/base/parallel.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/stacks-private.h"

enum { PIECE = 1 << 14 };

/* An address without a name is a function of its own; found again by its frame. */
typedef struct {
  guint32 frame, function; /* function 0: the slot is free */
} Unnamed;

typedef struct {
  ProfileCapture *capture;
  gsize *first_range;      /* number of the first range of each binary's table; the kernel's comes last */
  guint32 *range_function; /* by number of range; before functions are numbered: whether it is used */
  guint32 *leaf, *caller;  /* one a frame: 1 + number of range, then index of function */
  GArray *functions;
  guint32 first_told; /* function of the first function told */
  Unnamed *unnamed;
  gsize unnamed_mask;
} Naming;

static const ProfileFunctionTable *get_table(const ProfileCapture *capture, const ProfileFrame *frame,
                                             guint32 *ret_slot)
{
  if (frame->kind == CAPTURE_SPACE_KERNEL) {
    *ret_slot = capture->binaries->len;
    return capture->kernel_table;
  }
  *ret_slot = frame->owner;
  return frame->kind == CAPTURE_SPACE_BINARY ? capture->tables[frame->owner] : NULL;
}

static guint32 use_range(const Naming *naming, guint32 slot, const ProfileFunctionRange *ranges,
                         const ProfileFunctionRange *range)
{
  if (!range)
    return 0;
  gsize number = naming->first_range[slot] + (gsize)(range - ranges);
  __atomic_store_n(&naming->range_function[number], 1, __ATOMIC_RELAXED);
  return (guint32)number + 1;
}

static void find_ranges(gsize begin, gsize end, gpointer data)
{
  Naming *naming = data;

  for (gsize i = begin; i < end; i++) {
    const ProfileFrame *frame = &naming->capture->frames[i];
    guint32 slot;
    gsize n;
    const ProfileFunctionTable *table = get_table(naming->capture, frame, &slot);
    if (!table)
      continue;
    const ProfileFunctionRange *ranges = profile_function_table_get_ranges(table, &n);
    const ProfileFunctionRange *leaf = profile_function_table_lookup(table, frame->address);
    const ProfileFunctionRange *caller = leaf;
    if (!leaf || leaf->start == frame->address)
      caller = profile_function_table_lookup(table, frame->address - 1);
    naming->leaf[i] = use_range(naming, slot, ranges, leaf);
    naming->caller[i] = use_range(naming, slot, ranges, caller);
  }
}

static guint hash_range(gconstpointer key)
{
  const ProfileFunctionRange *range = key;

  return g_direct_hash(range->name) * 31 + g_direct_hash(range->module);
}

static gboolean equal_ranges(gconstpointer a, gconstpointer b)
{
  const ProfileFunctionRange *left = a, *right = b;

  return left->name == right->name && left->module == right->module; /* a table keeps equal strings once */
}

static guint32 add_function(Naming *naming, const ProfileFunction *function)
{
  g_array_append_vals(naming->functions, function, 1);
  return naming->functions->len - 1;
}

/* Gives a function to every range that is used; ranges of one name share one. */
static void number_functions(Naming *naming, const ProfileFunctionTable *table, guint32 slot)
{
  const ProfileCapture *capture = naming->capture;
  g_autoptr(GHashTable) known = g_hash_table_new(hash_range, equal_ranges);
  guint32 *functions = naming->range_function + naming->first_range[slot];
  gboolean kernel = slot == capture->binaries->len;
  gsize n;
  const ProfileFunctionRange *ranges = profile_function_table_get_ranges(table, &n);

  for (gsize i = 0; i < n; i++) {
    if (!functions[i])
      continue;
    functions[i] = GPOINTER_TO_UINT(g_hash_table_lookup(known, &ranges[i]));
    if (functions[i])
      continue;
    ProfileFunction function = {.range = &ranges[i],
                                .binary = kernel ? G_MAXUINT32 : slot,
                                .kind = kernel ? CAPTURE_SPACE_KERNEL : CAPTURE_SPACE_BINARY};
    functions[i] = add_function(naming, &function);
    g_hash_table_insert(known, (gpointer)&ranges[i], GUINT_TO_POINTER(functions[i]));
  }
}

static ProfileFunctionTable *get_table_of_slot(const ProfileCapture *capture, guint32 slot)
{
  return slot == capture->binaries->len ? capture->kernel_table : capture->tables[slot];
}

/* Numbers the ranges of all tables through. */
static void count_ranges(Naming *naming)
{
  const ProfileCapture *capture = naming->capture;
  gsize total = 0;

  naming->first_range = g_new(gsize, capture->binaries->len + 1);
  for (guint32 slot = 0; slot <= capture->binaries->len; slot++) {
    gsize n = 0;
    naming->first_range[slot] = total;
    if (get_table_of_slot(capture, slot))
      profile_function_table_get_ranges(get_table_of_slot(capture, slot), &n);
    total += n;
  }
  naming->range_function = profile_new0(guint32, total + 1); /* never NULL: pieces of it are pointed at */
}

/* Functions that programs told of need no naming. */
static void add_told(Naming *naming)
{
  const GArray *told = naming->capture->told;

  naming->first_told = naming->functions->len;
  for (guint i = 0; i < told->len; i++) {
    const ProfileToldFunction *item = &g_array_index(told, ProfileToldFunction, i);
    ProfileFunction function = {
        .range = &item->range, .binary = item->binary, .kind = CAPTURE_SPACE_IDENTIFIERS};
    add_function(naming, &function);
  }
}

/* Memory without a file is not told apart by process. */
static guint32 get_owner(const ProfileFrame *frame)
{
  return frame->kind == CAPTURE_SPACE_BINARY ? frame->owner : 0;
}

static gboolean same_address(const ProfileFrame *a, const ProfileFrame *b)
{
  return a->kind == b->kind && a->address == b->address && get_owner(a) == get_owner(b);
}

static gsize get_slot(const Naming *naming, const ProfileFrame *frame)
{
  guint64 hash = (frame->address + ((guint64)get_owner(frame) << 40) + frame->kind) * 0x9e3779b97f4a7c15u;

  return (hash ^ hash >> 32) & naming->unnamed_mask;
}

static guint32 get_unnamed(Naming *naming, gsize index)
{
  const ProfileFrame *frames = naming->capture->frames, *frame = &frames[index];
  gsize slot = get_slot(naming, frame);

  if (frame->kind == 0)
    return 0;
  if (frame->kind == CAPTURE_SPACE_IDENTIFIERS)
    return naming->first_told + frame->owner;
  if (frame->kind == PROFILE_SPACE_CODE)
    return naming->first_told + naming->capture->code_functions[frame->owner];
  for (; naming->unnamed[slot].function; slot = (slot + 1) & naming->unnamed_mask)
    if (same_address(&frames[naming->unnamed[slot].frame], frame))
      return naming->unnamed[slot].function;
  ProfileFunction function = {.address = frame->address, .binary = G_MAXUINT32, .kind = frame->kind};
  if (frame->kind == CAPTURE_SPACE_BINARY)
    function.binary = frame->owner;
  naming->unnamed[slot].frame = (guint32)index;
  naming->unnamed[slot].function = add_function(naming, &function);
  return naming->unnamed[slot].function;
}

static void make_unnamed_table(Naming *naming)
{
  gsize n_unnamed = 1, size = 64;

  for (gsize i = 0; i < naming->capture->n_frames; i++)
    n_unnamed += !naming->leaf[i] || !naming->caller[i];
  while (size < 2 * n_unnamed)
    size *= 2;
  naming->unnamed_mask = size - 1;
  naming->unnamed = profile_new0(Unnamed, size);
}

static void number_frames(Naming *naming)
{
  enum { AHEAD = 16 }; /* slots are anywhere in the table: asking for them early hides the wait */
  gsize n = naming->capture->n_frames;

  make_unnamed_table(naming);
  for (gsize i = 0; i < n; i++) {
    if (i + AHEAD < n && !naming->leaf[i + AHEAD])
      __builtin_prefetch(&naming->unnamed[get_slot(naming, &naming->capture->frames[i + AHEAD])]);
    guint32 leaf = naming->leaf[i], caller = naming->caller[i];
    guint32 unnamed = leaf && caller ? 0 : get_unnamed(naming, i);
    naming->leaf[i] = leaf ? naming->range_function[leaf - 1] : unnamed;
    naming->caller[i] = caller ? naming->range_function[caller - 1] : unnamed;
  }
}

static void name_nodes(gsize begin, gsize end, gpointer data)
{
  ProfileCapture *capture = data;
  const ProfileNames *names = &capture->names;

  for (gsize i = begin; i < end; i++)
    names->of_node[i] = (capture->exact[i] ? names->leaf : names->caller)[capture->frame[i]];
}

void profile_names_clear(ProfileNames *names)
{
  for (gsize i = 0; names->made_names && i < names->n_functions; i++)
    g_free(names->made_names[i]);
  g_free(names->made_names);
  g_free(names->functions);
  g_free(names->leaf);
  g_free(names->caller);
  g_free(names->of_node);
  g_free(names->chains);
  g_free(names->chain_functions);
  g_free(names->leaf_chain);
  g_free(names->caller_chain);
  g_clear_pointer(&names->inlined, g_ptr_array_unref);
  memset(names, 0, sizeof *names);
}

void profile_capture_name_frames(ProfileCapture *self)
{
  ProfileFunction unknown = {.binary = G_MAXUINT32};
  Naming naming = {.capture = self, .functions = g_array_new(FALSE, FALSE, sizeof(ProfileFunction))};
  ProfileNames *names = &self->names;

  profile_names_clear(names);
  naming.leaf = profile_new0(guint32, self->n_frames);
  naming.caller = profile_new0(guint32, self->n_frames);
  add_function(&naming, &unknown);
  count_ranges(&naming);
  profile_parallel(self->n_frames, PIECE, find_ranges, &naming);
  for (guint32 slot = 0; slot <= self->binaries->len; slot++)
    if (get_table_of_slot(self, slot))
      number_functions(&naming, get_table_of_slot(self, slot), slot);
  add_told(&naming);
  number_frames(&naming);
  profile_names_find_inlined(names, self, naming.functions);
  names->n_functions = naming.functions->len;
  names->functions = (ProfileFunction *)g_array_free(naming.functions, FALSE);
  names->made_names = g_new0(char *, names->n_functions);
  names->leaf = naming.leaf;
  names->caller = naming.caller;
  g_free(naming.first_range);
  g_free(naming.range_function);
  g_free(naming.unnamed);
}

void profile_capture_name_nodes(ProfileCapture *self)
{
  self->names.of_node = profile_new(guint32, self->n_nodes);
  profile_parallel(self->n_nodes, PIECE, name_nodes, self);
  profile_stacks_renew_own(self->stacks);
  if (self->names.chains && !self->inlined_stacks)
    self->inlined_stacks = profile_stacks_new_own(self);
  if (self->inlined_stacks)
    profile_stacks_renew_inlined(self->inlined_stacks);
}

void profile_capture_update_functions(ProfileCapture *self)
{
  profile_capture_name_frames(self);
  profile_capture_name_nodes(self);
}

/* "libfoo.so+0x1234" or "libfoo.so fn@1200": of an address, or of a function that has no symbol. */
static char *make_name(const ProfileCapture *capture, const ProfileFunction *function)
{
  guint64 address = function->address;

  if (function->kind == 0)
    return g_strdup("[unknown]");
  if (function->kind != CAPTURE_SPACE_BINARY)
    return g_strdup_printf("0x%" G_GINT64_MODIFIER "x", address);
  const char *path = g_array_index(capture->binaries, ProfileBinary, function->binary).path;
  g_autofree char *base = g_path_get_basename(path);
  if (function->range)
    return g_strconcat(base, " ", function->range->name, NULL);
  return g_strdup_printf("%s+0x%" G_GINT64_MODIFIER "x", base, address);
}

const char *profile_capture_get_function_name(ProfileCapture *self, guint32 function)
{
  const ProfileFunction *item = &self->names.functions[function];
  char **slot = &self->names.made_names[function];
  char *name = g_atomic_pointer_get(slot);

  if (item->range && !item->range->nameless)
    return item->range->name;
  if (name)
    return name;
  name = make_name(self, item);
  if (g_atomic_pointer_compare_and_exchange(slot, NULL, name))
    return name;
  g_free(name);
  return g_atomic_pointer_get(slot);
}

const char *profile_capture_get_function_binary(ProfileCapture *self, guint32 function)
{
  const ProfileFunction *item = &self->names.functions[function];

  if (item->kind == CAPTURE_SPACE_KERNEL)
    return item->range && item->range->module ? item->range->module : "[kernel]";
  if (item->binary != G_MAXUINT32)
    return g_array_index(self->binaries, ProfileBinary, item->binary).path;
  return item->kind == CAPTURE_SPACE_GUEST ? "[guest]" : "[unknown]";
}

gboolean profile_capture_function_is_kernel(ProfileCapture *self, guint32 function)
{
  return self->names.functions[function].kind == CAPTURE_SPACE_KERNEL;
}

gboolean profile_capture_function_is_told(ProfileCapture *self, guint32 function)
{
  return self->names.functions[function].kind == CAPTURE_SPACE_IDENTIFIERS;
}

/* The last line that begins at or before the offset, or NULL. */
static const ProfileCodeLine *find_line(const ProfileCode *code, guint64 offset)
{
  guint32 low = 0, high = code->n_lines;

  while (low < high) {
    guint32 middle = low + (high - low) / 2;
    if (code->lines[middle].offset <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 ? &code->lines[low - 1] : NULL;
}

/* Of code in a file, or of the kernel's. */
static gboolean get_placed_line(const ProfileCapture *self, const ProfileFrame *frame, gboolean exact,
                                const char **ret_file, guint32 *ret_line, const char **ret_inlined)
{
  const ProfilePlace *place = profile_capture_find_place(self, frame, exact);
  const ProfilePlaceFrame *innermost;

  if (!place)
    return FALSE;
  innermost = profile_places_get_frame(self->places[profile_capture_get_slot(self, frame)], place, 0);
  if (!innermost->file || innermost->line == 0)
    return FALSE;
  *ret_file = innermost->file;
  *ret_line = innermost->line;
  *ret_inlined = place->n_frames > 1 ? innermost->name : NULL;
  return TRUE;
}

gboolean profile_code_get_line(const ProfileCode *code, guint64 address, const char **ret_file,
                               guint32 *ret_line, const char **ret_inlined)
{
  const ProfileCodeLine *line = find_line(code, address - code->start);

  if (!line || line->line == 0)
    return FALSE;
  *ret_file = line->file ? line->file : code->file;
  *ret_line = line->line;
  *ret_inlined = line->inlined;
  return TRUE;
}

static gboolean get_told_line(const ProfileCapture *self, const ProfileFrame *frame, const char **ret_file,
                              guint32 *ret_line, const char **ret_inlined)
{
  guint32 line = (guint32)(frame->address >> PROFILE_IDENTIFIER_LINE_SHIFT) & PROFILE_IDENTIFIER_LINE_MAX;
  const char *file = g_array_index(self->told, ProfileToldFunction, frame->owner).range.file;

  if (line == 0 || !file)
    return FALSE;
  *ret_file = file;
  *ret_line = line;
  *ret_inlined = NULL;
  return TRUE;
}

gboolean profile_capture_get_frame_line(ProfileCapture *self, guint32 frame, gboolean exact,
                                        const char **ret_file, guint32 *ret_line, const char **ret_inlined)
{
  const ProfileFrame *item = &self->frames[frame];

  if (item->kind == CAPTURE_SPACE_IDENTIFIERS)
    return get_told_line(self, item, ret_file, ret_line, ret_inlined);
  if (item->kind != PROFILE_SPACE_CODE)
    return get_placed_line(self, item, exact, ret_file, ret_line, ret_inlined);
  return profile_code_get_line(&g_array_index(self->code, ProfileCode, item->owner),
                               exact ? item->address : item->address - 1, ret_file, ret_line, ret_inlined);
}

gboolean profile_capture_get_node_line(ProfileCapture *self, guint32 node, const char **ret_file,
                                       guint32 *ret_line, const char **ret_inlined)
{
  return profile_capture_get_frame_line(self, self->frame[node], self->exact[node] != 0, ret_file, ret_line,
                                        ret_inlined);
}
