/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/confinement.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "helpers/text-file.h"

/* As AppArmor and SELinux say that they forbid nothing, or as others say that they know of nothing. */
bool confinement_is_open_label(const char *label)
{
  static const char *const endings[] = {"unconfined", " (unconfined)", " (complain)"};
  size_t length = strcspn(label, "\n");
  if (length == 0)
    return true;
  if (strstr(label, ":unconfined_t:") != NULL)
    return true;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
    size_t size = strlen(endings[i]);
    if (length >= size && memcmp(label + length - size, endings[i], size) == 0 &&
        (endings[i][0] == ' ' || length == size))
      return true;
  }
  return false;
}

/* An error is what the kernel answers where no security module has labels. */
static bool has_open_label(int32_t pid)
{
  char path[40], label[512];
  snprintf(path, sizeof path, "/proc/%d/attr/current", pid);
  return text_file_read(path, label, sizeof label) < 0 || confinement_is_open_label(label);
}

static uint64_t find_namespace(int32_t pid)
{
  char path[32];
  struct stat status;
  snprintf(path, sizeof path, "/proc/%d/ns/user", pid);
  return stat(path, &status) == 0 ? status.st_ino : 0;
}

/* Without new privileges to forgo, or rights in a user namespace of its own, no process can confine itself by
 * Landlock or a filter of system calls. */
enum confinement confinement_find(int32_t pid, uint64_t user_namespace)
{
  char path[32], text[4096];
  snprintf(path, sizeof path, "/proc/%d/status", pid);
  if (text_file_read(path, text, sizeof text) < 0)
    return CONFINEMENT_GONE;
  if (strstr(text, "\nNoNewPrivs:\t0\n") == NULL)
    return CONFINEMENT_NO_NEW_PRIVILEGES;
  if (user_namespace == 0 || find_namespace(pid) != user_namespace)
    return CONFINEMENT_USER_NAMESPACE;
  return has_open_label(pid) ? CONFINEMENT_NONE : CONFINEMENT_LABEL;
}

uint64_t confinement_own_namespace(void)
{
  return find_namespace(getpid());
}
