/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the text of a source file may be another version than the one that was compiled. */
#pragma once

#include "profile/base/source-file.h"
#include "profile/views/annotation.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_SOURCE_DOUBT_NONE = 0,
  PROFILE_SOURCE_DOUBT_TOO_SHORT = 1 << 0, /* debug information speaks of lines that it does not have */
  PROFILE_SOURCE_DOUBT_NEWER = 1 << 1,     /* written after the binary, as far as that is here */
  PROFILE_SOURCE_DOUBT_CHANGED = 1 << 2,   /* written after the recording began */
  PROFILE_SOURCE_DOUBT_FETCHED = 1 << 3    /* a server had it, and nothing tells */
} ProfileSourceDoubt;

/* All doubts about the text of a file of the annotation; none about what was not read. Blocking. */
ProfileSourceDoubt profile_source_doubt_find(const ProfileAnnotation *annotation,
                                             const ProfileAnnotationFile *file,
                                             const ProfileSourceFile *source);
/* The greatest of them, as a sentence; NULL: there is none. Free it. Blocking. */
char *profile_source_doubt_explain(const ProfileAnnotation *annotation, const ProfileAnnotationFile *file,
                                   const ProfileSourceFile *source);

G_END_DECLS
