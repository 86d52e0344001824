/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `report` shows, and how its parts work together. */
#pragma once

#include "profile/profile-mark-rows.h"
#include "profile/profile-rows.h"
#include "profile/profile-tree.h"

G_BEGIN_DECLS

typedef enum {
  CAPTURECTL_REPORT_FUNCTION,
  CAPTURECTL_REPORT_BINARY,
  CAPTURECTL_REPORT_THREAD,
  CAPTURECTL_REPORT_PROCESS,
  CAPTURECTL_REPORT_EVENT,
  CAPTURECTL_REPORT_WAIT, /* events of time off the CPU only, as the next */
  CAPTURECTL_REPORT_WAKER,
  CAPTURECTL_REPORT_MARK
} CapturectlReportBy;

typedef struct {
  ProfileCapture *capture;
  const char *path;
  ProfileFilter *filter;
  ProfileStacks *stacks; /* the filter's */
  gboolean one_event;    /* -e was given: the filter's event only */
  CapturectlReportBy by;
  gboolean tree;       /* also when callers or callees is set */
  const char *callers; /* name of a function, or NULL */
  const char *callees;
  double limit; /* percent of the samples; negative: as it suits the view */
} CapturectlReport;

/* Buffered text for standard output. */
typedef struct {
  GString *text;
} CapturectlOutput;

/* Begin and end of output; flush writes what is there when it is much. */
void capturectl_output_init(CapturectlOutput *output);
void capturectl_output_flush(CapturectlOutput *output);
/* Prints what is left, or drops it after a failure. */
void capturectl_output_finish(CapturectlOutput *output, gboolean print);

/* Print the whole report. 0, or an exit status after having said what is wrong. */
int capturectl_report_text(const CapturectlReport *report);
int capturectl_report_json(const CapturectlReport *report);

/* The rows of marks, as text. */
void capturectl_report_marks_text(const CapturectlReport *report, CapturectlOutput *output);

/* The events that are shown, in the order of the capture, those with samples only (all when none has any).
 * Elements are guint. */
GArray *capturectl_report_get_events(const CapturectlReport *report);
/* The filter's weights for one event. */
ProfileWeights *capturectl_report_get_weights(const CapturectlReport *report, guint event);
/* The tree that is asked for; NULL after having said that there is no such function. */
ProfileTree *capturectl_report_get_tree(const CapturectlReport *report, ProfileWeights *weights);
/* The least that a tree node or row of these weights must have to be shown, by profile_weights_measure. */
guint64 capturectl_report_get_limit(const CapturectlReport *report, ProfileWeights *weights,
                                    double otherwise);
/* What by is called: "function" … */
const char *capturectl_report_get_by_name(CapturectlReportBy by);
/* Whether rows stand for something that only time off the CPU has. */
gboolean capturectl_report_is_of_waits(const CapturectlReport *report);
/* Whether rows are of one event each; not where they are events, or marks. */
gboolean capturectl_report_is_of_samples(const CapturectlReport *report);
/* Whether an item is the index of a thread. */
gboolean capturectl_report_is_of_threads(const CapturectlReport *report);
ProfileRowsBy capturectl_report_get_rows_by(CapturectlReportBy by);
/* Name and place of a row; the binary is NULL where that makes no sense. */
const char *capturectl_report_get_row_name(const CapturectlReport *report, guint32 item);
const char *capturectl_report_get_row_binary(const CapturectlReport *report, guint32 item);

/* Goes through the nodes that have at least `limit` (by profile_weights_measure), parents before children,
 * and leaves each after its children. enter returns false to leave out what is below. No recursion, however
 * deep the tree. */
typedef struct {
  gboolean (*enter)(ProfileTree *tree, guint32 node, gboolean first, gboolean last, gpointer data);
  void (*leave)(ProfileTree *tree, guint32 node, gpointer data);
} CapturectlTreeVisitor;
void capturectl_report_walk(ProfileTree *tree, guint64 limit, const CapturectlTreeVisitor *visitor,
                            gpointer data);

G_END_DECLS
