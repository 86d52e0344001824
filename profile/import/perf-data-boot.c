/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/import/perf-data-boot.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "profile/base/bytes.h"

/* _text is among the first symbols, which are sorted by address. */
#define LINES_MAX 4096

/* Nanoseconds between the making of a file and its first record, a machine's sleep not counted. */
#define TOLERANCE (5 * G_GUINT64_CONSTANT(1000000000))

static guint32 take_padded(ProfileBytes *notes, guint32 size, const guint8 **ret)
{
  *ret = profile_bytes_take(notes, ((guint64)size + 3) & ~(guint64)3);
  return size;
}

static gboolean kernel_has_build_id(const guint8 *build_id, gsize size)
{
  g_autofree char *content = NULL;
  gsize length;
  ProfileBytes notes;

  if (!g_file_get_contents("/sys/kernel/notes", &content, &length, NULL))
    return FALSE;
  notes = (ProfileBytes){(guint8 *)content, (guint8 *)content + length, FALSE};
  while (!notes.failed && notes.at < notes.end) {
    guint32 name_size = profile_bytes_take_32(&notes), id_size = profile_bytes_take_32(&notes);
    guint32 type = profile_bytes_take_32(&notes);
    const guint8 *name, *id;

    take_padded(&notes, name_size, &name);
    take_padded(&notes, id_size, &id);
    if (name && id && type == NT_GNU_BUILD_ID && name_size == 4 && memcmp(name, "GNU", 4) == 0)
      return id_size == size && memcmp(id, build_id, size) == 0;
  }
  return FALSE;
}

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
  gboolean is_kernel = boot->build_id_size > 0 ? kernel_has_build_id(boot->build_id, boot->build_id_size)
                                               : names_this_machine(boot) || began_here(boot);

  return is_kernel && boot->modified > get_boot_time() && kernel_begins_at(boot->text);
}
