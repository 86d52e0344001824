/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/binary-file.h"

#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/regular-file.h"

#define NS 1000000000

static gboolean has_build_id_of(const ProfileElf *elf, const ProfileBinary *binary)
{
  guint size;
  const guint8 *build_id = profile_elf_get_build_id(elf, &size);

  return size == binary->build_id_size && memcmp(build_id, binary->build_id, size) == 0;
}

static gboolean is_newer(const struct stat *st, gint64 time)
{
  return st->st_mtim.tv_sec > time / NS ||
         (st->st_mtim.tv_sec == time / NS && st->st_mtim.tv_nsec > time % NS);
}

/* Whether nothing speaks against a file, where no build-id tells: another inode, or a content that was
 * written after the recording. Devices are not compared: on btrfs and overlayfs a mapping shows another one
 * than stat does. */
static gboolean may_be(const ProfileNamer *namer, int fd, const ProfileBinary *binary)
{
  struct stat st;

  if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
    return FALSE;
  return (binary->inode == 0 || binary->inode == st.st_ino) &&
         (namer->end == 0 || !is_newer(&st, namer->end));
}

/* Takes fd. */
static ProfileBinaryFileStatus binary_file_examine(const ProfileNamer *namer, int fd,
                                                   const ProfileBinary *binary, ProfileDebugFile *ret)
{
  ProfileElf *elf;

  if (fd < 0)
    return PROFILE_BINARY_FILE_UNREADABLE;
  if (profile_regular_file_is_of_others(fd)) {
    close(fd);
    return PROFILE_BINARY_FILE_UNREADABLE;
  }
  elf = profile_elf_new_for_fd(fd, NULL);
  if (!elf && binary->build_id_size == 0 && may_be(namer, fd, binary)) {
    close(fd);
    return PROFILE_BINARY_FILE_NOT_ELF;
  }
  if (elf && (binary->build_id_size > 0 ? has_build_id_of(elf, binary) : may_be(namer, fd, binary))) {
    *ret = (ProfileDebugFile){.elf = elf, .fd = fd};
    return PROFILE_BINARY_FILE_OPEN;
  }
  g_clear_pointer(&elf, profile_elf_free);
  close(fd);
  return PROFILE_BINARY_FILE_UNREADABLE;
}

static ProfileBinaryFileStatus open_process_paths(const ProfileNamer *namer, const ProfileBinary *binary,
                                                  ProfileDebugFile *ret)
{
  g_autofree char *in_root = g_strdup_printf("/proc/%d/root%s", binary->mapped_pid, binary->path);
  g_autofree char *mapped =
      g_strdup_printf("/proc/%d/map_files/%" G_GINT64_MODIFIER "x-%" G_GINT64_MODIFIER "x",
                      binary->mapped_pid, binary->mapped_start, binary->mapped_end);
  ProfileBinaryFileStatus status =
      binary_file_examine(namer, profile_regular_file_open(in_root), binary, ret);

  if (status == PROFILE_BINARY_FILE_UNREADABLE)
    status = binary_file_examine(namer, profile_regular_file_open(mapped), binary, ret);
  return status;
}

static gsize get_vdso_size(const ElfW(Ehdr) * header)
{
  const ElfW(Phdr) *segments = (gconstpointer)((const guint8 *)header + header->e_phoff);
  gsize size = header->e_shoff + (gsize)header->e_shnum * header->e_shentsize;

  for (guint i = 0; i < header->e_phnum; i++)
    size = MAX(size, segments[i].p_offset + segments[i].p_filesz);
  return size;
}

static ProfileBinaryFileStatus open_vdso(const ProfileNamer *namer, const ProfileBinary *binary,
                                         ProfileDebugFile *ret)
{
  const ElfW(Ehdr) *header = (gconstpointer)getauxval(AT_SYSINFO_EHDR);
  g_autoptr(GBytes) bytes = header ? g_bytes_new_static(header, get_vdso_size(header)) : NULL;
  g_autoptr(ProfileElf) elf = bytes ? profile_elf_new_for_bytes(bytes, NULL) : NULL;

  if (!elf || (binary->build_id_size > 0 ? !has_build_id_of(elf, binary) : !namer->same_boot))
    return PROFILE_BINARY_FILE_UNREADABLE;
  *ret = (ProfileDebugFile){.elf = g_steal_pointer(&elf), .fd = -1};
  return PROFILE_BINARY_FILE_OPEN;
}

ProfileBinaryFileStatus profile_binary_file_open(const ProfileNamer *namer, const ProfileBinary *binary,
                                                 ProfileDebugFile *ret)
{
  ProfileBinaryFileStatus status = PROFILE_BINARY_FILE_UNREADABLE;

  if (binary->flags & CAPTURE_BINARY_VDSO)
    return open_vdso(namer, binary, ret);
  if (namer->open)
    status = binary_file_examine(namer, namer->open(binary, namer->open_data), binary, ret);
  if (status == PROFILE_BINARY_FILE_UNREADABLE && binary->path[0] == '/')
    status = binary_file_examine(namer, profile_regular_file_open(binary->path), binary, ret);
  if (status == PROFILE_BINARY_FILE_UNREADABLE && namer->same_boot && binary->mapped_pid > 0 &&
      binary->path[0] == '/')
    status = open_process_paths(namer, binary, ret);
  if (status == PROFILE_BINARY_FILE_UNREADABLE &&
      profile_debug_file_find_binary(binary->build_id, binary->build_id_size, ret))
    status = PROFILE_BINARY_FILE_OPEN;
  return status;
}
