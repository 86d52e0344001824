/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A capture that is looked at: loads it away from the main thread, shows it before its names are there,
 * replaces it by the named one, follows one that grows; and keeps what all pages share: the query, the
 * weights that follow from it, the selection. Main thread only.
 *
 * Signals, none with arguments:
 *   "state-changed"     get_state, get_error
 *   "progress-changed"  get_progress, get_activity
 *   "capture-changed"   get_capture: loaded, named or grown. Indices are other ones then, see
 *                       profile/capture/translate.h; query and selection are translated, weights change
 *   "weights-changed"   get_weights: of the query as it was when this was begun; while one drags some
 *                       queries have none
 *   "selection-changed" get_selection
 *   "file-changed"      get_file, get_title: what is shown stands elsewhere now
 */
#pragma once

#include <gio/gio.h>

#include "profile/capture/weights.h"
#include "viewer/document/query.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_DOCUMENT (viewer_document_get_type())
G_DECLARE_FINAL_TYPE(ViewerDocument, viewer_document, VIEWER, DOCUMENT, GObject)

typedef enum {
  VIEWER_DOCUMENT_LOADING, /* no capture yet */
  VIEWER_DOCUMENT_NAMING,  /* usable; names are looked up, then lines and inlined functions */
  VIEWER_DOCUMENT_GROWING, /* usable; follows a recording that goes on */
  VIEWER_DOCUMENT_READY,
  VIEWER_DOCUMENT_FAILED /* get_error says why */
} ViewerDocumentState;

/* A capture; or a recording of perf or of Sysprof, which is imported into a temporary capture first. Nothing
 * is read before `open`. */
ViewerDocument *viewer_document_new(GFile *file);
void viewer_document_open(ViewerDocument *self);
/* Follows the file until `open` is called, which reads it for the last time, names and all. */
void viewer_document_follow(ViewerDocument *self);
/* Stops what is under way; what is there stays. What was being opened has failed then, with
 * G_IO_ERROR_CANCELLED. */
void viewer_document_cancel(ViewerDocument *self);

/* Shows a capture in place of `from`, which has more names than that; unless another one came meanwhile. */
void viewer_document_take_named(ViewerDocument *self, ProfileCapture *from, ProfileCapture *named);

GFile *viewer_document_get_file(ViewerDocument *self);
/* The same file stands there now. */
void viewer_document_set_file(ViewerDocument *self, GFile *file);
/* For a title: what was recorded, else the file's name. */
const char *viewer_document_get_title(ViewerDocument *self);
ViewerDocumentState viewer_document_get_state(ViewerDocument *self);
const GError *viewer_document_get_error(ViewerDocument *self);
/* 0 … 1, or negative when it is not known how long it will take. */
double viewer_document_get_progress(ViewerDocument *self);
/* What is being done, "Naming libc.so.6"; NULL when nothing is. */
const char *viewer_document_get_activity(ViewerDocument *self);

/* NULL while there is none. Borrowed: take a reference to keep it. */
ProfileCapture *viewer_document_get_capture(ViewerDocument *self);
ProfileWeights *viewer_document_get_weights(ViewerDocument *self);
/* A bit (1 << ProfileKind) for each kind of function in their stacks. */
guint viewer_document_get_kinds(ViewerDocument *self);
ViewerQuery *viewer_document_get_query(ViewerDocument *self);

/* The selected frame as the path of functions that leads to it from the outermost one; n 0: none is. Pages
 * that show functions select the one that comes last. */
void viewer_document_select(ViewerDocument *self, const guint32 *path, guint n);
const guint32 *viewer_document_get_selection(ViewerDocument *self, guint *ret_n);

G_END_DECLS
