/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/annotation.h"

#include <string.h>

#include "profile/capture/capture-private.h"
#include "profile/capture/measure.h"
#include "profile/views/recorded-nodes.h"

struct _ProfileAnnotation {
  ProfileCapture *capture; /* whose texts lines and functions refer to */
  guint32 binary;          /* of the function; G_MAXUINT32: none */
  enum capture_unit unit;
  ProfileWeight sum, self, total, self_without_line, total_without_line;
  GArray *files, *lines, *inlined;
};

/* A line, or a function that was inlined there. Line 0: the line is not known. */
typedef struct {
  const char *file;
  guint32 line;
  const char *inlined; /* NULL: the line */
  guint32 function;    /* that was inlined; G_MAXUINT32: the program told its name alone */
  guint32 open;        /* how often it occurs on the path to the node in hand */
  ProfileWeight self, total;
} Cost;

/* A cost that occurs at a node on the path. */
typedef struct {
  guint32 node;
  Cost *cost;
} Occurrence;

typedef struct {
  ProfileCapture *capture;
  guint32 function;
  ProfileRecordedNodes nodes;
  Cost whole;                /* of the function */
  const char *declared_file; /* NULL: not known */
  guint32 declared_line;
  GHashTable *costs; /* Cost, itself the key */
  GArray *path;      /* Occurrence */
} Annotating;

static guint cost_hash(gconstpointer key)
{
  const Cost *cost = key;

  return ((cost->file ? g_str_hash(cost->file) : 0) * 31 + cost->line) * 31 +
         (cost->inlined ? g_str_hash(cost->inlined) : 0);
}

static gboolean cost_equal(gconstpointer a, gconstpointer b)
{
  const Cost *left = a, *right = b;

  return left->line == right->line && g_strcmp0(left->file, right->file) == 0 &&
         g_strcmp0(left->inlined, right->inlined) == 0;
}

static Cost *get_cost(Annotating *self, const char *file, guint32 line, const char *inlined, guint32 function)
{
  gboolean known = file && line > 0;
  Cost wanted = {
      .file = known ? file : NULL, .line = known ? line : 0, .inlined = inlined, .function = function};
  Cost *cost = g_hash_table_lookup(self->costs, &wanted);

  if (!cost) {
    cost = g_memdup2(&wanted, sizeof wanted);
    g_hash_table_add(self->costs, cost);
  }
  return cost;
}

static void add_cost(Annotating *self, guint32 node, Cost *cost, gboolean innermost)
{
  Occurrence occurrence = {node, cost};

  if (cost->open++ == 0)
    profile_weight_add(&cost->total, self->nodes.totals[node]);
  if (innermost)
    profile_weight_add(&cost->self, self->nodes.selfs[node]);
  g_array_append_val(self->path, occurrence);
}

/* Debug information knows the line of the name, else names have that of the first instruction. */
static void find_declaration(Annotating *self)
{
  const ProfileNames *names = &self->capture->names;
  const ProfileFunctionRange *range =
      self->function < names->n_functions ? names->functions[self->function].range : NULL;

  if (self->declared_file || !range)
    return;
  self->declared_file = range->file;
  self->declared_line = range->line;
}

/* The function is at that line; inlined: what was inlined there, NULL nothing. */
static void add_place(Annotating *self, guint32 node, const char *file, guint32 line, const char *inlined,
                      guint32 function, gboolean innermost)
{
  add_cost(self, node, &self->whole, innermost);
  add_cost(self, node, get_cost(self, file, line, NULL, G_MAXUINT32), innermost);
  if (inlined && file && line > 0)
    add_cost(self, node, get_cost(self, file, line, inlined, function), innermost);
}

/* Where debug information says nothing of the node; the program may have told of its code. */
static void enter_told(Annotating *self, guint32 node)
{
  const ProfileChain *chain = profile_capture_get_chain(self->capture, node);
  const char *file = NULL, *inlined = NULL;
  guint32 line = 0;

  profile_capture_get_node_line(self->capture, node, &file, &line, &inlined);
  if (chain->n > 0 && self->capture->names.chain_functions[chain->first] == self->function)
    inlined = NULL;
  add_place(self, node, file, line, inlined, G_MAXUINT32, TRUE);
}

/* From the innermost frame on, which holds nothing, to the function that holds all. */
static void enter_place(Annotating *self, guint32 node, const ProfilePlace *place)
{
  ProfileCapture *capture = self->capture;
  guint32 slot = profile_capture_get_slot(capture, &capture->frames[capture->frame[node]]);
  const ProfilePlaces *places = capture->places[slot];
  const ProfileChain *chain = profile_capture_get_chain(capture, node);
  const char *inside = NULL;
  gboolean innermost = TRUE;
  guint32 left = chain->n, inside_function = G_MAXUINT32;

  for (guint32 i = 0; i < place->n_frames; i++) {
    const ProfilePlaceFrame *frame = profile_places_get_frame(places, place, i);
    gboolean holds = i == place->n_frames - 1;
    if (!holds && (!frame->name || left == 0))
      continue;
    guint32 function =
        holds ? capture->names.of_node[node] : capture->names.chain_functions[chain->first + --left];
    if (function == self->function) {
      add_place(self, node, frame->file, frame->line, inside, inside_function, innermost);
      innermost = FALSE;
      if (frame->declared_file) {
        self->declared_file = frame->declared_file;
        self->declared_line = frame->declared_line;
      }
    }
    inside = profile_capture_get_function_name(capture, function);
    inside_function = function;
  }
}

/* Whether the function is at the node, called or inlined. */
static gboolean is_at(const Annotating *self, guint32 node)
{
  const ProfileNames *names = &self->capture->names;
  const ProfileChain *chain = profile_capture_get_chain(self->capture, node);

  for (guint32 i = 0; i < chain->n; i++)
    if (names->chain_functions[chain->first + i] == self->function)
      return TRUE;
  return names->of_node[node] == self->function;
}

static void enter_node(guint32 node, gpointer data)
{
  Annotating *self = data;
  const ProfileCapture *capture = self->capture;
  const ProfilePlace *place;

  if (!is_at(self, node))
    return;
  place =
      profile_capture_find_place(capture, &capture->frames[capture->frame[node]], capture->exact[node] != 0);
  if (place)
    enter_place(self, node, place);
  else
    enter_told(self, node);
}

static void leave_node(guint32 node, gpointer data)
{
  GArray *path = ((Annotating *)data)->path;

  while (path->len > 0 && g_array_index(path, Occurrence, path->len - 1).node == node) {
    g_array_index(path, Occurrence, path->len - 1).cost->open--;
    g_array_set_size(path, path->len - 1);
  }
}

/* By file and line; each line before what was inlined there, which is ordered by its total. */
static gint compare_costs(gconstpointer a, gconstpointer b, gpointer data)
{
  const Cost *left = *(const Cost *const *)a, *right = *(const Cost *const *)b;
  const ProfileAnnotation *self = data;
  gint order = g_strcmp0(left->file, right->file);

  if (order == 0 && left->line != right->line)
    order = left->line < right->line ? -1 : 1;
  if (order == 0 && (!left->inlined || !right->inlined))
    return (left->inlined != NULL) - (right->inlined != NULL);
  if (order == 0)
    order = profile_weight_compare(self->unit, &left->total, &right->total);
  return order ? order : g_strcmp0(left->inlined, right->inlined);
}

static void annotation_add_line(ProfileAnnotation *self, const Cost *cost)
{
  ProfileAnnotationLine line = {
      .line = cost->line, .first_inlined = self->inlined->len, .self = cost->self, .total = cost->total};
  ProfileAnnotationFile *file =
      self->files->len > 0 ? &g_array_index(self->files, ProfileAnnotationFile, self->files->len - 1) : NULL;

  if (!file || strcmp(file->path, cost->file) != 0) {
    ProfileAnnotationFile other = {.path = cost->file, .first_line = self->lines->len};
    g_array_append_val(self->files, other);
    file = &g_array_index(self->files, ProfileAnnotationFile, self->files->len - 1);
  }
  file->n_lines++;
  profile_weight_add(&file->self, cost->self);
  g_array_append_val(self->lines, line);
}

static void annotation_add(ProfileAnnotation *self, const Cost *cost)
{
  ProfileAnnotationInlined inlined = {
      .name = cost->inlined, .function = cost->function, .self = cost->self, .total = cost->total};

  if (!cost->file) {
    self->self_without_line = cost->self;
    self->total_without_line = cost->total;
  } else if (!cost->inlined) {
    annotation_add_line(self, cost);
  } else {
    g_array_append_val(self->inlined, inlined);
    g_array_index(self->lines, ProfileAnnotationLine, self->lines->len - 1).n_inlined++;
  }
}

static ProfileWeight sum_totals(const ProfileAnnotation *self, const ProfileAnnotationFile *file)
{
  const ProfileAnnotationLine *lines = profile_annotation_get_lines(self, file);
  ProfileWeight sum = {0};

  for (guint32 i = 0; i < file->n_lines; i++)
    profile_weight_add(&sum, lines[i].total);
  return sum;
}

static gint compare_files(gconstpointer a, gconstpointer b, gpointer data)
{
  const ProfileAnnotationFile *left = a, *right = b;
  const ProfileAnnotation *self = data;
  ProfileWeight left_total = sum_totals(self, left), right_total = sum_totals(self, right);
  gint order = profile_weight_compare(self->unit, &left->self, &right->self);

  if (order == 0)
    order = profile_weight_compare(self->unit, &left_total, &right_total);
  return order ? order : strcmp(left->path, right->path);
}

static void annotation_declare(ProfileAnnotation *self, const Annotating *found)
{
  for (guint i = 0; i < self->files->len; i++) {
    ProfileAnnotationFile *file = &g_array_index(self->files, ProfileAnnotationFile, i);
    if (g_strcmp0(file->path, found->declared_file) == 0)
      file->declared_line = found->declared_line;
  }
}

static void annotation_fill(ProfileAnnotation *self, const Annotating *found)
{
  g_autoptr(GPtrArray) costs = g_ptr_array_new();
  GHashTableIter iter;
  gpointer cost;

  g_hash_table_iter_init(&iter, found->costs);
  while (g_hash_table_iter_next(&iter, &cost, NULL))
    g_ptr_array_add(costs, cost);
  self->sum = found->nodes.totals[0];
  self->self = found->whole.self;
  self->total = found->whole.total;
  g_ptr_array_sort_with_data(costs, compare_costs, self);
  for (guint i = 0; i < costs->len; i++)
    annotation_add(self, costs->pdata[i]);
  annotation_declare(self, found);
  g_array_sort_with_data(self->files, compare_files, self);
}

ProfileAnnotation *profile_annotation_new(const ProfileFilter *filter, guint32 function)
{
  ProfileAnnotation *self = g_new0(ProfileAnnotation, 1);
  Annotating found = {.capture = profile_filter_get_capture(filter), .function = function};

  self->capture = g_object_ref(found.capture);
  self->binary = function < found.capture->names.n_functions ? found.capture->names.functions[function].binary
                                                             : G_MAXUINT32;
  self->unit =
      profile_measure_get_unit(profile_capture_get_event(found.capture, profile_filter_get_event(filter)));
  self->files = g_array_new(FALSE, FALSE, sizeof(ProfileAnnotationFile));
  self->lines = g_array_new(FALSE, FALSE, sizeof(ProfileAnnotationLine));
  self->inlined = g_array_new(FALSE, FALSE, sizeof(ProfileAnnotationInlined));
  found.costs = g_hash_table_new_full(cost_hash, cost_equal, g_free, NULL);
  found.path = g_array_new(FALSE, FALSE, sizeof(Occurrence));
  profile_recorded_nodes_init(&found.nodes, filter);
  profile_recorded_nodes_walk(&found.nodes, enter_node, leave_node, &found);
  find_declaration(&found);
  annotation_fill(self, &found);
  g_hash_table_unref(found.costs);
  g_array_unref(found.path);
  profile_recorded_nodes_clear(&found.nodes);
  return self;
}

void profile_annotation_free(ProfileAnnotation *self)
{
  g_object_unref(self->capture);
  g_array_unref(self->files);
  g_array_unref(self->lines);
  g_array_unref(self->inlined);
  g_free(self);
}

ProfileCapture *profile_annotation_get_capture(const ProfileAnnotation *self)
{
  return self->capture;
}

guint32 profile_annotation_get_binary(const ProfileAnnotation *self)
{
  return self->binary;
}

const ProfileAnnotationFile *profile_annotation_get_files(const ProfileAnnotation *self, gsize *n)
{
  *n = self->files->len;
  return (const ProfileAnnotationFile *)(gpointer)self->files->data;
}

const ProfileAnnotationLine *profile_annotation_get_lines(const ProfileAnnotation *self,
                                                          const ProfileAnnotationFile *file)
{
  return &g_array_index(self->lines, ProfileAnnotationLine, file->first_line);
}

const ProfileAnnotationInlined *profile_annotation_get_inlined(const ProfileAnnotation *self,
                                                               const ProfileAnnotationLine *line)
{
  return line->n_inlined > 0 ? &g_array_index(self->inlined, ProfileAnnotationInlined, line->first_inlined)
                             : NULL;
}

void profile_annotation_get_range(const ProfileAnnotation *self, const ProfileAnnotationFile *file,
                                  guint32 *ret_first, guint32 *ret_last)
{
  const ProfileAnnotationLine *lines = profile_annotation_get_lines(self, file);

  *ret_first = file->declared_line > 0 ? MIN(lines[0].line, file->declared_line) : lines[0].line;
  *ret_last = lines[file->n_lines - 1].line;
}

int profile_annotation_compare_heat(const ProfileAnnotation *self, const ProfileAnnotationLine *a,
                                    const ProfileAnnotationLine *b)
{
  int order = profile_weight_compare(self->unit, &a->self, &b->self);

  return order ? order : profile_weight_compare(self->unit, &a->total, &b->total);
}

const ProfileAnnotationLine *profile_annotation_get_hottest(const ProfileAnnotation *self,
                                                            const ProfileAnnotationFile *file)
{
  guint32 first = file ? file->first_line : 0, end = file ? first + file->n_lines : self->lines->len;
  const ProfileAnnotationLine *hottest = NULL;

  for (guint32 i = first; i < end; i++) {
    const ProfileAnnotationLine *line = &g_array_index(self->lines, ProfileAnnotationLine, i);
    if (!hottest || profile_annotation_compare_heat(self, line, hottest) < 0)
      hottest = line;
  }
  return hottest;
}

ProfileWeight profile_annotation_get_sum(const ProfileAnnotation *self)
{
  return self->sum;
}

ProfileWeight profile_annotation_get_self(const ProfileAnnotation *self)
{
  return self->self;
}

ProfileWeight profile_annotation_get_total(const ProfileAnnotation *self)
{
  return self->total;
}

ProfileWeight profile_annotation_get_self_without_line(const ProfileAnnotation *self)
{
  return self->self_without_line;
}

ProfileWeight profile_annotation_get_total_without_line(const ProfileAnnotation *self)
{
  return self->total_without_line;
}

guint64 profile_annotation_measure(const ProfileAnnotation *self, ProfileWeight weight)
{
  return profile_weight_measure(self->unit, weight);
}
