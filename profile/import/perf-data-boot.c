/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-boot.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "profile/naming/kernel-namer.h"

/* _text is among the first symbols, which are sorted by address. */
#define LINES_MAX 4096

/* Nanoseconds between the making of a file and its first record, a machine's sleep not counted. */
#define TOLERANCE (5 * G_GUINT64_CONSTANT(1000000000))

static gboolean kernel_begins_at(guint64 text)
{
  FILE *file = fopen("/proc/kallsyms", "re");
  char line[512];
  gboolean found = FALSE;

  for (guint i = 0; file && !found && i < LINES_MAX && fgets(line, sizeof line, file); i++)
    found = g_str_has_suffix(line, " _text\n") && strtoull(line, NULL, 16) == text;
  if (file)
    fclose(file);
  return found;
}

static gint64 get_boot_time(void)
{
  struct timespec now, up;

  clock_gettime(CLOCK_REALTIME, &now);
  clock_gettime(CLOCK_BOOTTIME, &up);
  return (now.tv_sec - up.tv_sec) * G_GINT64_CONSTANT(1000000000) + now.tv_nsec - up.tv_nsec;
}

static gboolean names_this_machine(const ProfilePerfBoot *boot)
{
  struct utsname here;

  return uname(&here) == 0 && g_strcmp0(boot->release, here.release) == 0 &&
         g_strcmp0(boot->hostname, here.nodename) == 0;
}

/* A file that tells nothing of its machine, as a killed perf leaves it, can only have come from here when it
 * was made as long after this boot as its first record says. */
static gboolean began_here(const ProfilePerfBoot *boot)
{
  guint64 since_boot;

  if (boot->release || boot->hostname || boot->created <= get_boot_time())
    return FALSE;
  since_boot = (guint64)(boot->created - get_boot_time());
  return boot->first > since_boot ? boot->first - since_boot < TOLERANCE
                                  : since_boot - boot->first < TOLERANCE;
}

gboolean profile_perf_boot_is_this(const ProfilePerfBoot *boot)
{
  gboolean is_kernel = boot->build_id_size > 0
                           ? profile_kernel_has_build_id(boot->build_id, boot->build_id_size)
                           : names_this_machine(boot) || began_here(boot);

  return is_kernel && boot->modified > get_boot_time() && kernel_begins_at(boot->text);
}
