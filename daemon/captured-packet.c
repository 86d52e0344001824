/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "daemon/captured-packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

typedef union {
  char bytes[CMSG_SPACE(CAPTURED_PACKET_DESCRIPTORS_MAX * sizeof(int))];
  struct cmsghdr align;
} Control;

gboolean captured_packet_send(int socket, const void *bytes, gsize size, const int *fds, guint n_fds)
{
  Control control = {0};
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = size};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

  g_return_val_if_fail(n_fds <= CAPTURED_PACKET_DESCRIPTORS_MAX, FALSE);
  if (n_fds > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
    memcpy(CMSG_DATA(header), fds, n_fds * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0;
}

static guint take_descriptors(struct msghdr *header, int *fds, guint max_fds)
{
  guint n = 0;

  for (struct cmsghdr *c = CMSG_FIRSTHDR(header); c; c = CMSG_NXTHDR(header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    for (gsize at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
      int fd;
      memcpy(&fd, (char *)c + at, sizeof fd);
      if (n < max_fds)
        fds[n] = fd;
      else
        close(fd);
      n++;
    }
  }
  return n;
}

gssize captured_packet_receive(int socket, void *bytes, gsize capacity, int *fds, guint max_fds,
                               guint *ret_n_fds)
{
  Control control;
  struct iovec vector = {.iov_base = bytes, .iov_len = capacity};
  struct msghdr header = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  gssize n = recvmsg(socket, &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

  *ret_n_fds = 0;
  for (guint i = 0; i < max_fds; i++)
    fds[i] = -1;
  /* A helper that exits while a message is on its way to it resets the connection: what it said before is
   * still there, behind the error. */
  if (n < 0)
    return errno == EAGAIN || errno == EINTR || errno == ECONNRESET ? -1 : 0;
  *ret_n_fds = take_descriptors(&header, fds, max_fds);
  return header.msg_flags & (MSG_TRUNC | MSG_CTRUNC) || *ret_n_fds > max_fds ? 0 : n;
}
