/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Gives a recording that nobody has saved (recordings.h) a place that the person chooses. The widget
 * is a strip that is seen while that takes longer than a moment, with a button that gives it up. What is
 * under way when its window closes is done to the end.
 */
#pragma once

#include <adwaita.h>

#include "viewer/document/document.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SAVE (viewer_save_get_type())
G_DECLARE_FINAL_TYPE(ViewerSave, viewer_save, VIEWER, SAVE, AdwBin)

/* Asks for the place and moves the file there. The document and the list of recents follow it; the window
 * says with its action "win.toast" how it went. One after the other: until then it only rings. */
void viewer_save_ask(ViewerSave *self, ViewerDocument *document);

G_END_DECLS
