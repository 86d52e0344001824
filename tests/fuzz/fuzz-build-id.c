/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file of any bytes, asked for its build-id by a process that has rights to lose. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "helpers/opener/opener-build-id.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  uint8_t build_id[CAPTURE_BUILD_ID_MAX];
  int fd = memfd_create("fuzz", MFD_CLOEXEC);
  if (fd < 0 || write(fd, bytes, size) != (ssize_t)size ||
      opener_build_id_read(fd, build_id) > CAPTURE_BUILD_ID_MAX)
    abort();
  close(fd);
  return 0;
}
