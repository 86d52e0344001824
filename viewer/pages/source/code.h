/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the page of source shows of a function's machine code: rows of instructions, with the lines that they
 * come from in between. Made in a thread, then immutable.
 */
#pragma once

#include "profile/views/disassembly.h"
#include "viewer/pages/source/source.h"

G_BEGIN_DECLS

enum { VIEWER_CODE_LANES = 8 };

/* Jumps are drawn in lanes, bits of which 1 is next to the instructions: those that come from above to the
 * middle of the row, that go on from there to below, and which of them begin and end there. */
typedef struct {
  guint8 above, below, leaving, arriving;
} ViewerCodeLanes;

typedef struct {
  guint32 instruction; /* of a title: the first one below it */
  char *title;         /* NULL: the row is an instruction */
  ViewerCodeLanes lanes;
} ViewerCodeRow;

typedef struct {
  ProfileStacks *stacks;
  guint32 function;
  ProfileFunctionCode *code;
  ProfileDisassembly *disassembly;
  const ProfileInstruction *instructions;
  guint32 n_instructions;
  guint32 hottest; /* of them; PROFILE_DISASSEMBLY_NOWHERE: no instruction was sampled */
  ViewerCodeRow *rows;
  guint32 n_rows;
  char *notice; /* what is missing, and what helps; NULL: nothing is */
} ViewerCode;

/* Code that was made, or NULL, helps with a request: what another filter shows of the same function need not
 * be decoded again. */
void viewer_code_help(const ViewerCode *self, ViewerSourceRequest *request);
/* request: a ViewerSourceRequest, whose path says nothing. Blocks. */
gpointer viewer_code_new(gpointer request);
void viewer_code_free(gpointer code);

/* The row of an instruction. */
guint32 viewer_code_get_row(const ViewerCode *self, guint32 instruction);
/* The line of that file that an instruction comes from or was inlined into; 0: none. */
guint32 viewer_code_get_line(const ViewerCode *self, guint32 instruction, const char *file);
/* The instruction of a line with most self; PROFILE_DISASSEMBLY_NOWHERE: it has none. */
guint32 viewer_code_find(const ViewerCode *self, const char *file, guint32 line);
/* Beside the hottest instruction: 0 … 1. */
double viewer_code_get_heat(const ViewerCode *self, guint32 instruction);
/* As a share of all samples that count; "" for none. Free it. */
char *viewer_code_format_share(const ViewerCode *self, ProfileWeight weight);
/* With what it calls. Free it. */
char *viewer_code_format(const ViewerCode *self, guint32 instruction);
/* The function that an instruction calls or jumps to; G_MAXUINT32: it is not among those that were sampled.
 */
guint32 viewer_code_find_target(const ViewerCode *self, guint32 instruction);

G_END_DECLS
