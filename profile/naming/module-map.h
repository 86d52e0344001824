/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the kernel put the sections of one of its modules. It says so to root alone
 * (/sys/module/NAME/sections), and only while the module is loaded; but the names of sampled functions, of
 * which the file has the sections, say it too. Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/function-table.h"
#include "profile/elf/elf.h"

G_BEGIN_DECLS

typedef struct _ProfileModuleMap ProfileModuleMap;

/* From n functions of the module, at kernel addresses, and its file or debug file, which must have 64 bits. A
 * section of which they say different things is left out. */
ProfileModuleMap *profile_module_map_new(const ProfileElf *file, const ProfileFunctionRange *const *functions,
                                         gsize n);
void profile_module_map_free(ProfileModuleMap *self);

/* How far the section that holds a kernel address is from where the file has it (dwarf/dwarf-object.h),
 * modulo 2^64. False: it is not known. */
gboolean profile_module_map_find(const ProfileModuleMap *self, guint64 address, guint64 *ret_moved);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileModuleMap, profile_module_map_free)

G_END_DECLS
