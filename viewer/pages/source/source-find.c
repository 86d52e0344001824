/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-find.h"

/* NULL: this way does not lead there. */
typedef ProfileSourceFile *(*Way)(const ViewerSourceWanted *wanted);

/* By what people said of folders, then by its path. */
static ProfileSourceFile *find_on_disk(const ViewerSourceWanted *wanted)
{
  return profile_source_file_new(wanted->path, wanted->maps);
}

/* What was recorded is the text that ran. */
static ProfileSourceFile *find_in_capture(const ViewerSourceWanted *wanted)
{
  const GByteArray *text =
      profile_capture_get_source_text(profile_stacks_get_capture(wanted->stacks), wanted->path);

  return text ? profile_source_file_new_from_text(wanted->path, text) : NULL;
}

static const Way ways[] = {find_in_capture, find_on_disk};

ProfileSourceFile *viewer_source_find(const ViewerSourceWanted *wanted)
{
  ProfileSourceFile *found = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(ways); i++) {
    ProfileSourceFile *next = ways[i](wanted);

    if (found && (!next || profile_source_file_get_status(next) != PROFILE_SOURCE_FILE_READ)) {
      g_clear_pointer(&next, profile_source_file_free);
      continue;
    }
    g_clear_pointer(&found, profile_source_file_free);
    found = next;
    if (found && profile_source_file_get_status(found) == PROFILE_SOURCE_FILE_READ)
      break;
  }
  return found;
}
