/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A report: what a filter left of a capture, as lists, trees and numbers for people to read. `capturectl
 * report` prints it, the viewer exports it. A plain value; its functions may be called from any thread of a
 * loaded capture.
 */
#pragma once

#include "profile/views/rows.h"
#include "profile/views/tree.h"

G_BEGIN_DECLS

typedef enum {
  PROFILE_REPORT_FUNCTION,
  PROFILE_REPORT_BINARY,
  PROFILE_REPORT_THREAD,
  PROFILE_REPORT_PROCESS,
  PROFILE_REPORT_EVENT,
  PROFILE_REPORT_WAIT, /* events of time off the CPU only, as the next */
  PROFILE_REPORT_WAKER,
  PROFILE_REPORT_MARK, /* times and threads of the filter choose them */
  PROFILE_REPORT_LINE, /* of source: the filter's stacks are those of profile_stacks_new_by_source; as the
                          next */
  PROFILE_REPORT_FILE
} ProfileReportBy;

typedef enum {
  PROFILE_REPORT_LIST, /* no tree: rows */
  PROFILE_REPORT_TOP_DOWN,
  PROFILE_REPORT_BOTTOM_UP,
  PROFILE_REPORT_CALLERS,
  PROFILE_REPORT_CALLEES
} ProfileReportTree;

/* Nothing in it is the report's own. */
typedef struct {
  const char *path; /* of the capture, for people: printed as it is */
  const ProfileFilter *filter;
  gboolean one_event;      /* the filter's event only; else all that have samples, one after the other */
  ProfileReportBy by;      /* what rows stand for; FUNCTION, LINE or FILE where there is a tree */
  ProfileReportTree tree;  /* what is shown in place of rows */
  const char *function;    /* of CALLERS and CALLEES: its name, see profile/views/function-name.h */
  gboolean fold_templates; /* profile_function_name_fold in text */
  double limit; /* percent of the samples below which something is left out; negative: as it suits the
        view, 0.5 in trees and 0.05 in lists */
} ProfileReport;

/*
 * The report as text: what the capture is, then for each event the list or the tree. Lines of trees are drawn
 * in the character set of the locale. Blocks; the stream is neither buffered nor closed. On failure a part
 * may have been written; the error is the stream's, G_IO_ERROR_CANCELLED, or G_IO_ERROR_NOT_FOUND with a
 * whole sentence where the function is in no stack of an event, before anything was written.
 */
gboolean profile_report_write(const ProfileReport *self, GOutputStream *stream, GCancellable *cancellable,
                              GError **error);

/* What it consists of. */

ProfileCapture *profile_report_get_capture(const ProfileReport *self);
ProfileStacks *profile_report_get_stacks(const ProfileReport *self);
/* The events that are shown, in the order of the capture, those with samples only (all when none has any).
 * Elements are guint. */
GArray *profile_report_get_events(const ProfileReport *self);
/* The filter's weights for one event. */
ProfileWeights *profile_report_get_weights(const ProfileReport *self, guint event);
ProfileRows *profile_report_get_rows(const ProfileReport *self, ProfileWeights *weights);
/* Not for LIST. NULL: G_IO_ERROR_NOT_FOUND, a whole sentence. */
ProfileTree *profile_report_get_tree(const ProfileReport *self, ProfileWeights *weights, GError **error);
/* The least that a tree node or row of these weights must have to be shown, by profile_weights_measure. */
guint64 profile_report_get_limit(const ProfileReport *self, ProfileWeights *weights);
/* Whether rows stand for functions, or for what takes their place. */
gboolean profile_report_is_of_functions(const ProfileReport *self);
/* Whether rows stand for something that only time off the CPU has. */
gboolean profile_report_is_of_waits(const ProfileReport *self);
/* Whether rows are of one event each; not where they are events, or marks. */
gboolean profile_report_is_of_samples(const ProfileReport *self);
/* Whether an item is the index of a thread. */
gboolean profile_report_is_of_threads(const ProfileReport *self);
/* Name and place of a row; the binary is NULL where that makes no sense. */
const char *profile_report_get_row_name(const ProfileReport *self, guint32 item);
const char *profile_report_get_row_binary(const ProfileReport *self, guint32 item);

/* How it is written, for texts that look like it: a line "Command   ls -l", made printable; the lines above
 * all tables, and those above the tables of an event. */
void profile_report_append_fact(GString *out, const char *what, const char *value);
void profile_report_append_head(const ProfileReport *self, const GArray *events, GString *out);
void profile_report_append_event_head(const ProfileWeights *weights, GString *out);
/* The text, made printable, as a line. */
void profile_report_append_line(GString *out, const char *text);
/* At the right of a column of so many characters, behind a blank in any case. */
void profile_report_append_cell(GString *out, const char *text, glong wanted);
/* " 12.34%", in a column of PROFILE_REPORT_SHARE_WIDTH. */
#define PROFILE_REPORT_SHARE_WIDTH 8
void profile_report_append_share(GString *out, guint64 part, guint64 whole);

/* Goes through the nodes that have at least `limit` (by profile_weights_measure), parents before children,
 * and leaves each after its children. enter returns false to leave out what is below; leave may be NULL. No
 * recursion, however deep the tree. */
typedef struct {
  gboolean (*enter)(ProfileTree *tree, guint32 node, gboolean first, gboolean last, gpointer data);
  void (*leave)(ProfileTree *tree, guint32 node, gpointer data);
} ProfileReportVisitor;
void profile_report_walk(ProfileTree *tree, guint64 limit, const ProfileReportVisitor *visitor,
                         gpointer data);

G_END_DECLS
