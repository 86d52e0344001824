/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recorder-client.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/socket-in-child.h"

static void start(struct recorder_client *client, char **argv, char **environment)
{
  int pair[2];
  g_autoptr(GError) error = NULL;
  memset(client, 0, sizeof *client);
  g_assert_cmpint(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), ==, 0);
  g_spawn_async(NULL, argv, environment,
                G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_LEAVE_DESCRIPTORS_OPEN | G_SPAWN_SEARCH_PATH, move_socket,
                GINT_TO_POINTER(pair[1]), &client->recorder, &error);
  g_assert_no_error(error);
  close(pair[1]);
  client->socket = pair[0];
  client->file_fd = memfd_create("test.capture", MFD_CLOEXEC);
  struct capture_file_options options = {.size = sizeof options};
  g_assert_cmpint(capture_file_create(&client->file, client->file_fd, &options), ==, 0);
  client->stream =
      (uint32_t)capture_file_add_stream(client->file, CAPTURE_STREAM_RECORDER, client->recorder, "recorder");
}

static char *recorder_program(void)
{
  return g_build_filename(g_getenv("CAPTURE_BUILDDIR"), "helpers", "recorder", "capture-recorder", NULL);
}

void recorder_client_start(struct recorder_client *client)
{
  g_autofree char *program = recorder_program();
  char *argv[] = {program, (char *)"3", NULL};
  start(client, argv, NULL);
}

GStrv recorder_client_command_as(guint user, const char *capabilities, const char *program,
                                 const char *argument)
{
  g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
  g_autofree char *who = g_strdup_printf("--reuid=%u", user);
  g_autofree char *group = g_strdup_printf("--regid=%u", user);
  g_strv_builder_add_many(builder, "setpriv", who, group, "--clear-groups", NULL);
  if (*capabilities != '\0') {
    g_auto(GStrv) names = g_strsplit(capabilities, ",", -1);
    g_autofree char *list = g_strjoinv(",+", names);
    g_autofree char *inheritable = g_strdup_printf("--inh-caps=+%s", list);
    g_autofree char *ambient = g_strdup_printf("--ambient-caps=+%s", list);
    g_strv_builder_add_many(builder, inheritable, ambient, NULL);
  }
  g_strv_builder_add_many(builder, program, argument, NULL);
  return g_strv_builder_end(builder);
}

void recorder_client_start_as(struct recorder_client *client, guint user, const char *capabilities,
                              char **environment)
{
  g_autofree char *program = recorder_program();
  g_auto(GStrv) argv = recorder_client_command_as(user, capabilities, program, "3");
  start(client, argv, environment);
}

struct recorder_configure *recorder_client_configuration(uint32_t flags, const char *event,
                                                         uint64_t frequency)
{
  struct recorder_configure *configure =
      g_malloc0(sizeof *configure + RECORDER_EVENTS_MAX * sizeof configure->events[0]);
  configure->message.type = RECORDER_CONFIGURE;
  configure->version = RECORDER_PROTOCOL_VERSION;
  configure->flags = flags;
  recorder_client_add_event(configure, event, 0);
  configure->events[0].frequency = frequency;
  return configure;
}

void recorder_client_add_event(struct recorder_configure *configure, const char *event, uint64_t period)
{
  struct recorder_event *added = &configure->events[configure->n_events++];
  g_strlcpy(added->name, event, sizeof added->name);
  added->period = period;
  configure->message.size = (uint32_t)(sizeof *configure + configure->n_events * sizeof *added);
}

void recorder_client_send(struct recorder_client *client, const void *message, size_t size, const int *fds,
                          guint n_fds)
{
  union {
    struct cmsghdr alignment;
    char bytes[CMSG_SPACE((RECORDER_TARGETS_MAX + 1) * sizeof(int))];
  } control = {0};
  struct iovec iovec = {(void *)message, size};
  struct msghdr header = {.msg_iov = &iovec, .msg_iovlen = 1};
  if (n_fds != 0) {
    header.msg_control = control.bytes;
    header.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
    memcpy(CMSG_DATA(first), fds, n_fds * sizeof(int));
  }
  g_assert_cmpint(sendmsg(client->socket, &header, MSG_NOSIGNAL), ==, (ssize_t)size);
}

static gboolean configure(struct recorder_client *client, struct recorder_configure *configure,
                          const pid_t *targets, guint n_targets, int opener)
{
  int fds[RECORDER_TARGETS_MAX + 1] = {-1};
  for (guint i = 0; i < n_targets; i++) {
    fds[i] = (int)syscall(SYS_pidfd_open, targets[i], 0);
    g_assert_cmpint(fds[i], >=, 0);
  }
  fds[n_targets] = opener;
  configure->n_targets = n_targets;
  recorder_client_send(client, configure, configure->message.size, fds, n_targets + (opener >= 0));
  for (guint i = 0; i < n_targets; i++)
    close(fds[i]);
  g_assert_true(recorder_client_hear(client, G_MAXINT));
  return client->tap != NULL;
}

gboolean recorder_client_configure(struct recorder_client *client, struct recorder_configure *configuration,
                                   const pid_t *targets, guint n_targets)
{
  return configure(client, configuration, targets, n_targets, -1);
}

gboolean recorder_client_configure_own(struct recorder_client *client,
                                       struct recorder_configure *configuration, const pid_t *targets,
                                       guint n_targets, int opener)
{
  return configure(client, configuration, targets, n_targets, opener);
}

static int append_piece(const struct capture_taken *taken, void *data)
{
  struct recorder_client *client = data;
  struct capture_window_header header = taken->header;
  header.stream = client->stream;
  return capture_file_append(client->file, &header, taken->content);
}

static void take(struct recorder_client *client)
{
  if (client->tap != NULL)
    g_assert_cmpint(capture_tap_take(client->tap, append_piece, client), >=, 0);
}

void recorder_client_begin(struct recorder_client *client)
{
  struct recorder_message start = {RECORDER_START, sizeof start};
  recorder_client_send(client, &start, sizeof start, NULL, 0);
  g_assert_true(recorder_client_hear(client, G_MAXINT));
}

static void note_message(struct recorder_client *client, const void *bytes, ssize_t size, const int *fds)
{
  const struct recorder_message *message = bytes;
  g_assert_cmpint(size, ==, message->size);
  switch (message->type) {
  case RECORDER_READY:
    memcpy(&client->ready, bytes, sizeof client->ready);
    g_assert_cmpint(capture_tap_open(&client->tap, fds[0], fds[1]), ==, 0);
    break;
  case RECORDER_ENDED:
    memcpy(&client->ended, bytes, sizeof client->ended);
    client->has_ended = TRUE;
    break;
  case RECORDER_STATUS:
    memcpy(&client->status, bytes, sizeof client->status);
    client->n_status++;
    break;
  case RECORDER_WAKE:
    client->n_wake++;
    break;
  default:
    g_assert_cmpint(message->type, ==, RECORDER_STARTED);
  }
}

gboolean recorder_client_hear(struct recorder_client *client, guint milliseconds)
{
  union {
    uint64_t alignment;
    char bytes[8192];
  } packet;
  union {
    struct cmsghdr alignment;
    char bytes[CMSG_SPACE(2 * sizeof(int))];
  } control;
  struct pollfd poll_fd = {.fd = client->socket, .events = POLLIN};
  struct iovec iovec = {packet.bytes, sizeof packet.bytes};
  struct msghdr header = {.msg_iov = &iovec,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof control.bytes};
  if (poll(&poll_fd, 1, (int)milliseconds) != 1)
    return FALSE;
  ssize_t size = recvmsg(client->socket, &header, MSG_CMSG_CLOEXEC);
  if (size <= 0)
    return FALSE;
  int fds[2] = {-1, -1};
  struct cmsghdr *first = CMSG_FIRSTHDR(&header);
  if (first != NULL)
    memcpy(fds, CMSG_DATA(first), sizeof fds);
  note_message(client, packet.bytes, size, fds);
  for (guint i = 0; i < 2; i++)
    if (fds[i] >= 0)
      close(fds[i]);
  return TRUE;
}

void recorder_client_collect(struct recorder_client *client, guint milliseconds)
{
  gint64 end = g_get_monotonic_time() + 1000 * (gint64)milliseconds;
  while (!client->has_ended && g_get_monotonic_time() < end) {
    recorder_client_hear(client, 10);
    take(client);
  }
}

int recorder_client_wait(struct recorder_client *client)
{
  int status = -1;
  g_assert_cmpint(waitpid(client->recorder, &status, 0), ==, client->recorder);
  client->recorder = 0;
  return status;
}

int recorder_client_stop(struct recorder_client *client)
{
  struct recorder_message stop = {RECORDER_STOP, sizeof stop};
  if (!client->has_ended)
    recorder_client_send(client, &stop, sizeof stop, NULL, 0);
  recorder_client_collect(client, 30000);
  g_assert_true(client->has_ended);
  take(client);
  return recorder_client_wait(client);
}

void recorder_client_clear(struct recorder_client *client)
{
  close(client->socket);
  if (client->recorder != 0)
    recorder_client_wait(client);
  if (client->tap != NULL)
    capture_tap_close(client->tap);
  capture_file_free(client->file);
  close(client->file_fd);
}
