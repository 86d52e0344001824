/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Apart from the rest, which the preload library has a copy of. */
#include <limits.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "helpers/packet.h"

int packet_find_socket(int argc, char **argv)
{
  char *end;
  long fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;
  int type;
  socklen_t size = sizeof type;
  if (fd < 0 || fd > INT_MAX || *end != '\0' || getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 ||
      type != SOCK_SEQPACKET)
    return -1;
  return (int)fd;
}
