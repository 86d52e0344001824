/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The text of a file, with what its lines cost beside it, and a strip of heat at its scroll bar. Main thread
 * only.
 *
 * Signals:
 *   "moved"      another line is the current one: the cursor is there
 *   "activated"  the Enter key was pressed on the current line
 *   "found"      viewer_source_text_get_n_found is another
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/source/source.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_SOURCE_TEXT (viewer_source_text_get_type())
G_DECLARE_FINAL_TYPE(ViewerSourceText, viewer_source_text, VIEWER, SOURCE_TEXT, GtkWidget)

/* Shows a source that has text, and keeps it borrowed until it shows another one; NULL: none. Where the text
 * is that of before, nothing moves. */
void viewer_source_text_show(ViewerSourceText *self, const ViewerSource *source);
/* Counted from 1. */
guint32 viewer_source_text_get_line(ViewerSourceText *self);
/* Makes a line the current one and scrolls it into sight; of lines that are not there, the last. */
void viewer_source_text_go_to(ViewerSourceText *self, guint32 line);
/* What a screen reader says of the current line beside its text. */
void viewer_source_text_describe(ViewerSourceText *self, const char *description);
/* Below what the menu of a text has anyway. */
void viewer_source_text_set_menu(ViewerSourceText *self, GMenuModel *menu);
/* The selected text goes to the clipboard. FALSE: none is. */
gboolean viewer_source_text_copy(ViewerSourceText *self);
/* Whether the view of the text has the focus. */
gboolean viewer_source_text_has_focus(ViewerSourceText *self);
/* Looks for it in the text; NULL or "": for nothing. */
void viewer_source_text_find(ViewerSourceText *self, const char *text);
/* How often it stands there; negative: that is not known yet. */
int viewer_source_text_get_n_found(ViewerSourceText *self);
/* Goes to the next (direction 1) or previous (-1) place. FALSE: there is none. */
gboolean viewer_source_text_next_match(ViewerSourceText *self, int direction);

G_END_DECLS
