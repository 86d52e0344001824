/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/translate.h"

#include <string.h>

#include "profile/base/memory.h"
#include "profile/capture/capture-private.h"

typedef struct {
  ProfileCapture *from, *to;
  const guint32 *functions; /* that are translated */
  guint n;
} Translation;

/* A frame that a function held, as the place that was sampled or as a caller. */
typedef struct {
  guint32 frame; /* 0: none was found; frame 0 belongs to nobody */
  gboolean is_leaf;
} Held;

static gboolean same_binary(const ProfileBinary *a, const ProfileBinary *b)
{
  return strcmp(a->path, b->path) == 0 && a->build_id_size == b->build_id_size &&
         memcmp(a->build_id, b->build_id, a->build_id_size) == 0 && a->inode == b->inode &&
         a->device == b->device;
}

static gboolean same_process(const ProfileProcess *a, const ProfileProcess *b)
{
  return a->pid == b->pid && a->time == b->time;
}

static gboolean same_event(const ProfileEvent *a, const ProfileEvent *b)
{
  return strcmp(a->name, b->name) == 0 && a->unit == b->unit && a->detail == b->detail;
}

static gboolean same_code(const ProfileCode *a, const ProfileCode *b)
{
  return a->start == b->start && a->time == b->time && g_strcmp0(a->name, b->name) == 0;
}

static gboolean same_told(const ProfileToldFunction *a, const ProfileToldFunction *b)
{
  return strcmp(a->range.name, b->range.name) == 0 && g_strcmp0(a->range.file, b->range.file) == 0 &&
         a->range.line == b->range.line;
}

static gboolean same_owner(const Translation *self, guint16 kind, guint32 a, guint32 b)
{
  const ProfileCapture *from = self->from, *to = self->to;

  switch (kind) {
  case CAPTURE_SPACE_BINARY:
    return same_binary(&g_array_index(from->binaries, ProfileBinary, a),
                       &g_array_index(to->binaries, ProfileBinary, b));
  case CAPTURE_SPACE_PROCESS:
    return same_process(&g_array_index(from->processes, ProfileProcess, a),
                        &g_array_index(to->processes, ProfileProcess, b));
  case CAPTURE_SPACE_IDENTIFIERS:
    return same_told(&g_array_index(from->told, ProfileToldFunction, a),
                     &g_array_index(to->told, ProfileToldFunction, b));
  case PROFILE_SPACE_CODE:
    return same_code(&g_array_index(from->code, ProfileCode, a), &g_array_index(to->code, ProfileCode, b));
  default:
    return TRUE;
  }
}

static gboolean same_frame(const Translation *self, guint32 a, guint32 b)
{
  const ProfileFrame *left = &self->from->frames[a], *right = &self->to->frames[b];

  return left->kind == right->kind && left->address == right->address &&
         same_owner(self, left->kind, left->owner, right->owner);
}

/* Notes the frame for a function that is translated and has none yet. */
static gboolean note_held(Held *held, guint32 place, guint32 frame, gboolean is_leaf)
{
  if (place == 0 || held[place - 1].frame)
    return FALSE;
  held[place - 1] = (Held){.frame = frame, .is_leaf = is_leaf};
  return TRUE;
}

/* The first frame that each function held. */
static void find_held(const Translation *self, Held *held)
{
  const ProfileNames *names = &self->from->names;
  g_autofree guint32 *places = profile_new0(guint32, names->n_functions); /* 1 + where it first occurs */
  guint left = 0;

  for (guint i = 0; i < self->n; i++)
    if (self->functions[i] < names->n_functions && !places[self->functions[i]]) {
      places[self->functions[i]] = i + 1;
      left++;
    }
  for (guint32 frame = 1; frame < self->from->n_frames && left > 0; frame++) {
    left -= note_held(held, places[names->leaf[frame]], frame, TRUE);
    left -= note_held(held, places[names->caller[frame]], frame, FALSE);
  }
  for (guint i = 0; i < self->n; i++)
    if (self->functions[i] < names->n_functions)
      held[i] = held[places[self->functions[i]] - 1];
}

static guint hash_frame(gconstpointer key)
{
  const ProfileFrame *frame = key;

  return g_int64_hash(&frame->address) ^ frame->kind;
}

static gboolean equal_frames(gconstpointer a, gconstpointer b)
{
  const ProfileFrame *left = a, *right = b;

  return left->address == right->address && left->kind == right->kind;
}

/* For each frame of from that is held the same one of to. Nearly always it has the same index. */
static void find_frames(const Translation *self, const Held *held, guint32 *frames)
{
  g_autoptr(GHashTable) missing = g_hash_table_new(hash_frame, equal_frames);

  for (guint i = 0; i < self->n; i++) {
    guint32 frame = held[i].frame;
    if (self->from->frames == self->to->frames ||
        (frame < self->to->n_frames && same_frame(self, frame, frame)))
      frames[i] = frame;
    else if (frame)
      g_hash_table_add(missing, &self->from->frames[frame]);
  }
  if (g_hash_table_size(missing) == 0)
    return;
  for (guint32 frame = 1; frame < self->to->n_frames; frame++) {
    if (!g_hash_table_contains(missing, &self->to->frames[frame]))
      continue;
    for (guint i = 0; i < self->n; i++)
      if (!frames[i] && held[i].frame && same_frame(self, held[i].frame, frame))
        frames[i] = frame;
  }
}

static gboolean is_of_same_binary(const Translation *self, guint32 from, guint32 to)
{
  if (from == G_MAXUINT32 || to == G_MAXUINT32)
    return from == to;
  return same_owner(self, CAPTURE_SPACE_BINARY, from, to);
}

/* A function that was only ever inlined holds no frame: it goes by its name. */
static guint32 find_by_name(const Translation *self, guint32 function)
{
  const ProfileFunction *wanted = &self->from->names.functions[function];

  for (guint32 i = 1; wanted->range && i < self->to->names.n_functions; i++) {
    const ProfileFunction *other = &self->to->names.functions[i];

    if (other->range && other->kind == wanted->kind && strcmp(other->range->name, wanted->range->name) == 0 &&
        g_strcmp0(other->range->module, wanted->range->module) == 0 &&
        is_of_same_binary(self, wanted->binary, other->binary))
      return i;
  }
  return PROFILE_TRANSLATE_NOTHING;
}

static guint32 get_result(const Translation *self, const Held *held, guint32 frame, guint32 function)
{
  const ProfileNames *names = &self->to->names;

  if (function == 0)
    return 0;
  if (function >= self->from->names.n_functions)
    return (guint32)(function - self->from->names.n_functions + names->n_functions);
  if (!held->frame)
    return find_by_name(self, function);
  if (!frame)
    return PROFILE_TRANSLATE_NOTHING;
  return (held->is_leaf ? names->leaf : names->caller)[frame];
}

void profile_capture_translate_functions(ProfileCapture *from, ProfileCapture *to, const guint32 *functions,
                                         guint n, guint32 *ret_functions)
{
  const Translation self = {.from = from, .to = to, .functions = functions, .n = n};
  g_autofree Held *held = g_new0(Held, n);
  g_autofree guint32 *frames = g_new0(guint32, n);

  find_held(&self, held);
  find_frames(&self, held, frames);
  for (guint i = 0; i < n; i++)
    ret_functions[i] = get_result(&self, &held[i], frames[i], functions[i]);
}

guint32 profile_capture_translate_function(ProfileCapture *from, ProfileCapture *to, guint32 function)
{
  profile_capture_translate_functions(from, to, &function, 1, &function);
  return function;
}

typedef gboolean (*SameFunc)(const Translation *self, guint32 a, guint32 b);

/* The item of n that is the same one, most likely the one with the same index. */
static guint32 find_same(const Translation *self, SameFunc same, guint32 item, guint32 n_from, guint32 n_to)
{
  if (item >= n_from)
    return PROFILE_TRANSLATE_NOTHING;
  if (item < n_to && same(self, item, item))
    return item;
  for (guint32 i = 0; i < n_to; i++)
    if (same(self, item, i))
      return i;
  return PROFILE_TRANSLATE_NOTHING;
}

static gboolean is_same_binary(const Translation *self, guint32 a, guint32 b)
{
  return same_owner(self, CAPTURE_SPACE_BINARY, a, b);
}

static gboolean is_same_process(const Translation *self, guint32 a, guint32 b)
{
  return same_owner(self, CAPTURE_SPACE_PROCESS, a, b);
}

static gboolean is_same_thread(const Translation *self, guint32 a, guint32 b)
{
  const ProfileThread *left = &g_array_index(self->from->threads, ProfileThread, a);
  const ProfileThread *right = &g_array_index(self->to->threads, ProfileThread, b);

  return left->tid == right->tid && strcmp(left->name, right->name) == 0 &&
         is_same_process(self, left->process, right->process);
}

static gboolean is_same_event(const Translation *self, guint32 a, guint32 b)
{
  return same_event(&g_array_index(self->from->events, ProfileEvent, a),
                    &g_array_index(self->to->events, ProfileEvent, b));
}

guint32 profile_capture_translate_binary(ProfileCapture *from, ProfileCapture *to, guint32 binary)
{
  const Translation self = {.from = from, .to = to};

  return find_same(&self, is_same_binary, binary, from->binaries->len, to->binaries->len);
}

guint32 profile_capture_translate_process(ProfileCapture *from, ProfileCapture *to, guint32 process)
{
  const Translation self = {.from = from, .to = to};

  return find_same(&self, is_same_process, process, from->processes->len, to->processes->len);
}

guint32 profile_capture_translate_thread(ProfileCapture *from, ProfileCapture *to, guint32 thread)
{
  const Translation self = {.from = from, .to = to};

  return find_same(&self, is_same_thread, thread, from->threads->len, to->threads->len);
}

guint32 profile_capture_translate_event(ProfileCapture *from, ProfileCapture *to, guint32 event)
{
  const Translation self = {.from = from, .to = to};

  return find_same(&self, is_same_event, event, from->events->len, to->events->len);
}

static gboolean has_all(const guint32 *functions, guint n)
{
  for (guint i = 0; i < n; i++)
    if (functions[i] == PROFILE_TRANSLATE_NOTHING)
      return FALSE;
  return TRUE;
}

ProfileTransform *profile_transform_translate(const ProfileTransform *self, ProfileCapture *from,
                                              ProfileCapture *to)
{
  g_autoptr(ProfileTransform) copy = profile_transform_copy(self);

  if (self->kind == PROFILE_TRANSFORM_COLLAPSE_BINARY) {
    copy->binary = profile_capture_translate_binary(from, to, self->binary);
    if (copy->binary == PROFILE_TRANSLATE_NOTHING && self->binary != G_MAXUINT32)
      return NULL;
  } else if (profile_transform_kind_has_path(self->kind)) {
    profile_capture_translate_functions(from, to, self->path, self->n_path, copy->path);
    if (!has_all(copy->path, copy->n_path))
      return NULL;
  } else {
    copy->function = profile_capture_translate_function(from, to, self->function);
    if (copy->function == PROFILE_TRANSLATE_NOTHING)
      return NULL;
  }
  return g_steal_pointer(&copy);
}
