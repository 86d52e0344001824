/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-recorder FD: see helpers/recorder-protocol.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#include "helpers/packet.h"
#include "helpers/recorder/common/rights.h"
#include "helpers/recorder/recorder-session.h"
#include "helpers/recorder/stream/kernel.h"

int main(int argc, char **argv)
{
  int fd = packet_find_socket(argc, argv);
  if (fd < 0) {
    fputs("capture-recorder is started by capturectl or captured, with its end of a socket pair: "
          "capture-recorder FD.\n",
          stderr);
    return 2;
  }
  fcntl(fd, F_SETFD, FD_CLOEXEC);
  recorder_kernel_look_ahead();
  if (recorder_rights_begin() < 0) {
    fputs("capture-recorder cannot give up the rights that it does not need.\n", stderr);
    return EXIT_FAILURE;
  }
  return recorder_session_run(fd);
}
