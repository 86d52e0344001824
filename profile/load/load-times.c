/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Addresses whose meaning depends on the time: machine code is thrown away and other code put in its place,
 * libraries come and go. Each sample whose stack holds one gets a stack of what stood there at its time;
 * others keep theirs. Samples of an event ascend in time, so one answer a node, with the time for which it
 * holds, is all that needs to be remembered.
 */
#include <glib/gi18n.h>
#include <string.h>

#include "profile/base/memory.h"
#include "profile/base/number-map.h"
#include "profile/load/loader-private.h"

/* Bounds what hostile stacks cost: no honest one is deeper. */
enum { STEPS_A_SAMPLE = 512, PIECE = 1 << 20 };

typedef struct {
  guint64 from, until; /* until 0: not known yet */
  guint32 node;
} Answer;

typedef struct {
  Load *load;
  ProfileCapture *capture;
  gsize n_read;  /* nodes before any was added */
  guint8 *timed; /* of those: the stack that ends there holds a timed frame */
  Answer *answers;
  ProfileNumberMap frames; /* frame and meaning → frame */
  ProfileNumberMap nodes;  /* parent, frame → node */
  GArray *path;            /* guint32 */
  gsize frame_capacity;
  guint64 steps, limit;
} Times;

static guint32 append_frame(Times *times, const ProfileFrame *frame)
{
  ProfileCapture *capture = times->capture;

  if (capture->n_frames == times->frame_capacity) {
    times->frame_capacity += times->frame_capacity / 2 + 1024;
    capture->frames = g_renew(ProfileFrame, capture->frames, times->frame_capacity);
  }
  capture->frames[capture->n_frames] = *frame;
  return (guint32)capture->n_frames++;
}

static void use_code(Times *times, const ProfileCode *code, ProfileFrame *frame)
{
  ProfileCapture *capture = times->capture;
  guint32 index = (guint32)(code - (const ProfileCode *)capture->code->data);

  frame->kind = PROFILE_SPACE_CODE;
  frame->owner = index;
  if (capture->code_functions[index] == G_MAXUINT32)
    capture->code_functions[index] =
        load_tell(times->load, code->process, code->name, code->file, code->line);
}

/* What the frame meant at a time. A return address stands behind its call. */
static guint32 resolve_frame(Times *times, guint32 index, gboolean exact, guint64 time, Answer *answer)
{
  ProfileFrame frame = times->capture->frames[index];
  guint64 address = exact ? frame.address : frame.address - 1, key;
  const ProfileMapping *mapping = NULL;

  frame.kind = CAPTURE_SPACE_PROCESS;
  const ProfileCode *code =
      load_find_code(times->load, frame.owner, address, time, &answer->from, &answer->until);
  if (!code)
    mapping = profile_address_spaces_find_at(times->capture->spaces, frame.owner, address, time,
                                             &answer->from, &answer->until);
  if (code)
    use_code(times, code, &frame);
  else if (mapping)
    load_use_mapping(times->capture, mapping, &frame);
  if (frame.kind == CAPTURE_SPACE_PROCESS)
    return index;
  /* The frame's own number and the owner say all: its place in a file follows from its address and the file's
   * one place in memory, but for a file that is mapped again elsewhere. */
  key = (guint64)index << 32 | (frame.owner ^ (frame.kind == CAPTURE_SPACE_BINARY ? 0x80000000u : 0));
  guint32 *known = profile_number_map_use(&times->frames, key);
  if (!*known || times->capture->frames[*known].address != frame.address)
    *known = append_frame(times, &frame);
  return *known;
}

static guint32 get_node(Times *times, guint32 node, guint32 parent, guint32 frame)
{
  const ProfileCapture *capture = times->capture;

  if (parent == capture->parent[node] && frame == capture->frame[node])
    return node;
  guint32 *known = profile_number_map_use(&times->nodes, (guint64)parent << 32 | (guint64)frame << 1 |
                                                             (capture->exact[node] != 0));
  if (!*known)
    *known = load_append_node(times->load, parent, frame, capture->exact[node]);
  return *known;
}

static gboolean is_known(const Times *times, guint32 node, guint64 time)
{
  const Answer *answer = &times->answers[node];

  return !times->timed[node] || (answer->from <= time && time < answer->until);
}

static Answer get_answer(const Times *times, guint32 node)
{
  return times->timed[node] ? times->answers[node] : (Answer){.until = G_MAXUINT64, .node = node};
}

/* Of a node whose parent's is known. */
static void resolve_node(Times *times, guint32 node, guint64 time)
{
  ProfileCapture *capture = times->capture;
  Answer answer = get_answer(times, capture->parent[node]);
  guint32 frame = capture->frame[node];

  if (capture->frames[frame].kind == LOAD_SPACE_TIMED)
    frame = resolve_frame(times, frame, capture->exact[node] != 0, time, &answer);
  answer.node = get_node(times, node, answer.node, frame);
  times->answers[node] = answer;
}

/* Beyond the limit a stack stays as it was read: its addresses have no names then, but no wrong ones. */
static guint32 resolve_stack(Times *times, guint32 leaf, guint64 time)
{
  const ProfileCapture *capture = times->capture;

  g_array_set_size(times->path, 0);
  for (guint32 node = leaf; !is_known(times, node, time); node = capture->parent[node]) {
    if (times->steps++ > times->limit)
      return leaf;
    g_array_append_val(times->path, node);
  }
  for (guint i = times->path->len; i-- > 0;)
    resolve_node(times, g_array_index(times->path, guint32, i), time);
  return get_answer(times, leaf).node;
}

static void resolve_column(Times *times, const guint32 *leaf, const guint64 *time, gsize n)
{
  gboolean begun = FALSE;

  for (gsize i = 0; leaf && i < n; i++) {
    if (!times->timed[leaf[i]])
      continue;
    if (!begun) /* answers are found as time goes on */
      memset(times->answers, 0, times->n_read * sizeof *times->answers);
    begun = TRUE;
    ((guint32 *)leaf)[i] = resolve_stack(times, leaf[i], time[i]);
  }
}

static void mark_timed(Times *times)
{
  const ProfileCapture *capture = times->capture;

  for (gsize i = 1; i < times->n_read; i++)
    times->timed[i] =
        times->timed[capture->parent[i]] || capture->frames[capture->frame[i]].kind == LOAD_SPACE_TIMED;
}

static void resolve_events(Times *times)
{
  const GArray *events = times->capture->events;

  for (guint i = 0; i < events->len; i++) {
    const ProfileEvent *event = &g_array_index(events, ProfileEvent, i);
    resolve_column(times, event->leaf, event->time, event->n_samples);
    resolve_column(times, event->waker_leaf, event->time, event->n_samples);
  }
}

static guint64 count_samples(const ProfileCapture *capture)
{
  guint64 n = 0;

  for (guint i = 0; i < capture->events->len; i++)
    n += g_array_index(capture->events, ProfileEvent, i).n_samples;
  return n;
}

void load_resolve_times(Load *load)
{
  ProfileCapture *capture = load->capture;

  load_end_stacks(load);
  guint64 n_samples = count_samples(capture), room = G_MAXUINT32 / 4 - MIN(capture->n_nodes, G_MAXUINT32 / 4);
  g_autofree guint8 *timed = profile_new0(guint8, capture->n_nodes);
  g_autofree Answer *answers = profile_new0(Answer, capture->n_nodes);
  g_autoptr(GArray) path = g_array_new(FALSE, FALSE, sizeof(guint32));
  Times times = {.load = load,
                 .capture = capture,
                 .n_read = capture->n_nodes,
                 .timed = timed,
                 .answers = answers,
                 .path = path,
                 .frame_capacity = capture->n_frames};

  times.limit = MIN(n_samples * STEPS_A_SAMPLE + 4 * capture->n_nodes + PIECE, room);
  mark_timed(&times);
  resolve_events(&times);
  for (gsize i = 0; i < capture->n_frames; i++)
    if (capture->frames[i].kind == LOAD_SPACE_TIMED)
      capture->frames[i].kind = CAPTURE_SPACE_PROCESS;
  if (times.steps > times.limit)
    load_problem(load, _("The capture has more code made at run time, changing more often, than it can have; "
                         "some samples lack its names."));
  profile_number_map_clear(&times.frames);
  profile_number_map_clear(&times.nodes);
}
