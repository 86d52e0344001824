/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the page of details shows, and the columns of its tables. */
#pragma once

#include "viewer/table/list.h"

#include "profile/capture/capture.h"

G_BEGIN_DECLS

typedef struct {
  double min, max;
} ViewerDetailsRange;

/* Made in a thread. */
typedef struct {
  ProfileCapture *capture;
  guint64 size; /* of the file; 0 not known */
  guint64 n_samples;
  guint n_processes, n_threads; /* different numbers */
  guint n_binaries;             /* files: they come first */
  ViewerDetailsRange *ranges;   /* one a counter */
} ViewerDetails;

gpointer viewer_details_request_new(ProfileCapture *capture, GFile *file);
void viewer_details_request_free(gpointer request);
/* Blocks. */
gpointer viewer_details_new(gpointer request);
void viewer_details_free(ViewerDetails *details);

/* details: where those that are shown stand; tables are empty while there are none. */
void viewer_details_add_counter_columns(ViewerList *view, ViewerDetails **details);
void viewer_details_add_binary_columns(ViewerList *view, ViewerDetails **details);

G_END_DECLS
