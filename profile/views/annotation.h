/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The source of one function: which of its lines the samples of a filter were taken in, or lead through.
 * Lines are those of the stacks as they were recorded, whatever transforms made of these; samples that
 * transforms dropped count nowhere. Costs one pass over the nodes. Immutable, readable from any thread.
 *
 * A function may have lines in several files. What was inlined into it counts at the line that it was inlined
 * at; only of machine code made at run time nobody knows that line: there it is the inlined function's own.
 * Where the function was inlined itself its lines count likewise.
 */
#pragma once

#include "profile/capture/weights.h"

G_BEGIN_DECLS

/* A function that was inlined at a line: samples taken in it or in what was inlined into it, and those that
 * lead through it. */
typedef struct {
  const char *name;
  guint32 function; /* index; G_MAXUINT32: the program told its name alone */
  ProfileWeight self, total;
} ProfileAnnotationInlined;

/* self: samples taken at the line or in what was inlined there; those of a function that was inlined into
 * itself count at the innermost of its lines. total: samples that lead through the line, each counted once.
 */
typedef struct {
  guint32 line;
  guint32 first_inlined, n_inlined; /* see profile_annotation_get_inlined */
  ProfileWeight self, total;
} ProfileAnnotationLine;

typedef struct {
  const char *path; /* as debug information has it */
  guint32 first_line, n_lines;
  guint32 declared_line; /* where the function begins; 0: not known, or in another file */
  ProfileWeight self;    /* of its lines */
} ProfileAnnotationFile;

typedef struct _ProfileAnnotation ProfileAnnotation;

/* function: of the filter's stacks; what is no function of the capture's has no lines. The filter is copied.
 */
ProfileAnnotation *profile_annotation_new(const ProfileFilter *filter, guint32 function);
void profile_annotation_free(ProfileAnnotation *self);

/* Whose texts it refers to. */
ProfileCapture *profile_annotation_get_capture(const ProfileAnnotation *self);
/* Index of the binary that the function is in; G_MAXUINT32: of none. */
guint32 profile_annotation_get_binary(const ProfileAnnotation *self);
/* Most self first; then most of what leads through their lines. */
const ProfileAnnotationFile *profile_annotation_get_files(const ProfileAnnotation *self, gsize *n);
/* The n_lines lines of a file that samples lead through, ascending. */
const ProfileAnnotationLine *profile_annotation_get_lines(const ProfileAnnotation *self,
                                                          const ProfileAnnotationFile *file);
/* The n_inlined functions that were inlined at a line, most total first; NULL: none. */
const ProfileAnnotationInlined *profile_annotation_get_inlined(const ProfileAnnotation *self,
                                                               const ProfileAnnotationLine *line);
/* From the line on which the function begins, if it is known and in this file, to its last with samples. */
void profile_annotation_get_range(const ProfileAnnotation *self, const ProfileAnnotationFile *file,
                                  guint32 *ret_first, guint32 *ret_last);
/* Of the file, or of all of them where file is NULL: the line with most self, or of those that have the same,
 * most total. NULL: there is no line. */
const ProfileAnnotationLine *profile_annotation_get_hottest(const ProfileAnnotation *self,
                                                            const ProfileAnnotationFile *file);
/* Orders lines, the hottest first. */
int profile_annotation_compare_heat(const ProfileAnnotation *self, const ProfileAnnotationLine *a,
                                    const ProfileAnnotationLine *b);
/* All samples that count, whatever they were taken in. */
ProfileWeight profile_annotation_get_sum(const ProfileAnnotation *self);
/* Samples taken in the function or in what was inlined into it: the lines' self and what has no line; and
 * those that lead through it. */
ProfileWeight profile_annotation_get_self(const ProfileAnnotation *self);
ProfileWeight profile_annotation_get_total(const ProfileAnnotation *self);
/* The part of those of which no line is known. */
ProfileWeight profile_annotation_get_self_without_line(const ProfileAnnotation *self);
ProfileWeight profile_annotation_get_total_without_line(const ProfileAnnotation *self);
/* As profile_weights_measure: what lines are compared by. */
guint64 profile_annotation_measure(const ProfileAnnotation *self, ProfileWeight weight);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileAnnotation, profile_annotation_free)

G_END_DECLS
