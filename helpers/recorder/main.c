/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-recorder FD: see helpers/recorder-protocol.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "helpers/recorder/recorder-kernel.h"
#include "helpers/recorder/recorder-rights.h"
#include "helpers/recorder/recorder-session.h"

int main(int argc, char **argv)
{
  char *end;
  long fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;
  int type;
  socklen_t size = sizeof type;
  if (fd < 0 || fd > INT32_MAX || *end != '\0' ||
      getsockopt((int)fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0 || type != SOCK_SEQPACKET) {
    fputs("capture-recorder is started by capturectl or captured, with its end of a socket pair: "
          "capture-recorder FD.\n",
          stderr);
    return 2;
  }
  fcntl((int)fd, F_SETFD, FD_CLOEXEC);
  recorder_kernel_look_ahead();
  if (recorder_rights_begin() < 0) {
    fputs("capture-recorder cannot give up the rights that it does not need.\n", stderr);
    return EXIT_FAILURE;
  }
  return recorder_session_run((int)fd);
}
