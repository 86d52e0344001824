/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A page of what programs said of themselves: marks by name with how often and how long, each mark and each
 * line of logs in the order of time. Choosing a name shows its marks alone; activating a mark makes its span
 * the query's preview.
 */
#pragma once

#include "viewer/document/page.h"

G_BEGIN_DECLS

#define VIEWER_TYPE_MARKS_PAGE (viewer_marks_page_get_type())
G_DECLARE_FINAL_TYPE(ViewerMarksPage, viewer_marks_page, VIEWER, MARKS_PAGE, GtkWidget)

GtkWidget *viewer_marks_page_new(void);

G_END_DECLS
