/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What exporters share. */
#pragma once

#include "profile/export/export.h"
#include "profile/import/syscap-writer.h"
#include "profile/views/tree.h"

G_BEGIN_DECLS

/* A place in a walk: a node, or the children of a node that were left out, taken together. */
typedef struct {
  guint32 node;       /* tree node; of what was left out: its parent */
  guint32 n_left_out; /* 0: this is the node itself */
  guint64 count;      /* samples in all of it, or what they last: profile_weights_measure */
  guint64 begin;      /* the same, to the left of it: of earlier siblings, of its parent and so on */
} ProfileExportPlace;

/* node is that of the place, valid during the call. False (with error set) ends the walk. */
typedef gboolean (*ProfileExportVisitFunc)(const ProfileExportPlace *place, const ProfileTreeNode *node,
                                           gpointer data, GError **error);

/* Visits the root and every node of at least `limit` (as count), parents first, siblings heaviest first;
 * equally heavy ones by name and binary, so that the order is the same for every load. What is left out below
 * a node comes last there, if together it reaches the limit. False when cancelled or stopped. */
gboolean profile_export_walk(ProfileTree *tree, guint64 limit, ProfileExportVisitFunc visit, gpointer data,
                             GCancellable *cancellable, GError **error);

/* Writes text to the stream and empties it once it has grown; `all`: in any case. */
gboolean profile_export_flush(GString *text, gboolean all, GOutputStream *stream, GCancellable *cancellable,
                              GError **error);

/* The same samples in the stacks that were recorded, unless transforms changed them: for formats that have
 * addresses. */
ProfileWeights *profile_export_without_inlined(ProfileWeights *weights);

/* export-syscap-told.c: marks, lines of logs and counters within the filter's time; of time off the
 * CPU a mark for each sample that passes. */
void profile_export_syscap_told(ProfileSyscapWriter *writer, const ProfileFilter *filter);

G_END_DECLS
