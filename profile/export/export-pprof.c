/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/export/export-private.h"

#include <string.h>

#include "profile/capture/capture-private.h"
#include "profile/pprof.pb-c.h"

/*
 * Messages that are written one after the other are read as one, with their repeated fields joined. So
 * the profile goes out in pieces, each of them one item, and is never in memory as a whole.
 */

#define ADDRESS_ALIGNMENT G_GUINT64_CONSTANT(0x10000)
#define FIRST_ADDRESS     G_GUINT64_CONSTANT(0x400000)

typedef struct {
  guint64 start, limit; /* addresses; limit 0: no sample lies in it */
  guint64 id;           /* 0: not written */
} Range;

typedef struct {
  ProfileCapture *capture;
  ProfileWeights *weights;
  ProfileStacks *stacks;            /* the weights' */
  gboolean is_transformed;          /* nodes are functions, and have no addresses */
  gboolean has_inlined;             /* and a location has a line for each function that was inlined there */
  const guint32 *parent, *function; /* columns of the stacks' nodes */
  const guint32 *frame;             /* column of the capture's nodes */
  const ProfileFrame *frames;
  const guint32 *leaf_functions; /* column of frames */
  const ProfileBinary *binaries;
  gsize n_nodes, n_frames, n_functions;
  guint n_binaries;
  guint8 *locations; /* two a frame, then one a function, see location_of; nonzero where used */
  guint8 *used;      /* one a function */
  Range *ranges;     /* one a binary, then the kernel's */
  GHashTable *string_indices;
  GHashTable *inlined; /* "FILE\nNAME" → the number of a function that was inlined */
  GPtrArray *strings;
  GByteArray *packed;
  GOutputStream *stream;
  GCancellable *cancellable;
} Pprof;

static gint64 string_index(Pprof *self, const char *text)
{
  g_autofree char *valid = text ? g_utf8_make_valid(text, -1) : g_strdup("");
  gpointer index;

  if (g_hash_table_lookup_extended(self->string_indices, valid, NULL, &index))
    return GPOINTER_TO_SIZE(index);
  index = GSIZE_TO_POINTER((gsize)self->strings->len);
  g_ptr_array_add(self->strings, valid);
  g_hash_table_insert(self->string_indices, g_steal_pointer(&valid), index);
  return GPOINTER_TO_SIZE(index);
}

static gboolean write_piece(Pprof *self, const Pprof__Profile *piece, GError **error)
{
  g_byte_array_set_size(self->packed, pprof__profile__get_packed_size(piece));
  pprof__profile__pack(piece, self->packed->data);
  return g_output_stream_write_all(self->stream, self->packed->data, self->packed->len, NULL,
                                   self->cancellable, error);
}

/* Whether an instruction of that code may have another line than the one before it. */
static gboolean has_lines(const Pprof *self, const ProfileFrame *frame)
{
  guint32 slot = profile_capture_get_slot(self->capture, frame);

  return frame->kind == PROFILE_SPACE_CODE || (slot != G_MAXUINT32 && self->capture->places[slot]);
}

/* A frame may be two locations: as the place that was sampled and as a caller, whose call is one byte earlier
 * and may be another function's, or on another line. Of transformed stacks each function is one. */
static gsize location_of(const Pprof *self, guint32 node)
{
  if (self->is_transformed)
    return self->n_frames * 2 + self->function[node];
  guint32 frame = self->frame[node];
  gboolean is_other = has_lines(self, &self->frames[frame])
                          ? !self->capture->exact[node]
                          : self->function[node] != self->leaf_functions[frame];

  return (gsize)frame * 2 + is_other;
}

static Range *range_of(const Pprof *self, const ProfileFrame *frame)
{
  if (frame->kind == CAPTURE_SPACE_KERNEL)
    return &self->ranges[self->n_binaries];
  if (frame->kind == CAPTURE_SPACE_BINARY && frame->owner < self->n_binaries)
    return &self->ranges[frame->owner];
  return NULL;
}

/* The range says that the address lies in it. */
static void export_pprof_widen(Range *range, guint64 address)
{
  range->start = range->limit == 0 ? address : MIN(range->start, address);
  range->limit = MAX(range->limit, address == G_MAXUINT64 ? G_MAXUINT64 : address + 1);
}

static Range *range_of_function(const Pprof *self, guint32 index)
{
  const ProfileFunction *function = profile_stacks_get_function(self->stacks, index);

  if (function->kind == CAPTURE_SPACE_KERNEL)
    return &self->ranges[self->n_binaries];
  if (function->kind == CAPTURE_SPACE_BINARY && function->binary < self->n_binaries)
    return &self->ranges[function->binary];
  return NULL;
}

/* Every node that leads to a sampled one; weights tell. Functions without addresses make a mapping of their
 * binary all the same, which is how pprof knows it. */
static void find_used(Pprof *self)
{
  const guint32 *totals = profile_weights_get_total_counts(self->weights);

  for (gsize node = 1; node < self->n_nodes; node++) {
    if (totals[node] == 0)
      continue;
    self->locations[location_of(self, node)] = 1;
    self->used[self->function[node]] = 1;
    const ProfileFrame *frame = self->is_transformed ? NULL : &self->frames[self->frame[node]];
    Range *range = frame ? range_of(self, frame) : range_of_function(self, self->function[node]);
    if (range)
      export_pprof_widen(range, frame ? frame->address : 0);
  }
}

/* Binaries from offset 0 on, side by side with gaps, lest a reader joins neighbours. */
static void lay_out(Pprof *self)
{
  guint64 next = FIRST_ADDRESS;

  for (guint i = 0; i < self->n_binaries; i++) {
    Range *range = &self->ranges[i];
    guint64 size = (range->limit + ADDRESS_ALIGNMENT - 1) & ~(ADDRESS_ALIGNMENT - 1);

    /* A damaged capture may place frames anywhere: what does not fit keeps no mapping. */
    if (range->limit == 0 || size < range->limit || size > G_MAXINT64 - ADDRESS_ALIGNMENT - next) {
      range->limit = 0;
      continue;
    }
    range->start = next;
    range->limit = next + size;
    next = range->limit + ADDRESS_ALIGNMENT;
  }
}

static char *format_build_id(const ProfileBinary *binary)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < binary->build_id_size && i < CAPTURE_BUILD_ID_MAX; i++)
    g_string_append_printf(text, "%02x", binary->build_id[i]);
  return g_string_free(text, FALSE);
}

static gboolean write_mapping(Pprof *self, guint index, guint64 id, GError **error)
{
  Pprof__Profile piece = PPROF__PROFILE__INIT;
  Pprof__Mapping mapping = PPROF__MAPPING__INIT;
  Pprof__Mapping *mappings[] = {&mapping};
  Range *range = &self->ranges[index];
  g_autofree char *build_id = index < self->n_binaries ? format_build_id(&self->binaries[index]) : NULL;

  range->id = id;
  mapping.id = id;
  mapping.memory_start = range->start;
  mapping.memory_limit = range->limit;
  mapping.filename = string_index(self, index < self->n_binaries ? self->binaries[index].path : "[kernel]");
  mapping.build_id = string_index(self, build_id);
  mapping.has_functions = TRUE;
  piece.n_mapping = 1;
  piece.mapping = mappings;
  return write_piece(self, &piece, error);
}

/* By convention the first mapping is the program: the binary outermost in most stacks that is no library. */
static guint find_program(const Pprof *self)
{
  g_autofree guint64 *counts = g_new0(guint64, self->n_binaries + 1);
  guint best = 0;

  for (gsize node = 1; node < self->n_nodes; node++) {
    const ProfileFunction *function = profile_stacks_get_function(self->stacks, self->function[node]);

    if (function->kind == CAPTURE_SPACE_BINARY && function->binary < self->n_binaries &&
        !strstr(self->binaries[function->binary].path, ".so"))
      counts[function->binary] += profile_weights_get_self_counts(self->weights)[node];
  }
  for (guint i = 1; i < self->n_binaries; i++)
    if (counts[i] > counts[best])
      best = i;
  return best;
}

static gboolean write_mappings(Pprof *self, GError **error)
{
  guint program = find_program(self);
  guint64 id = 0;

  if (program < self->n_binaries && self->ranges[program].limit > 0 &&
      !write_mapping(self, program, ++id, error))
    return FALSE;
  for (guint i = 0; i <= self->n_binaries; i++)
    if (self->ranges[i].limit > 0 && self->ranges[i].id == 0 && !write_mapping(self, i, ++id, error))
      return FALSE;
  return TRUE;
}

static gboolean write_function(Pprof *self, guint32 index, GError **error)
{
  const ProfileFunctionRange *range = profile_stacks_get_function(self->stacks, index)->range;
  const char *name = profile_stacks_get_function_name(self->stacks, index);
  Pprof__Profile piece = PPROF__PROFILE__INIT;
  Pprof__Function function = PPROF__FUNCTION__INIT;
  Pprof__Function *functions[] = {&function};

  function.id = (guint64)index + 1;
  function.name = string_index(self, name);
  function.system_name = string_index(self, range ? range->linkage_name : name);
  function.filename = string_index(self, range ? range->file : NULL);
  function.start_line = range ? range->line : 0;
  piece.n_function = 1;
  piece.function = functions;
  return write_piece(self, &piece, error);
}

static guint32 function_of_location(const Pprof *self, gsize location, const guint32 *callers)
{
  return location % 2 ? callers[location / 2] : self->leaf_functions[location / 2];
}

/* What was inlined is no function of the capture's: it gets a number behind those, and is written where it
 * occurs first. 0 with error set when that failed. */
static guint64 get_inlined(Pprof *self, const char *name, const char *file, GError **error)
{
  Pprof__Profile piece = PPROF__PROFILE__INIT;
  Pprof__Function function = PPROF__FUNCTION__INIT;
  Pprof__Function *functions[] = {&function};
  char *key = g_strdup_printf("%s\n%s", file ? file : "", name);
  guint64 id = GPOINTER_TO_SIZE(g_hash_table_lookup(self->inlined, key));

  if (id != 0) {
    g_free(key);
    return id;
  }
  id = (guint64)self->n_functions + g_hash_table_size(self->inlined) + 1;
  g_hash_table_insert(self->inlined, key, GSIZE_TO_POINTER(id));
  function.id = id;
  function.name = function.system_name = string_index(self, name);
  function.filename = string_index(self, file);
  piece.n_function = 1;
  piece.function = functions;
  return write_piece(self, &piece, error) ? id : 0;
}

/* Lines of one place: what was inlined there before the function that it was inlined into. */
static gboolean write_location(Pprof *self, Pprof__Location *location, Pprof__Line **lines, gsize n,
                               GError **error)
{
  Pprof__Profile piece = PPROF__PROFILE__INIT;

  location->n_line = n;
  location->line = lines;
  piece.n_location = 1;
  piece.location = &location;
  return write_piece(self, &piece, error);
}

/* By debug information: a line for each function that was inlined there, innermost first. */
static gboolean write_debugged(Pprof *self, Pprof__Location *location, const ProfilePlaces *places,
                               const ProfilePlace *place, guint32 function, GError **error)
{
  guint32 n = place->n_frames;
  g_autofree Pprof__Line *all = g_new(Pprof__Line, n);
  g_autofree Pprof__Line **lines = g_new(Pprof__Line *, n);
  guint32 first = self->has_inlined ? 0 : n - 1;

  for (guint32 i = first; i < n; i++) {
    const ProfilePlaceFrame *frame = profile_places_get_frame(places, place, i);

    pprof__line__init(&all[i]);
    lines[i] = &all[i];
    all[i].line = frame->line;
    all[i].function_id = (guint64)function + 1;
    if (i + 1 < n)
      all[i].function_id = get_inlined(self, frame->name ? frame->name : "", frame->file, error);
    if (all[i].function_id == 0)
      return FALSE;
  }
  return write_location(self, location, lines + first, n - first, error);
}

/* The line where it is known of the very instruction and is the function's own, or of what was inlined; else
 * where the function begins. */
static gboolean write_place(Pprof *self, Pprof__Location *location, gsize index, guint32 function,
                            GError **error)
{
  const ProfileFunctionRange *named = profile_stacks_get_function(self->stacks, function)->range;
  Pprof__Line own = PPROF__LINE__INIT, inner = PPROF__LINE__INIT;
  Pprof__Line *lines[] = {&inner, &own};
  const ProfileFrame *frame = &self->frames[index / 2];
  const ProfilePlace *place = profile_capture_find_place(self->capture, frame, index % 2 == 0);
  const char *file = NULL, *inlined = NULL;
  guint32 line = 0;
  gboolean known = profile_capture_get_frame_line(self->capture, (guint32)(index / 2), index % 2 == 0, &file,
                                                  &line, &inlined);

  if (place)
    return write_debugged(self, location,
                          self->capture->places[profile_capture_get_slot(self->capture, frame)], place,
                          function, error);
  own.function_id = (guint64)function + 1;
  own.line = named ? named->line : 0;
  if (!known || !inlined || !self->has_inlined) {
    if (known && named && g_strcmp0(file, named->file) == 0)
      own.line = line;
    return write_location(self, location, &lines[1], 1, error);
  }
  inner.line = line;
  inner.function_id = get_inlined(self, inlined, file, error);
  return inner.function_id != 0 && write_location(self, location, lines, 2, error);
}

static gboolean write_frame(Pprof *self, gsize index, guint32 function, GError **error)
{
  const ProfileFrame *frame = &self->frames[index / 2];
  const Range *range = range_of(self, frame);
  Pprof__Location location = PPROF__LOCATION__INIT;

  location.id = index + 1;
  location.mapping_id = range ? range->id : 0;
  location.address = frame->address;
  if (location.mapping_id != 0 && frame->kind == CAPTURE_SPACE_BINARY)
    location.address += range->start;
  return write_place(self, &location, index, function, error);
}

static gboolean write_bare_function(Pprof *self, guint32 index, GError **error)
{
  const ProfileFunctionRange *named = profile_stacks_get_function(self->stacks, index)->range;
  const Range *range = range_of_function(self, index);
  Pprof__Location location = PPROF__LOCATION__INIT;
  Pprof__Line line = PPROF__LINE__INIT;
  Pprof__Line *lines[] = {&line};

  location.id = self->n_frames * 2 + index + 1;
  location.mapping_id = range ? range->id : 0;
  line.function_id = (guint64)index + 1;
  line.line = named ? named->line : 0;
  return write_location(self, &location, lines, 1, error);
}

static gboolean write_locations(Pprof *self, GError **error)
{
  const guint32 *leaf, *callers;

  profile_capture_get_frame_functions(self->capture, &leaf, &callers);
  for (guint32 i = 0; i < self->n_functions; i++)
    if (self->used[i] && !write_function(self, i, error))
      return FALSE;
  for (gsize i = 0; i < self->n_frames * 2; i++)
    if (self->locations[i] && !write_frame(self, i, function_of_location(self, i, callers), error))
      return FALSE;
  for (guint32 i = 0; i < self->n_functions; i++)
    if (self->locations[self->n_frames * 2 + i] && !write_bare_function(self, i, error))
      return FALSE;
  return TRUE;
}

static gboolean write_sample(Pprof *self, guint32 node, GArray *path, GError **error)
{
  ProfileWeight weight = profile_weights_get_self(self->weights, node);
  gint64 values[] = {weight.count, weight.weight};
  Pprof__Profile piece = PPROF__PROFILE__INIT;
  Pprof__Sample sample = PPROF__SAMPLE__INIT;
  Pprof__Sample *samples[] = {&sample};

  g_array_set_size(path, 0);
  for (guint32 i = node; i != 0; i = self->parent[i]) {
    guint64 location = location_of(self, i) + 1;

    g_array_append_val(path, location);
  }
  sample.n_location_id = path->len;
  sample.location_id = (uint64_t *)path->data;
  sample.n_value = G_N_ELEMENTS(values);
  sample.value = values;
  piece.n_sample = 1;
  piece.sample = samples;
  return write_piece(self, &piece, error);
}

static gboolean write_samples(Pprof *self, GError **error)
{
  g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint64));
  const guint32 *counts = profile_weights_get_self_counts(self->weights);

  for (gsize node = 0; node < self->n_nodes; node++)
    if (counts[node] > 0 && !write_sample(self, node, path, error))
      return FALSE;
  return TRUE;
}

static const char *unit_word(enum capture_unit unit)
{
  switch (unit) {
  case CAPTURE_UNIT_NANOSECONDS:
    return "nanoseconds";
  case CAPTURE_UNIT_BYTES:
    return "bytes";
  default:
    return "count";
  }
}

static guint64 get_duration(const Pprof *self)
{
  guint64 first, end, duration = profile_capture_get_duration(self->capture);

  profile_filter_get_time(profile_weights_get_filter(self->weights), &first, &end);
  return end > first ? MIN(end - first, duration) : 0;
}

static gboolean write_facts(Pprof *self, const ProfileEvent *event, GError **error)
{
  Pprof__Profile piece = PPROF__PROFILE__INIT;
  Pprof__ValueType samples = PPROF__VALUE_TYPE__INIT, weight = PPROF__VALUE_TYPE__INIT;
  Pprof__ValueType *types[] = {&samples, &weight};
  const char *command = profile_capture_get_metadata(self->capture, "command");
  gint64 comment;
  struct capture_file_header header;

  profile_capture_get_header(self->capture, &header);
  samples.type = string_index(self, "samples");
  samples.unit = string_index(self, "count");
  weight.type = string_index(self, event->name);
  weight.unit = string_index(self, unit_word(event->unit));
  piece.n_sample_type = G_N_ELEMENTS(types);
  piece.sample_type = types;
  piece.default_sample_type =
      profile_weights_get_unit(self->weights) != CAPTURE_UNIT_COUNT ? weight.type : samples.type;
  piece.period_type = &weight;
  piece.period = event->period ? event->period : event->weight ? 0 : event->constant_weight;
  piece.time_nanos = header.time_realtime;
  piece.duration_nanos = get_duration(self);
  if (command) {
    comment = string_index(self, command);
    piece.n_comment = 1;
    piece.comment = &comment;
  }
  return write_piece(self, &piece, error);
}

static gboolean write_strings(Pprof *self, GError **error)
{
  for (guint i = 0; i < self->strings->len; i++) {
    Pprof__Profile piece = PPROF__PROFILE__INIT;
    char *string = self->strings->pdata[i];

    piece.n_string_table = 1;
    piece.string_table = &string;
    if (!write_piece(self, &piece, error))
      return FALSE;
  }
  return TRUE;
}

static void pprof_init(Pprof *self, ProfileWeights *weights)
{
  const guint32 *parent, *callers;
  gsize n_capture_nodes;

  self->weights = weights;
  self->capture = profile_weights_get_capture(weights);
  self->stacks = profile_weights_get_stacks(weights);
  self->is_transformed = profile_stacks_is_transformed(self->stacks);
  self->parent = profile_stacks_get_parents(self->stacks);
  self->function = profile_stacks_get_functions(self->stacks);
  self->n_nodes = profile_stacks_get_n_nodes(self->stacks);
  profile_capture_get_nodes(self->capture, &parent, &self->frame, &n_capture_nodes);
  self->frames = profile_capture_get_frames(self->capture, &self->n_frames);
  profile_capture_get_frame_functions(self->capture, &self->leaf_functions, &callers);
  self->n_functions = profile_stacks_get_n_functions(self->stacks);
  self->binaries = profile_capture_get_binaries(self->capture, &self->n_binaries);
  self->locations = g_new0(guint8, self->n_frames * 2 + self->n_functions);
  self->used = g_new0(guint8, self->n_functions);
  self->ranges = g_new0(Range, self->n_binaries + 1);
  self->string_indices = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->inlined = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  self->strings = g_ptr_array_new();
  self->packed = g_byte_array_new();
  string_index(self, "");
}

static void pprof_clear(Pprof *self)
{
  g_free(self->locations);
  g_free(self->used);
  g_free(self->ranges);
  g_ptr_array_unref(self->strings);
  g_hash_table_unref(self->string_indices);
  g_hash_table_unref(self->inlined);
  g_byte_array_unref(self->packed);
}

static gboolean write_all(Pprof *self, GError **error)
{
  guint event = profile_filter_get_event(profile_weights_get_filter(self->weights));

  find_used(self);
  lay_out(self);
  return write_facts(self, profile_capture_get_event(self->capture, event), error) &&
         write_mappings(self, error) && write_locations(self, error) && write_samples(self, error) &&
         write_strings(self, error) && g_output_stream_close(self->stream, self->cancellable, error);
}

gboolean profile_export_pprof(ProfileWeights *weights, const ProfileExportOptions *options,
                              GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr(GZlibCompressor) compressor = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, -1);
  g_autoptr(GOutputStream) compressed = g_converter_output_stream_new(stream, G_CONVERTER(compressor));
  g_autoptr(GOutputStream) buffered = g_buffered_output_stream_new_sized(compressed, 64 * 1024);
  g_autoptr(ProfileWeights) recorded = profile_export_without_inlined(weights);
  Pprof self = {.stream = buffered,
                .cancellable = cancellable,
                .has_inlined = profile_stacks_get_inlined(profile_weights_get_stacks(weights)) != NULL};
  gboolean done;

  g_filter_output_stream_set_close_base_stream(G_FILTER_OUTPUT_STREAM(compressed), FALSE);
  pprof_init(&self, recorded);
  done = write_all(&self, error);
  pprof_clear(&self);
  return done;
}
