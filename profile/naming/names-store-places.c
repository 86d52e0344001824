/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The places of the store: what elf-readers answered, compressed. */
#include "profile/base/zstd.h"
#include "profile/naming/names-store-private.h"

/* A copy of an answer's places, or NULL. */
static struct dwarf_places *read_places(sqlite3_stmt *row, gsize size)
{
  g_autofree struct dwarf_places *places = NULL;

  if (size < sizeof *places || size > PROFILE_STORED_PLACES_BYTES_MAX ||
      sqlite3_column_type(row, 1) != SQLITE_BLOB)
    return NULL;
  places = g_malloc(size);
  if (!profile_zstd_decompress(places, size, sqlite3_column_blob(row, 1), (gsize)sqlite3_column_bytes(row, 1),
                               NULL))
    return NULL;
  return g_steal_pointer(&places);
}

static gboolean read_answer(sqlite3_stmt *row, ProfileStoredPlaces *places)
{
  gsize size = (gsize)sqlite3_column_int64(row, 0);
  gsize bytes = (gsize)sqlite3_column_bytes(row, 2);
  struct dwarf_places *read = read_places(row, size);

  if (!read || bytes % sizeof(ProfileStretch) != 0) {
    g_free(read);
    return FALSE;
  }
  return profile_stored_places_take(places, read, size, g_memdup2(sqlite3_column_blob(row, 2), bytes),
                                    bytes / sizeof(ProfileStretch), TRUE);
}

gboolean profile_names_store_read_places(ProfileNamesStore *self, gint64 id, ProfileStoredPlaces *places)
{
  sqlite3_stmt *rows = self->statements[FIND_ANSWERS];
  gboolean sane = TRUE;
  int result = SQLITE_DONE;

  sqlite3_bind_int64(rows, 1, id);
  while (sane && (result = profile_names_store_step(self, FIND_ANSWERS)) == SQLITE_ROW)
    sane = read_answer(rows, places);
  sqlite3_reset(rows);
  return sane && result == SQLITE_DONE;
}

/* One that is too large is left out. */
static gboolean add_answer(ProfileNamesStore *self, gint64 id, const ProfilePlacesAnswer *answer)
{
  sqlite3_stmt *statement = self->statements[ADD_ANSWER];
  gsize size = answer->places->size, capacity = size + size / 128 + 64;
  gsize n_nothing = answer->n_nothing * sizeof *answer->nothing, compressed;
  g_autofree guint8 *bytes = size <= PROFILE_STORED_PLACES_BYTES_MAX ? g_malloc(capacity) : NULL;

  if (!bytes || !(compressed = profile_zstd_compress(bytes, capacity, answer->places, size, NULL)) ||
      compressed + n_nothing > NAMES_STORE_LENGTH_MAX / 2)
    return TRUE;
  sqlite3_bind_int64(statement, 1, id);
  sqlite3_bind_int64(statement, 2, (gint64)size);
  sqlite3_bind_blob(statement, 3, bytes, (int)compressed, SQLITE_TRANSIENT);
  sqlite3_bind_blob(statement, 4, n_nothing ? answer->nothing : (gconstpointer) "", (int)n_nothing,
                    SQLITE_STATIC);
  return profile_names_store_finish(self, ADD_ANSWER);
}

/* Where there would be too many the new ones, which are of all that was asked then, take their place. */
static gboolean make_room_for_answers(ProfileNamesStore *self, gint64 id)
{
  gint64 n;

  sqlite3_bind_int64(self->statements[COUNT_ANSWERS], 1, id);
  n = profile_names_store_ask(self, COUNT_ANSWERS);
  sqlite3_bind_int64(self->statements[FORGET_ANSWERS], 1, id);
  return n < PROFILE_STORED_PLACES_ANSWERS_MAX || profile_names_store_finish(self, FORGET_ANSWERS);
}

gboolean profile_names_store_add_places(ProfileNamesStore *self, gint64 id, const ProfileStoredPlaces *places)
{
  guint n;
  const ProfilePlacesAnswer *answers = profile_stored_places_get(places, &n);
  gboolean done = n == 0 || make_room_for_answers(self, id);

  for (guint i = 0; i < n && done; i++)
    done = !answers[i].is_final || add_answer(self, id, &answers[i]);
  return done;
}
