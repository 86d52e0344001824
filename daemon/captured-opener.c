/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-opener.h"

#include <errno.h>
#include <glib-unix.h>
#include <unistd.h>

#include "daemon/captured-child.h"
#include "daemon/captured-error.h"
#include "daemon/captured-privileges.h"
#include "helpers/opener-protocol.h"
#include "helpers/packet.h"

struct _CapturedOpener {
  GObject parent_instance;
  CapturedChild *child;
  guint source;
  GTask *task;  /* of the proof under way */
  pid_t caller; /* who is asked about first; 0: that was answered */
  const CapturedTargets *targets;
  guint next; /* the target that is asked about then */
};

G_DEFINE_FINAL_TYPE(CapturedOpener, captured_opener, G_TYPE_OBJECT)

static void hang_up(CapturedOpener *self)
{
  g_clear_handle_id(&self->source, g_source_remove);
  g_clear_pointer(&self->child, captured_child_free);
}

static void captured_opener_dispose(GObject *object)
{
  hang_up(CAPTURED_OPENER(object));
  G_OBJECT_CLASS(captured_opener_parent_class)->dispose(object);
}

static void captured_opener_class_init(CapturedOpenerClass *klass)
{
  G_OBJECT_CLASS(klass)->dispose = captured_opener_dispose;
}

static void captured_opener_init(CapturedOpener *self)
{
}

CapturedOpener *captured_opener_new(const CapturedAccount *account, GError **error)
{
  static const char *const environment[] = {CAPTURED_CHILD_ENVIRONMENT, NULL};
  /* The capability is not used: it keeps the user from attaching to the process before that hides itself. */
  CapturedChildSpec spec = {
      .program = "opener",
      .rights = CAPTURED_RIGHT(CAP_IPC_LOCK) | CAPTURED_RIGHTS_LOOK,
      .account = account,
      .environment = environment,
  };
  CapturedChild *child = captured_child_new(&spec, error);

  if (!child)
    return NULL;
  CapturedOpener *self = g_object_new(CAPTURED_TYPE_OPENER, NULL);
  self->child = child;
  return self;
}

static void opener_finish(CapturedOpener *self, gboolean gone, CapturedError code, const char *what)
{
  g_autoptr(GTask) task = g_steal_pointer(&self->task);

  g_clear_handle_id(&self->source, g_source_remove);
  if (!task)
    return;
  if (gone)
    g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_FAILED,
                            "The process that asks the kernel whose the targets are failed: %s.", what);
  else
    g_task_return_new_error(task, CAPTURED_ERROR, code, "Target %u (process %d) %s.", self->next + 1,
                            (int)self->targets->pids[self->next], what);
}

static void refuse_caller(CapturedOpener *self, int error)
{
  g_autoptr(GTask) task = g_steal_pointer(&self->task);

  g_clear_handle_id(&self->source, g_source_remove);
  if (error == EPERM || error == ESRCH || error == EACCES)
    g_task_return_new_error(
        task, CAPTURED_ERROR, CAPTURED_ERROR_NOT_PERMITTED,
        "The caller is, or may be, confined to less than its user may do (no_new_privs, a user namespace or "
        "a "
        "security label), so its user's rights do not count; that takes the scope “system”.");
  else
    g_task_return_new_error(task, CAPTURED_ERROR, CAPTURED_ERROR_FAILED,
                            "The process that asks the kernel what the caller may do failed: %s.",
                            g_strerror(error));
}

/* That the targets are pidfds of processes was looked at before: one that is alive, but not there for the
 * caller, is hidden from him, as /proc can be mounted. */
static void opener_refuse(CapturedOpener *self, int error)
{
  gboolean unseen = error == ESRCH || error == EINVAL;

  if (unseen && !captured_targets_check_alive(self->targets, NULL))
    opener_finish(self, FALSE, CAPTURED_ERROR_TARGET_GONE, "has ended");
  else if (unseen || error == EACCES)
    opener_finish(
        self, FALSE, CAPTURED_ERROR_NOT_PERMITTED,
        "is not the caller's own: another user's, set-uid, or closed to him in another way; that takes the "
        "scope “system”");
  else
    opener_finish(self, TRUE, CAPTURED_ERROR_FAILED, g_strerror(error));
}

static void opener_ask(CapturedOpener *self)
{
  gboolean is_caller = self->caller > 0;
  struct opener_request request = {
      .type = is_caller ? OPENER_FREE : OPENER_PROVE,
      .size = sizeof request,
      .version = OPENER_PROTOCOL_VERSION,
      .pid = is_caller ? self->caller : self->targets->pids[self->next],
  };

  if (!self->child || packet_send(captured_child_get_socket(self->child), &request, sizeof request,
                                  is_caller ? -1 : self->targets->pidfds[self->next], false) < 0)
    opener_finish(self, TRUE, CAPTURED_ERROR_FAILED, "it died");
}

static void take_answer(CapturedOpener *self, const struct opener_answer *answer)
{
  if (self->caller > 0 && answer->error != 0) {
    refuse_caller(self, answer->error);
  } else if (self->caller > 0) {
    self->caller = 0;
    opener_ask(self);
  } else if (answer->error != 0) {
    opener_refuse(self, answer->error);
  } else if (++self->next < self->targets->n) {
    opener_ask(self);
  } else {
    g_autoptr(GTask) task = g_steal_pointer(&self->task);
    g_clear_handle_id(&self->source, g_source_remove);
    g_task_return_boolean(task, TRUE);
  }
}

static gboolean on_readable(int socket, GIOCondition condition, gpointer user_data)
{
  CapturedOpener *self = g_object_ref(user_data);
  struct opener_answer answer;
  int fd;
  gssize n = packet_receive(socket, &answer, sizeof answer, &fd, false);

  if (fd >= 0)
    close(fd);
  if (n == sizeof answer && fd < 0 && answer.size == sizeof answer &&
      answer.type == (self->caller > 0 ? OPENER_FREE : OPENER_PROVE) && answer.kind == OPENER_DONE)
    take_answer(self, &answer);
  else if (n != -EAGAIN)
    opener_finish(self, TRUE, CAPTURED_ERROR_FAILED,
                  n > 0 || n == -EBADMSG ? "it does not keep to its protocol" : "it died");
  gboolean goes_on = self->source != 0;
  g_object_unref(self);
  return goes_on;
}

void captured_opener_prove_async(CapturedOpener *self, pid_t caller, const CapturedTargets *targets,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  g_return_if_fail(!self->task && targets->n > 0);
  self->task = g_task_new(self, NULL, callback, user_data);
  self->caller = caller;
  self->targets = targets;
  self->next = 0;
  if (caller <= 0) {
    refuse_caller(self, ESRCH);
    return;
  }
  if (self->child)
    self->source = g_unix_fd_add(captured_child_get_socket(self->child), G_IO_IN, on_readable, self);
  opener_ask(self);
}

gboolean captured_opener_prove_finish(CapturedOpener *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(result), error);
}

void captured_opener_abort(CapturedOpener *self)
{
  hang_up(self);
  opener_finish(self, TRUE, CAPTURED_ERROR_FAILED, "it was ended");
}

int captured_opener_get_socket(CapturedOpener *self)
{
  return self->child ? captured_child_get_socket(self->child) : -1;
}

static void on_moved(GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(CapturedOpener) self = user_data;

  if (!captured_cgroup_add_finish(result, NULL))
    captured_opener_abort(self);
}

void captured_opener_move(CapturedOpener *self, CapturedCgroup *cgroup)
{
  if (self->child)
    captured_child_move_async(self->child, cgroup, on_moved, g_object_ref(self));
}

void captured_opener_hand_on(CapturedOpener *self)
{
  if (self->child)
    captured_child_close_socket(self->child);
}
