/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/process-tree.h"

#include <stdlib.h>

#include "profile/views/rows.h"

struct _ProfileProcessTree {
  ProfileWeights *weights;
  GArray *nodes; /* ProfileProcessNode */
  GArray *items; /* guint32 */
};

/* A process or a thread while it finds its node. What belongs together has one key and one number. */
typedef struct {
  guint32
      group; /* process: where it hangs, the first generation of the parent; thread: its process's first */
  guint64 time;
  gint32 id;
  guint32 first; /* process: its first generation; thread: 0 */
  guint64 turn;  /* process: when this generation began; thread: 0 */
  guint32 item;  /* index */
} Entry;

typedef struct {
  ProfileCapture *capture;
  const ProfileProcess *processes;
  const ProfileThread *threads;
  guint n_processes, n_threads;
  guint32 *firsts;           /* one a process: the first generation of what it is */
  guint32 *parents;          /* one a process: of a first generation, the first one of its parent; 0: none */
  GArray *by_parent;         /* Entry: processes, by where they hang */
  GArray *by_process;        /* Entry: threads, by process */
  ProfileWeight *of_threads; /* one a thread */
  ProfileProcessTree *self;
} Building;

/* Of one process, one after the other; the loader knows no more. */
enum { MAX_GENERATIONS = 4096 };

/* What a process was before its last exec; itself: it is the first one. */
static guint32 get_before(const Building *building, guint32 process)
{
  const ProfileProcess *item = &building->processes[process];

  return item->origin == CAPTURE_PROCESS_EXECED && item->parent > 0 &&
                 building->processes[item->parent].pid == item->pid
             ? item->parent
             : process;
}

/* A file may say anything: of those that lead in a circle one counts as the first. */
static void find_firsts(Building *building)
{
  building->firsts = g_new0(guint32, MAX(building->n_processes, 1));
  for (guint32 i = 1; i < building->n_processes; i++) {
    guint32 at = i, steps = 0;
    while (get_before(building, at) != at && !building->firsts[at] && steps++ < MAX_GENERATIONS)
      at = get_before(building, at);
    guint32 first = building->firsts[at] ? building->firsts[at] : at;
    for (guint32 j = i; !building->firsts[j]; j = get_before(building, j))
      building->firsts[j] = first;
  }
}

static void find_parents(Building *building)
{
  g_autofree guint32 *seen =
      g_new0(guint32, MAX(building->n_processes, 1)); /* on the way up from which one */

  building->parents = g_new0(guint32, MAX(building->n_processes, 1));
  for (guint32 i = 1; i < building->n_processes; i++) {
    guint32 first = building->firsts[i], parent = building->firsts[building->processes[first].parent];
    building->parents[first] = parent != first ? parent : 0;
  }
  for (guint32 i = 1; i < building->n_processes; i++) {
    guint32 at = building->firsts[i];
    for (; at && !seen[at]; at = building->parents[at])
      seen[at] = i;
    if (at && seen[at] == i)
      building->parents[at] = 0;
  }
}

static int compare_entries(const void *a, const void *b)
{
  const Entry *left = a, *right = b;

  if (left->group != right->group)
    return left->group < right->group ? -1 : 1;
  if (left->time != right->time)
    return left->time < right->time ? -1 : 1;
  if (left->id != right->id)
    return left->id < right->id ? -1 : 1;
  if (left->first != right->first)
    return left->first < right->first ? -1 : 1;
  if (left->turn != right->turn)
    return left->turn < right->turn ? -1 : 1;
  return left->item < right->item ? -1 : left->item > right->item;
}

static void process_tree_sort(GArray *entries)
{
  if (entries->len > 0)
    qsort(entries->data, entries->len, sizeof(Entry), compare_entries);
}

/* The generations of a process stand together: what is compared first is their first one's. What is known of
 * nobody comes last. */
static void sort_processes(Building *building)
{
  building->by_parent = g_array_sized_new(FALSE, FALSE, sizeof(Entry), building->n_processes);
  for (guint32 i = 0; i < building->n_processes; i++) {
    guint32 first = building->firsts[i];
    Entry entry = {.group = building->parents[first],
                   .time = i ? building->processes[first].time : G_MAXUINT64,
                   .id = building->processes[first].pid,
                   .first = first,
                   .turn = building->processes[i].time,
                   .item = i};
    g_array_append_val(building->by_parent, entry);
  }
  process_tree_sort(building->by_parent);
}

/* The one that the process is named after first. */
static void sort_threads(Building *building)
{
  building->by_process = g_array_sized_new(FALSE, FALSE, sizeof(Entry), building->n_threads);
  for (guint32 i = 0; i < building->n_threads; i++) {
    const ProfileThread *thread = &building->threads[i];
    guint32 first = building->firsts[thread->process];
    Entry entry = {
        .group = first, .time = thread->tid != building->processes[first].pid, .id = thread->tid, .item = i};
    g_array_append_val(building->by_process, entry);
  }
  process_tree_sort(building->by_process);
}

/* The first entry of a group. */
static guint find_group(const GArray *entries, guint32 group)
{
  guint low = 0, high = entries->len;

  while (low < high) {
    guint middle = low + (high - low) / 2;
    if (g_array_index(entries, Entry, middle).group < group)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static gboolean is_in_group(const GArray *entries, guint at, guint32 group)
{
  return at < entries->len && g_array_index(entries, Entry, at).group == group;
}

static ProfileProcessNode *get_node(ProfileProcessTree *self, guint32 node)
{
  return &g_array_index(self->nodes, ProfileProcessNode, node);
}

/* Entries begin … end - 1 are one thread. */
static void append_thread(Building *building, guint32 parent, guint begin, guint end)
{
  ProfileProcessTree *self = building->self;
  ProfileProcessNode node = {
      .is_thread = TRUE, .parent = parent, .first_item = self->items->len, .n_items = end - begin};

  for (guint i = begin; i < end; i++) {
    guint32 item = g_array_index(building->by_process, Entry, i).item;
    g_array_append_val(self->items, item);
    profile_weight_add(&node.self, building->of_threads[item]);
    node.id = building->threads[item].tid;
    node.name = building->threads[item].name;
  }
  node.total = node.self;
  g_array_append_val(self->nodes, node);
}

static guint skip_thread(const Building *building, guint at)
{
  const Entry *entry = &g_array_index(building->by_process, Entry, at);
  guint end = at + 1;

  while (is_in_group(building->by_process, end, entry->group) &&
         g_array_index(building->by_process, Entry, end).id == entry->id)
    end++;
  return end;
}

/* A process's threads, if it has several; their weights in any case. */
static void append_threads(Building *building, guint32 number, guint32 process)
{
  guint begin = find_group(building->by_process, process), n = 0;

  for (guint at = begin; is_in_group(building->by_process, at, process); at = skip_thread(building, at))
    n++;
  for (guint at = begin; is_in_group(building->by_process, at, process);) {
    guint end = skip_thread(building, at);
    for (guint i = at; i < end; i++)
      profile_weight_add(&get_node(building->self, number)->self,
                         building->of_threads[g_array_index(building->by_process, Entry, i).item]);
    if (n > 1)
      append_thread(building, number, at, end);
    at = end;
  }
}

/* Entries begin … end - 1 are what a process was, one after the other. */
static void append_process(Building *building, guint32 parent, guint begin, guint end)
{
  ProfileProcessTree *self = building->self;
  ProfileProcessNode node = {.parent = parent, .first_item = self->items->len, .n_items = end - begin};

  for (guint i = begin; i < end; i++) {
    guint32 item = g_array_index(building->by_parent, Entry, i).item;
    const ProfileProcess *process = &building->processes[item];
    g_array_append_val(self->items, item);
    node.id = process->pid;
    node.name = process->name;
    if (process->command_line)
      node.command_line = process->command_line;
    node.end = MAX(node.end, process->end);
    if (i == begin)
      node.start = process->time;
  }
  g_array_append_val(self->nodes, node);
}

/* process: first generation; 0: the root, and what is known of nobody, which is among its children. */
static void append_processes(Building *building, guint32 number, guint32 process)
{
  guint at = find_group(building->by_parent, process);

  while (is_in_group(building->by_parent, at, process)) {
    guint32 first = g_array_index(building->by_parent, Entry, at).first;
    guint end = at;
    while (is_in_group(building->by_parent, end, process) &&
           g_array_index(building->by_parent, Entry, end).first == first)
      end++;
    append_process(building, number, at, end);
    at = end;
  }
}

/* The first generation that a node of a process stands for. */
static guint32 get_first(const Building *building, guint32 number)
{
  const ProfileProcessNode *node = get_node(building->self, number);

  return building->firsts[g_array_index(building->self->items, guint32, node->first_item)];
}

/* What is known of nobody hangs at the root like others, but nothing hangs at it. Breadth first, so that
 * children stand side by side; each process is reached once, since it has one parent. */
static void append_nodes(Building *building)
{
  ProfileProcessTree *self = building->self;
  const ProfileProcessNode root = {.name = "", .first_child = 1};

  g_array_append_val(self->nodes, root);
  append_processes(building, 0, 0);
  get_node(self, 0)->n_children = self->nodes->len - 1;
  for (guint32 i = 1; i < self->nodes->len; i++) {
    guint32 before = self->nodes->len, first;
    if (get_node(self, i)->is_thread)
      continue;
    first = get_first(building, i);
    append_threads(building, i, first);
    if (first != 0)
      append_processes(building, i, first);
    get_node(self, i)->first_child = before;
    get_node(self, i)->n_children = self->nodes->len - before;
  }
}

static void process_tree_count(Building *building, ProfileWeights *weights)
{
  g_autoptr(ProfileRows) rows = profile_rows_new(weights, PROFILE_ROWS_THREAD);

  building->of_threads = g_new0(ProfileWeight, MAX(building->n_threads, 1));
  for (gsize i = 0; i < profile_rows_get_n(rows); i++) {
    ProfileRow row = profile_rows_get(rows, i);
    building->of_threads[row.item] = row.self;
  }
}

static void add_up(ProfileProcessTree *self)
{
  for (guint32 i = self->nodes->len; i-- > 1;) {
    ProfileProcessNode *node = get_node(self, i);
    if (node->is_thread)
      continue;
    profile_weight_add(&node->total, node->self);
    profile_weight_add(&get_node(self, node->parent)->total, node->total);
  }
}

ProfileProcessTree *profile_process_tree_new(ProfileWeights *weights)
{
  ProfileProcessTree *self = g_new0(ProfileProcessTree, 1);
  Building building = {.capture = profile_weights_get_capture(weights), .self = self};

  self->weights = profile_weights_ref(weights);
  self->nodes = g_array_new(FALSE, FALSE, sizeof(ProfileProcessNode));
  self->items = g_array_new(FALSE, FALSE, sizeof(guint32));
  building.processes = profile_capture_get_processes(building.capture, &building.n_processes);
  building.threads = profile_capture_get_threads(building.capture, &building.n_threads);
  find_firsts(&building);
  find_parents(&building);
  sort_processes(&building);
  sort_threads(&building);
  process_tree_count(&building, weights);
  append_nodes(&building);
  add_up(self);
  g_free(building.firsts);
  g_free(building.parents);
  g_free(building.of_threads);
  g_array_unref(building.by_parent);
  g_array_unref(building.by_process);
  return self;
}

void profile_process_tree_free(ProfileProcessTree *self)
{
  profile_weights_unref(self->weights);
  g_array_unref(self->nodes);
  g_array_unref(self->items);
  g_free(self);
}

ProfileWeights *profile_process_tree_get_weights(const ProfileProcessTree *self)
{
  return self->weights;
}

const ProfileProcessNode *profile_process_tree_get_nodes(const ProfileProcessTree *self, guint *n)
{
  *n = self->nodes->len;
  return (const ProfileProcessNode *)self->nodes->data;
}

const guint32 *profile_process_tree_get_items(const ProfileProcessTree *self, const ProfileProcessNode *node)
{
  return (const guint32 *)self->items->data + node->first_item;
}
