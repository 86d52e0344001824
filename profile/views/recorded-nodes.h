/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a filter's samples weigh in the nodes of the capture, as its stacks were recorded: what views of lines
 * and instructions walk. */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

typedef struct {
  ProfileCapture *capture;       /* borrowed from the filter */
  ProfileWeight *selfs, *totals; /* one a node; without samples that transforms dropped */
} ProfileRecordedNodes;

/* One pass over the samples and one over the nodes. */
void profile_recorded_nodes_init(ProfileRecordedNodes *self, const ProfileFilter *filter);
void profile_recorded_nodes_clear(ProfileRecordedNodes *self);

typedef void (*ProfileNodeFunc)(guint32 node, gpointer data);
/* Enters each node that samples lead through but the root, depth first, and leaves it when its children are
 * done. */
void profile_recorded_nodes_walk(const ProfileRecordedNodes *self, ProfileNodeFunc enter,
                                 ProfileNodeFunc leave, gpointer data);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(ProfileRecordedNodes, profile_recorded_nodes_clear)

G_END_DECLS
