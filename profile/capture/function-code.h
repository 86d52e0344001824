/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the machine code of one function is, and, once somebody decoded it (profile/naming/disassembler.h),
 * what it says. A function has several parts where several stretches of a binary have its name, as with what
 * the compiler split off, or where a runtime compiled it several times. Immutable after that, readable from
 * any thread. Reference counted.
 */
#pragma once

#include "profile/capture/capture.h"

struct code_instructions; /* code/code-instructions.h */

G_BEGIN_DECLS

typedef enum {
  PROFILE_CODE_DECODED,
  PROFILE_CODE_NOT_SOUGHT, /* nobody decoded it yet */
  PROFILE_CODE_NO_FILE,   /* the capture has no copy, and the file that was mapped is not here, or not ours */
  PROFILE_CODE_NO_KERNEL, /* likewise, and the kernel that was recorded does not run here or lets us not look
                           */
  PROFILE_CODE_NOT_TOLD,  /* it was made at run time, and its program kept no copy */
  PROFILE_CODE_TOO_LARGE, /* more than is decoded */
  PROFILE_CODE_NO_READER, /* capture-code-reader is not installed */
  PROFILE_CODE_FAILED     /* it could not be decoded */
} ProfileCodeStatus;

typedef struct {
  guint64 start, end; /* as in frames: file offsets; kernel addresses; addresses in the process of a code */
  guint32 binary;     /* index; G_MAXUINT32: the kernel, or none */
  guint32 code;       /* index of a code made at run time; G_MAXUINT32: none */
  ProfileCodeStatus status;
  struct code_instructions
      *instructions;             /* DECODED: of start to end, in its own addresses; else NULL. free() */
  ProfileFunctionTable *targets; /* names beside those of the capture, of what is called; NULL: none */
} ProfileCodePart;

typedef struct _ProfileFunctionCode ProfileFunctionCode;

/* The parts of a function of the capture that samples lead through, NOT_SOUGHT. None where it has no machine
 * code of its own, or nothing says where that begins: what is interpreted, what was inlined wherever samples
 * are, an address without a name. */
ProfileFunctionCode *profile_function_code_new(ProfileCapture *capture, guint32 function);
ProfileFunctionCode *profile_function_code_ref(ProfileFunctionCode *self);
void profile_function_code_unref(ProfileFunctionCode *self);
/* By start; of code made at run time, by time. Filled in by whoever decodes. */
ProfileCodePart *profile_function_code_get_parts(ProfileFunctionCode *self, guint *n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileFunctionCode, profile_function_code_unref)

G_END_DECLS
