/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/views/source-doubt.h"

#include <glib/gi18n.h>

static guint32 get_last_line(const ProfileAnnotation *annotation, const ProfileAnnotationFile *file)
{
  guint32 first, last;

  profile_annotation_get_range(annotation, file, &first, &last);
  return last;
}

static gboolean is_newer(const ProfileAnnotation *annotation, const ProfileSourceFile *source)
{
  guint n, binary = profile_annotation_get_binary(annotation);
  const ProfileBinary *binaries =
      profile_capture_get_binaries(profile_annotation_get_capture(annotation), &n);

  return binary < n && profile_source_file_is_newer_than(source, binaries[binary].path);
}

static gboolean was_changed(const ProfileAnnotation *annotation, const ProfileSourceFile *source)
{
  struct capture_file_header header;

  profile_capture_get_header(profile_annotation_get_capture(annotation), &header);
  return header.time_realtime > 0 && profile_source_file_get_modified(source) > header.time_realtime;
}

ProfileSourceDoubt profile_source_doubt_find(const ProfileAnnotation *annotation,
                                             const ProfileAnnotationFile *file,
                                             const ProfileSourceFile *source)
{
  guint doubts = PROFILE_SOURCE_DOUBT_NONE;

  if (profile_source_file_get_status(source) != PROFILE_SOURCE_FILE_READ)
    return PROFILE_SOURCE_DOUBT_NONE;
  if (get_last_line(annotation, file) > profile_source_file_get_n_lines(source))
    doubts |= PROFILE_SOURCE_DOUBT_TOO_SHORT;
  if (is_newer(annotation, source))
    doubts |= PROFILE_SOURCE_DOUBT_NEWER;
  if (was_changed(annotation, source))
    doubts |= PROFILE_SOURCE_DOUBT_CHANGED;
  if (profile_source_file_get_origin(source) == PROFILE_SOURCE_FILE_FETCHED)
    doubts |= PROFILE_SOURCE_DOUBT_FETCHED;
  return doubts;
}

/* Where the binary is gone, nobody knows when it was built: but not after the recording. */
char *profile_source_doubt_explain(const ProfileAnnotation *annotation, const ProfileAnnotationFile *file,
                                   const ProfileSourceFile *source)
{
  ProfileSourceDoubt doubts = profile_source_doubt_find(annotation, file, source);
  guint32 n_lines = profile_source_file_get_n_lines(source);

  if (doubts & PROFILE_SOURCE_DOUBT_TOO_SHORT)
    return g_strdup_printf(ngettext("This is another version: it has %u line, and line %u was sampled.",
                                    "This is another version: it has %u lines, and line %u was sampled.",
                                    n_lines),
                           n_lines, get_last_line(annotation, file));
  if (doubts & PROFILE_SOURCE_DOUBT_NEWER)
    return g_strdup(_("The file was changed after the program was built: its lines may be other ones."));
  if (doubts & PROFILE_SOURCE_DOUBT_CHANGED)
    return g_strdup(_("The file was changed after the recording began: its lines may be other ones."));
  if (doubts & PROFILE_SOURCE_DOUBT_FETCHED)
    return g_strdup(_("A server had this text; nothing tells whether the program was built from it."));
  return NULL;
}
