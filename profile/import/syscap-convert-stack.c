/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frames of a .syscap that have a stack. */
#include <errno.h>
#include <linux/perf_event.h>

#include "profile/import/syscap-convert-private.h"

#define ANYBODY     G_MININT32
#define IDENTIFIERS (G_GUINT64_CONSTANT(0xe0) << 56)
#define KERNEL_HALF (G_GUINT64_CONSTANT(1) << 63)

typedef struct {
  guint64 address;
  gint32 pid;
} SyscapAddress;

static guint hash_address(gconstpointer key)
{
  const SyscapAddress *self = key;
  guint64 hash = (self->address ^ (guint64)(guint32)self->pid << 32) * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15);

  return (guint)(hash >> 32);
}

static gboolean equal_addresses(gconstpointer left, gconstpointer right)
{
  const SyscapAddress *a = left, *b = right;

  return a->address == b->address && a->pid == b->pid;
}

GHashTable *syscap_new_addresses(void)
{
  return g_hash_table_new_full(hash_address, equal_addresses, g_free, NULL);
}

static void syscap_convert_stack_set(GHashTable *table, gint32 pid, guint64 address, gconstpointer value)
{
  const SyscapAddress key = {.address = address, .pid = pid};

  g_hash_table_insert(table, g_memdup2(&key, sizeof key), (gpointer)value);
}

static gpointer syscap_convert_stack_get(GHashTable *table, gint32 pid, guint64 address)
{
  const SyscapAddress key = {.address = address, .pid = pid};

  return g_hash_table_lookup(table, &key);
}

void syscap_set(GHashTable *table, gint32 pid, guint64 address, gconstpointer value)
{
  syscap_convert_stack_set(table, pid, address, value);
  syscap_convert_stack_set(table, ANYBODY, address, value);
}

/* What Sysprof writes for programs bears its own number. */
gpointer syscap_find(const SyscapConvert *self, GHashTable *table, gint32 pid, guint64 address)
{
  gpointer value = syscap_convert_stack_get(table, pid, address);

  return value || self->options->own_names ? value : syscap_convert_stack_get(table, ANYBODY, address);
}

void syscap_add_names(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  guint32 n = profile_syscap_read_jitmap(frame);
  const char *name;
  guint64 address;

  for (; n > 0 && profile_syscap_read_jit(&frame->payload, &address, &name); n--)
    syscap_set(self->names, frame->pid, address, name);
  self->result->damaged += n > 0;
}

gint64 syscap_define_thread(SyscapConvert *self, const ProfileSyscapFrame *frame, gint32 tid)
{
  ProfilePerfThread *thread =
      profile_perf_machine_get_thread(self->machine, frame->pid, tid > 0 ? tid : frame->pid);

  return profile_import_define_thread(&self->import, thread);
}

static gint64 define_event(SyscapConvert *self, SyscapEvent event)
{
  static const char *const names[] = {"samples", "allocations", "frees", "function entries",
                                      "function exits"};
  const char *prefix = self->options->name;
  g_autofree char *name = !prefix                   ? g_strdup(names[event])
                          : event == SYSCAP_SAMPLES ? g_strdup(prefix)
                                                    : g_strconcat(prefix, " ", names[event], NULL);
  gboolean is_bytes = event == SYSCAP_ALLOCATIONS || event == SYSCAP_FREES;
  struct capture_record_event record = {
      .record = {.size = sizeof record, .type = CAPTURE_RECORD_EVENT},
      .unit = is_bytes ? CAPTURE_UNIT_BYTES : CAPTURE_UNIT_COUNT,
      .detail = is_bytes ? CAPTURE_DETAIL_ADDRESS : CAPTURE_DETAIL_NONE,
  };
  SyscapDefined *defined = &self->events[event];
  gint64 id;
  int status;

  if (defined->epoch == capture_writer_epoch(self->import.writer))
    return defined->id;
  id = profile_import_define_string(&self->import, name);
  if (id < 0)
    return id;
  record.name = (guint32)id;
  record.id = capture_writer_next_id(self->import.writer, CAPTURE_RECORD_EVENT);
  status = capture_writer_define(self->import.writer, &record.record);
  if (status < 0)
    return status;
  *defined = (SyscapDefined){record.id, capture_writer_epoch(self->import.writer)};
  return record.id;
}

static gint64 define_frame(SyscapConvert *self, const ProfileSyscapFrame *frame, ProfilePerfProcess *process,
                           guint64 address, gboolean kernel)
{
  const char *name = syscap_find(self, self->names, frame->pid, address);
  gint64 owner, string;

  if (!name && kernel)
    return capture_writer_frame(self->import.writer, CAPTURE_SPACE_KERNEL, 0, address);
  if (!name)
    name = syscap_find_symbol(self, frame->pid, address);
  if (!name)
    return profile_import_define_address(&self->import, process, address, frame->time);
  string = profile_import_define_string(&self->import, name);
  owner = string < 0 ? string : profile_import_define_process(&self->import, process);
  if (owner < 0)
    return owner;
  return capture_writer_frame(self->import.writer, CAPTURE_SPACE_IDENTIFIERS, (guint32)owner,
                              IDENTIFIERS | (guint64)string);
}

/* perf's marks of a change between kernel and user space, which Sysprof leaves in. */
static gboolean read_context(guint64 address, gboolean *kernel)
{
  if (address < (guint64)PERF_CONTEXT_MAX)
    return FALSE;
  *kernel = address == (guint64)PERF_CONTEXT_KERNEL || address == (guint64)PERF_CONTEXT_HV;
  return TRUE;
}

static gboolean is_kernel_address(guint64 address)
{
  return address >= KERNEL_HALF && address >> 56 != IDENTIFIERS >> 56;
}

static int push_frames(SyscapConvert *self, const ProfileSyscapFrame *frame, ProfileSyscapStack *stack,
                       ProfilePerfProcess *process)
{
  gboolean kernel = FALSE;

  self->n_kernel = self->n_user = 0;
  for (guint32 i = 0; i < stack->n; i++) {
    guint64 address = profile_bytes_take_64(&stack->addresses);
    gint64 id;

    if (read_context(address, &kernel))
      continue;
    gboolean is_kernel = kernel || is_kernel_address(address);
    id = define_frame(self, frame, process, address, is_kernel);
    if (id < 0)
      return (int)id;
    if (is_kernel)
      self->kernel[self->n_kernel++] = (guint32)id;
    else
      self->user[self->n_user++] = (guint32)id;
  }
  return 0;
}

static gint64 define_stack(SyscapConvert *self, const ProfileSyscapFrame *frame, ProfileSyscapStack *stack,
                           ProfilePerfProcess *process)
{
  capture_writer *writer = self->import.writer;
  int status = push_frames(self, frame, stack, process);
  gint64 user, kernel;

  if (status < 0)
    return status;
  user = capture_writer_stack(writer, 0, self->user, self->n_user);
  kernel = user < 0 ? user : capture_writer_stack(writer, 0, self->kernel, self->n_kernel);
  return kernel < 0 ? kernel : capture_writer_join(writer, (guint32)user, (guint32)kernel);
}

static SyscapEvent get_event(const ProfileSyscapFrame *frame, const ProfileSyscapStack *stack)
{
  if (frame->type == PROFILE_SYSCAP_ALLOCATION)
    return stack->size > 0 ? SYSCAP_ALLOCATIONS : SYSCAP_FREES;
  if (frame->type == PROFILE_SYSCAP_TRACE)
    return stack->entering ? SYSCAP_ENTRIES : SYSCAP_EXITS;
  return SYSCAP_SAMPLES;
}

/* Who gives memory back does not say how much it was; who took it did. */
static guint64 syscap_convert_stack_weigh(SyscapConvert *self, const ProfileSyscapFrame *frame,
                                          const ProfileSyscapStack *stack, SyscapEvent event)
{
  gsize size;

  if (event == SYSCAP_ALLOCATIONS) {
    syscap_convert_stack_set(self->allocations, frame->pid, stack->address,
                             GSIZE_TO_POINTER((gsize)stack->size));
    return (guint64)stack->size;
  }
  if (event != SYSCAP_FREES)
    return 1;
  size = GPOINTER_TO_SIZE(syscap_convert_stack_get(self->allocations, frame->pid, stack->address));
  g_hash_table_remove(self->allocations, &(SyscapAddress){.address = stack->address, .pid = frame->pid});
  return size;
}

int syscap_take_stack(SyscapConvert *self, ProfileSyscapFrame *frame)
{
  struct capture_writer_sample sample = {.time = frame->time};
  ProfileSyscapStack stack;
  gint64 thread, leaf, event;
  int status;

  if (!profile_syscap_read_stack(frame, &stack))
    return -EBADMSG;
  SyscapEvent kind = get_event(frame, &stack);
  ProfilePerfProcess *process =
      profile_perf_machine_get_thread(self->machine, frame->pid, stack.tid > 0 ? stack.tid : frame->pid)
          ->process;
  event = define_event(self, kind);
  thread = event < 0 ? event : syscap_define_thread(self, frame, stack.tid);
  leaf = thread < 0 ? thread : define_stack(self, frame, &stack, process);
  if (leaf < 0)
    return (int)leaf;
  sample.event = (guint32)event;
  sample.thread = (guint32)thread;
  sample.leaf = (guint32)leaf;
  sample.cpu = frame->cpu >= 0 ? (guint16)frame->cpu : CAPTURE_CPU_UNKNOWN;
  sample.outcome = leaf > 0 ? CAPTURE_OUTCOME_UNKNOWN : CAPTURE_OUTCOME_NO_STACK;
  sample.mode = self->n_kernel > 0 ? CAPTURE_MODE_KERNEL
                : leaf > 0         ? CAPTURE_MODE_USER
                                   : CAPTURE_MODE_UNKNOWN;
  sample.weight = syscap_convert_stack_weigh(self, frame, &stack, kind);
  sample.has_detail = frame->type == PROFILE_SYSCAP_ALLOCATION;
  sample.detail = stack.address;
  status = capture_writer_sample(self->import.writer, &sample);
  self->result->samples += status == 0 && kind == SYSCAP_SAMPLES;
  self->result->others += status == 0 && kind != SYSCAP_SAMPLES;
  return status;
}
