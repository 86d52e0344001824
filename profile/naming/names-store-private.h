/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of the store share: its state and its statements. */
#pragma once

#include <sqlite3.h>

#include "profile/naming/names-store.h"

G_BEGIN_DECLS

/* Bytes of anything that is stored. */
#define NAMES_STORE_LENGTH_MAX (16 * 1024 * 1024)

enum {
  FIND_BINARY,
  FIND_FUNCTIONS,
  ADD_BINARY,
  ADD_FUNCTION,
  FIND_ANSWERS,
  COUNT_ANSWERS,
  ADD_ANSWER,
  FORGET_ANSWERS,
  USE_BINARY,
  FORGET_BINARY,
  FORGET_FUNCTIONS,
  FIND_OLDEST,
  MEASURE,
  N_STATEMENTS
};

struct _ProfileNamesStore {
  sqlite3 *db;
  sqlite3_stmt *statements[N_STATEMENTS];
  guint64 bytes_max;
  GArray *used; /* gint64: binaries that were loaded, and not today for the first time */
  gboolean damaged;
};

/* One row, or none (SQLITE_DONE), or what is wrong. */
int profile_names_store_step(ProfileNamesStore *self, guint number);
/* For statements without an answer. */
gboolean profile_names_store_finish(ProfileNamesStore *self, guint number);
/* The first column of a query that answers with one row, or 0. */
gint64 profile_names_store_ask(ProfileNamesStore *self, guint number);

/* What is stored of the places of a binary, or is to be. False when the database fails, or makes no sense. */
gboolean profile_names_store_read_places(ProfileNamesStore *self, gint64 id, ProfileStoredPlaces *places);
gboolean profile_names_store_add_places(ProfileNamesStore *self, gint64 id,
                                        const ProfileStoredPlaces *places);

G_END_DECLS
