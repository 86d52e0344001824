/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a test starts a program that is told of its socket by a number. */
#ifndef SOCKET_IN_CHILD_H
#define SOCKET_IN_CHILD_H

#include <fcntl.h>
#include <unistd.h>

#include <glib.h>

#define SOCKET_IN_CHILD 3

/* For g_spawn_async(), in the child: the socket is that descriptor, and stays open. */
static inline void move_socket(gpointer data)
{
  int fd = GPOINTER_TO_INT(data);
  if (fd == SOCKET_IN_CHILD)
    fcntl(fd, F_SETFD, 0);
  else
    dup2(fd, SOCKET_IN_CHILD);
}

#endif
