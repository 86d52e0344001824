/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/captured-error.h"
#include "daemon/captured-helpers.h"
#include "daemon/captured-privileges.h"

/* How long a helper may take to end after its socket was closed. */
#define END_MILLISECONDS 1000
/* The nice value that a limit of that many permits: 1 to 40 are 19 to -20. */
#define NICE_OF(limit) (20 - (int)(limit))

struct _CapturedChild {
  pid_t pid;
  uid_t user; /* (uid_t)-1: our own */
  CapturedCgroup *cgroup;
  CapturedEntry *entry;
  int socket;
};

/* The rest of a child that nobody asks for any more. */
typedef struct {
  pid_t pid;
  uid_t user;
  CapturedCgroup *cgroup;
  CapturedEntry *entry;
  guint timeout;
} Dying;

/* Nobody may look into the child from here to its exec: it is as undumpable as this process. */
static gboolean child_become(const CapturedAccount *account)
{
  return captured_privileges_use(CAPTURED_RIGHTS_BECOME) &&
         setgroups(account->n_groups, account->groups) == 0 &&
         setresgid(account->gid, account->gid, account->gid) == 0 &&
         setresuid(account->uid, account->uid, account->uid) == 0;
}

static void reset_signals(void)
{
  sigset_t none;

  for (int number = 1; number < NSIG; number++)
    signal(number, SIG_DFL);
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What the unit permits (LimitNICE=) is for whom it is meant for, once. */
static void take_precedence(gboolean precedence)
{
  struct rlimit limit;

  if (precedence && getrlimit(RLIMIT_NICE, &limit) == 0 && limit.rlim_cur > 20 && limit.rlim_cur <= 40)
    setpriority(PRIO_PROCESS, 0, NICE_OF(limit.rlim_cur));
  setrlimit(RLIMIT_NICE, &(struct rlimit){0, 0});
}

/* In the forked child of a program with threads: async-signal-safe calls only. */
static G_NORETURN void child_execute(const CapturedChildSpec *spec, char *const *argv, int socket, int null,
                                     pid_t parent)
{
  setsid();
  reset_signals();
  setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  take_precedence(spec->precedence);
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  if (fcntl(socket, F_SETFD, 0) == 0 && (!spec->account || child_become(spec->account)) &&
      captured_privileges_hand_on(spec->rights) && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 &&
      getppid() == parent)
    execve(argv[0], argv, (char *const *)spec->environment);
  _exit(127);
}

static pid_t child_start(const CapturedChildSpec *spec, char *path, int socket)
{
  char number[16];
  char *argv[] = {path, number, NULL};
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  pid_t parent = getpid();

  g_snprintf(number, sizeof number, "%d", socket);
  pid_t pid = null < 0 ? -1 : fork();
  if (pid == 0)
    child_execute(spec, argv, socket, null, parent);
  if (null >= 0)
    close(null);
  return pid;
}

CapturedChild *captured_child_new(const CapturedChildSpec *spec, GError **error)
{
  g_autofree char *path = captured_helpers_find(spec->program, error);
  int pair[2];
  pid_t pid = -1;

  if (!path)
    return NULL;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0) {
    pid = child_start(spec, path, pair[1]);
    close(pair[1]);
    if (pid < 0)
      close(pair[0]);
  }
  if (pid < 0) {
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "“%s” cannot be started: %s.", path,
                g_strerror(errno));
    return NULL;
  }
  CapturedChild *self = g_new0(CapturedChild, 1);
  self->pid = pid;
  self->user = spec->account ? spec->account->uid : (uid_t)-1;
  self->socket = pair[0];
  return self;
}

int captured_child_get_socket(CapturedChild *self)
{
  return self->socket;
}

void captured_child_close_socket(CapturedChild *self)
{
  if (self->socket >= 0)
    close(self->socket);
  self->socket = -1;
}

void captured_child_charge(CapturedChild *self, CapturedEntry *entry)
{
  g_return_if_fail(!self->entry);
  self->entry = captured_entry_ref(entry);
}

void captured_child_move_async(CapturedChild *self, CapturedCgroup *cgroup, GAsyncReadyCallback callback,
                               gpointer user_data)
{
  g_return_if_fail(!self->cgroup);
  self->cgroup = captured_cgroup_ref(cgroup);
  captured_cgroup_add_async(cgroup, self->pid, callback, user_data);
}

static void on_ended(GPid pid, int status, gpointer user_data)
{
  Dying *dying = user_data;

  g_clear_handle_id(&dying->timeout, g_source_remove);
  g_clear_pointer(&dying->cgroup, captured_cgroup_unref);
  g_clear_pointer(&dying->entry, captured_entry_unref);
  g_free(dying);
}

/* A process of another user's takes one that may do what he may; by its real and saved user, which stay ours,
 * it is out of his own signals' reach. He may have stopped the helper, and would have as many such as he
 * likes. */
static void kill_as(uid_t user, pid_t pid)
{
  pid_t killer = fork();

  if (killer == 0) {
    if (captured_privileges_use(CAPTURED_RIGHTS_BECOME) && setresuid((uid_t)-1, user, (uid_t)-1) == 0)
      kill(pid, SIGKILL);
    _exit(0);
  }
  if (killer > 0)
    waitpid(killer, NULL, 0);
}

static gboolean on_timeout(gpointer user_data)
{
  const Dying *dying = user_data;

  if (dying->user == (uid_t)-1)
    kill(dying->pid, SIGKILL);
  else
    kill_as(dying->user, dying->pid);
  return G_SOURCE_CONTINUE;
}

void captured_child_free(CapturedChild *self)
{
  Dying *dying = g_new0(Dying, 1);

  captured_child_close_socket(self);
  dying->pid = self->pid;
  dying->user = self->user;
  dying->cgroup = self->cgroup;
  dying->entry = self->entry;
  dying->timeout = g_timeout_add(END_MILLISECONDS, on_timeout, dying);
  g_child_watch_add(self->pid, on_ended, dying);
  g_free(self);
}
