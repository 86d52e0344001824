/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/code-copier.h"

#include <stdlib.h>

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"
#include "profile/naming/code-file.h"

/* Samples of all events: how many were taken there, and lead through it. */
typedef struct {
  guint64 self, total;
} Hits;

/* A function. */
typedef struct {
  Hits hits;
  const ProfileFunctionRange *range;
  guint slot; /* of its table */
  gboolean is_chosen;
} Candidate;

typedef struct {
  ProfileCapture *capture;
  const ProfileNamer *namer;
  ProfileNamingTables *tables;
  ProfileCodeFile *kernel; /* NULL: it cannot be read */
  Candidate *candidates;   /* one a range of all tables */
  gsize *first;            /* of each slot's, and behind the last one */
} CodeCopier;

static void code_copier_clear(CodeCopier *self)
{
  g_clear_pointer(&self->kernel, profile_code_file_free);
  g_clear_pointer(&self->candidates, g_free);
  g_clear_pointer(&self->first, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(CodeCopier, code_copier_clear)

static void hits_add(Hits *sum, const Hits *hits)
{
  sum->self += hits->self;
  sum->total += hits->total;
}

/* One a frame as a leaf, then one a frame as a caller. Parents have smaller numbers. */
static Hits *count_hits(const ProfileCapture *capture)
{
  Hits *hits = profile_new0(Hits, 2 * capture->n_frames);
  g_autofree Hits *nodes = profile_new0(Hits, capture->n_nodes);

  for (guint i = 0; i < capture->events->len; i++) {
    const ProfileEvent *event = &g_array_index(capture->events, ProfileEvent, i);
    for (gsize k = 0; k < event->n_samples; k++)
      nodes[event->leaf[k]].self++;
  }
  for (gsize node = capture->n_nodes; node-- > 1;) {
    nodes[node].total += nodes[node].self;
    nodes[capture->parent[node]].total += nodes[node].total;
    hits_add(&hits[capture->frame[node] + (capture->exact[node] ? 0 : capture->n_frames)], &nodes[node]);
  }
  return hits;
}

static gboolean is_kernel(const CodeCopier *self, guint slot)
{
  return slot + 1 == self->tables->n;
}

/* What could not be opened for its names cannot be for its code. */
static const ProfileFunctionRange *get_ranges(const CodeCopier *self, guint slot, gsize *n)
{
  const ProfileFunctionTable *table = self->tables->tables[slot];
  enum capture_naming status = table ? profile_function_table_get_status(table) : CAPTURE_NAMING_UNREADABLE;

  *n = 0;
  if (status == CAPTURE_NAMING_UNREADABLE || status == CAPTURE_NAMING_HIDDEN ||
      (is_kernel(self, slot) && !self->kernel))
    return NULL;
  return profile_function_table_get_ranges(table, n);
}

static void list_candidates(CodeCopier *self)
{
  guint n_slots = self->tables->n;
  gsize n;

  self->first = g_new0(gsize, n_slots + 1);
  for (guint slot = 0; slot < n_slots; slot++) {
    get_ranges(self, slot, &n);
    self->first[slot + 1] = self->first[slot] + n;
  }
  self->candidates = profile_new0(Candidate, self->first[n_slots] + 1);
  for (guint slot = 0; slot < n_slots; slot++) {
    const ProfileFunctionRange *ranges = get_ranges(self, slot, &n);
    for (gsize i = 0; i < n; i++)
      self->candidates[self->first[slot] + i] = (Candidate){.range = &ranges[i], .slot = slot};
  }
}

/* Those of one frame, as a leaf or as a caller. */
static void give_hits(CodeCopier *self, const ProfileFrame *frame, guint64 address, const Hits *hits)
{
  guint32 slot = profile_capture_get_slot(self->capture, frame);
  gsize n = 0;
  const ProfileFunctionRange *ranges =
      slot == G_MAXUINT32 || hits->total == 0 ? NULL : get_ranges(self, slot, &n);
  const ProfileFunctionRange *range =
      n > 0 ? profile_function_table_lookup(self->tables->tables[slot], address) : NULL;

  if (range)
    hits_add(&self->candidates[self->first[slot] + (gsize)(range - ranges)].hits, hits);
}

static void weigh_candidates(CodeCopier *self)
{
  const ProfileCapture *capture = self->capture;
  g_autofree Hits *hits = count_hits(capture);

  for (gsize i = 0; i < capture->n_frames; i++) {
    const ProfileFrame *frame = &capture->frames[i];
    give_hits(self, frame, frame->address, &hits[i]);
    give_hits(self, frame, frame->address - 1, &hits[capture->n_frames + i]);
  }
}

static int candidate_compare(const void *a, const void *b)
{
  const Candidate *x = *(const Candidate *const *)a, *y = *(const Candidate *const *)b;

  if (x->hits.self != y->hits.self)
    return x->hits.self > y->hits.self ? -1 : 1;
  if (x->hits.total != y->hits.total)
    return x->hits.total > y->hits.total ? -1 : 1;
  return x < y ? -1 : x > y;
}

/* Of a copy that was cut off the rest is missing. */
static gboolean is_known(const CodeCopier *self, const Candidate *candidate)
{
  const ProfileMachineCode *code = self->capture->machine_code[candidate->slot];
  const ProfileCodeCopy *copy = code ? profile_machine_code_lookup(code, candidate->range->start) : NULL;

  return copy && copy->end >= candidate->range->end;
}

static void choose_candidates(CodeCopier *self, guint64 size)
{
  gsize n = self->first[self->tables->n];
  g_autofree Candidate **order = profile_new0(Candidate *, n + 1);

  for (gsize i = 0; i < n; i++)
    order[i] = &self->candidates[i];
  qsort(order, n, sizeof *order, candidate_compare);
  for (gsize i = 0; i < n && order[i]->hits.total > 0; i++) {
    guint64 length = order[i]->range->end - order[i]->range->start;
    if (length > MIN(size, PROFILE_MACHINE_CODE_MAX) || is_known(self, order[i]))
      continue;
    order[i]->is_chosen = TRUE;
    size -= length;
  }
}

static ProfileCodeFile *open_slot(CodeCopier *self, guint slot)
{
  if (is_kernel(self, slot))
    return g_steal_pointer(&self->kernel);
  return profile_code_file_new(self->namer, &g_array_index(self->capture->binaries, ProfileBinary, slot));
}

/* NULL: nothing. */
static ProfileMachineCode *copy_slot(CodeCopier *self, guint slot)
{
  g_autoptr(ProfileCodeFile) file = NULL;
  ProfileMachineCode *code = NULL;

  for (gsize i = self->first[slot]; i < self->first[slot + 1]; i++) {
    const ProfileFunctionRange *range = self->candidates[i].range;
    g_autoptr(GBytes) bytes = NULL;

    if (!self->candidates[i].is_chosen)
      continue;
    if (!file)
      file = open_slot(self, slot);
    if (!file)
      return NULL;
    bytes = profile_code_file_read(file, range->start, range->end);
    if (!bytes)
      continue;
    if (!code)
      code = profile_machine_code_new();
    profile_machine_code_add(code, range->start, profile_code_file_get_address(file, range->start),
                             profile_code_file_get_machine(file), bytes);
  }
  if (code)
    profile_machine_code_seal(code);
  return code;
}

void profile_code_copier_copy(ProfileCapture *capture, const ProfileNamer *namer, guint64 size,
                              ProfileNamingTables *tables)
{
  g_auto(CodeCopier) self = {.capture = capture, .namer = namer, .tables = tables};

  if (tables->tables[tables->n - 1])
    self.kernel = profile_code_file_new_for_kernel(namer, PROFILE_CODE_FILE_KERNEL);
  list_candidates(&self);
  weigh_candidates(&self);
  choose_candidates(&self, size);
  for (guint slot = 0; slot < tables->n && !g_cancellable_is_cancelled(namer->cancellable); slot++)
    tables->code[slot] = copy_slot(&self, slot);
}
