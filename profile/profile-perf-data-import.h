/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts a perf.data into a capture. */
#pragma once

#include "profile/profile-perf-data.h"

G_BEGIN_DECLS

typedef struct {
  gboolean no_compress;
  guint32 max_nodes; /* stack nodes of an epoch, which bounds memory; 0: so many that most files fit one */
} ProfilePerfImportOptions;

typedef struct {
  guint64 samples; /* converted */
  guint64 lost;    /* that perf says were lost */
  guint64 damaged; /* that could not be understood, or whose event is not known */
  char *warning;   /* a sentence when the file ended early, else NULL; free with g_free */
} ProfilePerfImportResult;

/*
 * Writes all of data, which must be freshly opened, as a capture into fd: an empty file, readable and
 * writable, which stays the caller's. Addresses stay exactly as they were sampled: one in a file is stored as
 * an offset in the file only where the mappings of its process lead back to that very address. The capture
 * has an index; names are not looked up. options may be NULL. On failure the content of fd is of no use.
 * Blocking.
 */
gboolean profile_perf_import(ProfilePerfData *data, int fd, const ProfilePerfImportOptions *options,
                             ProfilePerfImportResult *ret_result, GError **error);

G_END_DECLS
