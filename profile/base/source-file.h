/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of a source file, as debug information names it: by a path that is right where the program was
 * built. Only regular files are read. Immutable, readable from any thread.
 */
#pragma once

#include "profile/base/path-maps.h"

G_BEGIN_DECLS

/* What is longer is not read. */
#define PROFILE_SOURCE_FILE_MAX (64 << 20)

typedef enum {
  PROFILE_SOURCE_FILE_READ,
  PROFILE_SOURCE_FILE_MISSING,
  PROFILE_SOURCE_FILE_DENIED,
  PROFILE_SOURCE_FILE_NOT_REGULAR,
  PROFILE_SOURCE_FILE_TOO_LARGE,
  PROFILE_SOURCE_FILE_RELATIVE, /* nobody says what the path is relative to */
  PROFILE_SOURCE_FILE_UNREADABLE
} ProfileSourceFileStatus;

/* Where the text is from. */
typedef enum {
  PROFILE_SOURCE_FILE_HERE, /* a file of this computer */
  PROFILE_SOURCE_FILE_CAPTURED,
  PROFILE_SOURCE_FILE_FETCHED /* a debuginfod server */
} ProfileSourceFileOrigin;

typedef struct _ProfileSourceFile ProfileSourceFile;

/* Reads the file at the first place where it can be: those that the maps (profile/base/path-maps.h; NULL:
 * none) lead the path to, in their order, then the path as it stands. Never NULL: the status says what came
 * of it, that of the first place where it was read nowhere. Blocking. */
ProfileSourceFile *profile_source_file_new(const char *path, const GArray *maps);
/* One whose text is no file of this computer; never found to be newer than anything. */
ProfileSourceFile *profile_source_file_new_from_text(const char *path, ProfileSourceFileOrigin origin,
                                                     const void *text, gsize size);
void profile_source_file_free(ProfileSourceFile *self);

ProfileSourceFileStatus profile_source_file_get_status(const ProfileSourceFile *self);
/* "missing", "too-large" …; "read" for a file that was read. */
const char *profile_source_file_get_status_name(const ProfileSourceFile *self);
ProfileSourceFileOrigin profile_source_file_get_origin(const ProfileSourceFile *self);
/* "file", "capture" or "server". */
const char *profile_source_file_get_origin_name(const ProfileSourceFile *self);
/* The place where it was read, or the first that was tried. */
const char *profile_source_file_get_path(const ProfileSourceFile *self);
/* When it was written last, in nanoseconds since 1970; 0 for what was not read. */
gint64 profile_source_file_get_modified(const ProfileSourceFile *self);
/* 0 for what was not read. */
guint32 profile_source_file_get_n_lines(const ProfileSourceFile *self);
/* A line, counted from 1, without its end; NULL where there is none. Valid UTF-8, at most some thousand
 * bytes: a longer one ends in "…". Free it. */
char *profile_source_file_get_line(const ProfileSourceFile *self, guint32 line);
/* The same for people: tabs are blanks up to columns of eight, and what is not printable is U+FFFD. */
char *profile_source_file_get_printable_line(const ProfileSourceFile *self, guint32 line);
/* Whether the source was read and the file `binary` is there, and the source was written after the binary:
 * its lines may not be those of the binary. */
gboolean profile_source_file_is_newer_than(const ProfileSourceFile *self, const char *binary);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileSourceFile, profile_source_file_free)

G_END_DECLS
