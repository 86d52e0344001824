/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What tracks there are of a kind, what they look like and what they say in words: a table of functions. A
 * new kind is a file track-KIND.c with its table viewer_track_KIND, and its name in VIEWER_TRACK_KINDS. Areas
 * and places are in the canvas's coordinates, where the axis begins at 0. Main thread only.
 */
#pragma once

#include <gtk/gtk.h>

#include "viewer/pages/timeline/timeline-data.h"
#include "viewer/pages/timeline/track.h"

G_BEGIN_DECLS

/* In the order in which those of a process stand below it. */
#define VIEWER_TRACK_KINDS(KIND) KIND(machine) KIND(process) KIND(marks) KIND(counter) KIND(thread)

/* A track that stands by itself, and what belongs to it. */
typedef struct {
  const ViewerTrackKind *head; /* viewer_track_machine or viewer_track_process */
  ProfileCapture *capture;
  const ViewerTimelineWhole *whole;
  guint32 process;        /* index; of the machine 0 */
  const guint32 *threads; /* indices of its threads with samples */
  guint n_threads;
  const GArray *counters; /* guint32: indices of its counters that ever moved; NULL: none */
} ViewerTrackFamily;

struct _ViewerTrackKind {
  gboolean is_head;    /* they stand by themselves */
  gboolean is_notable; /* a process that has some is expanded from the beginning */
  gboolean one_line;   /* no room for the detail below the title */
  /* Appends the indices of the family's, in their order; of a head one. */
  void (*find)(const ViewerTrackFamily *family, GArray *indices);
  /* Sets the track's texts. */
  void (*name)(const ViewerTrackFamily *family, ViewerTrack *track);
  int height; /* 0: get_height says it */
  int (*get_height)(const ViewerTimelineScene *scene, guint32 index);
  void (*draw)(const ViewerTimelineScene *scene, guint32 index, GtkWidget *widget, GtkSnapshot *snapshot,
               const graphene_rect_t *area);
  /* As viewer_track_describe_place, as viewer_track_describe. */
  char *(*describe_place)(const ViewerTimelineScene *scene, guint32 index, double x, double y);
  char *(*describe)(const ViewerTimelineScene *scene, guint32 index);
  /* The index of the process that it is of. NULL: of none. */
  guint32 (*get_process)(ProfileCapture *capture, guint32 index);
};

#define VIEWER_TRACK_DECLARE(kind) extern const ViewerTrackKind viewer_track_##kind;
VIEWER_TRACK_KINDS(VIEWER_TRACK_DECLARE)
#undef VIEWER_TRACK_DECLARE

/* The n-th of them; NULL: there are no more. */
const ViewerTrackKind *viewer_track_kind_get(guint n);

int viewer_track_get_height(const ViewerTimelineScene *scene, ViewerTrack *track);
void viewer_track_draw(const ViewerTimelineScene *scene, ViewerTrack *track, GtkWidget *widget,
                       GtkSnapshot *snapshot, const graphene_rect_t *area);
/* What stands at a place, for a tooltip: "1.23 s\n42 % CPU". NULL: nothing. Free it. */
char *viewer_track_describe_place(const ViewerTimelineScene *scene, ViewerTrack *track, double x, double y);
/* What the track shows of the span on the axis: "42 % CPU on average". NULL: nothing yet. Free it. */
char *viewer_track_describe(const ViewerTimelineScene *scene, ViewerTrack *track);

G_END_DECLS
