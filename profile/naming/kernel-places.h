/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and inlined functions of sampled kernel addresses, from the image with DWARF of the recorded kernel,
 * wherever that was put in memory. Those of its modules: module-places.h. */
#pragma once

#include "profile/naming/namer.h"

G_BEGIN_DECLS

/* The sealed places of those of n addresses, which ascend, that lie in the kernel's image; NULL: there is
 * none to be known. known and ret_learnt are as in profile_namer_name_binary, of the image's build-id.
 * Thread-safe, blocking. */
ProfilePlaces *profile_kernel_places_find(const ProfileNamer *namer, ProfileCapture *capture,
                                          const guint64 *addresses, gsize n, const ProfileStoredNames *known,
                                          ProfileStoredNames **ret_learnt);

G_END_DECLS
