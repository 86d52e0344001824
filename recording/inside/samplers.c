/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/inside/samplers.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "recording/common/limits-private.h"
#include "recording/common/priority-private.h"
#include "recording/inside/door-private.h"
#include "recording/inside/sampler-private.h"
#include "recording/inside/tables-private.h"

/* Programs at once; where few descriptors are permitted, a quarter of those. */
#define PROGRAMS_MAX 4096
/* Connections of one process: more runtimes do not fit into it. */
#define OF_ONE_MAX 16
/* Connections that have not said HELLO; the longest silent goes first, and each after this time. */
#define SILENT_MAX      256
#define SILENT_PATIENCE (2 * G_TIME_SPAN_SECOND)
/* Bytes of windows that one program, and all together, may bring. */
#define MEMORY_OF_ONE_MAX ((guint64)64 << 20)
#define MEMORY_MAX        ((guint64)4 << 30)
/* Between two looks at what is late. */
#define TICK 250
/* How long its thread may take to end: a program's file system may hold up a close. */
#define STOP_PATIENCE (3 * G_TIME_SPAN_SECOND)
#define EVENTS_MAX    64

typedef struct {
  RecordingSampler *sampler;
  gint64 deadline; /* to say HELLO */
} Silent;

/* The thread's and its owner's; the last of both frees it. */
struct _RecordingSamplers {
  gatomicrefcount n_references;
  RecordingSamplersSettings settings;
  RecordingDoor *door;
  gint32 only_pid; /* 0: any */
  GThread *thread;
  int wake;
  gint stop;      /* atomic */
  gint n_refused; /* atomic */

  GMutex mutex; /* guards what follows */
  GCond cond;
  gboolean ended; /* all streams were given back */

  /* The thread's. */
  RecordingSamplerHost host;
  guint max;
  guint64 memory;      /* of all */
  GHashTable *all;     /* of RecordingSampler */
  GHashTable *of_pids; /* pid -> how many */
  GQueue silent;       /* of Silent, the longest silent first */
};

static RecordingSamplers *samplers_ref(RecordingSamplers *self)
{
  g_atomic_ref_count_inc(&self->n_references);
  return self;
}

static void samplers_unref(RecordingSamplers *self)
{
  if (!g_atomic_ref_count_dec(&self->n_references))
    return;
  g_clear_pointer(&self->door, recording_door_free);
  if (self->wake >= 0)
    close(self->wake);
  g_mutex_clear(&self->mutex);
  g_cond_clear(&self->cond);
  g_free(self);
}

RecordingSamplers *recording_samplers_new(GError **error)
{
  RecordingDoor *door = recording_door_new(error);

  if (!door)
    return NULL;
  RecordingSamplers *self = g_new0(RecordingSamplers, 1);
  g_atomic_ref_count_init(&self->n_references);
  self->door = door;
  self->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  g_mutex_init(&self->mutex);
  g_cond_init(&self->cond);
  return self;
}

const char *recording_samplers_get_path(RecordingSamplers *self)
{
  return recording_door_get_path(self->door);
}

void recording_samplers_confine(RecordingSamplers *self, gint32 pid)
{
  self->only_pid = pid;
}

guint recording_samplers_get_n_programs(RecordingSamplers *self)
{
  return (guint)g_atomic_int_get(&self->host.n_joined);
}

guint recording_samplers_get_n_refused(RecordingSamplers *self)
{
  return (guint)g_atomic_int_get(&self->n_refused);
}

static guint count_of(RecordingSamplers *self, gint32 pid)
{
  return GPOINTER_TO_UINT(g_hash_table_lookup(self->of_pids, GINT_TO_POINTER(pid)));
}

static void set_count_of(RecordingSamplers *self, gint32 pid, guint n)
{
  if (n > 0)
    g_hash_table_insert(self->of_pids, GINT_TO_POINTER(pid), GUINT_TO_POINTER(n));
  else
    g_hash_table_remove(self->of_pids, GINT_TO_POINTER(pid));
}

static void forget_silent(RecordingSamplers *self, const RecordingSampler *sampler)
{
  for (GList *link = self->silent.head; link; link = link->next) {
    Silent *silent = link->data;
    if (silent->sampler != sampler)
      continue;
    g_queue_delete_link(&self->silent, link);
    g_free(silent);
    return;
  }
}

static void samplers_end(RecordingSamplers *self, RecordingSampler *sampler)
{
  gint32 pid = recording_sampler_get_pid(sampler);

  set_count_of(self, pid, count_of(self, pid) - 1);
  self->memory -= recording_sampler_get_memory(sampler);
  g_hash_table_remove(self->all, sampler);
  recording_sampler_free(sampler);
}

static void set_memory_left(RecordingSamplers *self)
{
  self->host.memory_max = MIN(MEMORY_OF_ONE_MAX, MEMORY_MAX - self->memory);
}

/* FALSE: it is no more. */
static gboolean serve_program(RecordingSamplers *self, RecordingSampler *sampler)
{
  gboolean was_silent = recording_sampler_get_state(sampler) == RECORDING_SAMPLER_SILENT;
  guint64 memory = recording_sampler_get_memory(sampler);

  RecordingSamplerState state = recording_sampler_serve(sampler);
  self->memory += recording_sampler_get_memory(sampler) - memory;
  set_memory_left(self);
  if (was_silent && state != RECORDING_SAMPLER_SILENT)
    forget_silent(self, sampler);
  if (state != RECORDING_SAMPLER_OVER)
    return TRUE;
  samplers_end(self, sampler);
  return FALSE;
}

static void end_longest_silent(RecordingSamplers *self)
{
  Silent *silent = g_queue_peek_head(&self->silent);
  RecordingSampler *sampler = silent->sampler;

  /* It may have spoken meanwhile. */
  if (!serve_program(self, sampler) || recording_sampler_get_state(sampler) != RECORDING_SAMPLER_SILENT)
    return;
  forget_silent(self, sampler);
  samplers_end(self, sampler);
}

static void end_late(RecordingSamplers *self)
{
  gint64 now = g_get_monotonic_time();

  for (Silent *silent; (silent = g_queue_peek_head(&self->silent)) && silent->deadline <= now;)
    end_longest_silent(self);
}

static void let_in(RecordingSamplers *self, int fd, gint32 pid)
{
  RecordingSampler *sampler = recording_sampler_new(fd, pid, &self->host);
  Silent *silent = g_new(Silent, 1);

  *silent = (Silent){sampler, g_get_monotonic_time() + SILENT_PATIENCE};
  g_queue_push_tail(&self->silent, silent);
  g_hash_table_add(self->all, sampler);
  set_count_of(self, pid, count_of(self, pid) + 1);
  serve_program(self, sampler);
  if (self->silent.length > SILENT_MAX)
    end_longest_silent(self);
}

static void open_door(RecordingSamplers *self)
{
  for (guint i = 0; i < EVENTS_MAX; i++) {
    pid_t pid;
    int fd = recording_door_open(self->door, &pid);

    if (fd < 0)
      return;
    if (self->only_pid != 0 && pid != self->only_pid) {
      close(fd);
    } else if (g_hash_table_size(self->all) >= self->max || count_of(self, pid) >= OF_ONE_MAX) {
      g_atomic_int_inc(&self->n_refused);
      close(fd);
    } else {
      let_in(self, fd, pid);
    }
  }
}

/* Who was ended by something else that happened is not there any more, though an event names it. */
static void see_event(RecordingSamplers *self, const struct epoll_event *event)
{
  if (event->data.ptr == self->door)
    open_door(self);
  else if (event->data.ptr == self->host.tables)
    recording_tables_serve(self->host.tables);
  else if (g_hash_table_contains(self->all, event->data.ptr))
    serve_program(self, event->data.ptr);
}

static void samplers_watch(RecordingSamplers *self, int fd, gpointer data)
{
  struct epoll_event event = {.events = EPOLLIN, .data.ptr = data};

  epoll_ctl(self->host.epoll, EPOLL_CTL_ADD, fd, &event);
}

static void set_up(RecordingSamplers *self)
{
  self->max = MIN(recording_limits_raise() / 4, PROGRAMS_MAX);
  self->all = g_hash_table_new(NULL, NULL);
  self->of_pids = g_hash_table_new(NULL, NULL);
  g_queue_init(&self->silent);
  self->host.tables = recording_tables_new();
  self->host.settings = &self->settings;
  self->host.epoll = epoll_create1(EPOLL_CLOEXEC);
  set_memory_left(self);
  samplers_watch(self, recording_door_get_fd(self->door), self->door);
  samplers_watch(self, recording_tables_get_fd(self->host.tables), self->host.tables);
  samplers_watch(self, self->wake, &self->wake);
}

static void give_all_back(RecordingSamplers *self)
{
  g_autoptr(GList) all = g_hash_table_get_keys(self->all);

  for (GList *link = all; link; link = link->next)
    samplers_end(self, link->data);
  g_queue_clear_full(&self->silent, g_free);
  g_mutex_lock(&self->mutex);
  self->ended = TRUE;
  g_cond_signal(&self->cond);
  g_mutex_unlock(&self->mutex);
}

static gpointer samplers_serve(gpointer data)
{
  RecordingSamplers *self = data;
  struct epoll_event events[EVENTS_MAX];

  /* Programs wait for answers when they start. */
  recording_priority_raise();
  set_up(self);
  while (!g_atomic_int_get(&self->stop)) {
    gboolean busy = self->silent.length > 0 || recording_tables_is_busy(self->host.tables);
    int n = epoll_wait(self->host.epoll, events, EVENTS_MAX, busy ? TICK : -1);
    for (int i = 0; i < n; i++)
      see_event(self, &events[i]);
    end_late(self);
    if (busy)
      recording_tables_serve(self->host.tables);
  }
  give_all_back(self);
  recording_tables_free(self->host.tables);
  g_hash_table_unref(self->all);
  g_hash_table_unref(self->of_pids);
  close(self->host.epoll);
  recording_collector_unref(self->host.collector);
  samplers_unref(self);
  return NULL;
}

void recording_samplers_start(RecordingSamplers *self, const RecordingSamplersSettings *settings,
                              RecordingCollector *collector)
{
  self->settings = *settings;
  self->host.collector = recording_collector_ref(collector);
  self->thread = g_thread_new("samplers", samplers_serve, samplers_ref(self));
}

static gboolean wait_for_end(RecordingSamplers *self)
{
  gint64 until = g_get_monotonic_time() + STOP_PATIENCE;

  g_mutex_lock(&self->mutex);
  while (!self->ended && g_cond_wait_until(&self->cond, &self->mutex, until))
    continue;
  gboolean ended = self->ended;
  g_mutex_unlock(&self->mutex);
  return ended;
}

void recording_samplers_stop(RecordingSamplers *self)
{
  const guint64 one = 1;

  if (!self->thread)
    return;
  g_atomic_int_set(&self->stop, 1);
  (void)!write(self->wake, &one, sizeof one);
  /* A thread that is held up is left to itself; what it uses it has a share in. */
  if (wait_for_end(self))
    g_thread_join(self->thread);
  else
    g_thread_unref(self->thread);
  self->thread = NULL;
}

void recording_samplers_free(RecordingSamplers *self)
{
  recording_samplers_stop(self);
  samplers_unref(self);
}
