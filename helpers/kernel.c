/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/kernel.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "helpers/text-file.h"

static bool is_older_than_6_1(void)
{
  struct utsname kernel;
  unsigned major, minor;
  return uname(&kernel) == 0 && sscanf(kernel.release, "%u.%u", &major, &minor) == 2 &&
         (major < 6 || (major == 6 && minor < 1));
}

static bool is_confidential(void)
{
  char text[128];
  return text_file_read("/sys/kernel/security/lockdown", text, sizeof text) >= 0 &&
         strstr(text, "[confidentiality]") != NULL;
}

enum kernel_obstacle kernel_get_obstacle(void)
{
  return is_older_than_6_1() ? KERNEL_TOO_OLD : is_confidential() ? KERNEL_CONFIDENTIAL : KERNEL_NO_OBSTACLE;
}
