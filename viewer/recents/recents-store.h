/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where recent captures and recent commands are kept: one sqlite database, which every window and every
 * viewer of a user shares. Nothing of it is ever an error: one that is damaged, made by a newer version, or
 * cannot be written is left as it is, what it holds is shown if it can be read, and what comes is kept
 * in memory. Its content is not believed: a row that makes no sense is skipped.
 *
 * All functions may be called from any thread, wait for each other, and for the disk.
 */
#pragma once

#include "viewer/recents/recent.h"

G_BEGIN_DECLS

typedef struct _ViewerRecentsStore ViewerRecentsStore;

/* Captures, and commands, that are kept: those used last. */
#define VIEWER_RECENTS_MAX 50

/* $XDG_DATA_HOME/capture/recents.sqlite. Free it. */
char *viewer_recents_store_get_path(void);

/* Of the database at path, which is made with its directory where there is none. Opened when first used. */
ViewerRecentsStore *viewer_recents_store_new(const char *path);
void viewer_recents_store_free(ViewerRecentsStore *self);

/* Of ViewerRecent, the one used last first. Free it. */
GPtrArray *viewer_recents_store_load(ViewerRecentsStore *self);
/* Adds or replaces what is kept of that file. */
void viewer_recents_store_put(ViewerRecentsStore *self, const ViewerRecentFacts *facts);
void viewer_recents_store_remove(ViewerRecentsStore *self, GFile *file);

/* Command lines, the one used last first. Free it. */
char **viewer_recents_store_load_commands(ViewerRecentsStore *self);
void viewer_recents_store_put_command(ViewerRecentsStore *self, const char *command);

/* Why things are not kept, a sentence; told once, NULL before and after. Free it. */
char *viewer_recents_store_take_problem(ViewerRecentsStore *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(ViewerRecentsStore, viewer_recents_store_free)

G_END_DECLS
