/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recording-packet-private.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "helpers/recorder-protocol.h"

typedef union {
  char bytes[CMSG_SPACE(RECORDER_TARGETS_MAX * sizeof(int))];
  struct cmsghdr align;
} Control;

gboolean recording_packet_send(int socket, const void *bytes, gsize size, const int *fds, guint n_fds)
{
  Control control = {0};
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = size};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

  g_return_val_if_fail(n_fds <= RECORDER_TARGETS_MAX, FALSE);
  if (n_fds > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
    memcpy(CMSG_DATA(header), fds, n_fds * sizeof(int));
  }
  return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)size;
}

static void take_descriptors(struct msghdr *message, int *ret_fds, guint n_fds)
{
  guint n = 0;

  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
      continue;
    for (gsize at = 0; at + sizeof(int) <= c->cmsg_len - CMSG_LEN(0); at += sizeof(int)) {
      int fd;
      memcpy(&fd, CMSG_DATA(c) + at, sizeof fd);
      if (n < n_fds)
        ret_fds[n++] = fd;
      else
        close(fd);
    }
  }
}

gssize recording_packet_receive(int socket, void *bytes, gsize size, int *ret_fds, guint n_fds)
{
  Control control;
  struct iovec vector = {.iov_base = bytes, .iov_len = size};
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

  for (guint i = 0; i < n_fds; i++)
    ret_fds[i] = -1;
  ssize_t n = recvmsg(socket, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (n < 0)
    return -errno;
  take_descriptors(&message, ret_fds, n_fds);
  if (message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
    for (guint i = 0; i < n_fds; i++) {
      if (ret_fds[i] >= 0)
        close(ret_fds[i]);
      ret_fds[i] = -1;
    }
    return -EBADMSG;
  }
  return n;
}
