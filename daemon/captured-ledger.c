/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-ledger.h"

#include <errno.h>
#include <glib-unix.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "daemon/captured-error.h"

struct _CapturedLedger {
  GObject parent_instance;
  CapturedIdle *idle;
  int inotify;
  guint source;
  GHashTable *watches; /* descriptor of a watch to CapturedEntry */
  GHashTable *users;   /* uid to its sum, a guint64 */
  guint64 sum;
};

struct _CapturedEntry {
  CapturedLedger *ledger;
  uid_t user;
  guint64 bytes;
  guint references;
};

G_DEFINE_FINAL_TYPE(CapturedLedger, captured_ledger, G_TYPE_OBJECT)

static void captured_ledger_finalize(GObject *object)
{
  CapturedLedger *self = CAPTURED_LEDGER(object);

  g_clear_handle_id(&self->source, g_source_remove);
  if (self->inotify >= 0)
    close(self->inotify);
  g_hash_table_unref(self->watches);
  g_hash_table_unref(self->users);
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
  self->watches = g_hash_table_new(NULL, NULL);
  self->users = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

static void take_event(CapturedLedger *self, const struct inotify_event *event)
{
  gpointer entry = NULL;

  /* Every watch ends with IN_IGNORED. */
  if (event->mask & IN_IGNORED &&
      g_hash_table_steal_extended(self->watches, GINT_TO_POINTER(event->wd), NULL, &entry))
    captured_entry_unref(entry);
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

static gboolean refuse(GError **error, const char *who, guint64 most)
{
  g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_LIMIT_EXCEEDED,
              "Windows of recordings may take %" G_GUINT64_FORMAT
              " MiB %s, and would take more with these; they count until nobody has them open or mapped, so "
              "close those of earlier recordings, or ask for fewer.",
              most >> 20, who);
  return FALSE;
}

static gboolean fits(CapturedLedger *self, uid_t user, guint64 bytes, GError **error)
{
  guint64 own = get_sum(self, user) + bytes;
  guint64 kept = own > CAPTURED_WINDOW_BYTES_SHARE ? CAPTURED_WINDOW_BYTES_MAX / 4 : 0;

  if (own > CAPTURED_WINDOW_BYTES_PER_USER_MAX)
    return refuse(error, "of a user's", CAPTURED_WINDOW_BYTES_PER_USER_MAX);
  if (self->sum + bytes > CAPTURED_WINDOW_BYTES_MAX - kept)
    return refuse(error, kept > 0 ? "in all, of which a quarter is for those who have few," : "in all",
                  CAPTURED_WINDOW_BYTES_MAX);
  return TRUE;
}

CapturedEntry *captured_ledger_enter(CapturedLedger *self, uid_t user, guint64 bytes, GError **error)
{
  if (!fits(self, user, bytes, error))
    return NULL;
  CapturedEntry *entry = g_new(CapturedEntry, 1);
  *entry = (CapturedEntry){.ledger = g_object_ref(self), .user = user, .bytes = bytes, .references = 1};
  set_sum(self, user, get_sum(self, user) + bytes);
  self->sum += bytes;
  captured_idle_hold(self->idle);
  return entry;
}

gboolean captured_entry_watch(CapturedEntry *entry, int fd, GError **error)
{
  CapturedLedger *self = entry->ledger;
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", fd);
  int watch = inotify_add_watch(self->inotify, path, IN_DELETE_SELF);

  /* A file that is watched already would count for another entry, too. */
  if (watch < 0 || g_hash_table_contains(self->watches, GINT_TO_POINTER(watch))) {
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "The windows cannot be watched: %s.",
                watch < 0 ? g_strerror(errno) : "they are another recording's");
    return FALSE;
  }
  g_hash_table_insert(self->watches, GINT_TO_POINTER(watch), captured_entry_ref(entry));
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

  if (--entry->references > 0)
    return;
  set_sum(self, entry->user, get_sum(self, entry->user) - entry->bytes);
  self->sum -= entry->bytes;
  captured_idle_release(self->idle);
  g_object_unref(self);
  g_free(entry);
}
