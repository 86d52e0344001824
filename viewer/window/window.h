/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A window: shows the start page, a recording that goes on, or a document on pages.
 *
 * Actions that every widget in it may activate (gtk_widget_activate_action):
 *   "win.open"             asks for a file and opens it
 *   "win.open-file"  (s)   opens the file with that URI
 *   "win.new-recording"    shows the start page; in a window of its own when this one shows something
 *   "win.record-again" (s) records as the document was: "same", or "waiting" with time off the CPU; asks what
 *                          to record where it was not recorded by this window
 *   "win.show-page"  (s)   shows the page of that name: "flame", "tree", "health" …
 *   "win.leave-page"       shows the page that was shown before one of a selection alone
 *   "win.sidebar"          opens the list of pages where it is not in sight, and closes it
 *   "win.toast"      (s)   says something in passing
 *   "win.search"           puts the focus into the search entry
 *   "win.find"       (s)   searches for that text
 *   "win.undo", "win.redo" takes back a step of the query, takes it again
 *   "win.export"           asks how to export what is shown, and where to
 *   "win.copy"             what the page has for the clipboard
 *
 * Between the start page, the recording and the document the window expects:
 *   ViewerStartPage   emits "record" (gpointer: const RecordingOptions *) when a recording shall begin
 *   ViewerRecordPage  viewer_record_page_start (page, options) begins it; emits "finished" (GFile *) when
 *                     there is a capture to show, and "discarded" when there is none. A recording that
 *                     failed is explained by the page itself
 */
#pragma once

#include <adwaita.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_WINDOW (viewer_window_get_type())
G_DECLARE_FINAL_TYPE(ViewerWindow, viewer_window, VIEWER, WINDOW, AdwApplicationWindow)

ViewerWindow *viewer_window_new(AdwApplication *application);

/* Whether a file that is opened may replace what it shows: the start page, or a file that failed. */
gboolean viewer_window_is_free(ViewerWindow *self);
/* Shows a document that is being opened in place of whatever is there. */
void viewer_window_show_document(ViewerWindow *self, ViewerDocument *document);
/* NULL while it shows none. */
ViewerDocument *viewer_window_get_document(ViewerWindow *self);
void viewer_window_toast(ViewerWindow *self, const char *text);

G_END_DECLS
