/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The machine code of one function: which of its instructions the samples of a filter were taken at, or lead
 * through. As with annotated source, stacks count as they were recorded, and samples that transforms dropped
 * count nowhere. Costs one pass over the nodes. Immutable, readable from any thread.
 *
 * A processor says where it was a little late: what took the time may be the instruction before.
 */
#pragma once

#include "profile/capture/function-code.h"
#include "profile/capture/weights.h"

G_BEGIN_DECLS

#define PROFILE_DISASSEMBLY_NOWHERE G_MAXUINT32

/* enum code_kind of code/code-instructions.h, which who draws need not include. */
typedef enum {
  PROFILE_INSTRUCTION_PLAIN,
  PROFILE_INSTRUCTION_JUMP,
  PROFILE_INSTRUCTION_CONDITIONAL_JUMP,
  PROFILE_INSTRUCTION_CALL,
  PROFILE_INSTRUCTION_RETURN
} ProfileInstructionKind;

typedef struct {
  guint64 address;  /* as objdump shows it: of the file, the kernel or the process */
  const char *text; /* "mov %rsp,%rbp" */
  guint size;       /* bytes */
  ProfileInstructionKind kind;
  guint32 jump;       /* the instruction of this function that it jumps to; or NOWHERE */
  const char *target; /* what it calls or jumps to outside of the part, "memcpy@plt" or "mix+0x10"; NULL: not
                         known, or nothing fixed */
  /* Where it comes from in the source, as far as that is known, which is of what was sampled. */
  const char *file;                /* NULL: not known */
  guint32 line;                    /* 0: not known */
  const ProfilePlaceFrame *frames; /* see profile_instruction_get_frame */
  const guint32 *numbers;          /* likewise */
  guint32 n_frames;                /* 0: not known, as of code made at run time */
  ProfileWeight self;              /* samples taken there */
  ProfileWeight total;             /* and, of a call, while what it called ran; each counted once */
} ProfileInstruction;

/* Frame i < n_frames, the innermost first: the functions that were inlined there, and the one that holds
 * them.
 */
static inline const ProfilePlaceFrame *profile_instruction_get_frame(const ProfileInstruction *self,
                                                                     guint32 i)
{
  return &self->frames[self->numbers[i]];
}

/* Instructions that follow one another. */
typedef struct {
  guint64 address;    /* of the first one; where there are none, where they would be: a file offset */
  guint64 length;     /* bytes */
  const char *binary; /* its file; NULL: none, as of the kernel and of code made at run time */
  ProfileCodeStatus status;
  guint32 first, n; /* instructions */
  guint64 time;     /* of code made at run time: since when it stood there; else 0 */
} ProfileDisassemblyPart;

/* Whether both come from the same line, inlined as deep, the innermost function there being the same. */
gboolean profile_instruction_has_same_place(const ProfileInstruction *a, const ProfileInstruction *b);

/* Inside the function, as numbers of instructions; forwards or backwards. */
typedef struct {
  guint32 from, to;
} ProfileJump;

typedef struct _ProfileDisassembly ProfileDisassembly;

/* function: of the filter's stacks; what is no function of the capture's has no instructions. code: of that
 * function, decoded; not kept. */
ProfileDisassembly *profile_disassembly_new(const ProfileFilter *filter, guint32 function,
                                            ProfileFunctionCode *code);
void profile_disassembly_free(ProfileDisassembly *self);

/* In the order of the parts, by address inside them. */
const ProfileInstruction *profile_disassembly_get_instructions(const ProfileDisassembly *self, guint32 *n);
const ProfileDisassemblyPart *profile_disassembly_get_parts(const ProfileDisassembly *self, guint *n);
/* By where they begin. */
const ProfileJump *profile_disassembly_get_jumps(const ProfileDisassembly *self, guint32 *n);
/* Most self, or where all have the same, most total; NOWHERE: no instruction was sampled. */
guint32 profile_disassembly_find_hottest(const ProfileDisassembly *self);

/* All samples that count, whatever they were taken in; those taken in the function's own machine code, with
 * what was inlined there; and those that lead through it. */
ProfileWeight profile_disassembly_get_sum(const ProfileDisassembly *self);
ProfileWeight profile_disassembly_get_self(const ProfileDisassembly *self);
ProfileWeight profile_disassembly_get_total(const ProfileDisassembly *self);
/* The part of self that was taken at no instruction that is shown. */
ProfileWeight profile_disassembly_get_self_elsewhere(const ProfileDisassembly *self);
/* As profile_weights_measure: what instructions are compared by. */
guint64 profile_disassembly_measure(const ProfileDisassembly *self, ProfileWeight weight);
/* A sentence, translated: why a part has no instructions, and what helps; or, with part NULL, why there are
 * no parts. NULL: nothing is missing. Free it. */
char *profile_disassembly_explain(const ProfileDisassembly *self, const ProfileDisassemblyPart *part);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileDisassembly, profile_disassembly_free)

G_END_DECLS
