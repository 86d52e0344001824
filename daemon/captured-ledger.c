/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "daemon/captured-error.h"

/* How often it is looked whether files are still open. One whose pages are somewhere else is asked about more
 * and more seldom: each question takes the kernel a sixth of a second. */
#define LOOK_SECONDS  1
#define PAUSE_SECONDS 8
/* So long a file counts of which nobody can know, because its user sealed it. */
#define SPOILT_SECONDS 3600

struct _CapturedLedger {
  GObject parent_instance;
  CapturedIdle *idle;
  int inotify;
  guint source;
  guint look;          /* source, while there are files */
  GHashTable *files;   /* descriptor of a watch to File */
  GHashTable *users;   /* uid to its sum, a guint64 */
  GHashTable *asking;  /* uids about one of whose files the kernel is being asked */
  GThreadPool *askers; /* one, which waits for the kernel */
  guint64 sum;
};

struct _CapturedEntry {
  CapturedLedger *ledger;
  uid_t user;
  guint64 bytes;
  guint references;
  guint n_files; /* of the references */
};

typedef enum { HELD, FREE, SPOILT } Answer;

/* Memory that counts. Both descriptors are ours, -1 when nobody else has anything of it that can be read. */
typedef struct {
  CapturedEntry *entry;
  int file;
  int reader; /* opened once more, for a lease */
  gint64 due;
  guint pause;
  Answer answer;
} File;

G_DEFINE_FINAL_TYPE(CapturedLedger, captured_ledger, G_TYPE_OBJECT)

static void captured_ledger_finalize(GObject *object)
{
  CapturedLedger *self = CAPTURED_LEDGER(object);

  g_clear_handle_id(&self->source, g_source_remove);
  g_clear_handle_id(&self->look, g_source_remove);
  if (self->inotify >= 0)
    close(self->inotify);
  if (self->askers)
    g_thread_pool_free(self->askers, FALSE, TRUE);
  g_hash_table_unref(self->files);
  g_hash_table_unref(self->users);
  g_hash_table_unref(self->asking);
  g_clear_object(&self->idle);
  G_OBJECT_CLASS(captured_ledger_parent_class)->finalize(object);
}

static void captured_ledger_class_init(CapturedLedgerClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = captured_ledger_finalize;
}

static void captured_ledger_init(CapturedLedger *self)
{
  self->inotify = -1;
  self->files = g_hash_table_new(NULL, NULL);
  self->users = g_hash_table_new_full(NULL, NULL, NULL, g_free);
  self->asking = g_hash_table_new(NULL, NULL);
}

static void close_file(File *file)
{
  close(file->file);
  close(file->reader);
  file->file = file->reader = -1;
}

static void pause_file(File *file)
{
  file->pause = file->answer == SPOILT ? SPOILT_SECONDS : MIN(MAX(2 * file->pause, 1), PAUSE_SECONDS);
  file->due = g_get_monotonic_time() + file->pause * G_USEC_PER_SEC;
}

static void ledger_look(CapturedLedger *self);

static gboolean on_asked(gpointer data)
{
  File *file = data;
  g_autoptr(CapturedLedger) self = g_object_ref(file->entry->ledger);

  g_hash_table_remove(self->asking, GUINT_TO_POINTER(file->entry->user));
  if (file->answer == FREE || file->pause == SPOILT_SECONDS)
    close_file(file);
  else
    pause_file(file);
  ledger_look(self);
  return G_SOURCE_REMOVE;
}

/* In the other thread. The kernel does not grant that seal while pages are in a pipe, in a socket's queue, or
 * pinned. */
static void ledger_ask(gpointer data, gpointer user_data)
{
  File *file = data;
  int seals = fcntl(file->file, F_GET_SEALS);

  if (seals < 0 || (seals & (F_SEAL_SEAL | F_SEAL_WRITE)) != 0)
    file->answer = SPOILT;
  else
    file->answer = fcntl(file->file, F_ADD_SEALS, F_SEAL_WRITE) == 0 ? FREE : HELD;
  g_idle_add(on_asked, file);
}

/* A lease for writing is granted to whoever is the only one that has the file open, or mapped. Where there
 * are no leases, inotify is left. */
static gboolean is_open_elsewhere(const File *file)
{
  if (fcntl(file->reader, F_SETLEASE, F_WRLCK) < 0)
    return errno == EAGAIN;
  fcntl(file->reader, F_SETLEASE, F_UNLCK);
  return FALSE;
}

/* As long as there is a recorder, it is its. */
static gboolean is_to_ask(CapturedLedger *self, const File *file)
{
  const CapturedEntry *entry = file->entry;

  return file->file >= 0 && entry->references == entry->n_files &&
         !g_hash_table_contains(self->asking, GUINT_TO_POINTER(entry->user)) &&
         g_get_monotonic_time() >= file->due && !is_open_elsewhere(file);
}

/* Nobody opens a file again that nobody has open: nobody but us has the right to. */
static void ledger_look(CapturedLedger *self)
{
  GHashTableIter iter;
  gpointer file;

  g_hash_table_iter_init(&iter, self->files);
  while (g_hash_table_iter_next(&iter, NULL, &file)) {
    if (!is_to_ask(self, file))
      continue;
    g_hash_table_add(self->asking, GUINT_TO_POINTER(((File *)file)->entry->user));
    g_thread_pool_push(self->askers, file, NULL);
  }
}

static gboolean on_look(gpointer data)
{
  ledger_look(data);
  return G_SOURCE_CONTINUE;
}

static void end_file(File *file)
{
  CapturedEntry *entry = file->entry;

  entry->n_files--;
  if (file->file >= 0)
    close_file(file);
  g_free(file);
  captured_entry_unref(entry);
}

static void take_event(CapturedLedger *self, const struct inotify_event *event)
{
  gpointer file = NULL;

  /* Every watch ends with IN_IGNORED. */
  if ((event->mask & IN_IGNORED) == 0 ||
      !g_hash_table_steal_extended(self->files, GINT_TO_POINTER(event->wd), NULL, &file))
    return;
  if (g_hash_table_size(self->files) == 0)
    g_clear_handle_id(&self->look, g_source_remove);
  end_file(file);
}

static gboolean on_event(int inotify, GIOCondition condition, gpointer user_data)
{
  g_autoptr(CapturedLedger) self = g_object_ref(user_data);
  char buffer[4096] __attribute__((aligned(__alignof__(struct inotify_event))));
  gssize n = read(inotify, buffer, sizeof buffer);

  for (gssize at = 0; at < n;) {
    const struct inotify_event *event = (const struct inotify_event *)(const void *)(buffer + at);
    at += (gssize)sizeof *event + event->len;
    take_event(self, event);
  }
  return G_SOURCE_CONTINUE;
}

CapturedLedger *captured_ledger_new(CapturedIdle *idle, GError **error)
{
  g_autoptr(CapturedLedger) self = g_object_new(CAPTURED_TYPE_LEDGER, NULL);

  self->idle = g_object_ref(idle);
  self->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (self->inotify < 0) {
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED,
                "There is no inotify to see windows go with: %s.", g_strerror(errno));
    return NULL;
  }
  self->source = g_unix_fd_add(self->inotify, G_IO_IN, on_event, self);
  self->askers = g_thread_pool_new(ledger_ask, NULL, 1, FALSE, NULL);
  return g_steal_pointer(&self);
}

static guint64 get_sum(CapturedLedger *self, uid_t user)
{
  const guint64 *sum = g_hash_table_lookup(self->users, GUINT_TO_POINTER(user));

  return sum ? *sum : 0;
}

static void set_sum(CapturedLedger *self, uid_t user, guint64 sum)
{
  if (sum > 0)
    g_hash_table_replace(self->users, GUINT_TO_POINTER(user), g_memdup2(&sum, sizeof sum));
  else
    g_hash_table_remove(self->users, GUINT_TO_POINTER(user));
}

static gboolean ledger_refuse(GError **error, const char *who, guint64 most)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED,
              "Windows of recordings may take %" G_GUINT64_FORMAT
              " MiB %s, and would take more with these; they count until nobody has them open or mapped, so "
              "close those of earlier recordings, or ask for fewer.",
              most >> 20, who);
  return FALSE;
}

static gboolean ledger_fits(CapturedLedger *self, uid_t user, guint64 bytes, GError **error)
{
  guint64 own = get_sum(self, user) + bytes;
  guint64 kept = own > CAPTURED_WINDOW_BYTES_SHARE ? CAPTURED_WINDOW_BYTES_MAX / 4 : 0;

  if (own > CAPTURED_WINDOW_BYTES_PER_USER_MAX)
    return ledger_refuse(error, "of a user's", CAPTURED_WINDOW_BYTES_PER_USER_MAX);
  if (self->sum + bytes > CAPTURED_WINDOW_BYTES_MAX - kept)
    return ledger_refuse(error, kept > 0 ? "in all, of which a quarter is for those who have few," : "in all",
                         CAPTURED_WINDOW_BYTES_MAX);
  return TRUE;
}

CapturedEntry *captured_ledger_enter(CapturedLedger *self, uid_t user, guint64 bytes, GError **error)
{
  if (!ledger_fits(self, user, bytes, error)) {
    ledger_look(self);
    return NULL;
  }
  CapturedEntry *entry = g_new(CapturedEntry, 1);
  *entry = (CapturedEntry){.ledger = g_object_ref(self), .user = user, .bytes = bytes, .references = 1};
  set_sum(self, user, get_sum(self, user) + bytes);
  self->sum += bytes;
  captured_idle_hold(self->idle);
  return entry;
}

int captured_entry_open(int fd, int flags)
{
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);

  return open(path, flags | O_CLOEXEC);
}

/* -1 with errno, or the descriptor of a watch. */
static int ledger_watch(CapturedLedger *self, int fd)
{
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
  int watch = inotify_add_watch(self->inotify, path, IN_DELETE_SELF);

  /* A file that is watched already would count for another entry, too. */
  if (watch >= 0 && g_hash_table_contains(self->files, GINT_TO_POINTER(watch))) {
    errno = EEXIST;
    return -1;
  }
  return watch;
}

gboolean captured_entry_add(CapturedEntry *entry, int fd, GError **error)
{
  CapturedLedger *self = entry->ledger;
  int reader = captured_entry_open(fd, O_RDONLY), descriptor = reader < 0 ? -1 : ledger_watch(self, fd);

  if (descriptor < 0) {
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "The windows cannot be watched: %s.",
                g_strerror(errno));
    if (reader >= 0)
      close(reader);
    close(fd);
    return FALSE;
  }
  File *file = g_new(File, 1);
  *file = (File){.entry = captured_entry_ref(entry), .file = fd, .reader = reader};
  entry->n_files++;
  g_hash_table_insert(self->files, GINT_TO_POINTER(descriptor), file);
  if (self->look == 0)
    self->look = g_timeout_add_seconds(LOOK_SECONDS, on_look, self);
  return TRUE;
}

CapturedEntry *captured_entry_ref(CapturedEntry *entry)
{
  entry->references++;
  return entry;
}

void captured_entry_unref(CapturedEntry *entry)
{
  CapturedLedger *self = entry->ledger;

  if (--entry->references > 0) {
    ledger_look(self);
    return;
  }
  set_sum(self, entry->user, get_sum(self, entry->user) - entry->bytes);
  self->sum -= entry->bytes;
  captured_idle_release(self->idle);
  g_object_unref(self);
  g_free(entry);
}
