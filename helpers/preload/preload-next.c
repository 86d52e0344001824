/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/preload/preload-private.h"

void *preload_next(const char *name)
{
  void *function = dlsym(RTLD_NEXT, name);
  if (!function) {
    static const char said[] = "libcapture-preload.so: this C library lacks a function that is interposed: ";
    if (write(STDERR_FILENO, said, sizeof said - 1) < 0 || write(STDERR_FILENO, name, strlen(name)) < 0 ||
        write(STDERR_FILENO, "\n", 1) < 0)
      abort();
    abort();
  }
  return function;
}
