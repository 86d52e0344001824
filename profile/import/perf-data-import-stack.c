/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/base/bytes.h"
#include "profile/import/perf-data-import-private.h"

#define CHAIN_DEFAULT 127 /* kernel.perf_event_max_stack, unless somebody changed it */

static gint64 define_frame(ProfilePerfImport *self, ProfilePerfProcess *process, guint32 key, guint64 address,
                           guint64 time)
{
  guint64 hash = (address ^ (guint64)key << 40) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);
  ProfilePerfCachedFrame *cached = &self->cache[hash >> (64 - PROFILE_PERF_CACHE_BITS)];
  /* A sample that is older than its process's mappings gets an answer that does not hold for others. */
  gboolean lasting = key < PROFILE_PERF_VERSION_FIRST || time >= process->changed;
  gint64 frame;

  if (lasting && cached->address == address && cached->key == key)
    return cached->frame;
  if (key == PROFILE_PERF_KEY_KERNEL)
    frame = capture_writer_frame(self->import.writer, CAPTURE_SPACE_KERNEL, 0, address);
  else if (key == PROFILE_PERF_KEY_GUEST)
    frame = capture_writer_frame(self->import.writer, CAPTURE_SPACE_GUEST, 0, address);
  else
    frame = profile_import_define_address(&self->import, process, address, time);
  if (frame > 0 && lasting)
    *cached = (ProfilePerfCachedFrame){address, key, (guint32)frame};
  return frame;
}

/* 0 when it is no context: frame pointers that lead astray bring up any number. */
static guint32 get_key(const ProfilePerfProcess *process, guint64 context)
{
  switch (context) {
  case PERF_CONTEXT_USER:
    return process->version;
  case PERF_CONTEXT_KERNEL:
  case PERF_CONTEXT_HV:
    return PROFILE_PERF_KEY_KERNEL;
  case PERF_CONTEXT_GUEST:
  case PERF_CONTEXT_GUEST_KERNEL:
  case PERF_CONTEXT_GUEST_USER:
    return PROFILE_PERF_KEY_GUEST;
  default:
    return 0;
  }
}

static guint64 get_context(guint16 misc)
{
  switch (misc & PERF_RECORD_MISC_CPUMODE_MASK) {
  case PERF_RECORD_MISC_KERNEL:
    return (guint64)PERF_CONTEXT_KERNEL;
  case PERF_RECORD_MISC_HYPERVISOR:
    return (guint64)PERF_CONTEXT_HV;
  case PERF_RECORD_MISC_GUEST_KERNEL:
  case PERF_RECORD_MISC_GUEST_USER:
    return (guint64)PERF_CONTEXT_GUEST;
  default:
    return (guint64)PERF_CONTEXT_USER;
  }
}

static int perf_data_import_stack_push(ProfilePerfImport *self, ProfilePerfProcess *process, guint32 key,
                                       guint64 address, guint64 time)
{
  ProfilePerfStack *stack = key < PROFILE_PERF_VERSION_FIRST ? &self->kernel : &self->user;
  gint64 frame = define_frame(self, process, key, address, time);

  if (frame < 0)
    return (int)frame;
  if (stack->n == 0)
    stack->leaf = address;
  if (stack->n < G_N_ELEMENTS(stack->frames))
    stack->frames[stack->n++] = (guint32)frame;
  return 0;
}

static int push_chain(ProfilePerfImport *self, const ProfilePerfSample *sample, ProfilePerfProcess *process,
                      guint64 time)
{
  guint32 key = process->version;

  for (gsize i = 0; i < sample->n_chain; i++) {
    guint64 address = profile_bytes_load_64(sample->chain + 8 * i);
    guint32 context = address >= (guint64)PERF_CONTEXT_MAX ? get_key(process, address) : 0;
    int status;

    if (context) {
      key = context;
      continue;
    }
    status = perf_data_import_stack_push(self, process, key, address, time);
    if (status < 0)
      return status;
  }
  return 0;
}

/* The leaf is the sampled address. A chain may lack it (when it was not asked for on that side), or begin
 * where the interrupt came instead, a little later than a precise event. */
static int put_leaf(ProfilePerfImport *self, const ProfilePerfRecord *record, const ProfilePerfSample *sample,
                    ProfilePerfProcess *process)
{
  guint32 key = get_key(process, get_context(record->misc));
  ProfilePerfStack *stack = key < PROFILE_PERF_VERSION_FIRST ? &self->kernel : &self->user;
  gint64 frame;

  if (!(record->event->attr.sample_type & PERF_SAMPLE_IP) || (stack->n > 0 && stack->leaf == sample->ip) ||
      (stack == &self->user && self->kernel.n > 0))
    return 0;
  frame = define_frame(self, process, key, sample->ip, record->time);
  if (frame < 0)
    return (int)frame;
  stack->frames[0] = (guint32)frame;
  stack->n = MAX(stack->n, 1);
  return 0;
}

/* In place of what perf's chain says of user space: the sampled address alone, if anything. */
static int push_walk(ProfilePerfImport *self, const ProfilePerfRecord *record,
                     const ProfilePerfSample *sample, ProfilePerfProcess *process, guint8 *ret_outcome)
{
  guint64 addresses[WALK_FRAMES_MAX];
  guint n = profile_perf_import_unwind(self, record, sample, process, addresses, ret_outcome);
  int status = 0;

  if (n > 0)
    self->user.n = 0;
  for (guint i = 0; i < n && status == 0; i++)
    status = perf_data_import_stack_push(self, process, process->version, addresses[i], record->time);
  return status;
}

/* Of what the kernel's chain says. */
static guint8 perf_data_import_stack_judge(const ProfilePerfImport *self, const struct perf_event_attr *attr)
{
  guint limit = attr->sample_max_stack ? attr->sample_max_stack : CHAIN_DEFAULT;

  if (self->kernel.n + self->user.n == 0)
    return CAPTURE_OUTCOME_NO_STACK;
  if (attr->sample_type & PERF_SAMPLE_STACK_USER)
    return CAPTURE_OUTCOME_NO_USER_STACK;
  if (!(attr->sample_type & PERF_SAMPLE_CALLCHAIN) || attr->exclude_callchain_user)
    return CAPTURE_OUTCOME_UNKNOWN;
  if (self->kernel.n + self->user.n >= limit)
    return CAPTURE_OUTCOME_TRUNCATED;
  return self->user.n > 0 ? CAPTURE_OUTCOME_FRAME_POINTERS : CAPTURE_OUTCOME_NO_USER_STACK;
}

gint64 profile_perf_import_define_stack(ProfilePerfImport *self, const ProfilePerfRecord *record,
                                        const ProfilePerfSample *sample, ProfilePerfProcess *process,
                                        guint8 *ret_outcome)
{
  gboolean walked = profile_perf_import_has_user_stack(record, sample);
  gint64 user, kernel;
  int status;

  self->kernel.n = self->user.n = 0;
  status = push_chain(self, sample, process, record->time);
  if (status == 0 && walked)
    status = push_walk(self, record, sample, process, ret_outcome);
  if (status == 0)
    status = put_leaf(self, record, sample, process);
  if (status < 0)
    return status;
  if (!walked)
    *ret_outcome = perf_data_import_stack_judge(self, &record->event->attr);
  user = capture_writer_stack(self->import.writer, 0, self->user.frames, self->user.n);
  kernel =
      user < 0 ? user : capture_writer_stack(self->import.writer, 0, self->kernel.frames, self->kernel.n);
  return kernel < 0 ? kernel : capture_writer_join(self->import.writer, (guint32)user, (guint32)kernel);
}
