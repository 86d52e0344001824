/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's own symbols, as /proc/kallsyms lists them: functions and data, modules too. Immutable once
 * made, readable from any thread.
 *
 * Of several symbols at one address the last one listed names it, and a symbol ends where the next
 * begins (at the end of its page or the next when that is another module's): perf's rules for kallsyms.
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _ProfileKallsyms ProfileKallsyms;

typedef struct {
  guint64 start, end;
  const char *name; /* not terminated */
  gsize name_length;
  const char *module; /* not terminated; NULL: the kernel itself */
  gsize module_length;
} ProfileKallsym;

/* Takes text (from g_malloc; length bytes and room for one more), which the symbols point into. No
 * allocation a line; lines that make no sense are left out. At most 256 MiB (what is behind is left out). */
ProfileKallsyms *profile_kallsyms_new(char *text, gsize length);
/* The running kernel's: from the user's cache if that is of this boot and these modules, else from
 * /proc/kallsyms, which then goes to the cache. NULL with an error when it cannot be read. */
ProfileKallsyms *profile_kallsyms_new_running(gboolean use_cache, GError **error);
void profile_kallsyms_free(ProfileKallsyms *self);

/* The kernel lists its symbols but hides their addresses from this user (kernel.kptr_restrict). */
gboolean profile_kallsyms_is_hidden(const ProfileKallsyms *self);
gsize profile_kallsyms_get_n(const ProfileKallsyms *self);
gboolean profile_kallsyms_lookup(const ProfileKallsyms *self, guint64 address, ProfileKallsym *ret);
/* Address of the symbol of that name in the kernel itself. Walks the list. */
gboolean profile_kallsyms_find(const ProfileKallsyms *self, const char *name, guint64 *ret_address);

/*
 * The cache: one file of the user's, for one boot, mapped as it is, so that opening costs nothing a symbol.
 * It is believed only when it belongs to the user, nobody else may write it, and its header fits its length,
 * this boot and these modules; lookups check what they follow. Hidden symbols are not saved.
 */
gboolean profile_kallsyms_save(const ProfileKallsyms *self, const char *path, const guint8 key[32],
                               GError **error);
ProfileKallsyms *profile_kallsyms_load(const char *path, const guint8 key[32]);
/* The key of now: boot and modules. */
gboolean profile_kallsyms_get_key(guint8 ret[32]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileKallsyms, profile_kallsyms_free)

G_END_DECLS
