/* SPDX-License-Identifier: BSD-2-Clause */
#include <time.h>

#include "libcapture/capture.h"

uint32_t capture_version(void)
{
  return CAPTURE_VERSION_MAJOR << 16 | CAPTURE_VERSION_MINOR;
}

uint64_t capture_time(void)
{
  struct timespec now;

  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}
