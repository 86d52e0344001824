/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include "profile/naming/namer.h"

/* Tables that naming made, by index of the binary; the kernel's comes last. NULL: not hit, or left alone. */
typedef struct {
  ProfileFunctionTable **tables;
  ProfilePlaces **places;     /* likewise; NULL: none */
  ProfileMachineCode **code;  /* likewise */
  ProfileSourceTexts *source; /* NULL: none */
  guint n;                    /* binaries + 1 */
  ProfileNamingResult result;
} ProfileNamingTables;

void profile_naming_tables_clear(ProfileNamingTables *tables);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ProfileNamingTables, profile_naming_tables_clear)

/* What names binaries of capture, without elf-readers. */
ProfileNamer profile_naming_make_namer(ProfileCapture *capture, const ProfileNamingOptions *options,
                                       GCancellable *cancellable);

/* Makes the tables for the frames of capture, which is not changed. False when cancelled; what was done by
 * then is in ret. */
gboolean profile_naming_make_tables(ProfileCapture *capture, const ProfileNamingOptions *options,
                                    ProfileNamingTables *ret, GCancellable *cancellable, GError **error);
