/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/inside/sampler-private.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "libcapture/pool/capture-announce.h"

/* Before it is other programs' turn. */
#define MESSAGES_A_TURN 16
/* Tables that a program may have asked for and not yet received. */
#define WAITING_MAX 4096
/* As HELLO has. */
#define DESCRIPTORS_MAX 2

typedef union {
  struct capture_hello hello;
  struct capture_table_message table;
} Message;

typedef struct {
  guint64 cookie;
  RecordingTable *table;
} Answer;

struct _RecordingSampler {
  RecordingSamplerHost *host;
  RecordingSamplerState state;
  int socket;
  gint32 pid;
  guint64 memory;
  RecordingStream *stream;       /* once it joined */
  RecordingTablesClient *client; /* where tables are answered */
  GQueue answers;                /* of Answer, that found no room */
};

static void sampler_watch(RecordingSampler *self, int operation, guint32 events)
{
  struct epoll_event event = {.events = events, .data.ptr = self};

  epoll_ctl(self->host->epoll, operation, self->socket, &event);
}

RecordingSampler *recording_sampler_new(int socket, gint32 pid, RecordingSamplerHost *host)
{
  RecordingSampler *self = g_new0(RecordingSampler, 1);

  self->host = host;
  self->socket = socket;
  self->pid = pid;
  g_queue_init(&self->answers);
  sampler_watch(self, EPOLL_CTL_ADD, EPOLLIN);
  return self;
}

static void answer_free(gpointer data)
{
  Answer *answer = data;

  recording_table_unref(answer->table);
  g_free(answer);
}

void recording_sampler_free(RecordingSampler *self)
{
  if (self->client)
    recording_tables_remove_client(self->host->tables, self->client);
  if (self->stream)
    recording_collector_remove(self->host->collector, self->stream);
  g_queue_clear_full(&self->answers, answer_free);
  close(self->socket);
  g_free(self);
}

/* FALSE: there is no room now. A program that is gone is noticed when it is listened to. */
static gboolean send_table(RecordingSampler *self, guint64 cookie, const RecordingTable *table)
{
  struct capture_table_message message = {
      .type = CAPTURE_ANNOUNCE_TABLE, .error = table->error, .cookie = cookie, .length = table->length};

  int result = packet_send(self->socket, &message, sizeof message, table->fd, false);
  if (result < 0 && result != -EAGAIN && table->fd >= 0) {
    message.error = result;
    message.length = 0;
    packet_send(self->socket, &message, sizeof message, -1, false);
  }
  return result != -EAGAIN;
}

static void on_table(gpointer data, guint64 cookie, RecordingTable *table)
{
  RecordingSampler *self = data;

  if (self->answers.length == 0 && send_table(self, cookie, table))
    return;
  Answer *answer = g_new(Answer, 1);
  *answer = (Answer){cookie, recording_table_ref(table)};
  if (self->answers.length == 0)
    sampler_watch(self, EPOLL_CTL_MOD, EPOLLIN | EPOLLOUT);
  g_queue_push_tail(&self->answers, answer);
}

static void send_answers(RecordingSampler *self)
{
  if (self->answers.length == 0)
    return;
  for (Answer *answer; (answer = g_queue_peek_head(&self->answers));) {
    if (!send_table(self, answer->cookie, answer->table))
      return;
    answer_free(g_queue_pop_head(&self->answers));
  }
  sampler_watch(self, EPOLL_CTL_MOD, EPOLLIN);
}

/* Whether reading it can never fail for want of memory: a memfd, with all of its pages. */
static gboolean is_whole(int fd, guint64 max, guint64 *ret_size)
{
  struct statfs file_system;
  struct stat status;

  /* Asked first, since only memory has seals: what another file system would have to answer may take long. */
  if (fcntl(fd, F_GET_SEALS) < 0 || fstat(fd, &status) < 0 || fstatfs(fd, &file_system) < 0 ||
      (unsigned long)file_system.f_type != TMPFS_MAGIC || status.st_size <= 0 ||
      (guint64)status.st_size > max || (guint64)status.st_blocks * 512 < (guint64)status.st_size)
    return FALSE;
  *ret_size = (guint64)status.st_size;
  return TRUE;
}

static guint32 flags_for(const RecordingSampler *self, const struct capture_hello *hello)
{
  const RecordingSamplersSettings *settings = self->host->settings;

  return hello->flags & CAPTURE_HELLO_PRELOAD ? settings->preload_flags : settings->flags;
}

static gboolean send_settings(RecordingSampler *self, guint32 flags)
{
  const RecordingSamplersSettings *settings = self->host->settings;
  const struct capture_settings message = {.type = CAPTURE_ANNOUNCE_SETTINGS,
                                           .version = CAPTURE_ANNOUNCE_VERSION,
                                           .flags = flags,
                                           .frequency = settings->frequency,
                                           .max_stack = settings->max_stack,
                                           .pid = self->pid,
                                           .allocation_bytes = settings->allocation_bytes};

  return packet_send(self->socket, &message, sizeof message, -1, false) == 0;
}

/* For people: a name that is none, or moves their terminal's cursor, does not come out. */
static void clean_name(char *name)
{
  for (char *c = name; *c; c++)
    if (g_ascii_iscntrl(*c))
      *c = '?';
}

static gboolean sampler_join(RecordingSampler *self, struct capture_hello *hello, const int *fds)
{
  guint32 flags = flags_for(self, hello);
  capture_tap *tap;
  guint64 size;

  if (memchr(hello->name, '\0', sizeof hello->name) == NULL || fds[0] < 0 || fds[1] < 0 ||
      !is_whole(fds[0], self->host->memory_max, &size) || capture_tap_open(&tap, fds[0], fds[1]) < 0)
    return FALSE;
  clean_name(hello->name);
  self->memory = size;
  self->stream = recording_collector_add(self->host->collector, tap, CAPTURE_STREAM_SAMPLER, self->pid,
                                         *hello->name ? hello->name : "sampler");
  if (flags & CAPTURE_SETTINGS_TABLES)
    self->client = recording_tables_add_client(self->host->tables, on_table, self);
  self->state = RECORDING_SAMPLER_JOINED;
  g_atomic_int_inc(&self->host->n_joined);
  return send_settings(self, flags);
}

static gboolean want_table(RecordingSampler *self, const Message *message, int *fds)
{
  if (!self->client || fds[1] >= 0 ||
      recording_tables_client_get_n_waiting(self->client) + self->answers.length >= WAITING_MAX)
    return FALSE;
  if (fds[0] < 0)
    recording_tables_want_vdso(self->host->tables, self->client, message->table.cookie);
  else
    recording_tables_want(self->host->tables, self->client, message->table.cookie, fds[0]);
  fds[0] = -1;
  return TRUE;
}

/* FALSE: nobody honest says that, or not to us. */
static gboolean sampler_take(RecordingSampler *self, Message *message, gsize size, int *fds)
{
  if (self->state == RECORDING_SAMPLER_SILENT)
    return size == sizeof message->hello && message->hello.type == CAPTURE_ANNOUNCE_HELLO &&
           message->hello.version == CAPTURE_ANNOUNCE_VERSION && sampler_join(self, &message->hello, fds);
  return size == sizeof message->table && message->table.type == CAPTURE_ANNOUNCE_TABLE_WANTED &&
         want_table(self, message, fds);
}

/* FALSE: nothing more for now, or ever. */
static gboolean sampler_receive(RecordingSampler *self)
{
  int fds[DESCRIPTORS_MAX];
  Message message;
  gssize n = packet_receive_many(self->socket, &message, sizeof message, fds, G_N_ELEMENTS(fds), false);

  if (n == -EAGAIN)
    return FALSE;
  if (n <= 0 || !sampler_take(self, &message, (gsize)n, fds))
    self->state = RECORDING_SAMPLER_OVER;
  for (guint i = 0; i < G_N_ELEMENTS(fds); i++)
    if (fds[i] >= 0)
      close(fds[i]);
  return self->state != RECORDING_SAMPLER_OVER;
}

RecordingSamplerState recording_sampler_serve(RecordingSampler *self)
{
  send_answers(self);
  for (guint i = 0; i < MESSAGES_A_TURN && sampler_receive(self); i++)
    continue;
  return self->state;
}

RecordingSamplerState recording_sampler_get_state(RecordingSampler *self)
{
  return self->state;
}

gint32 recording_sampler_get_pid(RecordingSampler *self)
{
  return self->pid;
}

guint64 recording_sampler_get_memory(RecordingSampler *self)
{
  return self->memory;
}
