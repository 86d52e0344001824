/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib-unix.h>
#include <string.h>
#include <unistd.h>

#include "daemon/captured-child.h"
#include "daemon/captured-error.h"
#include "daemon/captured-privileges.h"
#include "helpers/packet.h"

/* Windows and control. */
#define MEMORY 2
/* How often a recorder that records is listened to, unless somebody asks how far it is. It says something
 * many times a second, and waits for nobody who does not listen; a minute's worth fits into its socket. */
#define LISTEN_SECONDS 2
/* How many packets are taken at once: more than its socket holds, so that who never stops talking does not
 * keep us from all other work. */
#define LISTEN_MAX 1024

struct _CapturedRecorder {
  GObject parent_instance;
  CapturedChild *child;
  CapturedEntry *entry; /* the child's */
  CapturedCgroup *cgroup;
  gboolean is_placed;     /* in the cgroup, where there is one */
  gboolean is_to_stop;    /* when it is */
  CapturedOpener *opener; /* of a session of the scope own; ends with the recorder */
  guint source;
  guint timeout;
  GTask *task;      /* of configure or start, while one is under way */
  guint32 awaited;  /* the message that it waits for */
  gboolean watched; /* it was started: its end is told by the signal */
  int memory[MEMORY];
  struct recorder_ready ready;
  struct recorder_status status;
};

typedef union {
  struct recorder_message message;
  struct recorder_ready ready;
  struct recorder_status status;
  struct recorder_ended ended;
} Packet;

enum { SIGNAL_STATUS, SIGNAL_ENDED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE(CapturedRecorder, captured_recorder, G_TYPE_OBJECT)

static void close_memory(CapturedRecorder *self)
{
  for (guint i = 0; i < MEMORY; i++) {
    if (self->memory[i] >= 0)
      close(self->memory[i]);
    self->memory[i] = -1;
  }
}

static void hang_up(CapturedRecorder *self)
{
  g_clear_handle_id(&self->source, g_source_remove);
  g_clear_handle_id(&self->timeout, g_source_remove);
  g_clear_pointer(&self->child, captured_child_free);
  g_clear_object(&self->opener);
  g_clear_pointer(&self->cgroup, captured_cgroup_unref);
}

static void captured_recorder_dispose(GObject *object)
{
  CapturedRecorder *self = CAPTURED_RECORDER(object);

  hang_up(self);
  close_memory(self);
  G_OBJECT_CLASS(captured_recorder_parent_class)->dispose(object);
}

static void captured_recorder_class_init(CapturedRecorderClass *klass)
{
  GType type = G_TYPE_FROM_CLASS(klass);

  G_OBJECT_CLASS(klass)->dispose = captured_recorder_dispose;
  signals[SIGNAL_STATUS] =
      g_signal_new("status", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_ENDED] = g_signal_new("ended", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 2,
                                       G_TYPE_INT, G_TYPE_STRING);
}

static void captured_recorder_init(CapturedRecorder *self)
{
  for (guint i = 0; i < MEMORY; i++)
    self->memory[i] = -1;
}

/* What a recorder's errno means to whoever asked for the recording. */
static CapturedError recorder_translate(int code)
{
  switch (code) {
  case ESRCH:
    return CAPTURED_ERROR_TARGET_GONE;
  case EINVAL:
    return CAPTURED_ERROR_INVALID_OPTION;
  case EDQUOT:
    return CAPTURED_ERROR_LIMIT_EXCEEDED;
  case EPERM:
  case EACCES:
    return CAPTURED_ERROR_NOT_PERMITTED;
  case ENOENT:
  case ENODEV:
  case ENOSYS:
  case EOPNOTSUPP:
    return CAPTURED_ERROR_UNSUPPORTED;
  default:
    return CAPTURED_ERROR_FAILED;
  }
}

static void recorder_finish(CapturedRecorder *self, int reason, CapturedError code, const char *message)
{
  g_object_ref(self);
  hang_up(self);
  if (self->task) {
    g_autoptr(GTask) task = g_steal_pointer(&self->task);
    g_task_return_new_error(task, CAPTURED_ERROR, code, "%s", message);
  } else if (self->watched) {
    self->watched = FALSE;
    g_signal_emit(self, signals[SIGNAL_ENDED], 0, reason, message);
  }
  g_object_unref(self);
}

static void recorder_die(CapturedRecorder *self)
{
  recorder_finish(self, CAPTURED_RECORDER_DIED, CAPTURED_ERROR_FAILED, "The recorder died.");
}

static void listen_seldom(CapturedRecorder *self);

static gboolean is_awaited(const CapturedRecorder *self, guint32 type)
{
  return self->task && self->awaited == type;
}

static void recorder_arrive(CapturedRecorder *self, guint32 type)
{
  g_autoptr(GTask) task = g_steal_pointer(&self->task);
  if (type == RECORDER_STARTED) {
    self->watched = TRUE;
    listen_seldom(self);
  }
  g_task_return_boolean(task, TRUE);
}

static void take_ended(CapturedRecorder *self, struct recorder_ended *ended)
{
  char *text = ended->text;

  text[sizeof ended->text - 1] = '\0';
  self->status = ended->status;
  g_autofree char *message = g_utf8_make_valid(text, -1);
  recorder_finish(self, CLAMP(ended->reason, RECORDER_END_STOPPED, RECORDER_END_FAILED),
                  recorder_translate(ended->error), message);
}

/* From here on their bytes count for as long as anybody has anything of them. Whoever has the windows cannot
 * write to them whatever their seals are. */
static gboolean take_memory(CapturedRecorder *self, int *fds)
{
  static const int flags[MEMORY] = {O_RDONLY, O_RDWR};

  for (guint i = 0; i < MEMORY; i++) {
    int fd = fds[i];

    self->memory[i] = captured_entry_open(fd, flags[i]);
    fds[i] = -1;
    if (!captured_entry_add(self->entry, fd, NULL) || self->memory[i] < 0)
      return FALSE;
  }
  return TRUE;
}

static void recorder_say(CapturedRecorder *self, guint32 type);

static void on_moved(GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr(CapturedRecorder) self = user_data;
  g_autoptr(GError) error = NULL;

  if (!captured_cgroup_add_finish(result, &error)) {
    recorder_finish(self, CAPTURED_RECORDER_DIED, CAPTURED_ERROR_FAILED, error->message);
    return;
  }
  self->is_placed = TRUE;
  recorder_say(self, RECORDER_PLACED);
  if (self->is_to_stop)
    recorder_say(self, RECORDER_STOP);
}

/* What is shared was allocated by now, in our own cgroup, so the limit there is for all else. The kernel
 * holds up forks meanwhile, so it comes after the first samples. */
static void recorder_move(CapturedRecorder *self)
{
  captured_child_move_async(self->child, self->cgroup, on_moved, g_object_ref(self));
  if (self->opener)
    captured_opener_move(self->opener, self->cgroup);
}

static gboolean take_ready(CapturedRecorder *self, const struct recorder_ready *ready, int *fds)
{
  if (!is_awaited(self, RECORDER_READY) || fds[MEMORY - 1] < 0 || ready->n_events > RECORDER_EVENTS_MAX ||
      ready->unwind > RECORDER_UNWIND_NONE)
    return FALSE;
  if (!take_memory(self, fds))
    return FALSE;
  self->ready = *ready;
  for (guint i = 0; i < RECORDER_EVENTS_MAX; i++)
    self->ready.events[i][RECORDER_EVENT_NAME_MAX - 1] = '\0';
  self->ready.notes[RECORDER_TEXT_MAX - 1] = '\0';
  recorder_arrive(self, RECORDER_READY);
  return TRUE;
}

/* FALSE when it broke the protocol. Descriptors that are taken are -1 afterwards. */
static gboolean take_packet(CapturedRecorder *self, Packet *packet, gsize size, int *fds)
{
  if (size < sizeof packet->message || packet->message.size != size ||
      (fds[0] >= 0) != (packet->message.type == RECORDER_READY))
    return FALSE;
  switch (packet->message.type) {
  case RECORDER_READY:
    return size == sizeof packet->ready && take_ready(self, &packet->ready, fds);
  case RECORDER_STARTED:
    if (!is_awaited(self, RECORDER_STARTED))
      return FALSE;
    if (self->cgroup)
      recorder_move(self);
    recorder_arrive(self, RECORDER_STARTED);
    return TRUE;
  case RECORDER_STATUS:
    if (size != sizeof packet->status)
      return FALSE;
    self->status = packet->status;
    g_signal_emit(self, signals[SIGNAL_STATUS], 0);
    return TRUE;
  case RECORDER_WAKE:
    return TRUE;
  case RECORDER_ENDED:
    if (size != sizeof packet->ended)
      return FALSE;
    take_ended(self, &packet->ended);
    return TRUE;
  default:
    return FALSE;
  }
}

/* Takes one packet, if there is one. */
static gboolean recorder_receive(CapturedRecorder *self)
{
  g_autofree Packet *packet = g_new(Packet, 1);
  int fds[MEMORY];
  gssize n =
      packet_receive_many(captured_child_get_socket(self->child), packet, sizeof *packet, fds, MEMORY, false);

  if (n == -EAGAIN)
    return FALSE;
  if (n <= 0 || !take_packet(self, packet, (gsize)n, fds))
    recorder_die(self);
  for (guint i = 0; i < MEMORY; i++)
    if (fds[i] >= 0)
      close(fds[i]);
  return TRUE;
}

static gboolean on_readable(int socket, GIOCondition condition, gpointer user_data)
{
  CapturedRecorder *self = g_object_ref(user_data);

  recorder_receive(self);
  gboolean goes_on = self->source != 0;
  g_object_unref(self);
  return goes_on;
}

static void watch_socket(CapturedRecorder *self, GIOCondition condition)
{
  g_clear_handle_id(&self->timeout, g_source_remove);
  g_clear_handle_id(&self->source, g_source_remove);
  self->source = g_unix_fd_add(captured_child_get_socket(self->child), condition, on_readable, self);
}

static gboolean on_timeout(gpointer user_data)
{
  CapturedRecorder *self = g_object_ref(user_data);

  captured_recorder_update(self);
  gboolean goes_on = self->timeout != 0;
  g_object_unref(self);
  return goes_on;
}

/* Its end is noticed at once. */
static void listen_seldom(CapturedRecorder *self)
{
  watch_socket(self, G_IO_HUP);
  self->timeout = g_timeout_add_seconds(LISTEN_SECONDS, on_timeout, self);
}

void captured_recorder_update(CapturedRecorder *self)
{
  g_object_ref(self);
  for (guint i = 0; i < LISTEN_MAX && self->child && recorder_receive(self); i++)
    ;
  g_object_unref(self);
}

CapturedRecorder *captured_recorder_new(CapturedScope scope, GError **error)
{
  static const char *const environment[] = {CAPTURED_CHILD_ENVIRONMENT, "XDG_CACHE_HOME=/var/cache/captured",
                                            NULL};
  CapturedChildSpec spec = {
      .program = "recorder",
      .rights = (scope == CAPTURED_SCOPE_OWN ? CAPTURED_RIGHTS_OWN : CAPTURED_RIGHTS_SYSTEM) |
                captured_privileges_open_event(),
      .precedence = TRUE,
      .environment = environment,
  };
  CapturedChild *child = captured_child_new(&spec, error);

  if (!child)
    return NULL;
  CapturedRecorder *self = g_object_new(CAPTURED_TYPE_RECORDER, NULL);
  self->child = child;
  watch_socket(self, G_IO_IN);
  return self;
}

void captured_recorder_charge(CapturedRecorder *self, CapturedEntry *entry, CapturedCgroup *cgroup)
{
  if (self->child)
    captured_child_charge(self->child, entry);
  self->entry = entry;
  self->cgroup = cgroup ? captured_cgroup_ref(cgroup) : NULL;
  self->is_placed = !cgroup;
}

static void recorder_await(CapturedRecorder *self, guint32 type, GAsyncReadyCallback callback,
                           gpointer user_data)
{
  g_return_if_fail(!self->task);
  self->task = g_task_new(self, NULL, callback, user_data);
  self->awaited = type;
}

static gboolean send_configure(CapturedRecorder *self, const struct recorder_configure *configure,
                               const CapturedTargets *targets)
{
  int fds[RECORDER_TARGETS_MAX + 1];
  gsize n = targets->n;

  memcpy(fds, targets->pidfds, n * sizeof *fds);
  if (self->opener)
    fds[n++] = captured_opener_get_socket(self->opener);
  return self->child && packet_send_many(captured_child_get_socket(self->child), configure,
                                         configure->message.size, fds, n, false) == 0;
}

void captured_recorder_configure_async(CapturedRecorder *self, const CapturedOptions *options,
                                       const CapturedTargets *targets, CapturedOpener *opener,
                                       GAsyncReadyCallback callback, gpointer user_data)
{
  g_autofree struct recorder_configure *configure =
      captured_options_configure(options, opener ? CAPTURED_SCOPE_OWN : CAPTURED_SCOPE_SYSTEM);

  if (self->cgroup)
    configure->flags |= RECORDER_PLACED_LATER;
  g_set_object(&self->opener, opener);
  recorder_await(self, RECORDER_READY, callback, user_data);
  if (!send_configure(self, configure, targets))
    recorder_die(self);
  if (opener)
    captured_opener_hand_on(opener);
}

gboolean captured_recorder_configure_finish(CapturedRecorder *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(result), error);
}

/* A recorder that is gone is noticed when it is listened to. */
static void recorder_say(CapturedRecorder *self, guint32 type)
{
  struct recorder_message message = {.type = type, .size = sizeof message};

  if (self->child)
    packet_send(captured_child_get_socket(self->child), &message, sizeof message, -1, false);
}

void captured_recorder_start_async(CapturedRecorder *self, GAsyncReadyCallback callback, gpointer user_data)
{
  recorder_await(self, RECORDER_STARTED, callback, user_data);
  recorder_say(self, RECORDER_START);
  if (!self->child)
    recorder_die(self);
}

gboolean captured_recorder_start_finish(CapturedRecorder *self, GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean(G_TASK(result), error);
}

void captured_recorder_stop(CapturedRecorder *self)
{
  if (self->child)
    watch_socket(self, G_IO_IN);
  self->is_to_stop = TRUE;
  if (self->is_placed)
    recorder_say(self, RECORDER_STOP);
}

void captured_recorder_abort(CapturedRecorder *self)
{
  self->watched = FALSE;
  recorder_die(self);
}

const struct recorder_ready *captured_recorder_get_ready(CapturedRecorder *self)
{
  return &self->ready;
}

const struct recorder_status *captured_recorder_get_status(CapturedRecorder *self)
{
  return &self->status;
}

GUnixFDList *captured_recorder_steal_memory(CapturedRecorder *self)
{
  GUnixFDList *list = g_unix_fd_list_new_from_array(self->memory, MEMORY);

  for (guint i = 0; i < MEMORY; i++)
    self->memory[i] = -1;
  return list;
}
