/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes what one sees into a file, in formats that other programs read. The file is there as a whole or not
 * at all. Main thread only.
 */
#pragma once

#include <gdk/gdk.h>

#include "profile/report/report.h"

G_BEGIN_DECLS

/* Formats go by numbers from 0 on: those of profile/export/exporter.h, and what shows the page itself. */
guint viewer_export_count_formats(void);
/* For people, translated: "Flame Graph", and what it is good for. Static. */
const char *viewer_export_get_title(guint format);
const char *viewer_export_get_description(guint format);
/* How names of such files end, ".svg"; the pattern is a filter's. Static. */
const char *viewer_export_get_suffix(guint format);

/* What there is to export. */
typedef struct {
  ProfileWeights *weights;
  const char *title;         /* of the flame graph */
  GdkTexture *picture;       /* of PNG, in memory; NULL: none */
  const char *path;          /* of the capture, for people */
  ProfileReportBy report_by; /* what text shows, with the next */
  ProfileReportTree report_tree;
} ViewerExportContent;

/* Whether the content has what the format shows. */
gboolean viewer_export_is_possible(guint format, const ViewerExportContent *content);

/* Replaces file; content is copied. When it is cancelled or fails the file is as it was. */
void viewer_export_write_async(guint format, const ViewerExportContent *content, GFile *file,
                               GCancellable *cancellable, GAsyncReadyCallback callback, gpointer data);
/* The error's message is a sentence that says what to do. */
gboolean viewer_export_write_finish(GAsyncResult *result, GError **error);

G_END_DECLS
