/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/code-file.h"

#include "profile/base/regular-file.h"
#include "profile/naming/binary-file.h"

struct _ProfileCodeFile {
  ProfileDebugFile file;
  gboolean is_kernel;
};

ProfileCodeFile *profile_code_file_new(const ProfileNamer *namer, const ProfileBinary *binary)
{
  ProfileDebugFile file = {.fd = -1};
  ProfileCodeFile *self;

  if (profile_binary_file_open(namer, binary, &file) != PROFILE_BINARY_FILE_OPEN)
    return NULL;
  self = g_new0(ProfileCodeFile, 1);
  self->file = file;
  return self;
}

ProfileCodeFile *profile_code_file_new_for_kernel(const ProfileNamer *namer, const char *path)
{
  int fd = namer->same_boot ? profile_regular_file_open(path) : -1;
  ProfileCodeFile *self;

  if (fd < 0)
    return NULL;
  self = g_new0(ProfileCodeFile, 1);
  self->file = (ProfileDebugFile){.elf = profile_elf_new_for_fd(fd, NULL), .fd = fd};
  self->is_kernel = TRUE;
  if (!self->file.elf)
    g_clear_pointer(&self, profile_code_file_free);
  return self;
}

void profile_code_file_free(ProfileCodeFile *self)
{
  profile_debug_file_clear(&self->file);
  g_free(self);
}

/* The kernel's is one stretch of the file only inside one of its segments. */
static gboolean find_offset(const ProfileCodeFile *self, guint64 start, guint64 end, guint64 *ret)
{
  guint64 last;

  *ret = start;
  if (!self->is_kernel)
    return TRUE;
  return profile_elf_address_to_offset(self->file.elf, start, ret) &&
         profile_elf_address_to_offset(self->file.elf, end - 1, &last) && last - *ret == end - 1 - start;
}

GBytes *profile_code_file_read(const ProfileCodeFile *self, guint64 start, guint64 end)
{
  guint64 offset;
  guint8 *bytes;

  if (start >= end || !find_offset(self, start, end, &offset))
    return NULL;
  bytes = profile_elf_read(self->file.elf, offset, end - start);
  return bytes ? g_bytes_new_take(bytes, end - start) : NULL;
}

guint64 profile_code_file_get_address(const ProfileCodeFile *self, guint64 start)
{
  guint64 address;

  if (self->is_kernel || !profile_elf_offset_to_address(self->file.elf, start, &address))
    return start;
  return address;
}

guint16 profile_code_file_get_machine(const ProfileCodeFile *self)
{
  return profile_elf_get_machine(self->file.elf);
}
