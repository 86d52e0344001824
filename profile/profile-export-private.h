/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What exporters share. */
#pragma once

#include "profile/profile-export.h"
#include "profile/profile-tree.h"

G_BEGIN_DECLS

/* A place in a walk. */
typedef struct {
  guint32 node;  /* tree node */
  guint64 begin; /* samples to the left of it: of earlier siblings, of its parent and so on */
} ProfileExportPlace;

/* False (with error set) ends the walk. node is valid during the call. */
typedef gboolean (*ProfileExportVisitFunc)(const ProfileExportPlace *place, const ProfileTreeNode *node,
                                           gpointer data, GError **error);

/* Visits the root and every node of at least `limit` samples, parents first, siblings heaviest first; equally
 * heavy ones by name and binary, so that the order is the same for every load. False when cancelled or
 * stopped. */
gboolean profile_export_walk(ProfileCapture *capture, ProfileTree *tree, guint64 limit,
                             ProfileExportVisitFunc visit, gpointer data, GCancellable *cancellable,
                             GError **error);

/* Writes text to the stream and empties it once it has grown; `all`: in any case. */
gboolean profile_export_flush(GString *text, gboolean all, GOutputStream *stream, GCancellable *cancellable,
                              GError **error);

G_END_DECLS
