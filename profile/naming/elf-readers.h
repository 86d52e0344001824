/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elf-readers of several threads: as many as threads have one at a time. Thread-safe. */
#pragma once

#include "profile/naming/elf-reader.h"

G_BEGIN_DECLS

typedef struct _ProfileElfReaders ProfileElfReaders;

/* NULL when the program capture-elf-reader, or $CAPTURE_ELF_READER, is not there. */
ProfileElfReaders *profile_elf_readers_new(void);
/* All must have been given back. */
void profile_elf_readers_free(ProfileElfReaders *self);

/* One that nobody else has, to be given back. Its process dies with the thread that it was started by. */
ProfileElfReader *profile_elf_readers_take(ProfileElfReaders *self);
void profile_elf_readers_give_back(ProfileElfReaders *self, ProfileElfReader *reader);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileElfReaders, profile_elf_readers_free)

G_END_DECLS
