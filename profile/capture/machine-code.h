/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Copies of machine code of one binary, or of the kernel, by file offset or kernel address: what a capture
 * brings along, to be decoded where the binary is not. Built once, then immutable and readable from any
 * thread. Reference counted.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* More of one function is not kept. */
#define PROFILE_MACHINE_CODE_MAX (256u << 10)

/* Code that stands together, beginning where an instruction does. */
typedef struct {
  guint64 start, end; /* file offsets; kernel addresses for the kernel */
  guint64 address;    /* of start, as the binary's segments have it */
  guint32 machine;    /* EM_… */
  GBytes *bytes;      /* end - start of them count; there may be more */
} ProfileCodeCopy;

typedef struct _ProfileMachineCode ProfileMachineCode;

ProfileMachineCode *profile_machine_code_new(void);
/* Adds in any order; what is empty, or goes beyond the last address, is left out. */
void profile_machine_code_add(ProfileMachineCode *self, guint64 start, guint64 address, guint32 machine,
                              GBytes *bytes);
/* Sorts; where two overlap the earlier one ends where the later one begins. Call once, before any lookup. */
void profile_machine_code_seal(ProfileMachineCode *self);

/* New sealed code of all that both have, where they begin alike that of `code`; both are sealed. */
ProfileMachineCode *profile_machine_code_join(const ProfileMachineCode *old, const ProfileMachineCode *code);

ProfileMachineCode *profile_machine_code_ref(ProfileMachineCode *self);
void profile_machine_code_unref(ProfileMachineCode *self);

/* Ascending. */
const ProfileCodeCopy *profile_machine_code_get(const ProfileMachineCode *self, gsize *n);
/* The copy that holds an offset, or NULL. */
const ProfileCodeCopy *profile_machine_code_lookup(const ProfileMachineCode *self, guint64 offset);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileMachineCode, profile_machine_code_unref)

G_END_DECLS
