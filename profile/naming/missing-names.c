/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/missing-names.h"

#include <glib/gi18n.h>

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"
#include "profile/capture/stacks-private.h"

struct _ProfileMissingNames {
  GArray *entries; /* ProfileMissingEntry */
};

#define NAMED G_MAXUINT32

/* While counting. A slot stands for a binary, then for the kernel, then for memory without a file. */
typedef struct {
  ProfileCapture *capture;
  gboolean is_of_lines;
  guint32 n_slots;
  guint32 *merged; /* one a binary: the first one of its path */
  guint32 *slots;  /* one a function; NAMED: it has a name */
  guint32 *totals; /* one a node */
  guint32 *active; /* one a slot: how many nodes of it lie on the way to the one in hand */
  guint64 *samples;
} Counting;

static gboolean is_special(const Counting *counting, const ProfileFunction *function)
{
  return (g_array_index(counting->capture->binaries, ProfileBinary, function->binary).flags &
          CAPTURE_BINARY_SPECIAL) != 0;
}

/* Of files alone: nobody has others for them. */
static guint32 get_slot_of_lines(const Counting *counting, const ProfileFunction *function)
{
  if (function->kind != CAPTURE_SPACE_BINARY || is_special(counting, function) ||
      profile_capture_get_places(counting->capture, function->binary))
    return NAMED;
  return counting->merged[function->binary];
}

static guint32 get_slot(const Counting *counting, const ProfileFunction *function)
{
  if (counting->is_of_lines)
    return get_slot_of_lines(counting, function);
  if ((function->range && !function->range->nameless) || function->kind == 0 ||
      function->kind == CAPTURE_SPACE_GUEST)
    return NAMED;
  if (function->kind == CAPTURE_SPACE_KERNEL)
    return counting->n_slots - 2;
  if (function->kind != CAPTURE_SPACE_BINARY || is_special(counting, function))
    return counting->n_slots - 1;
  return counting->merged[function->binary];
}

static void find_slots(Counting *counting)
{
  gsize n;
  const ProfileFunction *functions = profile_capture_get_functions(counting->capture, &n);

  counting->slots = profile_new(guint32, MAX(n, 1));
  for (gsize i = 0; i < n; i++)
    counting->slots[i] = get_slot(counting, &functions[i]);
}

static void count_totals(Counting *counting)
{
  const ProfileCapture *capture = counting->capture;

  counting->totals = profile_new0(guint32, MAX(capture->n_nodes, 1));
  for (guint i = 0; i < capture->events->len; i++) {
    const ProfileEvent *event = &g_array_index(capture->events, ProfileEvent, i);
    for (gsize j = 0; j < event->n_samples; j++)
      counting->totals[event->leaf[j]]++;
  }
  for (gsize node = capture->n_nodes; node-- > 1;)
    counting->totals[capture->parent[node]] += counting->totals[node];
}

static guint32 get_slot_of_node(const Counting *counting, guint32 node)
{
  return node ? counting->slots[counting->capture->names.of_node[node]] : NAMED;
}

static void missing_names_enter(Counting *counting, guint32 node)
{
  guint32 slot = get_slot_of_node(counting, node);

  if (slot != NAMED && counting->active[slot]++ == 0)
    counting->samples[slot] += counting->totals[node];
}

static void missing_names_leave(Counting *counting, guint32 node)
{
  guint32 slot = get_slot_of_node(counting, node);

  if (slot != NAMED)
    counting->active[slot]--;
}

/* Depth first, so that what lies on the way to a node is known: a stack counts once for each binary. */
static void missing_names_walk(Counting *counting)
{
  g_autoptr(ProfileStacks) stacks = profile_stacks_new_without_inlined(counting->capture);
  const guint32 *parent = stacks->parents, *first_child = stacks->first_child;

  for (guint32 node = first_child[0]; node;) {
    missing_names_enter(counting, node);
    if (first_child[node]) {
      node = first_child[node];
      continue;
    }
    missing_names_leave(counting, node);
    while (node && !profile_stacks_get_next(stacks, node)) {
      node = parent[node];
      missing_names_leave(counting, node);
    }
    node = node ? profile_stacks_get_next(stacks, node) : 0;
  }
}

static ProfileMissingReason get_reason(ProfileCapture *capture, guint32 binary)
{
  ProfileFunctionTable *table;

  if (binary == PROFILE_MISSING_NO_FILE)
    return PROFILE_MISSING_RUN_TIME;
  table = profile_capture_get_table(capture, binary);
  if (!table)
    return PROFILE_MISSING_NOT_SOUGHT;
  switch (profile_function_table_get_status(table)) {
  case CAPTURE_NAMING_SYMBOLS:
    return PROFILE_MISSING_UNCOVERED;
  case CAPTURE_NAMING_DYNAMIC:
    return PROFILE_MISSING_STRIPPED;
  case CAPTURE_NAMING_NONE:
    return PROFILE_MISSING_SYMBOLS;
  case CAPTURE_NAMING_HIDDEN:
    return PROFILE_MISSING_HIDDEN;
  default:
    return PROFILE_MISSING_UNREADABLE;
  }
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
  const ProfileMissingEntry *left = a, *right = b;

  if (left->samples != right->samples)
    return left->samples > right->samples ? -1 : 1;
  return left->binary < right->binary ? -1 : left->binary > right->binary;
}

static GArray *make_entries(const Counting *counting)
{
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(ProfileMissingEntry));

  for (guint32 slot = 0; slot < counting->n_slots; slot++) {
    ProfileMissingEntry entry = {.binary = slot, .samples = counting->samples[slot]};
    if (entry.samples == 0)
      continue;
    if (slot == counting->n_slots - 2)
      entry.binary = PROFILE_MISSING_KERNEL;
    else if (slot == counting->n_slots - 1)
      entry.binary = PROFILE_MISSING_NO_FILE;
    entry.reason =
        counting->is_of_lines ? PROFILE_MISSING_LINES : get_reason(counting->capture, entry.binary);
    g_array_append_val(entries, entry);
  }
  g_array_sort(entries, compare_entries);
  return entries;
}

static ProfileMissingNames *missing_names_count(ProfileCapture *capture, gboolean is_of_lines)
{
  ProfileMissingNames *self = g_new0(ProfileMissingNames, 1);
  Counting counting = {.capture = capture, .is_of_lines = is_of_lines, .n_slots = capture->binaries->len + 2};

  counting.merged = profile_capture_merge_paths(capture);
  counting.active = profile_new0(guint32, counting.n_slots);
  counting.samples = profile_new0(guint64, counting.n_slots);
  find_slots(&counting);
  count_totals(&counting);
  missing_names_walk(&counting);
  self->entries = make_entries(&counting);
  g_free(counting.merged);
  g_free(counting.active);
  g_free(counting.samples);
  g_free(counting.slots);
  g_free(counting.totals);
  return self;
}

ProfileMissingNames *profile_missing_names_new(ProfileCapture *capture)
{
  return missing_names_count(capture, FALSE);
}

ProfileMissingNames *profile_missing_lines_new(ProfileCapture *capture)
{
  return missing_names_count(capture, TRUE);
}

void profile_missing_names_free(ProfileMissingNames *self)
{
  g_array_unref(self->entries);
  g_free(self);
}

const ProfileMissingEntry *profile_missing_names_get_entries(const ProfileMissingNames *self, guint *n)
{
  *n = self->entries->len;
  return (const ProfileMissingEntry *)self->entries->data;
}

const char *profile_missing_names_get_binary(ProfileCapture *capture, const ProfileMissingEntry *entry)
{
  if (entry->binary == PROFILE_MISSING_KERNEL)
    return "[kernel]";
  return entry->binary == PROFILE_MISSING_NO_FILE
             ? "[unknown]"
             : g_array_index(capture->binaries, ProfileBinary, entry->binary).path;
}

const char *profile_missing_reason_get_label(ProfileMissingReason reason)
{
  static const char *const labels[PROFILE_MISSING_REASONS] = {
      N_("Only exported names"),  N_("No symbols"),          N_("File not readable"),
      N_("Hidden by the kernel"), N_("Made at run time"),    N_("Not covered by symbols"),
      N_("Not looked for yet"),   N_("No debug information")};

  return _(labels[reason]);
}

const char *profile_missing_reason_get_word(ProfileMissingReason reason)
{
  static const char *const words[PROFILE_MISSING_REASONS] = {
      "exported-only",    "no-symbols",  "not-readable", "hidden",
      "made-at-run-time", "not-covered", "not-sought",   "no-debug-information"};

  return words[reason];
}
