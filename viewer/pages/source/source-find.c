/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/pages/source/source-find.h"

/* NULL: this way does not lead there. */
typedef ProfileSourceFile *(*Way)(const ViewerSourceWanted *wanted);

/* By what people said of folders, then by its path. */
static ProfileSourceFile *find_on_disk(const ViewerSourceWanted *wanted)
{
  return profile_source_file_new(wanted->path, wanted->maps);
}

static const Way ways[] = {find_on_disk};

ProfileSourceFile *viewer_source_find(const ViewerSourceWanted *wanted)
{
  ProfileSourceFile *first = ways[0](wanted);

  for (guint i = 1; i < G_N_ELEMENTS(ways); i++) {
    if (profile_source_file_get_status(first) == PROFILE_SOURCE_FILE_READ)
      break;
    ProfileSourceFile *other = ways[i](wanted);
    if (other) {
      profile_source_file_free(first);
      return other;
    }
  }
  return first;
}
