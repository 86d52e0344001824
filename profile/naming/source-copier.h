/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies the text of source files into a capture, for those that asked for it. */
#pragma once

#include "profile/capture/places.h"
#include "profile/capture/source-texts.h"

G_BEGIN_DECLS

/* Longer files are left out, and what is more than that together. */
#define PROFILE_SOURCE_COPY_MAX   (8u << 20)
#define PROFILE_SOURCE_COPIES_MAX (64u << 20)

/* The text of the regular files that n places (NULL: none) name and that lie below one of the directories,
 * links followed: debug information may name any file, and whoever gets the capture reads it. Blocking. */
ProfileSourceTexts *profile_source_copier_copy(ProfilePlaces *const *places, guint n,
                                               const char *const *directories);

G_END_DECLS
