/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the page of source shows of one function: its lines with their costs, and the text of one of its
 * files. Made in a thread, then immutable.
 */
#pragma once

#include "profile/base/source-file.h"
#include "profile/capture/function-code.h"
#include "profile/views/annotation.h"
#include "viewer/pages/source/source-fetcher.h"

G_BEGIN_DECLS

typedef struct {
  ProfileFilter *filter;
  guint32 function;
  ProfileAnnotation *annotation;
  const ProfileAnnotationFile *files; /* most self first */
  gsize n_files;
  const ProfileAnnotationFile *file; /* the one that is shown; NULL: no line is known */
  ProfileSourceFile *source;         /* NULL: likewise */
  char *text; /* of the file, with as many paragraphs as it has lines; NULL: not read */
  guint32 n_lines;
  const ProfileAnnotationLine **ranked; /* n_ranked lines of the file, the hottest first */
  guint n_ranked;
  char *notice;          /* what is to be known of the text, or why there is none; NULL: nothing */
  gboolean is_missing;   /* nobody knows where the file is: a folder can be said */
  gboolean is_fetchable; /* likewise: a server may have it */
  guint32 binary;        /* for the fetcher, with the file's path */
  ViewerSourceFetcher *fetcher;
} ViewerSource;

/* What a thread needs for it, or for machine code. */
typedef struct {
  ProfileFilter *filter;
  guint32 function, binary; /* binary: index; G_MAXUINT32: the function is in none */
  char *path;
  GArray *maps;                 /* ProfilePathMap */
  ViewerSourceFetcher *fetcher; /* whose texts are taken, too */
  ProfileFunctionCode *code;    /* of the function, decoded before; NULL: not yet */
} ViewerSourceRequest;

/* filter: of the weights that are shown; copied. path: of the file that is wanted, NULL or one that the
 * function has no lines of: the first. maps is taken over. */
ViewerSourceRequest *viewer_source_request_new(const ProfileFilter *filter, guint32 function,
                                               const char *path, GArray *maps, ViewerSourceFetcher *fetcher);
void viewer_source_request_free(gpointer request);
/* The text of a file of the function, by the path that debug information has; see
 * profile_capture_open_source. */
ProfileSourceFile *viewer_source_request_open(const ViewerSourceRequest *request, const char *path);
/* Blocks. */
gpointer viewer_source_new(gpointer request);
void viewer_source_free(gpointer source);

/* The cost of a line of the file; NULL: it has none. */
const ProfileAnnotationLine *viewer_source_get_line(const ViewerSource *self, guint32 line);
/* How hot something is, beside the hottest line of the file: 0 … 1. */
double viewer_source_get_heat(const ViewerSource *self, ProfileWeight weight);
/* As a share of all samples that count. Free it. */
char *viewer_source_format_share(const ViewerSource *self, ProfileWeight weight);
/* The same as a number, 0 … 1. */
double viewer_source_get_share(const ViewerSource *self, ProfileWeight weight);
/* Without its blanks at the beginning, fit to be shown; "" where there is no text. Free it. */
char *viewer_source_get_code(const ViewerSource *self, guint32 line);

G_END_DECLS
