/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
  struct cmsghdr alignment;
  char bytes[CMSG_SPACE(PACKET_DESCRIPTORS_MAX * sizeof(int))];
};

static void packet_attach(struct msghdr *header, union control *control, const int *fds, size_t n_fds)
{
  size_t space = CMSG_SPACE(n_fds * sizeof *fds);
  memset(control, 0, space);
  header->msg_control = control;
  header->msg_controllen = space;
  struct cmsghdr *first = CMSG_FIRSTHDR(header);
  first->cmsg_level = SOL_SOCKET;
  first->cmsg_type = SCM_RIGHTS;
  first->cmsg_len = CMSG_LEN(n_fds * sizeof *fds);
  memcpy(CMSG_DATA(first), fds, n_fds * sizeof *fds);
}

int packet_send_many(int socket, const void *bytes, size_t size, const int *fds, size_t n_fds, bool wait)
{
  union control control;
  struct iovec iovec = {(void *)bytes, size};
  struct msghdr header = {.msg_iov = &iovec, .msg_iovlen = 1};
  if (n_fds > PACKET_DESCRIPTORS_MAX)
    return -EINVAL;
  if (n_fds > 0)
    packet_attach(&header, &control, fds, n_fds);
  ssize_t sent;
  do
    sent = sendmsg(socket, &header, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : 0;
}

int packet_send(int socket, const void *bytes, size_t size, int fd, bool wait)
{
  return packet_send_many(socket, bytes, size, &fd, fd >= 0, wait);
}

/* False when there were more. The kernel closes what does not fit into the room for n_fds; alignment may
 * leave room for one beyond. */
static bool take_descriptors(struct msghdr *header, int *ret_fds, size_t n_fds)
{
  size_t n = 0;
  for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control != NULL;
       control = CMSG_NXTHDR(header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
      continue;
    for (size_t at = CMSG_LEN(0); at + sizeof(int) <= control->cmsg_len; at += sizeof(int)) {
      int fd;
      memcpy(&fd, (char *)control + at, sizeof fd);
      if (n < n_fds)
        ret_fds[n] = fd;
      else
        close(fd);
      n++;
    }
  }
  return n <= n_fds && (header->msg_flags & MSG_CTRUNC) == 0;
}

static void close_all(int *fds, size_t n_fds)
{
  for (size_t i = 0; i < n_fds; i++) {
    if (fds[i] >= 0)
      close(fds[i]);
    fds[i] = -1;
  }
}

ssize_t packet_receive_many(int socket, void *bytes, size_t capacity, int *ret_fds, size_t n_fds, bool wait)
{
  union control control;
  struct iovec iovec = {bytes, capacity};
  struct msghdr header = {.msg_iov = &iovec, .msg_iovlen = 1};
  for (size_t i = 0; i < n_fds; i++)
    ret_fds[i] = -1;
  if (n_fds > PACKET_DESCRIPTORS_MAX)
    return -EINVAL;
  ssize_t size;
  /* Who goes while a packet is on its way to him resets the connection: what he said before is still there,
   * behind the error. */
  do {
    header.msg_control = n_fds > 0 ? &control : NULL;
    header.msg_controllen = n_fds > 0 ? CMSG_SPACE(n_fds * sizeof *ret_fds) : 0;
    size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  } while (size < 0 && (errno == EINTR || errno == ECONNRESET));
  if (size < 0)
    return -errno;
  bool fits = take_descriptors(&header, ret_fds, n_fds) && (header.msg_flags & MSG_TRUNC) == 0;
  if (!fits || size == 0)
    close_all(ret_fds, n_fds);
  return fits ? size : -EBADMSG;
}

ssize_t packet_receive(int socket, void *bytes, size_t capacity, int *ret_fd, bool wait)
{
  return packet_receive_many(socket, bytes, capacity, ret_fd, 1, wait);
}
