/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <linux/perf_event.h>

#include "profile/capture/capture-private.h"
#include "profile/export/export-private.h"
#include "profile/import/syscap-writer.h"

/* The name of the file in which Sysprof looks for symbols before it looks anywhere else. */
#define SYMBOLS    "__symbols__"
#define CACHE_BITS 18

#define KERNEL_HALF (G_GUINT64_CONSTANT(1) << 63)

/* What events of allocators are called (helpers/preload, profile/import/syscap-convert-stack.c). */
#define ALLOCATIONS "allocations"
#define FREES       "frees"

/* An entry of that file: ascending by pid and address; an empty one ends them. `end` belongs to the range up
 * to Sysprof 3, and not to it since 45. */
typedef struct {
  guint64 first, end;
  guint32 pid;
  guint32 name; /* offset in the file */
  guint32 tag, padding;
} Symbol;

typedef struct {
  guint64 address;
  gint32 pid;
  guint32 function;
} Named;

/* What a node is written as in a process. */
typedef struct {
  guint32 process, node; /* node 0: empty */
  guint64 word;
} Cached;

/* The samples of an event, and as what they are written. */
typedef struct {
  const ProfileEvent *event;
  gsize next, end;
  enum profile_syscap_type type;
  gboolean gives_back; /* ALLOCATION: of no size */
} Column;

typedef struct {
  const ProfileFilter *filter;
  ProfileCapture *capture;
  ProfileStacks *stacks;            /* the filter's */
  const guint32 *map;               /* theirs; NULL: nodes are the capture's, and have addresses */
  const guint32 *parent, *function; /* columns of their nodes */
  const guint32 *frame;             /* column of the capture's nodes */
  const ProfileFrame *frames;
  const ProfileThread *threads;
  const ProfileProcess *processes;
  const ProfileBinary *binaries;
  ProfileSyscapWriter writer;
  guint64 begin;
  Cached *cache;
  GHashTable *named;    /* Named → itself: what an address was said to be */
  GHashTable *mappings; /* const ProfileMapping *, those written */
  guint8 *told;         /* one a function of the stacks, nonzero: has a JITMAP */
  guint8 *seen;         /* one a process, nonzero: was sampled */
  GArray *words;        /* guint64: of the sample in work */
} Syscap;

static guint hash_named(gconstpointer key)
{
  const Named *self = key;
  guint64 hash = (self->address ^ (guint64)(guint32)self->pid << 40) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);

  return (guint)(hash >> 32);
}

static gboolean equal_named(gconstpointer a, gconstpointer b)
{
  const Named *left = a, *right = b;

  return left->address == right->address && left->pid == right->pid;
}

/* The function as an address of its own, which a JITMAP names. */
static guint64 make_identifier(Syscap *self, gint32 pid, guint32 function)
{
  guint64 word = PROFILE_IDENTIFIER_BASE | ((guint64)function + 1);

  if (!self->told[function])
    profile_syscap_write_jit(&self->writer, (ProfileSyscapPlace){self->begin, pid, -1}, word,
                             profile_stacks_get_function_name(self->stacks, function));
  self->told[function] = 1;
  return word;
}

static void write_mapping(Syscap *self, const ProfileMapping *mapping)
{
  const ProfileBinary *binary = &self->binaries[mapping->binary];
  const ProfileSyscapMap map = {.start = mapping->start,
                                .end = mapping->end,
                                .offset = mapping->offset,
                                .inode = binary->inode,
                                .path = binary->path};
  ProfileSyscapPlace place = {MAX(mapping->time, self->begin), self->processes[mapping->process].pid, -1};

  if (g_hash_table_add(self->mappings, (gpointer)mapping))
    profile_syscap_write_map(&self->writer, place, &map);
}

/* Where the frame is in the process's memory. */
static gboolean find_address(Syscap *self, const ProfileFrame *frame, guint32 process, guint64 time,
                             guint64 *ret)
{
  const ProfileMapping *mapping;

  *ret = frame->address;
  if (frame->kind == CAPTURE_SPACE_KERNEL || frame->kind == CAPTURE_SPACE_PROCESS)
    return frame->address < (guint64)PERF_CONTEXT_MAX;
  if (frame->kind != CAPTURE_SPACE_BINARY)
    return FALSE;
  mapping =
      profile_address_spaces_find_offset(self->capture->spaces, process, frame->owner, frame->address, time);
  if (!mapping)
    return FALSE;
  *ret = frame->address - mapping->offset + mapping->start;
  write_mapping(self, mapping);
  return TRUE;
}

/* Whether the address may stand for the function: nothing else was said of it in a process of that pid.
 * Sysprof asks neither for times nor whether an address was returned to. */
static gboolean export_syscap_claim(Syscap *self, gint32 pid, guint64 address, guint32 function)
{
  const Named wanted = {.address = address, .pid = pid, .function = function};
  const Named *known = g_hash_table_lookup(self->named, &wanted);

  if (!known)
    g_hash_table_add(self->named, g_memdup2(&wanted, sizeof wanted));
  return !known || known->function == function;
}

static guint64 make_word(Syscap *self, guint32 node, guint32 process, guint64 time)
{
  guint32 function = self->function[node];
  gint32 pid = self->processes[process].pid;
  guint64 address;

  if (function != 0 && !self->map &&
      find_address(self, &self->frames[self->frame[node]], process, time, &address) &&
      export_syscap_claim(self, pid, address, function))
    return address;
  return make_identifier(self, pid, function);
}

static guint64 get_word(Syscap *self, guint32 node, guint32 process, guint64 time)
{
  guint64 hash = ((guint64)process << 32 | node) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  Cached *cached = &self->cache[hash >> (64 - CACHE_BITS)];

  if (cached->node != node || cached->process != process)
    *cached = (Cached){process, node, make_word(self, node, process, time)};
  return cached->word;
}

static gboolean is_kernel(const Syscap *self, guint32 node)
{
  return profile_stacks_function_is_kernel(self->stacks, self->function[node]);
}

/* From the leaf on; perf's marks say where kernel and user space begin. */
static void gather_words(Syscap *self, guint32 leaf, guint32 process, guint64 time)
{
  gboolean in_kernel = FALSE;

  g_array_set_size(self->words, 0);
  for (guint32 node = leaf; node != 0; node = self->parent[node]) {
    guint64 context = (guint64)(is_kernel(self, node) ? PERF_CONTEXT_KERNEL : PERF_CONTEXT_USER), word;

    if (node == leaf || in_kernel != is_kernel(self, node))
      g_array_append_val(self->words, context);
    in_kernel = is_kernel(self, node);
    word = get_word(self, node, process, time);
    g_array_append_val(self->words, word);
  }
}

static void write_stack(Syscap *self, const Column *column, gsize i, ProfileSyscapPlace place)
{
  const ProfileEvent *event = column->event;
  const guint64 *words = (const guint64 *)self->words->data;
  gint32 tid = self->threads[event->thread[i]].tid;
  guint64 weight = event->weight ? event->weight[i] : event->constant_weight;

  if (column->type == PROFILE_SYSCAP_SAMPLE)
    profile_syscap_write_sample(&self->writer, place, tid, words, self->words->len);
  else if (column->gives_back || weight > 0)
    profile_syscap_write_allocation(&self->writer, place, tid, event->address ? event->address[i] : 0,
                                    column->gives_back ? 0 : (gint64)MIN(weight, G_MAXINT64), words,
                                    self->words->len);
}

static void write_sample(Syscap *self, const Column *column, gsize i)
{
  const ProfileEvent *event = column->event;
  guint32 process = self->threads[event->thread[i]].process;
  gint32 cpu = event->cpu[i] == CAPTURE_CPU_UNKNOWN ? -1 : event->cpu[i];
  ProfileSyscapPlace place = {event->time[i], self->processes[process].pid, cpu};
  guint32 leaf = self->map ? self->map[event->leaf[i]] : event->leaf[i];

  if (leaf == PROFILE_STACKS_DROPPED)
    return;
  self->seen[process] = 1;
  gather_words(self, leaf, process, event->time[i]);
  write_stack(self, column, i, place);
}

static Column make_column(Syscap *self, guint event)
{
  g_autoptr(ProfileFilter) filter = profile_filter_copy(self->filter);
  Column column = {.event = profile_capture_get_event(self->capture, event), .type = PROFILE_SYSCAP_SAMPLE};

  profile_filter_set_event(filter, event);
  profile_filter_get_range(filter, &column.next, &column.end);
  return column;
}

/* The event that tells what of another one's memory was given back: both say which memory that is. */
static gboolean find_frees(Syscap *self, const ProfileEvent *event, guint *ret)
{
  const char *word = strstr(event->name, ALLOCATIONS);
  g_autofree char *name = word ? g_strdup_printf("%.*s" FREES "%s", (int)(word - event->name), event->name,
                                                 word + strlen(ALLOCATIONS))
                               : NULL;
  guint n;
  const ProfileEvent *events = profile_capture_get_events(self->capture, &n);

  for (guint i = 0; name && event->address && i < n; i++)
    if (events[i].address && strcmp(events[i].name, name) == 0) {
      *ret = i;
      return TRUE;
    }
  return FALSE;
}

/* Bytes are the one weight that Sysprof's format has a place for. It has none for how much was given back. */
static guint make_columns(Syscap *self, Column columns[2])
{
  guint event = profile_filter_get_event(self->filter), frees;

  columns[0] = make_column(self, event);
  if (columns[0].event->unit != CAPTURE_UNIT_BYTES || strstr(columns[0].event->name, FREES))
    return 1;
  columns[0].type = PROFILE_SYSCAP_ALLOCATION;
  if (!find_frees(self, columns[0].event, &frees))
    return 1;
  columns[1] = make_column(self, frees);
  columns[1].type = PROFILE_SYSCAP_ALLOCATION;
  columns[1].gives_back = TRUE;
  return 2;
}

/* The column whose next sample is the earliest; NULL: there is none left. Of equal times memory is allocated
 * before it is given back. */
static Column *choose_column(Column *columns, guint n)
{
  Column *best = NULL;

  for (guint i = 0; i < n; i++)
    if (columns[i].next < columns[i].end &&
        (!best || columns[i].event->time[columns[i].next] < best->event->time[best->next]))
      best = &columns[i];
  return best;
}

static void write_samples(Syscap *self)
{
  const guint8 *threads = profile_filter_get_threads(self->filter);
  const guint8 *functions = profile_filter_get_functions(self->filter);
  const guint32 *recorded = profile_capture_get_node_functions(self->capture);
  Column columns[2], *column;
  guint n = make_columns(self, columns);

  while (!self->writer.error && (column = choose_column(columns, n))) {
    const ProfileEvent *event = column->event;
    gsize i = column->next++;

    if ((!threads || threads[event->thread[i]]) && (!functions || functions[recorded[event->leaf[i]]]))
      write_sample(self, column, i);
  }
}

static void write_processes(Syscap *self)
{
  guint n;

  profile_capture_get_processes(self->capture, &n);
  for (guint i = 0; i < n; i++) {
    const ProfileProcess *process = &self->processes[i];

    if (self->seen[i])
      profile_syscap_write_process(&self->writer,
                                   (ProfileSyscapPlace){MAX(process->time, self->begin), process->pid, -1},
                                   process->command_line ? process->command_line : process->name);
  }
}

static gint compare_named(gconstpointer a, gconstpointer b)
{
  const Named *left = *(const Named *const *)a, *right = *(const Named *const *)b;

  if (left->pid != right->pid)
    return (guint32)left->pid < (guint32)right->pid ? -1 : 1;
  return (left->address > right->address) - (left->address < right->address);
}

/* Neighbours of one function share an entry; but in the kernel, of which Sysprof 45 keeps one range for each
 * first address, whichever process it found there first. */
static void add_symbol(GArray *symbols, const Named *named, guint32 name)
{
  Symbol *last = symbols->len > 0 ? &g_array_index(symbols, Symbol, symbols->len - 1) : NULL;
  Symbol symbol = {named->address, named->address + 1, (guint32)named->pid, name, 0, 0};

  if (last && last->pid == symbol.pid && last->name == name && named->address < KERNEL_HALF) {
    last->end = named->address + 1;
    return;
  }
  /* Better no name for an address, in new ones, than another's, in old ones. */
  if (last && last->pid == symbol.pid && last->name != name && last->end == symbol.first)
    last->end--;
  g_array_append_val(symbols, symbol);
}

/* Offsets of names count from where they begin until it is known where that is. */
static void gather_symbols(Syscap *self, GArray *symbols, GByteArray *names)
{
  g_autoptr(GPtrArray) all = g_ptr_array_new();
  g_autofree guint32 *offsets = NULL;
  GHashTableIter iter;
  gpointer key;
  gsize n;

  profile_capture_get_functions(self->capture, &n);
  offsets = g_new0(guint32, n);
  g_hash_table_iter_init(&iter, self->named);
  while (g_hash_table_iter_next(&iter, &key, NULL))
    g_ptr_array_add(all, key);
  g_ptr_array_sort(all, compare_named);
  for (guint i = 0; i < all->len; i++) {
    const Named *named = all->pdata[i];
    guint32 *offset = &offsets[named->function];
    const char *name = profile_capture_get_function_name(self->capture, named->function);

    if (*offset == 0) {
      *offset = names->len + 1;
      g_byte_array_append(names, (const guint8 *)name, (guint)strlen(name) + 1);
    }
    add_symbol(symbols, named, *offset);
  }
}

static void write_symbols(Syscap *self)
{
  g_autoptr(GArray) symbols = g_array_new(FALSE, FALSE, sizeof(Symbol));
  g_autoptr(GByteArray) names = g_byte_array_new();
  g_autoptr(GByteArray) file = g_byte_array_new();
  const Symbol none = {0};
  guint32 base;

  gather_symbols(self, symbols, names);
  base = (symbols->len + 1) * (guint32)sizeof(Symbol) - 1;
  for (guint i = 0; i < symbols->len; i++)
    g_array_index(symbols, Symbol, i).name += base;
  g_array_append_val(symbols, none);
  g_byte_array_append(file, (const guint8 *)symbols->data, symbols->len * (guint)sizeof(Symbol));
  g_byte_array_append(file, names->data, names->len);
  profile_syscap_write_file(&self->writer, (ProfileSyscapPlace){self->begin, -1, -1}, SYMBOLS, file->data,
                            file->len);
}

static void set_up(Syscap *self, const ProfileFilter *filter)
{
  const guint32 *parent;
  gsize n;
  guint n_processes;

  self->filter = filter;
  self->capture = profile_filter_get_capture(filter);
  self->stacks = profile_filter_get_stacks(filter);
  self->map = profile_stacks_get_map(self->stacks);
  self->parent = profile_stacks_get_parents(self->stacks);
  self->function = profile_stacks_get_functions(self->stacks);
  profile_capture_get_nodes(self->capture, &parent, &self->frame, &n);
  self->frames = profile_capture_get_frames(self->capture, &n);
  self->processes = profile_capture_get_processes(self->capture, &n_processes);
  self->threads = profile_capture_get_threads(self->capture, &(guint){0});
  self->binaries = profile_capture_get_binaries(self->capture, &(guint){0});
  self->cache = g_new0(Cached, 1 << CACHE_BITS);
  self->named = g_hash_table_new_full(hash_named, equal_named, g_free, NULL);
  self->mappings = g_hash_table_new(NULL, NULL);
  self->told = g_new0(guint8, profile_stacks_get_n_functions(self->stacks));
  self->seen = g_new0(guint8, n_processes);
  self->words = g_array_new(FALSE, FALSE, sizeof(guint64));
}

static void export_syscap_clear(Syscap *self)
{
  g_array_unref(self->words);
  g_free(self->seen);
  g_free(self->told);
  g_hash_table_unref(self->mappings);
  g_hash_table_unref(self->named);
  g_free(self->cache);
}

gboolean profile_export_syscap(ProfileWeights *weights, const ProfileExportOptions *options,
                               GOutputStream *stream, GCancellable *cancellable, GError **error)
{
  g_autoptr(ProfileWeights) recorded = profile_export_without_inlined(weights);
  Syscap self = {0};
  struct capture_file_header header;
  guint64 first = 0, last = 0;

  set_up(&self, profile_weights_get_filter(recorded));
  profile_capture_get_header(self.capture, &header);
  profile_capture_get_time_range(self.capture, &first, &last);
  self.begin = header.time > 0 ? MIN(header.time, first) : first;
  profile_syscap_writer_init(&self.writer, stream, cancellable, self.begin, MAX(header.ended.time, last),
                             header.time_realtime);
  write_samples(&self);
  write_processes(&self);
  profile_export_syscap_told(&self.writer, self.filter);
  write_symbols(&self);
  export_syscap_clear(&self);
  return profile_syscap_writer_finish(&self.writer, error);
}
