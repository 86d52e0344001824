/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/inside/tables-private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/elf-reader-client.h"
#include "helpers/elf-reader-protocol.h"
#include "recording/common/paths-private.h"
#include "recording/inside/vdso-private.h"

#define READERS_MAX 4
/* Elf-readers that never became ready, one after another. */
#define FAILURES_MAX 3
/* Elf-readers that one client's files may kill. */
#define DEADLY_MAX 3
/* Files that wait to be compiled, and tables that are kept, each with a descriptor. */
#define QUEUE_MAX 1024
#define KEPT_MAX  1024

/* What makes a file the same. */
typedef struct {
  guint64 device;
  guint64 inode;
  guint64 size;
  gint64 modified[2];
  gint64 changed[2];
} Identity;

typedef struct {
  RecordingTablesClient *client;
  guint64 cookie;
} Waiter;

typedef struct {
  Identity identity;
  int fd;                /* of the file, until it was compiled; -1 */
  GArray *waiters;       /* of Waiter */
  RecordingTable *table; /* NULL: not yet */
} Item;

struct _RecordingTablesClient {
  RecordingTablesFunc func;
  gpointer data;
  guint n_waiting;
  guint n_deadly;
};

struct _RecordingTables {
  int epoll;
  char *program;                                 /* NULL: there is none */
  int vdso;                                      /* a file that it is in; -1: nobody has asked for it */
  struct elf_reader_client readers[READERS_MAX]; /* their jobs are Items */
  guint n_readers;
  guint n_failures;
  GHashTable *items; /* Identity -> Item */
  GQueue queue;      /* of Item, to be compiled */
  GQueue kept;       /* of Item with a table, the oldest first */
};

RecordingTable *recording_table_ref(RecordingTable *self)
{
  g_atomic_ref_count_inc(&self->n_references);
  return self;
}

void recording_table_unref(RecordingTable *self)
{
  if (!g_atomic_ref_count_dec(&self->n_references))
    return;
  if (self->fd >= 0)
    close(self->fd);
  g_free(self);
}

static RecordingTable *table_new(int error, int fd, guint64 length)
{
  RecordingTable *self = g_new(RecordingTable, 1);

  *self = (RecordingTable){.error = error, .fd = fd, .length = length};
  g_atomic_ref_count_init(&self->n_references);
  return self;
}

static guint identity_hash(gconstpointer data)
{
  const Identity *identity = data;
  guint64 mixed = identity->inode * G_GUINT64_CONSTANT(0x9e3779b97f4a7c15) ^ (guint64)identity->modified[1] ^
                  identity->device << 7 ^ identity->size;

  return (guint)(mixed ^ mixed >> 32);
}

static gboolean identity_equal(gconstpointer a, gconstpointer b)
{
  const Identity *x = a, *y = b;

  return x->device == y->device && x->inode == y->inode && x->size == y->size &&
         x->modified[0] == y->modified[0] && x->modified[1] == y->modified[1] &&
         x->changed[0] == y->changed[0] && x->changed[1] == y->changed[1];
}

static void item_free(gpointer data)
{
  Item *item = data;

  if (item->fd >= 0)
    close(item->fd);
  g_clear_pointer(&item->table, recording_table_unref);
  g_array_unref(item->waiters);
  g_free(item);
}

RecordingTables *recording_tables_new(void)
{
  RecordingTables *self = g_new0(RecordingTables, 1);

  self->epoll = epoll_create1(EPOLL_CLOEXEC);
  self->program = recording_paths_find_elf_reader(NULL);
  self->vdso = -1;
  self->n_readers = CLAMP(g_get_num_processors(), 1, READERS_MAX);
  self->items = g_hash_table_new_full(identity_hash, identity_equal, NULL, item_free);
  g_queue_init(&self->queue);
  g_queue_init(&self->kept);
  return self;
}

static void end_reader(struct elf_reader_client *reader)
{
  pid_t pid = elf_reader_client_release(reader);

  if (pid == 0)
    return;
  kill(pid, SIGKILL);
  waitpid(pid, NULL, 0);
}

void recording_tables_free(RecordingTables *self)
{
  for (guint i = 0; i < self->n_readers; i++)
    end_reader(&self->readers[i]);
  g_queue_clear(&self->queue);
  g_queue_clear(&self->kept);
  g_hash_table_unref(self->items);
  if (self->epoll >= 0)
    close(self->epoll);
  if (self->vdso >= 0)
    close(self->vdso);
  g_free(self->program);
  g_free(self);
}

RecordingTablesClient *recording_tables_add_client(RecordingTables *self, RecordingTablesFunc func,
                                                   gpointer data)
{
  RecordingTablesClient *client = g_new0(RecordingTablesClient, 1);

  client->func = func;
  client->data = data;
  return client;
}

static void forget_waiter(Item *item, const RecordingTablesClient *client)
{
  for (guint i = item->waiters->len; i-- > 0;)
    if (g_array_index(item->waiters, Waiter, i).client == client)
      g_array_remove_index_fast(item->waiters, i);
}

void recording_tables_remove_client(RecordingTables *self, RecordingTablesClient *client)
{
  if (client->n_waiting > 0) {
    for (GList *link = self->queue.head; link; link = link->next)
      forget_waiter(link->data, client);
    for (guint i = 0; i < self->n_readers; i++)
      if (self->readers[i].job)
        forget_waiter(self->readers[i].job, client);
  }
  g_free(client);
}

guint recording_tables_client_get_n_waiting(RecordingTablesClient *client)
{
  return client->n_waiting;
}

/* For good: a file that was changed is another one. The oldest table makes room. */
static void tables_keep(RecordingTables *self, Item *item)
{
  g_queue_push_tail(&self->kept, item);
  if (self->kept.length > KEPT_MAX) {
    Item *oldest = g_queue_pop_head(&self->kept);
    g_hash_table_remove(self->items, &oldest->identity);
  }
}

/* Takes fd. Answers may lead to clients being removed, but never within the answer. */
static void tables_settle(RecordingTables *self, Item *item, int error, int fd, guint64 length)
{
  g_autoptr(GArray) waiters = g_steal_pointer(&item->waiters);

  item->waiters = g_array_new(FALSE, FALSE, sizeof(Waiter));
  item->table = table_new(error, fd, length);
  close(item->fd);
  item->fd = -1;
  for (guint i = 0; i < waiters->len; i++) {
    Waiter *waiter = &g_array_index(waiters, Waiter, i);
    waiter->client->n_waiting--;
    waiter->client->func(waiter->client->data, waiter->cookie, item->table);
  }
  tables_keep(self, item);
}

static void tables_blame(const Item *item)
{
  for (guint i = 0; i < item->waiters->len; i++)
    g_array_index(item->waiters, Waiter, i).client->n_deadly++;
}

/* Whatever it died of was this file, as far as anybody can tell. */
static void lose_reader(RecordingTables *self, struct elf_reader_client *reader)
{
  Item *item = reader->job;

  if (!reader->ready)
    self->n_failures++;
  end_reader(reader);
  if (!item)
    return;
  tables_blame(item);
  tables_settle(self, item, -ECONNABORTED, -1, 0);
}

/* Nobody can change it or take it away, and it is as long as was said. */
static gboolean is_for_good(const struct elf_reader_answer *answer)
{
  int seals = fcntl(answer->fd, F_GET_SEALS);
  struct stat status;

  return seals >= 0 && (seals & ELF_READER_SEALS) == ELF_READER_SEALS && fstat(answer->fd, &status) == 0 &&
         (guint64)status.st_size == answer->size && answer->size > 0 && answer->size <= G_MAXINT32;
}

static void serve_reader(RecordingTables *self, struct elf_reader_client *reader)
{
  struct elf_reader_answer answer;
  Item *item = reader->job;
  int result = elf_reader_client_receive(reader, &answer);

  if (result > 0 && answer.fd >= 0 && !is_for_good(&answer)) {
    close(answer.fd);
    reader->job = item;
    result = -EBADMSG;
  }
  if (result < 0) {
    lose_reader(self, reader);
    return;
  }
  if (result > 0)
    tables_settle(self, item, answer.error, answer.fd, answer.size);
  if (reader->ready)
    self->n_failures = 0;
}

static void tables_give(RecordingTables *self, struct elf_reader_client *reader)
{
  Item *item = g_queue_pop_head(&self->queue);

  if (elf_reader_client_compile(reader, item, item->fd, 0) == 0)
    return;
  reader->job = item;
  lose_reader(self, reader);
}

static void start_reader(RecordingTables *self, struct elf_reader_client *reader)
{
  struct epoll_event event = {.events = EPOLLIN};

  if (elf_reader_client_start(reader, self->program) < 0)
    self->n_failures++;
  else
    epoll_ctl(self->epoll, EPOLL_CTL_ADD, reader->socket, &event);
}

/* No more of them than there is work for. */
static void start_readers(RecordingTables *self)
{
  guint coming = 0;

  for (guint i = 0; i < self->n_readers; i++)
    coming += self->readers[i].pid && !self->readers[i].job;
  for (guint i = 0; i < self->n_readers && coming < self->queue.length; i++) {
    if (self->readers[i].pid || self->n_failures >= FAILURES_MAX)
      continue;
    start_reader(self, &self->readers[i]);
    coming += self->readers[i].pid != 0;
  }
}

static gboolean are_all_gone(const RecordingTables *self)
{
  if (!self->program)
    return TRUE;
  for (guint i = 0; i < self->n_readers; i++)
    if (self->readers[i].pid)
      return FALSE;
  return self->n_failures >= FAILURES_MAX;
}

void recording_tables_serve(RecordingTables *self)
{
  for (guint i = 0; i < self->n_readers; i++) {
    struct elf_reader_client *reader = &self->readers[i];
    if (reader->pid)
      serve_reader(self, reader);
    if (reader->pid && reader->ready && !reader->job && self->queue.length > 0)
      tables_give(self, reader);
  }
  if (self->program)
    start_readers(self);
  while (self->queue.length > 0 && are_all_gone(self))
    tables_settle(self, g_queue_pop_head(&self->queue), -ENOSYS, -1, 0);
}

gboolean recording_tables_is_busy(RecordingTables *self)
{
  for (guint i = 0; i < self->n_readers; i++)
    if (self->readers[i].job)
      return TRUE;
  return self->queue.length > 0;
}

int recording_tables_get_fd(RecordingTables *self)
{
  return self->epoll;
}

/* 0 or a negative errno. Asks nobody who would have to answer: the file system may be the program's own. */
static int tables_identify(int fd, Identity *ret)
{
  struct statx status;

  if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_BASIC_STATS, &status) < 0)
    return -errno;
  if (!S_ISREG(status.stx_mode))
    return -EINVAL;
  *ret = (Identity){
      .device = (guint64)status.stx_dev_major << 32 | status.stx_dev_minor,
      .inode = status.stx_ino,
      .size = status.stx_size,
      .modified = {status.stx_mtime.tv_sec, status.stx_mtime.tv_nsec},
      .changed = {status.stx_ctime.tv_sec, status.stx_ctime.tv_nsec},
  };
  return 0;
}

static void tables_refuse(RecordingTablesClient *client, guint64 cookie, int error, int fd)
{
  RecordingTable *table = table_new(error, -1, 0);

  close(fd);
  client->func(client->data, cookie, table);
  recording_table_unref(table);
}

static Item *tables_enqueue(RecordingTables *self, const Identity *identity, int fd)
{
  Item *item = g_new0(Item, 1);

  item->identity = *identity;
  item->fd = fd;
  item->waiters = g_array_new(FALSE, FALSE, sizeof(Waiter));
  g_hash_table_insert(self->items, &item->identity, item);
  g_queue_push_tail(&self->queue, item);
  return item;
}

void recording_tables_want(RecordingTables *self, RecordingTablesClient *client, guint64 cookie, int fd)
{
  const Waiter waiter = {client, cookie};
  Identity identity;
  int error = tables_identify(fd, &identity);
  Item *item = error == 0 ? g_hash_table_lookup(self->items, &identity) : NULL;

  if (error == 0 && !item && client->n_deadly >= DEADLY_MAX)
    error = -ECONNABORTED;
  else if (error == 0 && !item && self->queue.length >= QUEUE_MAX)
    error = -EBUSY;
  if (error < 0) {
    tables_refuse(client, cookie, error, fd);
    return;
  }
  if (item)
    close(fd);
  else
    item = tables_enqueue(self, &identity, fd);
  if (item->table) {
    client->func(client->data, cookie, item->table);
    return;
  }
  client->n_waiting++;
  g_array_append_val(item->waiters, waiter);
  recording_tables_serve(self);
}

void recording_tables_want_vdso(RecordingTables *self, RecordingTablesClient *client, guint64 cookie)
{
  if (self->vdso < 0)
    self->vdso = recording_vdso_open();
  recording_tables_want(self, client, cookie, fcntl(self->vdso, F_DUPFD_CLOEXEC, 0));
}
