/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tables of the page of marks show, and their columns. */
#pragma once

#include "viewer/table/list.h"

#include "profile/views/mark-rows.h"
#include "profile/views/told-list.h"

G_BEGIN_DECLS

/* Made in a thread; what it points to is the capture's. */
typedef struct {
  ProfileCapture *capture;
  guint64 begin; /* of the recording */
  ProfileMarkRows *rows;
  GArray *shown; /* guint32: the rows that hold what is searched for */
  ProfileToldList *told;
  guint rows_turn;       /* rows of one turn are the same */
  gboolean has_messages; /* any mark of the capture, shown or not */
} ViewerMarks;

void viewer_marks_free(ViewerMarks *marks);
/* Of a ViewerTableItem in the table of that sort. */
const ProfileMarkRow *viewer_marks_get_row(const ViewerMarks *marks, gpointer item);
const ProfileMark *viewer_marks_get_mark(const ViewerMarks *marks, gpointer item);
const ProfileLogLine *viewer_marks_get_line(const ViewerMarks *marks, gpointer item);
/* "category: name". Free it. */
char *viewer_marks_format_name(const char *category, const char *name);

/* marks: where the one that is shown stands; tables are empty while there is none. */
void viewer_marks_add_row_columns(ViewerList *view, ViewerMarks **marks);
void viewer_marks_add_mark_columns(ViewerList *view, ViewerMarks **marks);
/* Whether the table of marks has a column of messages. */
void viewer_marks_show_messages(ViewerList *view, gboolean shown);
void viewer_marks_add_log_columns(ViewerList *view, ViewerMarks **marks);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerMarks, viewer_marks_free)

G_END_DECLS
