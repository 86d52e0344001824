/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/packet.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
  struct cmsghdr alignment;
  char bytes[CMSG_SPACE(sizeof(int))];
};

int packet_send(int socket, const void *bytes, size_t size, int fd, bool wait)
{
  union control control = {0};
  struct iovec iovec = {(void *)bytes, size};
  struct msghdr header = {.msg_iov = &iovec, .msg_iovlen = 1};
  if (fd >= 0) {
    header.msg_control = control.bytes;
    header.msg_controllen = sizeof control.bytes;
    struct cmsghdr *first = CMSG_FIRSTHDR(&header);
    first->cmsg_level = SOL_SOCKET;
    first->cmsg_type = SCM_RIGHTS;
    first->cmsg_len = CMSG_LEN(sizeof fd);
    memcpy(CMSG_DATA(first), &fd, sizeof fd);
  }
  ssize_t sent;
  do
    sent = sendmsg(socket, &header, MSG_NOSIGNAL | (wait ? 0 : MSG_DONTWAIT));
  while (sent < 0 && errno == EINTR);
  return sent < 0 ? -errno : 0;
}

/* The kernel closes what does not fit into the room for one; alignment may leave room for a second. */
static bool take_descriptor(struct msghdr *header, int *ret_fd)
{
  int count = 0;
  for (struct cmsghdr *control = CMSG_FIRSTHDR(header); control != NULL;
       control = CMSG_NXTHDR(header, control)) {
    if (control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS)
      continue;
    for (size_t at = CMSG_LEN(0); at + sizeof(int) <= control->cmsg_len; at += sizeof(int)) {
      int fd;
      memcpy(&fd, (char *)control + at, sizeof fd);
      if (count++ == 0)
        *ret_fd = fd;
      else
        close(fd);
    }
  }
  return count <= 1;
}

ssize_t packet_receive(int socket, void *bytes, size_t capacity, int *ret_fd, bool wait)
{
  union control control;
  struct iovec iovec = {bytes, capacity};
  struct msghdr header = {.msg_iov = &iovec,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof control.bytes};
  ssize_t size;
  do
    size = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
  while (size < 0 && errno == EINTR);
  if (size < 0)
    return errno == ECONNRESET ? 0 : -errno;
  int fd = -1;
  if (take_descriptor(&header, &fd) && (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0) {
    *ret_fd = fd;
    return size;
  }
  if (fd >= 0)
    close(fd);
  return -EBADMSG;
}
