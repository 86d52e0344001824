/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-relay.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/captured-error.h"
#include "daemon/captured-privileges.h"
#include "daemon/captured-relay-header.h"
#include "daemon/captured-relay-shares.h"

#define MESSAGE_MAX (64 << 10)
/* No header that is meant for the service comes near that. */
#define HEADER_MAX              (4 << 10)
#define AUTHENTICATION_LINE_MAX 1024
/* As many as the kernel attaches at once; no bus sends more with a message. */
#define DESCRIPTORS_MAX 253
/* GDBus makes up to 80 bytes of one: what the service has not dispatched stays below 32 MiB, together with
 * what every message costs however short it is. */
#define UNHANDLED_MAX (192 << 10)
#define MESSAGE_COST  (4 << 10)
/* In time, a short call costs as much as so many bytes. */
#define CALL_COST 512

#define TOO_LONG                                                                                             \
  "The message is longer than 64 KiB, or has more descriptors than there is room for; send less."
#define TOO_MANY                                                                                             \
  "The service has too much to do, and you have called it more often than others; try again later."

/* Messages are written whole. */
typedef struct {
  int fd;
  GMutex lock;
} End;

/* One direction, and the message that is on its way. */
typedef struct {
  End *from;
  End *to;
  guint8 bytes[MESSAGE_MAX];
  CapturedRelayHeader header;
  int fds[DESCRIPTORS_MAX];
  guint n_fds;
  gboolean lost_fds;
} Way;

struct _CapturedRelay {
  End bus;
  End service;
  Way in;  /* from the bus */
  Way out; /* to it */
  CapturedRelayShares shares;
  GThread *reader;
  GMutex lock;
  GCond changed;
  gboolean is_open; /* authentication is over; under the lock, like what follows */
  gboolean is_echo_awaited;
  gboolean has_ended;
};

static gboolean send_some(int fd, struct iovec *rest, const int *fds, guint n_fds)
{
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)];
  } control;
  struct msghdr message = {.msg_iov = rest, .msg_iovlen = 1};
  ssize_t n;

  if (n_fds > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(sizeof(int) * n_fds);
    memset(&control, 0, sizeof control);
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    control.header.cmsg_len = CMSG_LEN(sizeof(int) * n_fds);
    memcpy(CMSG_DATA(&control.header), fds, sizeof(int) * n_fds);
  }
  do
    n = sendmsg(fd, &message, MSG_NOSIGNAL);
  while (n < 0 && errno == EINTR);
  if (n <= 0)
    return FALSE;
  rest->iov_base = (guint8 *)rest->iov_base + n;
  rest->iov_len -= (gsize)n;
  return TRUE;
}

/* Descriptors go with the first byte. */
static gboolean send_all(End *end, const guint8 *bytes, gsize size, const int *fds, guint n_fds)
{
  struct iovec rest = {(guint8 *)bytes, size};

  g_mutex_lock(&end->lock);
  gboolean sent = send_some(end->fd, &rest, fds, n_fds);
  while (sent && rest.iov_len > 0)
    sent = send_some(end->fd, &rest, NULL, 0);
  g_mutex_unlock(&end->lock);
  return sent;
}

static void keep_fds(Way *way, const struct cmsghdr *control)
{
  guint n = (guint)((control->cmsg_len - CMSG_LEN(0)) / sizeof(int));
  int fds[DESCRIPTORS_MAX];

  memcpy(fds, CMSG_DATA(control), n * sizeof(int));
  for (guint i = 0; i < n; i++) {
    if (way->n_fds < DESCRIPTORS_MAX) {
      way->fds[way->n_fds++] = fds[i];
    } else {
      close(fds[i]);
      way->lost_fds = TRUE;
    }
  }
}

static void close_fds(Way *way)
{
  for (guint i = 0; i < way->n_fds; i++)
    close(way->fds[i]);
  way->n_fds = 0;
  way->lost_fds = FALSE;
}

/* At most n bytes, 0 at the end of all. */
static gsize receive_some(Way *way, guint8 *bytes, gsize n)
{
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * DESCRIPTORS_MAX)];
  } control;
  struct iovec iov = {bytes, n};
  struct msghdr message = {
      .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t received;

  do
    received = recvmsg(way->from->fd, &message, MSG_CMSG_CLOEXEC);
  while (received < 0 && errno == EINTR);
  if (received <= 0)
    return 0;
  way->lost_fds |= (message.msg_flags & MSG_CTRUNC) != 0;
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
      keep_fds(way, c);
  return (gsize)received;
}

/* Reads no further than that, so what comes with it belongs to it. */
static gboolean receive_all(Way *way, guint8 *bytes, gsize n)
{
  while (n > 0) {
    gsize received = receive_some(way, bytes, n);

    if (received == 0)
      return FALSE;
    bytes += received;
    n -= received;
  }
  return TRUE;
}

/* Keeps the header. */
static gboolean relay_discard(Way *way, gsize n)
{
  for (gsize part; n > 0; n -= part) {
    part = MIN(n, MESSAGE_MAX - HEADER_MAX);
    if (!receive_all(way, way->bytes + HEADER_MAX, part))
      return FALSE;
  }
  return TRUE;
}

/* Whoever waits for an answer gets one: for a call, the side that it came from; for an answer, the other. */
static gboolean relay_refuse(Way *way, const char *why)
{
  guint8 bytes[CAPTURED_RELAY_HEADER_MADE_MAX];
  gboolean is_call = way->header.type == G_DBUS_MESSAGE_TYPE_METHOD_CALL;

  if (!captured_relay_header_is_awaited(&way->header))
    return TRUE;
  gsize size = captured_relay_header_make_error(&way->header, why, bytes);
  return send_all(is_call ? way->from : way->to, bytes, size, NULL, 0);
}

typedef enum { END, REFUSED, TAKEN } Taken;

/* The next message, all of it; of one that is refused nothing is left. */
static Taken relay_take(Way *way)
{
  CapturedRelayHeader *header = &way->header;

  if (!receive_all(way, way->bytes, CAPTURED_RELAY_HEADER_START) ||
      !captured_relay_header_begin(header, way->bytes))
    return END;
  gsize kept = MIN(header->size, MESSAGE_MAX);
  if (!receive_all(way, way->bytes + CAPTURED_RELAY_HEADER_START, kept - CAPTURED_RELAY_HEADER_START))
    return END;
  gboolean understood =
      header->fields_end <= MIN(kept, HEADER_MAX) && captured_relay_header_read(header, way->bytes);
  if (understood && kept == header->size && !way->lost_fds)
    return TAKEN;
  if (!relay_discard(way, header->size - kept))
    return END;
  close_fds(way);
  return !understood || relay_refuse(way, TOO_LONG) ? REFUSED : END;
}

static gboolean relay_pass(Way *way)
{
  gboolean sent = send_all(way->to, way->bytes, way->header.size, way->fds, way->n_fds);

  close_fds(way);
  return sent;
}

/* Asks the service for a word in its turn, and waits for it. */
static gboolean wait_for_service(CapturedRelay *self)
{
  gint64 began = g_get_monotonic_time();
  guint8 bytes[CAPTURED_RELAY_HEADER_MADE_MAX];
  gsize size = captured_relay_header_make_echo(bytes);

  g_mutex_lock(&self->lock);
  self->is_echo_awaited = TRUE;
  g_mutex_unlock(&self->lock);
  if (!send_all(&self->service, bytes, size, NULL, 0))
    return FALSE;
  g_mutex_lock(&self->lock);
  while (self->is_echo_awaited && !self->has_ended)
    g_cond_wait(&self->changed, &self->lock);
  gboolean goes_on = !self->has_ended;
  g_mutex_unlock(&self->lock);
  gint64 now = g_get_monotonic_time();
  captured_relay_shares_wait(&self->shares, now - began, now);
  return goes_on;
}

/* Whether a message from the bus is a call of somebody's who has had more than others. */
static gboolean is_too_much(CapturedRelay *self)
{
  const CapturedRelayHeader *header = &self->in.header;

  return header->type == G_DBUS_MESSAGE_TYPE_METHOD_CALL && header->sender &&
         !captured_relay_shares_take(&self->shares, header->sender, header->size + CALL_COST,
                                     g_get_monotonic_time());
}

static Taken take_in(CapturedRelay *self)
{
  Taken taken = relay_take(&self->in);

  if (taken != TAKEN || !is_too_much(self))
    return taken;
  close_fds(&self->in);
  return relay_refuse(&self->in, TOO_MANY) ? REFUSED : END;
}

static void pass_in(CapturedRelay *self)
{
  gsize unhandled = 0;
  Taken taken;

  while ((taken = take_in(self)) != END) {
    if (taken == REFUSED)
      continue;
    if (!relay_pass(&self->in))
      return;
    unhandled += self->in.header.size + MESSAGE_COST;
    if (unhandled < UNHANDLED_MAX)
      continue;
    if (!wait_for_service(self))
      return;
    unhandled = 0;
  }
}

static void relay_set(CapturedRelay *self, gboolean *what, gboolean value)
{
  g_mutex_lock(&self->lock);
  *what = value;
  g_cond_signal(&self->changed);
  g_mutex_unlock(&self->lock);
}

static void pass_out(CapturedRelay *self)
{
  Taken taken;

  while ((taken = relay_take(&self->out)) != END) {
    if (taken == REFUSED)
      continue;
    if (captured_relay_header_is_echo(&self->out.header))
      relay_set(self, &self->is_echo_awaited, FALSE);
    else if (!relay_pass(&self->out))
      return;
  }
}

static gpointer run_out(gpointer data)
{
  CapturedRelay *self = data;

  pass_out(self);
  relay_set(self, &self->has_ended, TRUE);
  shutdown(self->bus.fd, SHUT_RDWR);
  return NULL;
}

/* Passes a line of authentication on, and nothing that comes behind it. Gives its length, 0 at the end of
 * all. */
static gsize pass_line(Way *way)
{
  gsize length = 0;

  do
    if (length == AUTHENTICATION_LINE_MAX || !receive_all(way, way->bytes + length, 1))
      return 0;
  while (way->bytes[length++] != '\n');
  return send_all(way->to, way->bytes, length, NULL, 0) ? length : 0;
}

/* The service's lines and the bus's alternate, until a line of the service's that has no answer. */
static gboolean pass_authentication(CapturedRelay *self)
{
  static const char last[] = "BEGIN\r\n";
  gsize length;

  while ((length = pass_line(&self->out)) > 0) {
    if (length == strlen(last) && memcmp(self->out.bytes, last, length) == 0)
      return TRUE;
    if (pass_line(&self->in) == 0)
      return FALSE;
  }
  return FALSE;
}

static gpointer run_in(gpointer data)
{
  CapturedRelay *self = data;

  captured_privileges_hand_on(0);
  if (pass_authentication(self)) {
    relay_set(self, &self->is_open, TRUE);
    GThread *writer = g_thread_new("relay-out", run_out, self);
    pass_in(self);
    shutdown(self->service.fd, SHUT_WR);
    g_thread_join(writer);
  }
  shutdown(self->bus.fd, SHUT_RDWR);
  shutdown(self->service.fd, SHUT_RDWR);
  return NULL;
}

static void end_init(End *end, int fd)
{
  end->fd = fd;
  g_mutex_init(&end->lock);
}

static void end_clear(End *end)
{
  close(end->fd);
  g_mutex_clear(&end->lock);
}

CapturedRelay *captured_relay_new(int bus, int *ret_service, GError **error)
{
  int pair[2];

  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
    g_set_error(error, CAPTURED_ERROR, CAPTURED_ERROR_FAILED, "There is no socket for the relay: %s.",
                g_strerror(errno));
    close(bus);
    return NULL;
  }
  CapturedRelay *self = g_new0(CapturedRelay, 1);
  end_init(&self->bus, bus);
  end_init(&self->service, pair[0]);
  g_mutex_init(&self->lock);
  g_cond_init(&self->changed);
  self->in.from = self->out.to = &self->bus;
  self->in.to = self->out.from = &self->service;
  self->reader = g_thread_new("relay-in", run_in, self);
  *ret_service = pair[1];
  return self;
}

void captured_relay_free(CapturedRelay *self)
{
  /* What is in the socket is still read. */
  shutdown(self->service.fd, SHUT_RD);
  g_mutex_lock(&self->lock);
  if (!self->is_open)
    shutdown(self->bus.fd, SHUT_RDWR);
  g_mutex_unlock(&self->lock);
  g_thread_join(self->reader);
  close_fds(&self->in);
  close_fds(&self->out);
  end_clear(&self->bus);
  end_clear(&self->service);
  g_cond_clear(&self->changed);
  g_mutex_clear(&self->lock);
  g_free(self);
}
