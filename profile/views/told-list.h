/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The marks and the lines of logs, one by one in the order of time, that a filter's time, threads and
 * processes let pass. Immutable, readable from any thread.
 */
#pragma once

#include "profile/capture/filter.h"

G_BEGIN_DECLS

typedef struct {
  const char *text;     /* in category, name, message, domain or text, without regard to case; NULL: any */
  const char *category; /* of marks, with name; NULL: any */
  const char *name;
} ProfileToldOptions;

typedef struct _ProfileToldList ProfileToldList;

/* Marks pass that begin in the filter's range of time, as profile_mark_rows_new has it. options may be NULL.
 */
ProfileToldList *profile_told_list_new(const ProfileFilter *filter, const ProfileToldOptions *options);
void profile_told_list_free(ProfileToldList *self);

/* Indices into the capture's marks and log lines, ascending. */
const guint32 *profile_told_list_get_marks(const ProfileToldList *self, guint *n);
const guint32 *profile_told_list_get_log(const ProfileToldList *self, guint *n);

/* Whether haystack, which may be NULL, holds text, without regard to case. */
gboolean profile_told_holds(const char *haystack, const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ProfileToldList, profile_told_list_free)

G_END_DECLS
