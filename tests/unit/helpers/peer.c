/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/helpers/peer.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define DESCRIPTORS_MAX 200

typedef union {
  char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
  struct cmsghdr align;
} Control;

void peer_send(int socket, const void *bytes, size_t size, unsigned n)
{
  int fds[DESCRIPTORS_MAX];
  Control control;
  struct iovec vector = {.iov_base = (void *)bytes, .iov_len = size};
  struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};

  memset(&control, 0, sizeof control);
  for (unsigned i = 0; i < n; i++)
    fds[i] = memfd_create("peer", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (n > 0) {
    message.msg_control = &control;
    message.msg_controllen = CMSG_SPACE(n * sizeof(int));
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(n * sizeof(int));
    memcpy(CMSG_DATA(header), fds, n * sizeof(int));
  }
  if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0)
    _exit(1);
  for (unsigned i = 0; i < n; i++)
    close(fds[i]);
}

size_t peer_receive(int socket, void *bytes, size_t capacity)
{
  Control control;
  struct iovec vector = {.iov_base = bytes, .iov_len = capacity};
  struct msghdr message = {
      .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t n = recvmsg(socket, &message, 0);

  if (n <= 0)
    _exit(0);
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
    for (size_t at = CMSG_LEN(0); at + sizeof(int) <= c->cmsg_len; at += sizeof(int)) {
      int fd;
      memcpy(&fd, (char *)c + at, sizeof fd);
      close(fd);
    }
  return (size_t)n;
}
