/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An elf-reader that finds lines and inlined functions, or one that decodes machine code
 * (helpers/elf-reader-protocol.h): files are read by a process that may do nothing else, and die of it. One
 * thread at a time. */
#pragma once

#include <gio/gio.h>

#include "code/code-instructions.h"
#include "dwarf/dwarf-places.h"
#include "helpers/elf-reader-protocol.h"

G_BEGIN_DECLS

typedef struct _ProfileElfReader ProfileElfReader;

/* Starts no process yet. */
ProfileElfReader *profile_elf_reader_new(const char *program);
/* Ends its process, whatever it does. */
void profile_elf_reader_free(ProfileElfReader *self);

/* When a RESOLVE that is asked from now on ends with what it has: microseconds as g_get_monotonic_time; 0:
 * when it is done. One that does not keep to it is ended a moment later, like one that hangs. */
void profile_elf_reader_set_end(ProfileElfReader *self, gint64 end);

/* Asks RESOLVE with n_fds files and enum elf_reader_flags, and n addresses; starts a process where there is
 * none. 0, with *ret (g_free) valid and read by nobody else, or -errno: -ECANCELED, at once; what the
 * elf-reader answers; else it died, hung or was dishonest. It is ended then, and no file is kept. Blocking.
 */
int profile_elf_reader_resolve(ProfileElfReader *self, const int *fds, guint n_fds, guint32 flags,
                               const guint64 *addresses, guint n, GCancellable *cancellable,
                               struct dwarf_places **ret);

/* Asks DISASSEMBLE of a file of machine code; results as above. Its program is capture-code-reader. */
int profile_elf_reader_disassemble(ProfileElfReader *self, int fd, const struct elf_reader_code *code,
                                   GCancellable *cancellable, struct code_instructions **ret);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileElfReader, profile_elf_reader_free)

G_END_DECLS
