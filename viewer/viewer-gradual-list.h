/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The beginning of another list, which grows a little a frame until it is the whole: a view makes the widgets
 * of some two hundred rows at once, though one sees fewer, and that takes longer than a frame. Once it has
 * them it uses them again, and the list is always the whole.
 *
 * Signals, besides "items-changed", without arguments:
 *   "behind"  it is not the whole now: call viewer_gradual_list_grow once a frame
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define VIEWER_TYPE_GRADUAL_LIST (viewer_gradual_list_get_type())
G_DECLARE_FINAL_TYPE(ViewerGradualList, viewer_gradual_list, VIEWER, GRADUAL_LIST, GObject)

ViewerGradualList *viewer_gradual_list_new(GListModel *whole);
/* Borrowed. */
GListModel *viewer_gradual_list_get_whole(ViewerGradualList *self);
/* From now on rows that go from the end of the whole go a few a frame, too: to take their widgets down also
 * takes a while. Meanwhile they keep their items, or have new ones of the whole's type of item, made without
 * properties, which must be fit to be shown as nothing. */
void viewer_gradual_list_linger(ViewerGradualList *self);
/* Adds some rows, or takes some that linger. FALSE: it is the whole. */
gboolean viewer_gradual_list_grow(ViewerGradualList *self);
/* Has the row at that position from now on, if there is one. */
void viewer_gradual_list_reach(ViewerGradualList *self, guint position);
/* The row at that position, which is selected, is one that must not be lost when others come in before it;
 * G_MAXUINT: there is none. */
void viewer_gradual_list_keep(ViewerGradualList *self, guint position);

G_END_DECLS
