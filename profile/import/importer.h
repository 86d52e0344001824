/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The formats of other programs that can be converted into a capture: one table, which the command line and
 * the viewer read. A new one is a file with its functions and a row in importer.c.
 */
#pragma once

#include "profile/base/input.h"
#include "profile/import/import-file.h"

G_BEGIN_DECLS

typedef struct {
  const char *name;        /* as people call such a file: "perf.data" */
  const char *patterns[4]; /* of names of files, for globbing; ends with NULL */
  const char *suffixes[3]; /* that go from a file's name when .capture comes; ends with NULL */
  gboolean (*recognise)(const guint8 *bytes, gsize size); /* by the first bytes */
  /* As profile_import_file. Takes the input. */
  gboolean (*import)(ProfileInput *input, int fd, const ProfileImportOptions *options,
                     ProfileImportResult *ret_result, GError **error);
} ProfileImporter;

/* All of them. Static. */
const ProfileImporter *profile_importers_get(guint *ret_n);
/* Their names with that between them. Free it. */
char *profile_importers_join(const char *separator);
/* NULL: these are the first bytes of none of them. */
const ProfileImporter *profile_importers_recognise(const guint8 *bytes, gsize size);

G_END_DECLS
