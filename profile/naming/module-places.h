/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and inlined functions of sampled addresses in the kernel's modules, from their files with DWARF,
 * wherever the kernel put their sections. */
#pragma once

#include "profile/naming/namer.h"

G_BEGIN_DECLS

/* The sealed places of those of n addresses, which ascend, that lie in modules of which the capture has the
 * build-id and functions, or what it says itself, the names; NULL: there is none to be known. Thread-safe,
 * blocking. */
ProfilePlaces *profile_module_places_find(const ProfileNamer *namer, ProfileCapture *capture,
                                          const ProfileFunctionTable *functions, const guint64 *addresses,
                                          gsize n);

G_END_DECLS
