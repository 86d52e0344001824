/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recorder/service.h"

#include <errno.h>
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <glib/gi18n.h>
#include <string.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "helpers/recorder-protocol.h"
#include "recording/recorder/agent-private.h"
#include "recording/recorder/service-message-private.h"

#define PROPERTIES     "org.freedesktop.DBus.Properties"
#define NOT_AUTHORIZED RECORDING_SERVICE_NAME ".Error.NotAuthorized"
#define NO_TIMEOUT     G_MAXINT /* while a person may be typing */
#define BUS_TIMEOUT    (-1)     /* the usual one */
#define MEMFDS         2
/* dbus-daemon's max_message_unix_fds, where nobody changed it. */
#define DESCRIPTORS_USUAL 16

/* All but thread, wish and socket belongs to the thread until it was joined. */
struct _RecordingService {
  GThread *thread;
  RecordingServiceWish wish;
  int socket;

  GMainContext *context;
  GMainLoop *loop;
  GCancellable *cancellable;
  guint n_pending; /* calls whose callbacks are to come */
  GDBusConnection *bus;
  GVariant *options;
  GUnixFDList *targets;
  RecordingAgent *agent;
  gboolean asked; /* a person was, or is being */

  char *owner;   /* unique name of the service that records */
  char *session; /* its object */
  int memfds[MEMFDS];
  gboolean started; /* told so */
  gboolean has_ended;
  struct recorder_ended ended;
  char *death;
};

static void send_message(RecordingService *self, enum recorder_message_type type, gpointer message,
                         gsize size, guint n_fds)
{
  struct recorder_message *head = message;

  head->type = type;
  head->size = (guint32)size;
  packet_send_many(self->socket, message, size, self->memfds, n_fds, false);
}

static void send_ended(RecordingService *self)
{
  send_message(self, RECORDER_ENDED, &self->ended, sizeof self->ended, 0);
}

/* Whoever waits for STARTED would take an earlier end for a failure: what was recorded would be lost. */
static void service_end(RecordingService *self)
{
  self->has_ended = TRUE;
  if (self->started || !self->session)
    send_ended(self);
}

static void end_with_number(RecordingService *self, int number, const char *sentence)
{
  recording_service_make_ended(number, sentence, &self->ended);
  service_end(self);
}

static void end_with_error(RecordingService *self, const GError *error)
{
  recording_service_read_error(error, &self->ended);
  service_end(self);
}

static void go_away(RecordingService *self, const char *sentence)
{
  if (self->has_ended)
    return;
  g_free(self->death);
  self->death = g_strdup(sentence);
  g_main_loop_quit(self->loop);
}

static void on_closed(GDBusConnection *bus, gboolean vanished, GError *error, gpointer data)
{
  go_away(data, _("The connection to the system bus was lost"));
}

static void lose_service(RecordingService *self)
{
  go_away(self, _("The system service captured went away"));
}

static void on_owner_changed(GDBusConnection *bus, const char *sender, const char *path,
                             const char *interface, const char *signal, GVariant *parameters, gpointer data)
{
  const char *owner = "";

  if (g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sss)")))
    g_variant_get(parameters, "(&s&s&s)", NULL, NULL, &owner);
  if (!*owner)
    lose_service(data);
}

/* Anybody may send signals: only what the service says of this session counts. */
static void on_ended(GDBusConnection *bus, const char *sender, const char *path, const char *interface,
                     const char *signal, GVariant *parameters, gpointer data)
{
  RecordingService *self = data;
  const char *reason, *message;

  if (self->has_ended || g_strcmp0(sender, self->owner) != 0 || g_strcmp0(path, self->session) != 0 ||
      !g_variant_is_of_type(parameters, G_VARIANT_TYPE("(ss)")))
    return;
  g_variant_get(parameters, "(&s&s)", &reason, &message);
  if (recording_service_read_ended(reason, message, &self->ended)) {
    service_end(self);
    return;
  }
  g_autofree char *sentence = g_strdup(*message ? message : _("The system service’s recorder died"));
  sentence[strlen(sentence) - g_str_has_suffix(sentence, ".")] = '\0';
  go_away(self, sentence);
}

static gboolean is_leaving(RecordingService *self)
{
  return g_cancellable_is_cancelled(self->cancellable);
}

static void service_call(RecordingService *self, const char *name, const char *path, const char *interface,
                         const char *method, GVariant *parameters, GAsyncReadyCallback callback)
{
  self->n_pending += callback != NULL;
  g_dbus_connection_call(self->bus, name, path, interface, method, parameters, NULL, G_DBUS_CALL_FLAGS_NONE,
                         BUS_TIMEOUT, self->cancellable, callback, callback ? self : NULL);
}

/* A service that went away before its end was watched for: that is told nobody any more. */
static gboolean is_gone(const GError *error)
{
  return g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) ||
         g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER);
}

static void on_properties(GObject *bus, GAsyncResult *result, gpointer data)
{
  RecordingService *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, &error);
  g_autoptr(GVariant) properties = NULL;
  struct recorder_ready ready = {0};

  self->n_pending--;
  if (is_leaving(self))
    return;
  if (is_gone(error)) {
    lose_service(self);
    return;
  }
  if (reply && g_variant_is_of_type(reply, G_VARIANT_TYPE("(a{sv})")))
    g_variant_get(reply, "(@a{sv})", &properties);
  recording_service_read_session(properties, &ready);
  send_message(self, RECORDER_READY, &ready, sizeof ready, MEMFDS);
}

static gboolean take_memfds(RecordingService *self, GUnixFDList *fds, const gint32 indices[MEMFDS])
{
  for (guint i = 0; i < MEMFDS; i++) {
    if (indices[i] < 0 || indices[i] >= g_unix_fd_list_get_length(fds))
      return FALSE;
    self->memfds[i] = g_unix_fd_list_get(fds, indices[i], NULL);
  }
  return self->memfds[0] >= 0 && self->memfds[1] >= 0;
}

static gboolean take_session(RecordingService *self, GDBusMessage *reply, GError **error)
{
  GVariant *body = g_dbus_message_get_body(reply);
  GUnixFDList *fds = g_dbus_message_get_unix_fd_list(reply);
  gint32 indices[MEMFDS];
  g_autofree char *session = NULL;

  if (body && fds && g_variant_is_of_type(body, G_VARIANT_TYPE("(ohh)")))
    g_variant_get(body, "(ohh)", &session, &indices[0], &indices[1]);
  if (!session || !take_memfds(self, fds, indices)) {
    g_set_error_literal(
        error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
        _("The system service captured sent an answer that is not understood; is it of another version?"));
    return FALSE;
  }
  self->session = g_steal_pointer(&session);
  self->owner = g_strdup(g_dbus_message_get_sender(reply));
  return TRUE;
}

static void see_session(RecordingService *self)
{
  g_clear_object(&self->targets);
  g_dbus_connection_signal_subscribe(self->bus, "org.freedesktop.DBus", "org.freedesktop.DBus",
                                     "NameOwnerChanged", "/org/freedesktop/DBus", self->owner,
                                     G_DBUS_SIGNAL_FLAGS_NONE, on_owner_changed, self, NULL);
  service_call(self, self->owner, self->session, PROPERTIES, "GetAll",
               g_variant_new("(s)", RECORDING_SERVICE_SESSION), on_properties);
}

static void service_start(RecordingService *self, gboolean interactive);

static gboolean on_agent_ready(int fd, GIOCondition condition, gpointer data)
{
  if (!is_leaving(data))
    service_start(data, TRUE);
  return G_SOURCE_REMOVE;
}

static void add_source(RecordingService *self, int fd, GUnixFDSourceFunc function)
{
  GSource *source = g_unix_fd_source_new(fd, G_IO_IN | G_IO_HUP | G_IO_ERR);

  g_source_set_callback(source, G_SOURCE_FUNC(function), self, NULL);
  g_source_attach(source, self->context);
  g_source_unref(source);
}

/* Only once it is known that a person has to be asked: an agent of our own takes a moment to start. */
static void service_ask(RecordingService *self)
{
  self->asked = TRUE;
  self->agent = recording_agent_new();
  if (self->agent)
    add_source(self, recording_agent_get_fd(self->agent), on_agent_ready);
  else
    service_start(self, TRUE);
}

static gboolean may_ask(RecordingService *self, const GError *error)
{
  g_autofree char *name = g_dbus_error_get_remote_error(error);
  return self->wish.interactive && !self->asked && g_strcmp0(name, NOT_AUTHORIZED) == 0;
}

/* A bus that is sent more descriptors than it hands on with a message closes the connection instead of
 * answering. */
static gboolean was_too_much(RecordingService *self, const GError *error)
{
  return g_error_matches(error, G_IO_ERROR, G_IO_ERROR_CLOSED) && self->targets &&
         g_unix_fd_list_get_length(self->targets) > DESCRIPTORS_USUAL;
}

static void on_started(GObject *bus, GAsyncResult *result, gpointer data)
{
  RecordingService *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusMessage) reply =
      g_dbus_connection_send_message_with_reply_finish(G_DBUS_CONNECTION(bus), result, &error);

  self->n_pending--;
  if (is_leaving(self))
    return;
  g_clear_pointer(&self->agent, recording_agent_free);
  if (reply && !g_dbus_message_to_gerror(reply, &error) && take_session(self, reply, &error))
    see_session(self);
  else if (may_ask(self, error))
    service_ask(self);
  else if (was_too_much(self, error))
    end_with_number(self, E2BIG,
                    _("The system bus does not hand on so many processes at once, usually no more than 16: "
                      "record fewer, or the whole system with -a."));
  else
    end_with_error(self, error);
}

static void service_start(RecordingService *self, gboolean interactive)
{
  g_autoptr(GDBusMessage) message = g_dbus_message_new_method_call(
      RECORDING_SERVICE_NAME, RECORDING_SERVICE_PATH, RECORDING_SERVICE_MANAGER, "StartRecording");

  if (interactive)
    g_dbus_message_set_flags(message, G_DBUS_MESSAGE_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION);
  g_dbus_message_set_body(message, g_variant_new("(@a{sv})", self->options));
  g_dbus_message_set_unix_fd_list(message, self->targets);
  self->n_pending++;
  g_dbus_connection_send_message_with_reply(self->bus, message, G_DBUS_SEND_MESSAGE_FLAGS_NONE, NO_TIMEOUT,
                                            NULL, self->cancellable, on_started, self);
}

static gboolean has_bpf(GVariant *reply)
{
  g_autoptr(GVariant) features = NULL;

  if (!reply || !g_variant_is_of_type(reply, G_VARIANT_TYPE("(v)")))
    return FALSE;
  g_variant_get(reply, "(v)", &features);
  if (!g_variant_is_of_type(features, G_VARIANT_TYPE_STRING_ARRAY))
    return FALSE;
  g_autofree const char **words = g_variant_get_strv(features, NULL);
  return g_strv_contains(words, "bpf");
}

static void on_features(GObject *bus, GAsyncResult *result, gpointer data)
{
  RecordingService *self = data;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_finish(G_DBUS_CONNECTION(bus), result, &error);

  self->n_pending--;
  if (is_leaving(self))
    return;
  if (error)
    end_with_error(self, error);
  else if (!has_bpf(reply))
    end_with_number(self, ENOSYS, _("The system service captured cannot walk stacks in the kernel either."));
  else
    service_start(self, FALSE);
}

static void end_without_bus(RecordingService *self, const GError *error)
{
  g_autofree char *sentence =
      g_strdup_printf(_("There is no system bus, and so no system service: %s."), error->message);
  end_with_number(self, ENOENT, sentence);
}

static void on_connected(GObject *object, GAsyncResult *result, gpointer data)
{
  RecordingService *self = data;
  g_autoptr(GError) error = NULL;

  self->n_pending--;
  self->bus = g_dbus_connection_new_for_address_finish(result, &error);
  if (is_leaving(self))
    return;
  if (!self->bus) {
    end_without_bus(self, error);
    return;
  }
  g_signal_connect(self->bus, "closed", G_CALLBACK(on_closed), self);
  g_dbus_connection_signal_subscribe(self->bus, NULL, RECORDING_SERVICE_SESSION, "Ended", NULL, NULL,
                                     G_DBUS_SIGNAL_FLAGS_NONE, on_ended, self, NULL);
  if (self->wish.need_bpf)
    service_call(self, RECORDING_SERVICE_NAME, RECORDING_SERVICE_PATH, PROPERTIES, "Get",
                 g_variant_new("(ss)", RECORDING_SERVICE_MANAGER, "Features"), on_features);
  else
    service_start(self, FALSE);
}

static void connect_to_bus(RecordingService *self)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *address = g_dbus_address_get_for_bus_sync(G_BUS_TYPE_SYSTEM, self->cancellable, &error);

  if (!address) {
    end_without_bus(self, error);
    return;
  }
  self->n_pending++;
  g_dbus_connection_new_for_address(
      address, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, self->cancellable, on_connected, self);
}

static void see_configure(RecordingService *self, const struct recorder_configure *configure, const int *fds)
{
  if (self->options)
    return;
  self->options = recording_service_make_options(configure, self->wish.kernel);
  self->targets = g_unix_fd_list_new_from_array(fds, (int)configure->n_targets);
  connect_to_bus(self);
}

static void see_start(RecordingService *self)
{
  struct recorder_message started;

  self->started = TRUE;
  send_message(self, RECORDER_STARTED, &started, sizeof started, 0);
  if (self->has_ended)
    send_ended(self);
}

/* How long the recorder may take to end the service knows, and says so when that is over. */
static gboolean keep_waiting(gpointer data)
{
  RecordingService *self = data;
  struct recorder_status status = {.time = 0};

  if (!self->has_ended)
    send_message(self, RECORDER_STATUS, &status, sizeof status, 0);
  return self->has_ended ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void watch_end(RecordingService *self)
{
  GSource *source = g_timeout_source_new_seconds(1);

  g_source_set_callback(source, keep_waiting, self, NULL);
  g_source_attach(source, self->context);
  g_source_unref(source);
}

static void see_message(RecordingService *self, const struct recorder_configure *configure, const int *fds)
{
  switch (configure->message.type) {
  case RECORDER_CONFIGURE:
    see_configure(self, configure, fds);
    break;
  case RECORDER_START:
    see_start(self);
    break;
  case RECORDER_STOP:
    service_call(self, self->owner, self->session, RECORDING_SERVICE_SESSION, "Stop", NULL, NULL);
    watch_end(self);
  }
}

static gboolean on_packet(int socket, GIOCondition condition, gpointer data)
{
  RecordingService *self = data;
  gsize size = sizeof(struct recorder_configure) + RECORDER_EVENTS_MAX * sizeof(struct recorder_event);
  g_autofree struct recorder_configure *message = g_malloc0(size);
  int fds[RECORDER_TARGETS_MAX];

  gssize n = packet_receive_many(socket, message, size, fds, G_N_ELEMENTS(fds), false);
  if (n > 0)
    see_message(self, message, fds);
  else if (n != -EAGAIN)
    g_main_loop_quit(self->loop);
  return G_SOURCE_CONTINUE;
}

/* Leaving the bus is what ends the session, and a check of polkit's that still asks. */
static void leave_bus(RecordingService *self)
{
  if (!self->bus)
    return;
  g_signal_handlers_disconnect_by_data(self->bus, self);
  g_dbus_connection_close_sync(self->bus, NULL, NULL);
  g_clear_object(&self->bus);
}

static void service_clear(RecordingService *self)
{
  g_cancellable_cancel(self->cancellable);
  while (self->n_pending > 0)
    g_main_context_iteration(self->context, TRUE);
  leave_bus(self);
  g_clear_pointer(&self->agent, recording_agent_free);
  g_clear_pointer(&self->options, g_variant_unref);
  g_clear_object(&self->targets);
  g_clear_object(&self->cancellable);
  for (guint i = 0; i < MEMFDS; i++)
    if (self->memfds[i] >= 0)
      close(self->memfds[i]);
  close(self->socket);
  g_free(self->owner);
  g_free(self->session);
}

static gpointer service_run(gpointer data)
{
  RecordingService *self = data;

  self->context = g_main_context_new();
  self->loop = g_main_loop_new(self->context, FALSE);
  self->cancellable = g_cancellable_new();
  g_main_context_push_thread_default(self->context);
  add_source(self, self->socket, on_packet);
  g_main_loop_run(self->loop);
  service_clear(self);
  g_main_context_pop_thread_default(self->context);
  g_main_loop_unref(self->loop);
  g_main_context_unref(self->context);
  return NULL;
}

RecordingService *recording_service_new(int socket, const RecordingServiceWish *wish)
{
  RecordingService *self = g_new0(RecordingService, 1);

  self->wish = *wish;
  self->socket = socket;
  self->memfds[0] = self->memfds[1] = -1;
  self->thread = g_thread_new("recording-bus", service_run, self);
  return self;
}

char *recording_service_join(RecordingService *self)
{
  g_thread_join(self->thread);
  char *death = self->death ? self->death
                            : g_strdup(_("The system service captured did not end the recording in time"));
  g_free(self);
  return death;
}
