/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of `annotate` share. */
#pragma once

#include <json-glib/json-glib.h>

#include "capturectl/capturectl-sources.h"
#include "profile/report/report.h"
#include "profile/views/annotation.h"
#include "profile/views/disassembly.h"

G_BEGIN_DECLS

/* What is shown. Nothing in it is its own. */
typedef struct {
  const ProfileReport *report; /* for what stands above it: path, filter and event */
  ProfileWeights *weights;     /* of the one event */
  const char *wanted;          /* the function's name as it was given */
  guint32 function;            /* index, of the filter's stacks */
  const GArray *others;        /* ProfileRow: other functions that were as much asked for */
  const ProfileAnnotation *annotation;
  const ProfileDisassembly *disassembly; /* NULL: machine code is not asked for */
  CapturectlSources *sources;            /* of the function's files */
  gboolean source;                       /* is asked for */
  gboolean all;                          /* of each file the function's whole range */
} CapturectlAnnotate;

/* Lines of a file, from one to the last. */
typedef struct {
  guint32 first, last;
} CapturectlAnnotateRange;

/* From the line on which the function begins, if it is known and in this file, to its last with samples. */
CapturectlAnnotateRange capturectl_annotate_get_range(const CapturectlAnnotate *self,
                                                      const ProfileAnnotationFile *file);

/* Print everything. */
void capturectl_annotate_text(const CapturectlAnnotate *self);
void capturectl_annotate_json(const CapturectlAnnotate *self);
/* The part of it that is machine code: as text, or as a member of the object that is open. */
void capturectl_annotate_code(const CapturectlAnnotate *self);
void capturectl_annotate_code_json(const CapturectlAnnotate *self, JsonBuilder *builder);

G_END_DECLS
