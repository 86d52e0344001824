/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "recording/common/error.h"
#include "recording/common/limits-private.h"
#include "recording/common/paths-private.h"
#include "recording/common/priority-private.h"

G_STATIC_ASSERT(sizeof(struct recorder_ready) >= sizeof(struct recorder_ended));
G_STATIC_ASSERT((int)RECORDING_UNWIND_AUTO == (int)RECORDER_UNWIND_AUTO &&
                (int)RECORDING_UNWIND_FRAME_POINTERS == (int)RECORDER_UNWIND_FRAME_POINTERS &&
                (int)RECORDING_UNWIND_TABLES == (int)RECORDER_UNWIND_TABLES &&
                (int)RECORDING_UNWIND_BPF == (int)RECORDER_UNWIND_BPF &&
                (int)RECORDING_UNWIND_NONE == (int)RECORDER_UNWIND_NONE);

/* Not a divisor of any timer's rate: samples shall not walk in step with periodic work. */
#define DEFAULT_FREQUENCY 3999
/* How long a recorder may take to exit after its socket was closed. */
#define EXIT_MILLISECONDS 2000

/* Of a recorder that is the system service's child. */
#define STATUS_UNKNOWN (-1)

struct _RecordingRecorder {
  RecordingVia via;
  RecordingService *service; /* by way of the service; else the process: */
  pid_t pid;
  int pidfd;
  int socket;
  int status;
  char *death;
  gboolean ready; /* it has handed over its memory */
};

/* The recorder's shared memory counts as files, but is not what a limit of file sizes is meant for. */
static void lift_file_size_limit(void)
{
  struct rlimit limit;

  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_FSIZE, &limit);
}

/* Runs in the forked child of a program with threads: async-signal-safe calls only. */
static G_NORETURN void recorder_execute(char *const *argv, int descriptor, int null)
{
  sigset_t none;

  setsid();
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  recording_limits_restore();
  lift_file_size_limit();
  recording_priority_raise();
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  fcntl(descriptor, F_SETFD, 0);
  execv(argv[0], argv);
  _exit(127);
}

static pid_t recorder_spawn(const char *path, int descriptor)
{
  char number[16];
  char *argv[] = {(char *)path, number, NULL};
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);

  g_snprintf(number, sizeof number, "%d", descriptor);
  pid_t pid = null < 0 ? -1 : fork();
  if (pid == 0)
    recorder_execute(argv, descriptor, null);
  if (null >= 0)
    close(null);
  return pid;
}

RecordingRecorder *recording_recorder_new(GError **error)
{
  g_autoptr(RecordingRecorder) self = g_new0(RecordingRecorder, 1);
  g_autofree char *path = recording_paths_find_recorder(error);
  int pair[2];

  self->via = RECORDING_VIA_DIRECT;
  self->pidfd = self->socket = -1;
  if (!path)
    return NULL;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0) {
    self->socket = pair[0];
    self->pid = recorder_spawn(path, pair[1]);
    close(pair[1]);
    if (self->pid > 0)
      self->pidfd = pidfd_open(self->pid, 0);
  }
  if (self->pidfd < 0) {
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_RECORDER, _("Cannot start the recorder “%s”: %s."),
                path, g_strerror(errno));
    return NULL;
  }
  return g_steal_pointer(&self);
}

RecordingRecorder *recording_recorder_new_service(const RecordingServiceWish *wish, GError **error)
{
  g_autoptr(RecordingRecorder) self = g_new0(RecordingRecorder, 1);
  int pair[2];

  self->via = RECORDING_VIA_SERVICE;
  self->pidfd = self->socket = -1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0) {
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED, _("No more descriptors can be opened: %s."),
                g_strerror(errno));
    return NULL;
  }
  self->socket = pair[0];
  self->service = recording_service_new(pair[1], wish);
  return g_steal_pointer(&self);
}

RecordingVia recording_recorder_get_via(RecordingRecorder *self)
{
  return self->via;
}

int recording_recorder_get_fd(RecordingRecorder *self)
{
  return self->socket;
}

gint32 recording_recorder_get_pid(RecordingRecorder *self)
{
  return self->pid;
}

static guint32 make_flags(const RecordingOptions *options, gboolean enable_on_exec)
{
  guint32 flags = RECORDER_USER_STACKS;

  flags |= options->kernel == RECORDING_KERNEL_NO ? RECORDER_EXCLUDE_KERNEL : RECORDER_KERNEL_STACKS;
  if (options->system_wide)
    flags |= RECORDER_SYSTEM_WIDE;
  if (options->children)
    flags |= RECORDER_CHILDREN;
  if (enable_on_exec)
    flags |= RECORDER_ENABLE_ON_EXEC;
  if (!options->command_lines)
    flags |= RECORDER_NO_COMMAND_LINES;
  if (options->interpreter)
    flags |= RECORDER_INTERPRETER;
  if (geteuid() == 0)
    flags |= RECORDER_NAMES;
  return flags;
}

static guint64 read_max_frequency(void)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents("/proc/sys/kernel/perf_event_max_sample_rate", &text, NULL, NULL))
    return DEFAULT_FREQUENCY;
  return MAX(g_ascii_strtoull(text, NULL, 10), 1);
}

/* "sched:sched_switch", but not "cycles:u" nor anything of a PMU in slashes. */
static gboolean is_tracepoint(const char *name)
{
  const char *colon = strchr(name, ':');
  return colon && !strchr(name, '/') && colon[1 + strspn(colon + 1, "ukhpPGHSDWeIb")] != '\0';
}

static void set_rate(struct recorder_event *event, const RecordingOptions *options)
{
  if (strcmp(event->name, RECORDER_EVENT_OFF_CPU) == 0) {
    event->period = options->off_cpu;
  } else if (options->period || options->frequency) {
    event->period = options->period;
    event->frequency = options->period ? 0 : options->frequency;
  } else if (is_tracepoint(event->name)) {
    event->period = 1;
  } else {
    event->frequency = MIN(DEFAULT_FREQUENCY, read_max_frequency());
  }
}

static gboolean add_events(struct recorder_configure *configure, const RecordingOptions *options,
                           GError **error)
{
  configure->n_events = MAX(options->events->len, 1);
  for (guint i = 0; i < configure->n_events; i++) {
    struct recorder_event *event = &configure->events[i];
    const char *name = i < options->events->len ? options->events->pdata[i] : "";

    if (g_strlcpy(event->name, name, sizeof event->name) >= sizeof event->name) {
      g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
                  _("The event name “%.40s…” is too long; no event has more than %d letters."), name,
                  RECORDER_EVENT_NAME_MAX - 1);
      return FALSE;
    }
    set_rate(event, options);
  }
  return TRUE;
}

gboolean recording_recorder_configure(RecordingRecorder *self, const RecordingOptions *options,
                                      const int *pidfds, guint n_pidfds, gboolean enable_on_exec,
                                      GError **error)
{
  size_t size = sizeof(struct recorder_configure) + RECORDER_EVENTS_MAX * sizeof(struct recorder_event);
  g_autofree struct recorder_configure *configure = g_malloc0(size);

  g_return_val_if_fail(n_pidfds <= RECORDER_TARGETS_MAX, FALSE);
  if (options->events->len > RECORDER_EVENTS_MAX) {
    g_set_error(error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
                _("%u events are too many; at most %d can be recorded at once."), options->events->len,
                RECORDER_EVENTS_MAX);
    return FALSE;
  }
  if (!add_events(configure, options, error))
    return FALSE;
  configure->message.type = RECORDER_CONFIGURE;
  configure->message.size = sizeof *configure + configure->n_events * sizeof(struct recorder_event);
  configure->version = RECORDER_PROTOCOL_VERSION;
  configure->flags = make_flags(options, enable_on_exec);
  configure->window_count = options->window_count;
  configure->n_targets = n_pidfds;
  configure->unwind = options->unwind;
  configure->stack_bytes = options->stack_bytes;
  configure->max_stack = options->max_stack;
  /* A recorder that is gone by now is noticed, and its status told, when it is listened to. */
  packet_send_many(self->socket, configure, configure->message.size, pidfds, n_pidfds, false);
  return TRUE;
}

void recording_recorder_probe(RecordingRecorder *self, const struct recorder_probe_event *events)
{
  struct recorder_probe probe = {.message = {.type = RECORDER_PROBE, .size = sizeof probe}};

  memcpy(probe.events, events, sizeof probe.events);
  packet_send(self->socket, &probe, sizeof probe, -1, false);
}

void recording_recorder_send(RecordingRecorder *self, enum recorder_message_type type)
{
  struct recorder_message message = {.type = type, .size = sizeof message};
  packet_send(self->socket, &message, sizeof message, -1, false);
}

static void close_descriptor(int *fd)
{
  if (*fd >= 0)
    close(*fd);
  *fd = -1;
}

/* Descriptors come once, with READY: others would pile up. */
static gboolean is_valid(const RecordingRecorder *self, RecordingMessage *message, size_t received)
{
  if (received < sizeof message->message || message->message.size != received)
    return FALSE;
  message->type = message->message.type;
  if ((message->windows_fd >= 0) != (message->type == RECORDER_READY && !self->ready))
    return FALSE;
  switch (message->type) {
  case RECORDER_READY:
    for (guint i = 0; i < RECORDER_EVENTS_MAX; i++)
      message->ready.events[i][RECORDER_EVENT_NAME_MAX - 1] = '\0';
    message->ready.notes[RECORDER_TEXT_MAX - 1] = '\0';
    return received == sizeof message->ready && message->ready.n_events <= RECORDER_EVENTS_MAX &&
           message->ready.unwind <= RECORDER_UNWIND_NONE && message->control_fd >= 0;
  case RECORDER_STATUS:
    return received == sizeof message->status;
  case RECORDER_ENDED:
    message->ended.text[RECORDER_TEXT_MAX - 1] = '\0';
    return received == sizeof message->ended;
  case RECORDER_PROBED:
    return received == sizeof message->probed;
  case RECORDER_STARTED:
  case RECORDER_WAKE:
    return TRUE;
  default:
    return FALSE;
  }
}

RecordingReceived recording_recorder_receive(RecordingRecorder *self, RecordingMessage *message)
{
  int fds[2];

  memset(message, 0, sizeof *message);
  gssize n = packet_receive_many(self->socket, &message->ready, sizeof message->ready, fds, G_N_ELEMENTS(fds),
                                 false);
  message->windows_fd = fds[0];
  message->control_fd = fds[1];
  if (n == -EAGAIN)
    return RECORDING_RECEIVED_NOTHING;
  if (n == 0 || (n < 0 && n != -EBADMSG))
    return RECORDING_RECEIVED_END;
  if (n > 0 && is_valid(self, message, (size_t)n)) {
    self->ready |= message->type == RECORDER_READY;
    return RECORDING_RECEIVED;
  }
  close_descriptor(&message->windows_fd);
  close_descriptor(&message->control_fd);
  return RECORDING_RECEIVED_BROKEN;
}

static void describe_death(RecordingRecorder *self)
{
  g_free(self->death);
  if (WIFSIGNALED(self->status))
    self->death = g_strdup_printf(_("The recorder was killed by signal %d (%s)"), WTERMSIG(self->status),
                                  g_strsignal(WTERMSIG(self->status)));
  else
    self->death =
        g_strdup_printf(_("The recorder ended unexpectedly with status %d"), WEXITSTATUS(self->status));
}

static void recorder_reap(RecordingRecorder *self)
{
  struct pollfd exited = {.fd = self->pidfd, .events = POLLIN};

  if (poll(&exited, 1, EXIT_MILLISECONDS) != 1)
    pidfd_send_signal(self->pidfd, SIGKILL, NULL, 0);
  waitpid(self->pid, &self->status, 0);
  self->pid = 0;
  describe_death(self);
}

void recording_recorder_close(RecordingRecorder *self)
{
  close_descriptor(&self->socket);
  if (self->pid > 0)
    recorder_reap(self);
  if (self->service) {
    self->death = recording_service_join(g_steal_pointer(&self->service));
    self->status = STATUS_UNKNOWN;
  }
}

int recording_recorder_get_status(RecordingRecorder *self)
{
  return self->status;
}

const char *recording_recorder_get_death(RecordingRecorder *self)
{
  return self->death;
}

void recording_recorder_free(RecordingRecorder *self)
{
  recording_recorder_close(self);
  close_descriptor(&self->pidfd);
  g_free(self->death);
  g_free(self);
}
