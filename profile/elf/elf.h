/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An ELF file of this machine's byte order, 32 or 64 bits, read as hostile bytes: every offset is checked
 * against the file's length, nothing is mapped (a file that shrinks meanwhile is a short read, not
 * a signal), and no allocation is larger than the part of the file that it holds. One thread at a time.
 */
#pragma once

#include <gio/gio.h>

#include "libcapture/format/capture-format.h"

G_BEGIN_DECLS

typedef struct _ProfileElf ProfileElf;

typedef struct {
  const char *name; /* "" when it has none that makes sense */
  guint32 type;     /* SHT_* */
  guint32 link;
  guint64 flags; /* SHF_* */
  guint64 address;
  guint64 offset;
  guint64 size;
  guint64 entry_size;
} ProfileElfSection;

/* Reads headers and build-id. fd stays the caller's and must stay open as long as the ELF is used.
 * Errors: G_IO_ERROR_INVALID_DATA when it is no ELF that can be read here, else of reading. */
ProfileElf *profile_elf_new_for_fd(int fd, GError **error);
ProfileElf *profile_elf_new_for_bytes(GBytes *bytes, GError **error);
void profile_elf_free(ProfileElf *self);

gboolean profile_elf_is_64_bit(const ProfileElf *self);
guint16 profile_elf_get_machine(const ProfileElf *self); /* EM_* */
/* size is 0 when there is none. Build-ids longer than CAPTURE_BUILD_ID_MAX are cut, as the kernel does. */
const guint8 *profile_elf_get_build_id(const ProfileElf *self, guint *ret_size);

/* Where the loadable segments put a byte. False when no segment holds it. */
gboolean profile_elf_address_to_offset(const ProfileElf *self, guint64 address, guint64 *ret_offset);
gboolean profile_elf_offset_to_address(const ProfileElf *self, guint64 offset, guint64 *ret_address);

/* Section number, or NULL. Number 0 is never handed out. */
const ProfileElfSection *profile_elf_get_section(const ProfileElf *self, guint number);
/* The first of that name, or NULL. */
const ProfileElfSection *profile_elf_find_section(const ProfileElf *self, const char *name);
/* Its bytes as they stand in the file, followed by a NUL that is not counted; NULL for sections without
 * bytes, beyond the file, or larger than 1 GiB. Free with g_free. */
guint8 *profile_elf_read_section(const ProfileElf *self, const ProfileElfSection *section, gsize *ret_size);

/* Bytes of the file; NULL where it does not have all of them, or for more than 1 GiB. Free with g_free. */
guint8 *profile_elf_read(const ProfileElf *self, guint64 offset, guint64 length);
/* All of the file's bytes, but zeros in place of debugging information that says nothing of unwinding; NULL
 * when it cannot be read or has more than 2 GiB. Free with g_free. */
guint8 *profile_elf_read_unwinding(const ProfileElf *self, gsize *ret_size);

/* Name (newly allocated) and CRC-32 of the separate debug file that .gnu_debuglink speaks of. The name holds
 * no slash. */
gboolean profile_elf_get_debug_link(const ProfileElf *self, char **ret_name, guint32 *ret_crc);
/* The ELF in .gnu_debugdata (an xz stream; at most 256 MiB of it), or NULL. */
ProfileElf *profile_elf_open_mini_debug_info(const ProfileElf *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileElf, profile_elf_free)

G_END_DECLS
