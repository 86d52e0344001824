/* SPDX-License-Identifier: BSD-2-Clause */
/* The program's end of capture-announce.h. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "libcapture/inside/capture-inside-private.h"

#define PATIENCE_MS 1000

static uint64_t inside_announce_milliseconds(void)
{
  return capture_time() / 1000000;
}

static int set_patience(int fd)
{
  const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000, .tv_usec = PATIENCE_MS % 1000 * 1000};

  return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) < 0 ? -errno : 0;
}

/* Only who could as well trace this process is told of it. */
static int check_peer(int fd)
{
  struct ucred peer;
  socklen_t length = sizeof peer;

  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
    return -errno;
  return length == sizeof peer && (peer.uid == geteuid() || peer.uid == 0) ? 0 : -EPERM;
}

static int open_socket(const char *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int r, fd;

  if (strlen(path) >= sizeof address.sun_path)
    return -ENAMETOOLONG;
  memcpy(address.sun_path, path, strlen(path));
  fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0)
    return -errno;
  r = set_patience(fd);
  if (r == 0 && connect(fd, (const struct sockaddr *)&address, sizeof address) < 0)
    r = errno == ECONNREFUSED || errno == ENOENT ? -ENOENT : -errno; /* the recording has ended */
  if (r == 0)
    r = check_peer(fd);
  if (r < 0) {
    close(fd);
    return r;
  }
  return fd;
}

/* A set-user-ID program is not told where to connect to. */
static const char *inside_announce_announced(void)
{
  const char *path = secure_getenv(CAPTURE_SOCKET_VARIABLE);

  return path && *path ? path : NULL;
}

bool capture_inside_is_announced(void)
{
  return inside_announce_announced() != NULL;
}

/* Out of the way: scripts and programs take low numbers for themselves without asking whether they are free.
 */
static int move_up(int fd)
{
  for (int above = 1000; above >= 50; above /= 2) {
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, above);

    if (moved >= 0) {
      close(fd);
      return moved;
    }
  }
  return fd;
}

int capture_inside_announce_open(void)
{
  const char *path = inside_announce_announced();
  int fd = path ? open_socket(path) : -ENOENT;

  return fd < 0 ? fd : move_up(fd);
}

static int send_hello(const capture *c, int fd)
{
  const int fds[2] = {capture_pool_windows_fd(c->pool), capture_pool_control_fd(c->pool)};
  struct iovec iov = {(void *)&c->hello, sizeof c->hello};
  union {
    struct cmsghdr header;
    uint8_t space[CMSG_SPACE(sizeof fds)];
  } control = {0};
  struct msghdr message = {
      .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);

  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fds);
  memcpy(CMSG_DATA(header), fds, sizeof fds);
  return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)sizeof c->hello ? 0 : -errno;
}

static int await_answer(int fd)
{
  uint64_t end = inside_announce_milliseconds() + PATIENCE_MS, now;
  struct pollfd polled = {.fd = fd, .events = POLLIN};

  while ((now = inside_announce_milliseconds()) < end) {
    int n = poll(&polled, 1, (int)(end - now));

    if (n > 0)
      return 0;
    if (n < 0 && errno != EINTR)
      return -errno;
  }
  return -ETIMEDOUT;
}

static int receive_settings(capture *c, int fd)
{
  struct capture_settings settings;
  int r = await_answer(fd);
  ssize_t n;

  if (r < 0)
    return r;
  n = recv(fd, &settings, sizeof settings, MSG_DONTWAIT);
  if (n < 0)
    return -errno;
  if (n == 0)
    return -ECONNREFUSED;
  if (n != sizeof settings || settings.type != CAPTURE_ANNOUNCE_SETTINGS ||
      settings.version != CAPTURE_ANNOUNCE_VERSION)
    return -EPROTO;
  c->settings = settings;
  if (settings.pid > 0)
    c->told_pid = settings.pid;
  return 0;
}

int capture_inside_announce(capture *c, int fd)
{
  int r;

  c->hello.type = CAPTURE_ANNOUNCE_HELLO;
  c->hello.version = CAPTURE_ANNOUNCE_VERSION;
  c->hello.pid = c->pid;
  r = send_hello(c, fd);
  return r == 0 ? receive_settings(c, fd) : r;
}
