/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The formats that a capture can be written in: one table, which the command line, its completion and the
 * viewer read. A new one is a file with its function, that function's contract in export.h, and a row in
 * exporter.c.
 */
#pragma once

#include "profile/export/export.h"

G_BEGIN_DECLS

typedef struct {
  const char *name; /* of `export --format` */
  const char *title,
      *description;   /* for people, not translated yet: “Flame Graph”, and what it is good for */
  const char *suffix; /* of files: ".svg" */
  gboolean is_binary; /* nothing for a terminal */
  /* As the functions of export.h. */
  gboolean (*write)(ProfileWeights *weights, const ProfileExportOptions *options, GOutputStream *stream,
                    GCancellable *cancellable, GError **error);
} ProfileExporter;

/* All of them, in the order in which people are offered them. Static. */
const ProfileExporter *profile_exporters_get(guint *ret_n);
/* NULL: there is none of that name. */
const ProfileExporter *profile_exporters_find(const char *name);
/* Their names with that between them. Free it. */
char *profile_exporters_join(const char *separator);

G_END_DECLS
