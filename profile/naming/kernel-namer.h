/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names sampled kernel addresses. */
#pragma once

#include "profile/capture/capture.h"

G_BEGIN_DECLS

/* This machine has not been started again since capture was recorded here. */
gboolean profile_kernel_is_same_boot(ProfileCapture *capture);

/* Whether the kernel that runs here has that build-id. */
gboolean profile_kernel_has_build_id(const guint8 *build_id, gsize size);

/* What is known of the kernel's image, with its build-id; NULL: nothing. */
const ProfileBinary *profile_kernel_get_binary(ProfileCapture *capture);

/* A sealed table of the kernel functions that hold any of the n addresses, which ascend: from the kernel
 * symbols in capture, and from the running kernel when that is the one that was recorded (the same boot; for
 * an import the same build-id and the same place in memory). Its status is HIDDEN when that kernel hides its
 * addresses from this user, and UNREADABLE when the kernel that was recorded does not run here. */
ProfileFunctionTable *profile_kernel_name(ProfileCapture *capture, const guint64 *addresses, gsize n,
                                          gboolean use_cache);

G_END_DECLS
