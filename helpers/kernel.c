/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/kernel.h"

#include <elf.h>
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

/* Notes that end early hold none. */
static const uint8_t *find_build_id(const uint8_t *notes, uint64_t length, uint32_t *ret_size)
{
  Elf64_Nhdr note;
  for (uint64_t at = 0, description; at + sizeof note <= length;
       at = description + (((uint64_t)note.n_descsz + 3) & ~UINT64_C(3))) {
    memcpy(&note, notes + at, sizeof note);
    description = at + sizeof note + (((uint64_t)note.n_namesz + 3) & ~UINT64_C(3));
    if (description + note.n_descsz > length)
      return NULL;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof "GNU" &&
        memcmp(notes + at + sizeof note, "GNU", sizeof "GNU") == 0) {
      *ret_size = note.n_descsz;
      return notes + description;
    }
  }
  return NULL;
}

static uint32_t read_build_id(const char *path, uint8_t *ret, uint32_t capacity)
{
  char notes[4096];
  ssize_t length = text_file_read(path, notes, sizeof notes);
  uint32_t size = 0;
  const uint8_t *found = length > 0 ? find_build_id((const uint8_t *)notes, (uint64_t)length, &size) : NULL;
  if (found == NULL)
    return 0;
  size = size < capacity ? size : capacity;
  memcpy(ret, found, size);
  return size;
}

uint32_t kernel_read_build_id(uint8_t *ret, uint32_t capacity)
{
  return read_build_id("/sys/kernel/notes", ret, capacity);
}

uint32_t kernel_read_module_build_id(const char *module, uint8_t *ret, uint32_t capacity)
{
  char path[256];
  int length = snprintf(path, sizeof path, "/sys/module/%s/notes/.note.gnu.build-id", module);
  return length > 0 && (size_t)length < sizeof path ? read_build_id(path, ret, capacity) : 0;
}
