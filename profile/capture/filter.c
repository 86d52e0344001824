/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/capture/filter.h"

#include <string.h>

#include "profile/base/times.h"

struct _ProfileFilter {
  ProfileCapture *capture;
  ProfileStacks *stacks;
  guint event;
  guint64 first, end;
  GArray *threads, *processes, *binaries; /* guint32; empty: all */
  guint8 *pass_threads;                   /* made on demand, NULL after a change */
  guint8 *pass_functions;                 /* made on demand, NULL after a change */
};

ProfileFilter *profile_filter_new(ProfileCapture *capture)
{
  ProfileFilter *self = g_new0(ProfileFilter, 1);

  self->capture = g_object_ref(capture);
  self->stacks = profile_stacks_new(capture);
  self->end = G_MAXUINT64;
  self->threads = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->processes = g_array_new(FALSE, FALSE, sizeof(guint32));
  self->binaries = g_array_new(FALSE, FALSE, sizeof(guint32));
  return self;
}

static void copy_items(GArray *to, const GArray *from)
{
  if (from->len > 0)
    g_array_append_vals(to, from->data, from->len);
}

ProfileFilter *profile_filter_copy(const ProfileFilter *self)
{
  ProfileFilter *copy = profile_filter_new(self->capture);

  profile_filter_set_stacks(copy, self->stacks);
  copy->event = self->event;
  copy->first = self->first;
  copy->end = self->end;
  copy_items(copy->threads, self->threads);
  copy_items(copy->processes, self->processes);
  copy_items(copy->binaries, self->binaries);
  return copy;
}

static void forget_passes(ProfileFilter *self)
{
  g_clear_pointer(&self->pass_threads, g_free);
  g_clear_pointer(&self->pass_functions, g_free);
}

void profile_filter_free(ProfileFilter *self)
{
  forget_passes(self);
  g_array_unref(self->threads);
  g_array_unref(self->processes);
  g_array_unref(self->binaries);
  profile_stacks_unref(self->stacks);
  g_object_unref(self->capture);
  g_free(self);
}

void profile_filter_set_event(ProfileFilter *self, guint event)
{
  self->event = event;
}

void profile_filter_set_time(ProfileFilter *self, guint64 first, guint64 end)
{
  self->first = first;
  self->end = end;
}

static void add_item(ProfileFilter *self, GArray *items, guint32 item)
{
  g_array_append_val(items, item);
  forget_passes(self);
}

static void clear_items(ProfileFilter *self, GArray *items)
{
  g_array_set_size(items, 0);
  forget_passes(self);
}

void profile_filter_add_thread(ProfileFilter *self, guint32 thread)
{
  add_item(self, self->threads, thread);
}

void profile_filter_add_process(ProfileFilter *self, guint32 process)
{
  add_item(self, self->processes, process);
}

void profile_filter_add_binary(ProfileFilter *self, guint32 binary)
{
  add_item(self, self->binaries, binary);
}

void profile_filter_clear_threads(ProfileFilter *self)
{
  clear_items(self, self->threads);
}

void profile_filter_clear_processes(ProfileFilter *self)
{
  clear_items(self, self->processes);
}

void profile_filter_clear_binaries(ProfileFilter *self)
{
  clear_items(self, self->binaries);
}

void profile_filter_set_stacks(ProfileFilter *self, ProfileStacks *stacks)
{
  ProfileStacks *old = self->stacks;

  self->stacks = stacks ? profile_stacks_ref(stacks) : profile_stacks_new(self->capture);
  profile_stacks_unref(old);
}

ProfileStacks *profile_filter_get_stacks(const ProfileFilter *self)
{
  return self->stacks;
}

ProfileCapture *profile_filter_get_capture(const ProfileFilter *self)
{
  return self->capture;
}

guint profile_filter_get_event(const ProfileFilter *self)
{
  return self->event;
}

void profile_filter_get_time(const ProfileFilter *self, guint64 *first, guint64 *end)
{
  *first = self->first;
  *end = self->end;
}

void profile_filter_get_range(const ProfileFilter *self, gsize *begin, gsize *end)
{
  const ProfileEvent *event = profile_capture_get_event(self->capture, self->event);

  *begin = profile_times_find(event->time, 0, event->n_samples, self->first);
  *end = self->end == G_MAXUINT64 ? event->n_samples
                                  : profile_times_find(event->time, *begin, event->n_samples, self->end);
}

/* One byte an item; all ones when nothing was chosen. */
static guint8 *mark_items(const GArray *chosen, guint n)
{
  guint8 *marks = g_malloc0(MAX(n, 1));

  if (chosen->len == 0)
    memset(marks, 1, n);
  for (guint i = 0; i < chosen->len; i++)
    if (g_array_index(chosen, guint32, i) < n)
      marks[g_array_index(chosen, guint32, i)] = 1;
  return marks;
}

static guint8 *make_thread_pass(const ProfileFilter *self)
{
  guint n, n_processes;
  const ProfileThread *threads = profile_capture_get_threads(self->capture, &n);
  profile_capture_get_processes(self->capture, &n_processes);
  guint8 *pass = mark_items(self->threads, n);
  g_autofree guint8 *processes = mark_items(self->processes, n_processes);

  for (guint i = 0; i < n; i++)
    pass[i] &= processes[threads[i].process];
  return pass;
}

static guint8 *make_function_pass(const ProfileFilter *self)
{
  guint n_binaries;
  gsize n;
  const ProfileFunction *functions = profile_capture_get_functions(self->capture, &n);
  profile_capture_get_binaries(self->capture, &n_binaries);
  g_autofree guint8 *binaries = mark_items(self->binaries, n_binaries);
  guint8 *pass = g_malloc0(n);
  gboolean kernel = FALSE;

  for (guint i = 0; i < self->binaries->len; i++)
    kernel |= g_array_index(self->binaries, guint32, i) == G_MAXUINT32;
  for (gsize i = 0; i < n; i++) {
    if (functions[i].binary != G_MAXUINT32)
      pass[i] = binaries[functions[i].binary];
    else
      pass[i] = kernel && functions[i].kind == CAPTURE_SPACE_KERNEL;
  }
  return pass;
}

/* Memory that follows from the rest may be made in a filter that is otherwise left alone. */
const guint8 *profile_filter_get_threads(const ProfileFilter *self)
{
  if (self->threads->len == 0 && self->processes->len == 0)
    return NULL;
  if (!self->pass_threads)
    ((ProfileFilter *)self)->pass_threads = make_thread_pass(self);
  return self->pass_threads;
}

const guint8 *profile_filter_get_functions(const ProfileFilter *self)
{
  if (self->binaries->len == 0)
    return NULL;
  if (!self->pass_functions)
    ((ProfileFilter *)self)->pass_functions = make_function_pass(self);
  return self->pass_functions;
}
