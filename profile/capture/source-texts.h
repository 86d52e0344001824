/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of source files that a capture brings along, by the path that debug information has. Built once,
 * then immutable and readable from any thread. Reference counted.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _ProfileSourceTexts ProfileSourceTexts;

ProfileSourceTexts *profile_source_texts_new(void);
/* Adds a piece behind those of the same path; one at offset 0 begins it anew, and one that fits nowhere is
 * left out. */
void profile_source_texts_add(ProfileSourceTexts *self, const char *path, guint64 offset, const guint8 *bytes,
                              gsize length);
ProfileSourceTexts *profile_source_texts_ref(ProfileSourceTexts *self);
void profile_source_texts_unref(ProfileSourceTexts *self);

/* The text of a file, or NULL; it is theirs. */
const GByteArray *profile_source_texts_lookup(const ProfileSourceTexts *self, const char *path);
/* Calls with a path (const char *), its text (GByteArray *) and data, in any order. */
void profile_source_texts_foreach(const ProfileSourceTexts *self, GHFunc func, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileSourceTexts, profile_source_texts_unref)

G_END_DECLS
