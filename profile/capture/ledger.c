/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/ledger.h"

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"

struct _ProfileLedger {
  guint64 samples[PROFILE_OUTCOMES];
  guint64 by_frame_pointers;
  GArray *entries; /* ProfileLedgerEntry */
};

/* While counting: a row of counts for each binary, then for memory without a file, then for no frame. */
typedef struct {
  ProfileCapture *capture;
  guint n_binaries;
  guint32 *merged; /* one a binary: the first one of its path */
  guint32 *row;    /* one a node: that of the outermost frame */
  guint64 (*counts)[PROFILE_OUTCOMES];
  guint64 by_frame_pointers;
} Counting;

static gboolean has_user_stack(guint outcome)
{
  return outcome != CAPTURE_OUTCOME_UNKNOWN && outcome != CAPTURE_OUTCOME_NO_USER_STACK &&
         outcome != CAPTURE_OUTCOME_NO_STACK;
}

static guint32 get_row(const Counting *counting, const ProfileFrame *frame)
{
  guint n;

  if (frame->kind == CAPTURE_SPACE_KERNEL || frame->kind == CAPTURE_SPACE_GUEST || frame->kind == 0)
    return counting->n_binaries + 1;
  if (frame->kind != CAPTURE_SPACE_BINARY ||
      profile_capture_get_binaries(counting->capture, &n)[frame->owner].flags & CAPTURE_BINARY_SPECIAL)
    return counting->n_binaries;
  return counting->merged[frame->owner];
}

/* A parent has a smaller index than its children: one pass hands the outermost frame down. */
static void find_rows(Counting *counting)
{
  const guint32 *parent, *frame;
  gsize n, n_frames;
  const ProfileFrame *frames = profile_capture_get_frames(counting->capture, &n_frames);

  profile_capture_get_nodes(counting->capture, &parent, &frame, &n);
  counting->row = profile_new(guint32, MAX(n, 1));
  counting->row[0] = counting->n_binaries + 1;
  for (gsize i = 1; i < n; i++)
    counting->row[i] = parent[i] ? counting->row[parent[i]] : get_row(counting, &frames[frame[i]]);
}

static void count_event(Counting *counting, const ProfileEvent *event)
{
  for (gsize i = 0; i < event->n_samples; i++) {
    guint8 outcome = event->outcome[i] & ~CAPTURE_OUTCOME_BY_FRAME_POINTERS;

    if (outcome >= PROFILE_OUTCOMES)
      outcome = CAPTURE_OUTCOME_UNKNOWN;
    counting->counts[counting->row[event->leaf[i]]][outcome]++;
    counting->by_frame_pointers += outcome == CAPTURE_OUTCOME_COMPLETE && event->outcome[i] != outcome;
  }
}

static void add_row(ProfileLedger *self, guint32 binary, const guint64 *counts)
{
  for (guint i = 0; i < PROFILE_OUTCOMES; i++) {
    ProfileLedgerEntry entry = {.binary = binary, .outcome = i, .samples = counts[i]};

    self->samples[i] += counts[i];
    if (counts[i] > 0 && has_user_stack(i) && i != CAPTURE_OUTCOME_COMPLETE)
      g_array_append_val(self->entries, entry);
  }
}

static gint compare_entries(gconstpointer a, gconstpointer b)
{
  const ProfileLedgerEntry *left = a, *right = b;

  if (left->samples != right->samples)
    return left->samples > right->samples ? -1 : 1;
  if (left->outcome != right->outcome)
    return left->outcome < right->outcome ? -1 : 1;
  return left->binary < right->binary ? -1 : left->binary > right->binary;
}

ProfileLedger *profile_ledger_new(ProfileCapture *capture)
{
  ProfileLedger *self = g_new0(ProfileLedger, 1);
  Counting counting = {.capture = capture};
  guint n_events;
  const ProfileEvent *events = profile_capture_get_events(capture, &n_events);

  self->entries = g_array_new(FALSE, FALSE, sizeof(ProfileLedgerEntry));
  profile_capture_get_binaries(capture, &counting.n_binaries);
  counting.counts = profile_memory_new0((gsize)counting.n_binaries + 2, sizeof *counting.counts);
  counting.merged = profile_capture_merge_paths(capture);
  find_rows(&counting);
  for (guint i = 0; i < n_events; i++)
    count_event(&counting, &events[i]);
  for (guint32 i = 0; i < counting.n_binaries; i++)
    add_row(self, i, counting.counts[i]);
  add_row(self, PROFILE_LEDGER_NO_FILE, counting.counts[counting.n_binaries]);
  add_row(self, PROFILE_LEDGER_NO_FRAME, counting.counts[counting.n_binaries + 1]);
  self->by_frame_pointers = counting.by_frame_pointers;
  g_array_sort(self->entries, compare_entries);
  g_free(counting.counts);
  g_free(counting.merged);
  g_free(counting.row);
  return self;
}

void profile_ledger_free(ProfileLedger *self)
{
  g_array_unref(self->entries);
  g_free(self);
}

guint64 profile_ledger_get_samples(const ProfileLedger *self, enum capture_outcome outcome)
{
  return self->samples[outcome];
}

guint64 profile_ledger_get_by_frame_pointers(const ProfileLedger *self)
{
  return self->by_frame_pointers;
}

guint64 profile_ledger_get_stacks(const ProfileLedger *self)
{
  guint64 stacks = 0;

  for (guint i = 0; i < PROFILE_OUTCOMES; i++)
    stacks += has_user_stack(i) ? self->samples[i] : 0;
  return stacks;
}

const ProfileLedgerEntry *profile_ledger_get_entries(const ProfileLedger *self, gsize *n)
{
  *n = self->entries->len;
  return (const ProfileLedgerEntry *)self->entries->data;
}
