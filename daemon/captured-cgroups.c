/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-cgroups.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "daemon/captured-error.h"
#include "daemon/captured-log.h"

#define HIERARCHY "/sys/fs/cgroup"
/* Where this process is: what has members gives its controllers to nobody below. */
#define OWN "service"
/* How often those are looked for whose last process has ended. */
#define REMOVE_SECONDS 1

struct _CapturedCgroups {
  GObject parent_instance;
  int directory;     /* the service's; -1: it is not ours */
  GHashTable *users; /* uid to CapturedCgroup, which is not referred to */
  GHashTable *left;  /* uids of cgroups that have to be removed */
  guint remover;
  GMutex lock; /* one thread moves at a time; it has what follows, and `members` of all cgroups */
  gboolean is_settled;
  gboolean limits; /* there is the controller */
};

struct _CapturedCgroup {
  CapturedCgroups *all;
  uid_t user;
  int members; /* a descriptor; -1 before the first */
  guint references;
};

G_DEFINE_FINAL_TYPE(CapturedCgroups, captured_cgroups, G_TYPE_OBJECT)

static void captured_cgroups_finalize(GObject *object)
{
  CapturedCgroups *self = CAPTURED_CGROUPS(object);

  g_clear_handle_id(&self->remover, g_source_remove);
  if (self->directory >= 0)
    close(self->directory);
  g_hash_table_unref(self->users);
  g_hash_table_unref(self->left);
  g_mutex_clear(&self->lock);
  G_OBJECT_CLASS(captured_cgroups_parent_class)->finalize(object);
}

static void captured_cgroups_class_init(CapturedCgroupsClass *klass)
{
  G_OBJECT_CLASS(klass)->finalize = captured_cgroups_finalize;
}

/* 0 or an errno. */
static int write_file(int directory, const char *name, const char *text)
{
  int fd = openat(directory, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
  int error = fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;

  if (fd >= 0)
    close(fd);
  return error;
}

/* Of this process, below the hierarchy; NULL without cgroup2. */
static char *find_own(void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents("/proc/self/cgroup", &text, NULL, NULL))
    return NULL;
  line = g_str_has_prefix(text, "0::") ? text : strstr(text, "\n0::");
  if (!line)
    return NULL;
  line = strchr(line, '/');
  return line ? g_strndup(line, strcspn(line, "\n")) : NULL;
}

/* A directory that was given to this user, or -1. */
static int open_own(void)
{
  g_autofree char *own = find_own();
  g_autofree char *path = g_strconcat(HIERARCHY, own, NULL);
  int directory = own ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  struct stat status;

  if (directory < 0 || (fstat(directory, &status) == 0 && status.st_uid == geteuid()))
    return directory;
  close(directory);
  return -1;
}

static void captured_cgroups_init(CapturedCgroups *self)
{
  self->directory = open_own();
  g_mutex_init(&self->lock);
  self->users = g_hash_table_new(NULL, NULL);
  self->left = g_hash_table_new(NULL, NULL);
}

/* 0 or an errno. */
static int write_pid(int members, pid_t pid)
{
  char number[16];

  g_snprintf(number, sizeof number, "%d", (int)pid);
  return write(members, number, strlen(number)) < 0 ? errno : 0;
}

/* This process first: what it starts from then on is there, too. 0 or an errno. */
static int move_all(int directory)
{
  g_autofree char *path = g_strdup_printf("/proc/self/fd/%d/cgroup.procs", directory);
  g_autofree char *text = NULL;
  int members = openat(directory, OWN "/cgroup.procs", O_WRONLY | O_CLOEXEC);
  int error = members < 0 ? errno : write_pid(members, 0);

  if (error == 0 && g_file_get_contents(path, &text, NULL, NULL)) {
    g_auto(GStrv) pids = g_strsplit(text, "\n", -1);
    for (guint i = 0; pids[i] && *pids[i]; i++)
      write_pid(members, (pid_t)g_ascii_strtoll(pids[i], NULL, 10));
  }
  if (members >= 0)
    close(members);
  return error;
}

static void cgroups_settle(CapturedCgroups *self)
{
  int error = mkdirat(self->directory, OWN, 0755) < 0 && errno != EEXIST ? errno : 0;

  self->is_settled = TRUE;
  if (error == 0)
    error = move_all(self->directory);
  if (error == 0)
    error = write_file(self->directory, "cgroup.subtree_control", "+memory");
  self->limits = error == 0;
  if (error != 0)
    captured_log((uid_t)-1, NULL, NULL, "The memory of recordings is not limited by user: %s",
                 g_strerror(error));
}

CapturedCgroups *captured_cgroups_new(void)
{
  return g_object_new(CAPTURED_TYPE_CGROUPS, NULL);
}

static char *make_name(uid_t user)
{
  return g_strdup_printf("user-%u", (unsigned)user);
}

/* Until what it started has ended, too, it cannot be removed. */
static gboolean try_to_remove(gpointer user, gpointer value, gpointer data)
{
  CapturedCgroups *self = data;
  g_autofree char *name = make_name(GPOINTER_TO_UINT(user));

  return g_hash_table_contains(self->users, user) || unlinkat(self->directory, name, AT_REMOVEDIR) == 0 ||
         errno != EBUSY;
}

static gboolean on_remove(gpointer data)
{
  CapturedCgroups *self = data;

  g_hash_table_foreach_remove(self->left, try_to_remove, self);
  if (g_hash_table_size(self->left) > 0)
    return G_SOURCE_CONTINUE;
  self->remover = 0;
  return G_SOURCE_REMOVE;
}

static void cgroups_leave(CapturedCgroups *self, uid_t user)
{
  g_hash_table_add(self->left, GUINT_TO_POINTER(user));
  if (on_remove(self) == G_SOURCE_CONTINUE && self->remover == 0)
    self->remover = g_timeout_add_seconds(REMOVE_SECONDS, on_remove, self);
}

/* 0 or an errno. What would not fit is not to go to the disk instead. */
static int cgroups_limit(int directory)
{
  g_autofree char *most = g_strdup_printf("%" G_GUINT64_FORMAT, CAPTURED_CGROUP_BYTES_MAX);
  int error = write_file(directory, "memory.max", most);

  if (error == 0)
    error = write_file(directory, "memory.oom.group", "1");
  if (error == 0)
    error = write_file(directory, "memory.swap.max", "0");
  return error == ENOENT ? 0 : error; /* a kernel without swap */
}

/* Its members' descriptor, or -1 with errno. */
static int cgroups_make(CapturedCgroups *self, uid_t user)
{
  g_autofree char *name = make_name(user);
  int members = -1, error = 0;

  if (mkdirat(self->directory, name, 0755) < 0 && errno != EEXIST)
    return -1;
  int directory = openat(self->directory, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (directory < 0)
    return -1;
  if (self->limits)
    error = cgroups_limit(directory);
  if (error == 0)
    members = openat(directory, "cgroup.procs", O_WRONLY | O_CLOEXEC);
  if (error == 0 && members < 0)
    error = errno;
  close(directory);
  errno = error;
  return members;
}

CapturedCgroup *captured_cgroups_take(CapturedCgroups *self, uid_t user)
{
  CapturedCgroup *cgroup = g_hash_table_lookup(self->users, GUINT_TO_POINTER(user));

  if (cgroup)
    return captured_cgroup_ref(cgroup);
  if (self->directory < 0)
    return NULL;
  cgroup = g_new(CapturedCgroup, 1);
  *cgroup = (CapturedCgroup){.all = g_object_ref(self), .user = user, .members = -1, .references = 1};
  g_hash_table_insert(self->users, GUINT_TO_POINTER(user), cgroup);
  return cgroup;
}

typedef struct {
  CapturedCgroup *cgroup;
  pid_t pid;
} Move;

/* 0 or an errno. A number that has become another's by now is nobody's whom we could move. */
static int cgroup_add(CapturedCgroup *cgroup, pid_t pid)
{
  CapturedCgroups *self = cgroup->all;
  int error;

  if (!self->is_settled)
    cgroups_settle(self);
  if (cgroup->members < 0)
    cgroup->members = cgroups_make(self, cgroup->user);
  error = cgroup->members < 0 ? errno : write_pid(cgroup->members, pid);
  return error == ESRCH ? 0 : error;
}

static void run_move(GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Move *move = data;
  GMutex *lock = &move->cgroup->all->lock;

  g_mutex_lock(lock);
  int error = cgroup_add(move->cgroup, move->pid);
  g_mutex_unlock(lock);
  if (error == 0)
    g_task_return_boolean(task, TRUE);
  else
    g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_FAILED,
                            "A process cannot be moved into its user's cgroup: %s.", g_strerror(error));
}

void captured_cgroup_add_async(CapturedCgroup *cgroup, pid_t pid, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  g_autoptr(GTask) task = g_task_new(NULL, NULL, callback, user_data);
  Move *move = g_new(Move, 1);

  *move = (Move){captured_cgroup_ref(cgroup), pid};
  g_task_set_task_data(task, move, g_free);
  g_task_run_in_thread(task, run_move);
}

gboolean captured_cgroup_add_finish(GAsyncResult *result, GError **error)
{
  const Move *move = g_task_get_task_data(G_TASK(result));

  captured_cgroup_unref(move->cgroup);
  return g_task_propagate_boolean(G_TASK(result), error);
}

CapturedCgroup *captured_cgroup_ref(CapturedCgroup *cgroup)
{
  cgroup->references++;
  return cgroup;
}

void captured_cgroup_unref(CapturedCgroup *cgroup)
{
  if (--cgroup->references > 0)
    return;
  if (cgroup->members >= 0)
    close(cgroup->members);
  g_hash_table_remove(cgroup->all->users, GUINT_TO_POINTER(cgroup->user));
  cgroups_leave(cgroup->all, cgroup->user);
  g_object_unref(cgroup->all);
  g_free(cgroup);
}
