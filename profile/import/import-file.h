/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts a file of another program into a capture, whatever its format of those in importer.h. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct {
  gboolean no_compress;
  guint32 max_nodes; /* stack nodes of an epoch, which bounds memory; 0: so many that most files fit one */
} ProfileImportOptions;

typedef struct {
  guint64 samples; /* converted */
  guint64 lost;    /* that were lost, as the file says */
  guint64 damaged; /* that could not be understood, or whose event is not known; of a .syscap, frames of any
                      kind */
  char *warning;   /* a sentence when the file ended early, else NULL; free with g_free */
} ProfileImportResult;

/*
 * Opens path ("-": standard input), tells its format by its first bytes and writes all of it as a capture
 * into fd, an empty file, readable and writable, which stays the caller's. The capture has an index; names
 * are not looked up. options may be NULL. On failure the content of fd is of no use. Errors: GIO's for the
 * file, PROFILE_ERROR for its content; messages are sentences that name the file. Blocking.
 */
gboolean profile_import_file(const char *path, int fd, const ProfileImportOptions *options,
                             ProfileImportResult *ret_result, GError **error);

G_END_DECLS
