/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Records a running process through the system service captured and writes a capture:
 *
 *     record PID FILE [SECONDS]
 *
 * It ends with the process, after SECONDS, or by Ctrl+C. See docs/dbus.md; `capturectl report FILE` shows the
 * result. libcapture does what would be most of the work: it checks the shared memory, takes out of it what
 * is new, and writes the file.
 */
#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libcapture/file/capture-file.h"
#include "libcapture/pool/capture-pool.h"

#define NAME    "org.capturectl.Capture1"
#define PATH    "/org/capturectl/Capture1"
#define MANAGER NAME ".Manager"
#define SESSION NAME ".Session"

typedef struct {
  GDBusConnection *bus;
  GMainLoop *loop;
  char *session;
  capture_tap *tap;
  capture_file *file;
  guint32 stream;
  guint32 reason; /* enum capture_end */
} Recording;

static G_NORETURN void fail(const char *what, const char *why)
{
  fprintf(stderr, "record: %s: %s\n", what, why);
  exit(1);
}

/* The process is named by a pidfd: a number could be another's by the time that it is looked at. */
static void start(Recording *self, pid_t pid, int *ret_windows, int *ret_control)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GUnixFDList) sent = g_unix_fd_list_new(), received = NULL;
  g_auto(GVariantDict) options = G_VARIANT_DICT_INIT(NULL);
  GVariant *target = g_variant_new_handle(0);
  gint32 windows, control;

  int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
  if (pidfd < 0)
    fail("the process", g_strerror(errno));
  g_unix_fd_list_append(sent, pidfd, NULL);
  close(pidfd);
  g_variant_dict_insert_value(&options, "targets", g_variant_new_array(G_VARIANT_TYPE_HANDLE, &target, 1));
  /* Somebody may be asked for a password, for as long as that takes. */
  g_autoptr(GVariant) reply = g_dbus_connection_call_with_unix_fd_list_sync(
      self->bus, NAME, PATH, MANAGER, "StartRecording",
      g_variant_new("(@a{sv})", g_variant_dict_end(&options)), G_VARIANT_TYPE("(ohh)"),
      G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION, G_MAXINT, sent, &received, NULL, &error);
  if (!reply)
    fail("StartRecording", error->message);
  g_variant_get(reply, "(ohh)", &self->session, &windows, &control);
  *ret_windows = g_unix_fd_list_get(received, windows, NULL);
  *ret_control = g_unix_fd_list_get(received, control, NULL);
}

static int append(const struct capture_taken *taken, void *data)
{
  Recording *self = data;
  struct capture_window_header header = taken->header;

  header.stream = self->stream;
  return capture_file_append(self->file, &header, taken->content);
}

static void take(Recording *self)
{
  int64_t taken = capture_tap_take(self->tap, append, self);
  if (taken < 0)
    fail("taking windows", g_strerror((int)-taken));
}

/* Often enough that the service never runs out of windows; what is taken is safe from then on. */
static gboolean on_tick(gpointer data)
{
  take(data);
  return G_SOURCE_CONTINUE;
}

static gboolean on_stop(gpointer data)
{
  Recording *self = data;

  self->reason = CAPTURE_END_INTERRUPTED;
  g_dbus_connection_call(self->bus, NAME, self->session, SESSION, "Stop", NULL, NULL, G_DBUS_CALL_FLAGS_NONE,
                         -1, NULL, NULL, NULL);
  return G_SOURCE_REMOVE;
}

static void on_ended(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                     const char *signal, GVariant *parameters, gpointer data)
{
  Recording *self = data;
  const char *reason, *message;

  if (g_strcmp0(path, self->session) != 0)
    return;
  g_variant_get(parameters, "(&s&s)", &reason, &message);
  if (*message)
    fprintf(stderr, "record: %s: %s\n", reason, message);
  if (g_str_equal(reason, "targets-gone"))
    self->reason = CAPTURE_END_TARGETS_GONE;
  else if (!g_str_equal(reason, "stopped"))
    self->reason = CAPTURE_END_FAILED;
  g_main_loop_quit(self->loop);
}

/* With the service its sessions are gone. */
static void on_vanished(GDBusConnection *bus, const char *name, gpointer data)
{
  Recording *self = data;

  self->reason = CAPTURE_END_RECORDER_DIED;
  g_main_loop_quit(self->loop);
}

static void open_file(Recording *self, const char *path, int windows, int control)
{
  struct capture_file_options options = {.size = sizeof options, .clock = CAPTURE_CLOCK_MONOTONIC};
  int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int result = fd < 0 ? -errno : capture_file_create(&self->file, fd, &options);

  if (result < 0)
    fail(path, g_strerror(-result));
  capture_file_add_metadata(self->file, "via", "daemon");
  self->stream = (guint32)capture_file_add_stream(self->file, CAPTURE_STREAM_RECORDER, 0, "recorder");
  /* This also proves that nobody can take memory away or change it behind our back. */
  result = capture_tap_open(&self->tap, windows, control);
  if (result < 0)
    fail("the windows", g_strerror(-result));
}

static void finish(Recording *self)
{
  take(self);
  capture_file_add_index(self->file);
  capture_file_end(self->file, self->reason, self->reason == CAPTURE_END_RECORDER_DIED ? -1 : 0, 0);
  capture_file_free(self->file);
  capture_tap_close(self->tap);
}

int main(int argc, char **argv)
{
  g_autoptr(GError) error = NULL;
  Recording self = {.reason = CAPTURE_END_INTERRUPTED};
  int windows = -1, control = -1;

  if (argc < 3)
    fail("usage", "record PID FILE [SECONDS]");
  self.bus = g_bus_get_sync(G_BUS_TYPE_SYSTEM, NULL, &error);
  if (!self.bus)
    fail("the system bus", error->message);
  self.loop = g_main_loop_new(NULL, FALSE);
  g_dbus_connection_signal_subscribe(self.bus, NAME, SESSION, "Ended", NULL, NULL, G_DBUS_SIGNAL_FLAGS_NONE,
                                     on_ended, &self, NULL);
  start(&self, atoi(argv[1]), &windows, &control);
  g_bus_watch_name_on_connection(self.bus, NAME, G_BUS_NAME_WATCHER_FLAGS_NONE, NULL, on_vanished, &self,
                                 NULL);
  open_file(&self, argv[2], windows, control);
  g_timeout_add(80, on_tick, &self);
  g_unix_signal_add(SIGINT, on_stop, &self);
  if (argc > 3)
    g_timeout_add((guint)(atof(argv[3]) * 1000), on_stop, &self);
  g_main_loop_run(self.loop);
  finish(&self);
  close(windows);
  close(control);
  g_free(self.session);
  g_main_loop_unref(self.loop);
  g_object_unref(self.bus);
  return self.reason == CAPTURE_END_FAILED || self.reason == CAPTURE_END_RECORDER_DIED;
}
