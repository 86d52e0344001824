/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What one epoch of one stream has defined so far, for checking that everything a sample leads to is there.
 * Hostile identifiers cost no more memory than the capture has bytes.
 */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-record-layout.h"

G_BEGIN_DECLS

typedef struct _CapturectlDefinitions CapturectlDefinitions;

CapturectlDefinitions *capturectl_definitions_new(void);
void capturectl_definitions_free(CapturectlDefinitions *self);

typedef enum {
  CAPTURECTL_DEFINED,
  CAPTURECTL_DEFINED_TWICE,
  CAPTURECTL_OUT_OF_RANGE, /* no writer comes to this identifier in so few bytes */
  CAPTURECTL_OUT_OF_ORDER  /* a node that does not come after what it stands on */
} CapturectlDefined;

/* Takes up a valid dictionary record, NAMED_BINARY or PLACE_FRAMES; others define nothing. bytes: dictionary
 * bytes so far. */
CapturectlDefined capturectl_definitions_add(CapturectlDefinitions *self, const struct capture_record *record,
                                             guint64 bytes);
/* Whether id and all that it leads to is defined by now. 0 (none) is. */
gboolean capturectl_definitions_is_whole(CapturectlDefinitions *self, enum capture_sort sort, guint32 id);
/* Whether all that a valid record refers to is defined by now. */
gboolean capturectl_definitions_has_all(CapturectlDefinitions *self, const struct capture_record *record);

G_END_DECLS
