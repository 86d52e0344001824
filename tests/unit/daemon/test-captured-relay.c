/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The relay between two sockets: this test is the bus at the one, the service at the other. */
#include <gio/gio.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/captured-relay.h"
#include "tests/unit/descriptors.h"

#define LONG  (100 << 10)
#define SHORT (50 << 10)

typedef struct {
  CapturedRelay *relay;
  int bus;
  int service;
  gboolean by_one; /* see flood() */
} Pair;

static void send_text(int fd, const char *text)
{
  g_assert_cmpint(send(fd, text, strlen(text), MSG_NOSIGNAL), ==, strlen(text));
}

static void expect_text(int fd, const char *text)
{
  g_autofree char *said = g_malloc0(strlen(text) + 1);

  g_assert_cmpint(recv(fd, said, strlen(text), MSG_WAITALL), ==, strlen(text));
  g_assert_cmpstr(said, ==, text);
}

static void begin(Pair *pair)
{
  g_autoptr(GError) error = NULL;
  int bus[2];

  g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, bus), ==, 0);
  pair->bus = bus[0];
  pair->relay = captured_relay_new(bus[1], &pair->service, &error);
  g_assert_no_error(error);
}

static void authenticate(const Pair *pair)
{
  send_text(pair->service, "AUTH EXTERNAL 30\r\n");
  expect_text(pair->bus, "AUTH EXTERNAL 30\r\n");
  send_text(pair->bus, "OK 1234\r\n");
  expect_text(pair->service, "OK 1234\r\n");
  send_text(pair->service, "BEGIN\r\n");
  expect_text(pair->bus, "BEGIN\r\n");
}

static void open_pair(Pair *pair)
{
  begin(pair);
  authenticate(pair);
}

static void close_pair(Pair *pair)
{
  close(pair->bus);
  close(pair->service);
  captured_relay_free(pair->relay);
}

static GVariant *make_body(gsize size)
{
  return g_variant_new("(@s)", g_variant_new_take_string(g_strnfill(size, 'x')));
}

static GDBusMessage *make_call(gsize size)
{
  GDBusMessage *message = g_dbus_message_new_method_call("a.b", "/c", "d.e", "F");

  g_dbus_message_set_serial(message, 7);
  g_dbus_message_set_sender(message, ":1.5");
  g_dbus_message_set_body(message, make_body(size));
  return message;
}

static GDBusMessage *make_answer(guint32 reply_serial, const char *destination, gsize size)
{
  GDBusMessage *message = g_dbus_message_new();

  g_dbus_message_set_message_type(message, G_DBUS_MESSAGE_TYPE_METHOD_RETURN);
  g_dbus_message_set_serial(message, 8);
  g_dbus_message_set_reply_serial(message, reply_serial);
  g_dbus_message_set_destination(message, destination);
  g_dbus_message_set_body(message, make_body(size));
  return message;
}

static GDBusMessage *make_signal(gsize size)
{
  GDBusMessage *message = g_dbus_message_new_signal("/c", "d.e", "F");

  g_dbus_message_set_serial(message, 9);
  g_dbus_message_set_body(message, make_body(size));
  return message;
}

/* With a descriptor unless that is -1: with the first byte, as buses do. Takes the message. */
static void send_message(int socket, GDBusMessage *taken, int fd)
{
  g_autoptr(GDBusMessage) message = taken;
  g_autoptr(GError) error = NULL;
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof fd)];
  } control = {.header = {CMSG_LEN(sizeof fd), SOL_SOCKET, SCM_RIGHTS}};
  gsize size;
  g_autofree guchar *bytes = g_dbus_message_to_blob(message, &size, G_DBUS_CAPABILITY_FLAGS_NONE, &error);
  struct iovec iov = {bytes, 1};
  struct msghdr first = {.msg_iov = &iov, .msg_iovlen = 1};

  g_assert_no_error(error);
  if (fd >= 0) {
    memcpy(CMSG_DATA(&control.header), &fd, sizeof fd);
    first.msg_control = &control;
    first.msg_controllen = sizeof control;
  }
  g_assert_cmpint(sendmsg(socket, &first, MSG_NOSIGNAL), ==, 1);
  g_assert_cmpint(send(socket, bytes + 1, size - 1, MSG_NOSIGNAL), ==, size - 1);
}

/* The next message, with the descriptor that came with it, or -1. */
static GDBusMessage *receive_message(int socket, int *ret_fd)
{
  g_autoptr(GError) error = NULL;
  guchar start[16];
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec iov = {start, sizeof start};
  struct msghdr first = {
      .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

  g_assert_cmpint(recvmsg(socket, &first, MSG_WAITALL), ==, sizeof start);
  *ret_fd = -1;
  if (first.msg_controllen > 0)
    memcpy(ret_fd, CMSG_DATA(&control.header), sizeof *ret_fd);
  gssize size = g_dbus_message_bytes_needed(start, sizeof start, &error);
  g_assert_no_error(error);
  g_autofree guchar *bytes = g_malloc((gsize)size);
  memcpy(bytes, start, sizeof start);
  gsize rest = (gsize)size - sizeof start;
  g_assert_cmpint(recv(socket, bytes + sizeof start, rest, MSG_WAITALL), ==, rest);
  GDBusMessage *message =
      g_dbus_message_new_from_blob(bytes, (gsize)size, G_DBUS_CAPABILITY_FLAGS_NONE, &error);
  g_assert_no_error(error);
  return message;
}

/* That the next message is of that type and answers that serial. */
static void expect(int socket, GDBusMessageType type, guint32 reply_serial)
{
  int fd;
  g_autoptr(GDBusMessage) message = receive_message(socket, &fd);

  g_assert_cmpint(g_dbus_message_get_message_type(message), ==, type);
  g_assert_cmpuint(g_dbus_message_get_reply_serial(message), ==, reply_serial);
  g_assert_cmpint(fd, ==, -1);
}

static void expect_end(int socket)
{
  char byte;

  g_assert_cmpint(recv(socket, &byte, 1, 0), ==, 0);
}

/* What comes right behind the last line is a message already. */
static void test_authentication(void)
{
  Pair pair;

  begin(&pair);
  g_assert_cmpint(send(pair.service, "\0AUTH\r\n", 7, MSG_NOSIGNAL), ==, 7);
  char nul;
  g_assert_cmpint(recv(pair.bus, &nul, 1, 0), ==, 1);
  expect_text(pair.bus, "AUTH\r\n");
  send_text(pair.bus, "REJECTED EXTERNAL\r\n");
  expect_text(pair.service, "REJECTED EXTERNAL\r\n");
  send_text(pair.service, "AUTH EXTERNAL 30\r\n");
  expect_text(pair.bus, "AUTH EXTERNAL 30\r\n");
  send_text(pair.bus, "OK 1234\r\n");
  expect_text(pair.service, "OK 1234\r\n");
  send_text(pair.service, "BEGIN\r\n");
  send_message(pair.service, make_call(LONG), -1);
  expect_text(pair.bus, "BEGIN\r\n");
  expect(pair.service, G_DBUS_MESSAGE_TYPE_ERROR, 7);
  close_pair(&pair);
}

static void test_endless_line(void)
{
  g_autofree char *line = g_strnfill(4096, 'x');
  Pair pair;

  begin(&pair);
  send_text(pair.service, line);
  expect_end(pair.bus);
  close_pair(&pair);
}

static void check_descriptor(int from, int to)
{
  int pipe_ends[2], fd;

  g_assert_cmpint(pipe(pipe_ends), ==, 0);
  send_message(from, make_signal(SHORT), pipe_ends[1]);
  close(pipe_ends[1]);
  g_autoptr(GDBusMessage) message = receive_message(to, &fd);
  g_assert_cmpint(write(fd, "a", 1), ==, 1);
  close(fd);
  /* None is left in between. */
  char byte;
  g_assert_cmpint(read(pipe_ends[0], &byte, 1), ==, 1);
  g_assert_cmpint(read(pipe_ends[0], &byte, 1), ==, 0);
  close(pipe_ends[0]);
}

static void test_descriptors(void)
{
  Pair pair;

  open_pair(&pair);
  check_descriptor(pair.bus, pair.service);
  check_descriptor(pair.service, pair.bus);
  close_pair(&pair);
}

/* Its descriptor is closed at once, and the next message is passed on. */
static void check_dropped(int from, int to, GDBusMessage *message)
{
  int pipe_ends[2];

  g_assert_cmpint(pipe(pipe_ends), ==, 0);
  send_message(from, message, pipe_ends[1]);
  close(pipe_ends[1]);
  char byte;
  g_assert_cmpint(read(pipe_ends[0], &byte, 1), ==, 0);
  close(pipe_ends[0]);
  send_message(from, make_signal(1), -1);
  expect(to, G_DBUS_MESSAGE_TYPE_SIGNAL, 0);
}

static void test_long_from_bus(void)
{
  GDBusMessage *silent = make_call(LONG);
  Pair pair;

  open_pair(&pair);
  check_dropped(pair.bus, pair.service, make_call(LONG));
  expect(pair.bus, G_DBUS_MESSAGE_TYPE_ERROR, 7);
  g_dbus_message_set_flags(silent, G_DBUS_MESSAGE_FLAGS_NO_REPLY_EXPECTED);
  check_dropped(pair.bus, pair.service, silent);
  check_dropped(pair.bus, pair.service, make_signal(LONG));
  send_message(pair.bus, make_answer(12, ":1.1", LONG), -1);
  expect(pair.service, G_DBUS_MESSAGE_TYPE_ERROR, 12);
  close_pair(&pair);
}

static void test_long_from_service(void)
{
  Pair pair;

  open_pair(&pair);
  check_dropped(pair.service, pair.bus, make_call(LONG));
  expect(pair.service, G_DBUS_MESSAGE_TYPE_ERROR, 7);
  check_dropped(pair.service, pair.bus, make_signal(LONG));
  send_message(pair.service, make_answer(12, ":1.1", LONG), -1);
  expect(pair.bus, G_DBUS_MESSAGE_TYPE_ERROR, 12);
  close_pair(&pair);
}

/* What nobody means for the service, and what might be in there. */
static void test_long_header(void)
{
  g_autofree char *path = g_strnfill(8000, 'x');
  GDBusMessage *message = make_call(1);
  Pair pair;

  open_pair(&pair);
  path[0] = '/';
  g_dbus_message_set_path(message, path);
  check_dropped(pair.bus, pair.service, message);
  close_pair(&pair);
}

static void answer(const Pair *pair, GDBusMessage *message)
{
  send_message(pair->service,
               make_answer(g_dbus_message_get_serial(message), g_dbus_message_get_sender(message), 1), -1);
}

static gboolean is_call(GDBusMessage *message, const char *member)
{
  return g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_METHOD_CALL &&
         g_strcmp0(g_dbus_message_get_member(message), member) == 0;
}

#define CALLS 1000

/* Sends many short calls, by one caller or by as many as there are calls, and then a signal. */
static gpointer flood(gpointer data)
{
  const Pair *pair = data;

  for (guint i = 0; i < CALLS; i++) {
    g_autofree char *sender = g_strdup_printf(":1.%u", pair->by_one ? 5 : i);
    GDBusMessage *message = make_call(1000);

    g_dbus_message_set_sender(message, sender);
    send_message(pair->bus, message, -1);
  }
  send_message(pair->bus, make_signal(1), -1);
  return NULL;
}

/* The service gets so much and no more until it has answered in its turn; all of it comes in the end. */
static void test_bound(void)
{
  guint calls = 0, echoes = 0, since = 0, most = 0;
  Pair pair = {.by_one = FALSE};

  open_pair(&pair);
  GThread *thread = g_thread_new("flood", flood, &pair);
  while (calls < CALLS) {
    int fd;
    g_autoptr(GDBusMessage) message = receive_message(pair.service, &fd);

    if (is_call(message, "F")) {
      calls++;
      most = MAX(most, ++since);
      continue;
    }
    g_assert_true(is_call(message, "Get"));
    struct pollfd next = {.fd = pair.service, .events = POLLIN};
    g_assert_cmpint(poll(&next, 1, echoes == 0 ? 200 : 0), ==, 0);
    echoes++;
    since = 0;
    answer(&pair, message);
  }
  expect(pair.service, G_DBUS_MESSAGE_TYPE_SIGNAL, 0);
  g_thread_join(thread);
  g_assert_cmpuint(most, <, 256);
  g_assert_cmpuint(echoes, >, 3);
  /* The answers were not for the bus. */
  send_message(pair.service, make_signal(1), -1);
  expect(pair.bus, G_DBUS_MESSAGE_TYPE_SIGNAL, 0);
  close_pair(&pair);
}

/* Fetches errors until there is the signal; gives their number. */
static gpointer count_errors(gpointer data)
{
  const Pair *pair = data;

  for (guint n = 0;; n++) {
    int fd;
    g_autoptr(GDBusMessage) message = receive_message(pair->bus, &fd);

    if (g_dbus_message_get_message_type(message) == G_DBUS_MESSAGE_TYPE_SIGNAL)
      return GUINT_TO_POINTER(n);
    g_assert_cmpint(g_dbus_message_get_message_type(message), ==, G_DBUS_MESSAGE_TYPE_ERROR);
  }
}

/* Once the service was waited for, a caller has no more than a share, and is told so. */
static void test_share(void)
{
  guint calls = 0;
  Pair pair = {.by_one = TRUE};

  open_pair(&pair);
  GThread *sender = g_thread_new("flood", flood, &pair),
          *listener = g_thread_new("errors", count_errors, &pair);
  for (gboolean goes_on = TRUE; goes_on;) {
    int fd;
    g_autoptr(GDBusMessage) message = receive_message(pair.service, &fd);

    goes_on = g_dbus_message_get_message_type(message) != G_DBUS_MESSAGE_TYPE_SIGNAL;
    calls += is_call(message, "F");
    if (is_call(message, "Get")) {
      g_usleep(300000);
      answer(&pair, message);
    }
  }
  send_message(pair.service, make_signal(1), -1);
  guint errors = GPOINTER_TO_UINT(g_thread_join(listener));
  g_thread_join(sender);
  g_assert_cmpuint(errors, >, 0);
  g_assert_cmpuint(calls + errors, ==, CALLS);
  close_pair(&pair);
}

static void test_end_of_bus(void)
{
  Pair pair;

  open_pair(&pair);
  send_message(pair.bus, make_call(SHORT), -1);
  shutdown(pair.bus, SHUT_RDWR);
  expect(pair.service, G_DBUS_MESSAGE_TYPE_METHOD_CALL, 0);
  expect_end(pair.service);
  close_pair(&pair);
}

/* What the service said last is heard, also when it does not listen any more. */
static void test_end_of_service(void)
{
  Pair pair;

  open_pair(&pair);
  send_message(pair.service, make_signal(SHORT), -1);
  send_message(pair.service, make_signal(SHORT), -1);
  send_message(pair.bus, make_call(SHORT), -1); /* which nobody takes any more */
  close(pair.service);
  expect(pair.bus, G_DBUS_MESSAGE_TYPE_SIGNAL, 0);
  expect(pair.bus, G_DBUS_MESSAGE_TYPE_SIGNAL, 0);
  expect_end(pair.bus);
  captured_relay_free(pair.relay);
  close(pair.bus);
}

static void test_no_message(void)
{
  Pair pair;

  open_pair(&pair);
  send_text(pair.bus, "this is no message at all");
  expect_end(pair.service);
  close_pair(&pair);
}

/* Freed at any time: before, amid and after authentication, amid a message, while the service has not
 * answered. */
static void test_free(void)
{
  Pair pair;

  begin(&pair);
  captured_relay_free(pair.relay);
  close(pair.bus);
  close(pair.service);
  begin(&pair);
  send_text(pair.service, "AUTH\r\n");
  expect_text(pair.bus, "AUTH\r\n");
  captured_relay_free(pair.relay);
  close(pair.bus);
  close(pair.service);
  open_pair(&pair);
  send_text(pair.bus, "l\1");
  captured_relay_free(pair.relay);
  close(pair.bus);
  close(pair.service);
  open_pair(&pair);
  for (guint i = 0; i < 3; i++)
    send_message(pair.bus, make_call(SHORT), -1);
  captured_relay_free(pair.relay);
  close(pair.bus);
  close(pair.service);
}

int main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  guint before = count_descriptors();
  g_test_add_func("/captured/relay/authentication", test_authentication);
  g_test_add_func("/captured/relay/endless-line", test_endless_line);
  g_test_add_func("/captured/relay/descriptors", test_descriptors);
  g_test_add_func("/captured/relay/long-from-bus", test_long_from_bus);
  g_test_add_func("/captured/relay/long-from-service", test_long_from_service);
  g_test_add_func("/captured/relay/long-header", test_long_header);
  g_test_add_func("/captured/relay/bound", test_bound);
  g_test_add_func("/captured/relay/share", test_share);
  g_test_add_func("/captured/relay/end-of-bus", test_end_of_bus);
  g_test_add_func("/captured/relay/end-of-service", test_end_of_service);
  g_test_add_func("/captured/relay/no-message", test_no_message);
  g_test_add_func("/captured/relay/free", test_free);
  int result = g_test_run();
  g_assert_cmpuint(count_descriptors(), ==, before);
  return result;
}
