/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/names-store-private.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profile/base/cache-path.h"

/* Rises with the tables, and whenever the same files would be named otherwise. */
#define VERSION         5
#define BUSY_MS         1000
#define SECONDS_A_DAY   (24 * 60 * 60)
#define LINK_LENGTH_MAX 255

/* name NULL: no function there. linkage_name NULL: same as name. places: a struct dwarf_places
 * of size bytes, compressed. gaps: stretches about which nothing is known. */
static const char schema[] =
    "CREATE TABLE binary (id INTEGER PRIMARY KEY, build_id BLOB NOT NULL UNIQUE,"
    "  used INTEGER NOT NULL, status INTEGER NOT NULL, sources BLOB NOT NULL, link TEXT);"
    "CREATE TABLE function (binary INTEGER NOT NULL, start INTEGER NOT NULL,"
    "  length INTEGER NOT NULL, name TEXT, linkage_name TEXT,"
    "  nameless INTEGER NOT NULL, PRIMARY KEY (binary, start)) WITHOUT ROWID;"
    "CREATE TABLE answer (binary INTEGER NOT NULL, size INTEGER NOT NULL, places BLOB NOT NULL,"
    "  gaps BLOB NOT NULL);"
    "CREATE INDEX answer_binary ON answer (binary);";

static const char *const sql[N_STATEMENTS] = {
    [FIND_BINARY] = "SELECT id, used, status, sources, link FROM binary WHERE build_id = ?",
    [FIND_FUNCTIONS] = "SELECT start, length, name, linkage_name, nameless FROM function"
                       " WHERE binary = ? ORDER BY start",
    [ADD_BINARY] = "INSERT INTO binary (build_id, used, status, sources, link) VALUES (?, ?, ?, ?, ?)",
    [ADD_FUNCTION] = "INSERT OR REPLACE INTO function VALUES (?, ?, ?, ?, ?, ?)",
    [FIND_ANSWERS] = "SELECT size, places, gaps FROM answer WHERE binary = ?",
    [COUNT_ANSWERS] = "SELECT count(*) FROM answer WHERE binary = ?",
    [ADD_ANSWER] = "INSERT INTO answer VALUES (?, ?, ?, ?)",
    [FORGET_ANSWERS] = "DELETE FROM answer WHERE binary = ?",
    [USE_BINARY] = "UPDATE binary SET used = ? WHERE id = ?",
    [FORGET_BINARY] = "DELETE FROM binary WHERE id = ?",
    [FORGET_FUNCTIONS] = "DELETE FROM function WHERE binary = ?",
    [FIND_OLDEST] = "SELECT id FROM binary ORDER BY used, id LIMIT 1",
    [MEASURE] = "SELECT (page_count - freelist_count) * page_size"
                " FROM pragma_page_count, pragma_freelist_count, pragma_page_size",
};

char *profile_names_store_get_path(void)
{
  return profile_cache_path("names.sqlite");
}

static int names_store_run(ProfileNamesStore *self, const char *text)
{
  return sqlite3_exec(self->db, text, NULL, NULL, NULL);
}

static gboolean means_damage(int result)
{
  return result == SQLITE_ERROR || result == SQLITE_CORRUPT || result == SQLITE_NOTADB ||
         result == SQLITE_FORMAT || result == SQLITE_MISMATCH || result == SQLITE_CONSTRAINT;
}

int profile_names_store_step(ProfileNamesStore *self, guint number)
{
  int result = sqlite3_step(self->statements[number]);

  self->damaged |= means_damage(result);
  return result;
}

gboolean profile_names_store_finish(ProfileNamesStore *self, guint number)
{
  int result = profile_names_store_step(self, number);

  sqlite3_reset(self->statements[number]);
  return result == SQLITE_DONE;
}

static int get_version(ProfileNamesStore *self, int *ret_version)
{
  sqlite3_stmt *statement = NULL;
  int result = sqlite3_prepare_v2(self->db, "PRAGMA user_version", -1, &statement, NULL);

  if (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
    *ret_version = sqlite3_column_int(statement, 0);
    result = SQLITE_OK;
  }
  sqlite3_finalize(statement);
  return result;
}

static int names_store_prepare(ProfileNamesStore *self)
{
  int result = SQLITE_OK;

  for (guint i = 0; i < N_STATEMENTS && result == SQLITE_OK; i++)
    result = sqlite3_prepare_v3(self->db, sql[i], -1, SQLITE_PREPARE_PERSISTENT, &self->statements[i], NULL);
  return result;
}

static void drop_statements(ProfileNamesStore *self)
{
  for (guint i = 0; i < N_STATEMENTS; i++)
    g_clear_pointer(&self->statements[i], sqlite3_finalize);
}

/* Two processes may do so at once: the second finds it done. */
static int make_tables(ProfileNamesStore *self)
{
  g_autofree char *set_version = g_strdup_printf("PRAGMA user_version = %d", VERSION);
  int version = 0;
  int result = names_store_run(self, "BEGIN IMMEDIATE");

  if (result != SQLITE_OK)
    return result;
  result = get_version(self, &version);
  if (result == SQLITE_OK && version != VERSION) {
    result = names_store_run(self, schema);
    if (result == SQLITE_OK)
      result = names_store_run(self, set_version);
  }
  if (result == SQLITE_OK)
    result = names_store_run(self, "COMMIT");
  if (result != SQLITE_OK)
    names_store_run(self, "ROLLBACK");
  return result;
}

static int make_store(ProfileNamesStore *self)
{
  int result;

  names_store_run(self, "PRAGMA auto_vacuum = FULL; PRAGMA journal_mode = WAL");
  result = make_tables(self);
  return result == SQLITE_OK ? names_store_prepare(self) : result;
}

/* In place, under sqlite's locks: others may have it open. */
static int names_store_empty(ProfileNamesStore *self)
{
  int result;

  drop_statements(self);
  sqlite3_db_config(self->db, SQLITE_DBCONFIG_RESET_DATABASE, 1, NULL);
  result = names_store_run(self, "PRAGMA auto_vacuum = FULL; VACUUM");
  sqlite3_db_config(self->db, SQLITE_DBCONFIG_RESET_DATABASE, 0, NULL);
  self->damaged = FALSE;
  return result == SQLITE_OK ? make_store(self) : result;
}

static gboolean set_up(ProfileNamesStore *self)
{
  int version = 0;
  int result = get_version(self, &version);

  if (result == SQLITE_OK && version > VERSION)
    return FALSE;
  if (result == SQLITE_OK)
    result = version == VERSION ? names_store_prepare(self) : make_store(self);
  return result == SQLITE_OK || (means_damage(result) && names_store_empty(self) == SQLITE_OK);
}

/* Whoever else could write it could name our functions. */
static gboolean is_ours_or_missing(const char *path)
{
  struct stat st;

  if (lstat(path, &st) < 0)
    return errno == ENOENT;
  return S_ISREG(st.st_mode) && st.st_uid == geteuid() && (st.st_mode & 022) == 0;
}

static void names_store_configure(ProfileNamesStore *self)
{
  sqlite3_db_config(self->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(self->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(self->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(self->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_limit(self->db, SQLITE_LIMIT_LENGTH, NAMES_STORE_LENGTH_MAX);
  sqlite3_busy_timeout(self->db, BUSY_MS);
  names_store_run(self, "PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON");
}

ProfileNamesStore *profile_names_store_open(const char *path, guint64 bytes_max)
{
  g_autofree char *directory = g_path_get_dirname(path);
  g_autoptr(ProfileNamesStore) self = g_new0(ProfileNamesStore, 1);

  self->bytes_max = bytes_max;
  self->used = g_array_new(FALSE, FALSE, sizeof(gint64));
  g_mkdir_with_parents(directory, 0700);
  if (!is_ours_or_missing(path) ||
      sqlite3_open_v2(path, &self->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                      NULL) != SQLITE_OK)
    return NULL;
  names_store_configure(self);
  return set_up(self) ? g_steal_pointer(&self) : NULL;
}

void profile_names_store_free(ProfileNamesStore *self)
{
  drop_statements(self);
  sqlite3_close(self->db);
  g_array_unref(self->used);
  g_free(self);
}

/* A text without NUL, or NULL where there is none; false when it is anything else. */
static gboolean get_text(sqlite3_stmt *row, int column, gsize length_max, const char **ret)
{
  int type = sqlite3_column_type(row, column);
  const char *text = type == SQLITE_TEXT ? (gconstpointer)sqlite3_column_text(row, column) : NULL;
  gsize length = (gsize)sqlite3_column_bytes(row, column);

  if (type != SQLITE_NULL && (!text || length > length_max || strlen(text) != length))
    return FALSE;
  *ret = text;
  return TRUE;
}

static ProfileStoredNames *read_binary(sqlite3_stmt *row, const guint8 *build_id, guint size)
{
  gint64 status = sqlite3_column_int64(row, 2);
  gconstpointer bytes = sqlite3_column_blob(row, 3);
  ProfileNameSources sources;
  const char *link;

  if (!bytes || sqlite3_column_bytes(row, 3) != sizeof sources || status < CAPTURE_NAMING_SYMBOLS ||
      status > CAPTURE_NAMING_NONE || !get_text(row, 4, LINK_LENGTH_MAX, &link) ||
      (link && strchr(link, '/')))
    return NULL;
  memcpy(&sources, bytes, sizeof sources);
  return profile_stored_names_new(build_id, size, (enum capture_naming)status, &sources, link);
}

static gboolean read_function(sqlite3_stmt *row, ProfileStoredNames *names)
{
  gint64 start = sqlite3_column_int64(row, 0), length = sqlite3_column_int64(row, 1);
  ProfileFunctionRange range = {.nameless = sqlite3_column_int64(row, 4) != 0};

  if (start < 0 || length <= 0 || length > G_MAXINT64 - start ||
      !get_text(row, 2, PROFILE_STORED_NAMES_STRING_MAX, &range.name) ||
      !get_text(row, 3, PROFILE_STORED_NAMES_STRING_MAX, &range.linkage_name))
    return FALSE;
  range.start = (guint64)start;
  range.end = (guint64)(start + length);
  return profile_stored_names_add(names, &range);
}

static gboolean read_functions(ProfileNamesStore *self, gint64 id, ProfileStoredNames *names)
{
  sqlite3_stmt *rows = self->statements[FIND_FUNCTIONS];
  gboolean sane = TRUE;
  int result = SQLITE_DONE;

  sqlite3_bind_int64(rows, 1, id);
  while (sane && (result = profile_names_store_step(self, FIND_FUNCTIONS)) == SQLITE_ROW)
    sane = read_function(rows, names);
  sqlite3_reset(rows);
  return sane && result == SQLITE_DONE;
}

static gint64 names_store_now(void)
{
  return g_get_real_time() / G_USEC_PER_SEC;
}

/* Once a day is enough to tell what is old, and most runs need not write then. */
static void note_use(ProfileNamesStore *self, gint64 id, gint64 used)
{
  if (used > names_store_now() || names_store_now() - used > SECONDS_A_DAY)
    g_array_append_val(self->used, id);
}

static ProfileStoredNames *names_store_load(ProfileNamesStore *self, const guint8 *build_id, guint size)
{
  sqlite3_stmt *row = self->statements[FIND_BINARY];
  g_autoptr(ProfileStoredNames) names = NULL;
  gint64 id = 0, used = 0;

  sqlite3_bind_blob(row, 1, build_id, (int)size, SQLITE_STATIC);
  if (profile_names_store_step(self, FIND_BINARY) == SQLITE_ROW) {
    id = sqlite3_column_int64(row, 0);
    used = sqlite3_column_int64(row, 1);
    names = read_binary(row, build_id, size);
  }
  sqlite3_reset(row);
  self->damaged |= id && (!names || !read_functions(self, id, names));
  if (!names || self->damaged)
    return NULL;
  note_use(self, id, used);
  return g_steal_pointer(&names);
}

ProfileStoredNames *profile_names_store_load(ProfileNamesStore *self, const guint8 *build_id, guint size)
{
  ProfileStoredNames *names;

  /* One state for both queries, whoever writes meanwhile. */
  if (size == 0 || size > CAPTURE_BUILD_ID_MAX || self->damaged ||
      names_store_run(self, "BEGIN") != SQLITE_OK)
    return NULL;
  names = names_store_load(self, build_id, size);
  names_store_run(self, "COMMIT");
  return names;
}

static gboolean names_store_forget(ProfileNamesStore *self, gint64 id)
{
  static const guint forget[] = {FORGET_ANSWERS, FORGET_FUNCTIONS, FORGET_BINARY};
  gboolean done = TRUE;

  for (guint i = 0; i < G_N_ELEMENTS(forget) && done; i++) {
    sqlite3_bind_int64(self->statements[forget[i]], 1, id);
    done = profile_names_store_finish(self, forget[i]);
  }
  return done;
}

static gboolean is_same(sqlite3_stmt *row, const ProfileStoredNames *names)
{
  guint size;
  const guint8 *build_id = profile_stored_names_get_build_id(names, &size);
  g_autoptr(ProfileStoredNames) stored = read_binary(row, build_id, size);

  return stored && profile_stored_names_get_status(stored) == profile_stored_names_get_status(names) &&
         g_strcmp0(profile_stored_names_get_link(stored), profile_stored_names_get_link(names)) == 0 &&
         profile_name_sources_equal(profile_stored_names_get_sources(stored),
                                    profile_stored_names_get_sources(names));
}

/* The entry that names can be added to, or 0: there is none, or there was and it is forgotten. False when the
 * database fails. */
static gboolean find_place(ProfileNamesStore *self, const ProfileStoredNames *names, gint64 *ret_id)
{
  sqlite3_stmt *row = self->statements[FIND_BINARY];
  guint size;
  const guint8 *build_id = profile_stored_names_get_build_id(names, &size);
  gint64 id = 0;
  gboolean same = FALSE;
  int result;

  sqlite3_bind_blob(row, 1, build_id, (int)size, SQLITE_STATIC);
  result = profile_names_store_step(self, FIND_BINARY);
  if (result == SQLITE_ROW) {
    id = sqlite3_column_int64(row, 0);
    same = is_same(row, names);
  }
  sqlite3_reset(row);
  *ret_id = same ? id : 0;
  return result == SQLITE_DONE || (result == SQLITE_ROW && (same || names_store_forget(self, id)));
}

static gboolean add_binary(ProfileNamesStore *self, const ProfileStoredNames *names, gint64 *ret_id)
{
  sqlite3_stmt *statement = self->statements[ADD_BINARY];
  guint size;
  const guint8 *build_id = profile_stored_names_get_build_id(names, &size);

  sqlite3_bind_blob(statement, 1, build_id, (int)size, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 2, names_store_now());
  sqlite3_bind_int64(statement, 3, profile_stored_names_get_status(names));
  sqlite3_bind_blob(statement, 4, profile_stored_names_get_sources(names), sizeof(ProfileNameSources),
                    SQLITE_STATIC);
  sqlite3_bind_text(statement, 5, profile_stored_names_get_link(names), -1, SQLITE_STATIC);
  if (!profile_names_store_finish(self, ADD_BINARY))
    return FALSE;
  *ret_id = sqlite3_last_insert_rowid(self->db);
  return TRUE;
}

static gboolean add_function(ProfileNamesStore *self, gint64 id, const ProfileFunctionRange *range)
{
  sqlite3_stmt *statement = self->statements[ADD_FUNCTION];

  sqlite3_bind_int64(statement, 1, id);
  sqlite3_bind_int64(statement, 2, (gint64)range->start);
  sqlite3_bind_int64(statement, 3, (gint64)(range->end - range->start));
  sqlite3_bind_text(statement, 4, range->name, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 5, range->linkage_name == range->name ? NULL : range->linkage_name, -1,
                    SQLITE_STATIC);
  sqlite3_bind_int64(statement, 6, range->nameless);
  return profile_names_store_finish(self, ADD_FUNCTION);
}

gint64 profile_names_store_ask(ProfileNamesStore *self, guint number)
{
  gint64 answer = profile_names_store_step(self, number) == SQLITE_ROW
                      ? sqlite3_column_int64(self->statements[number], 0)
                      : 0;

  sqlite3_reset(self->statements[number]);
  return answer;
}

/* The entry with the same build-id and sources, or 0. */
static gint64 find_same(ProfileNamesStore *self, const ProfileStoredNames *names)
{
  sqlite3_stmt *row = self->statements[FIND_BINARY];
  guint size;
  const guint8 *build_id = profile_stored_names_get_build_id(names, &size);
  gint64 id = 0;

  sqlite3_bind_blob(row, 1, build_id, (int)size, SQLITE_STATIC);
  if (profile_names_store_step(self, FIND_BINARY) == SQLITE_ROW && is_same(row, names))
    id = sqlite3_column_int64(row, 0);
  sqlite3_reset(row);
  return id;
}

void profile_names_store_load_places(ProfileNamesStore *self, ProfileStoredNames *names)
{
  g_autoptr(ProfileStoredPlaces) places = profile_stored_places_new();
  gint64 id;

  if (self->damaged || names_store_run(self, "BEGIN") != SQLITE_OK)
    return;
  id = find_same(self, names);
  self->damaged |= id && !profile_names_store_read_places(self, id, places);
  names_store_run(self, "COMMIT");
  if (id && !self->damaged)
    profile_stored_names_take_places(names, g_steal_pointer(&places));
}

static gboolean save_entry(ProfileNamesStore *self, const ProfileStoredNames *names)
{
  gsize n;
  const ProfileFunctionRange *ranges = profile_stored_names_get_ranges(names, &n);
  gint64 id;
  gboolean done = find_place(self, names, &id) && (id || add_binary(self, names, &id));

  for (gsize i = 0; i < n && done; i++)
    done = add_function(self, id, &ranges[i]);
  if (done && profile_stored_names_get_places(names))
    done = profile_names_store_add_places(self, id, profile_stored_names_get_places(names));
  return done;
}

static gboolean save_uses(ProfileNamesStore *self)
{
  gboolean done = TRUE;

  for (guint i = 0; i < self->used->len && done; i++) {
    sqlite3_bind_int64(self->statements[USE_BINARY], 1, names_store_now());
    sqlite3_bind_int64(self->statements[USE_BINARY], 2, g_array_index(self->used, gint64, i));
    done = profile_names_store_finish(self, USE_BINARY);
  }
  g_array_set_size(self->used, 0);
  return done;
}

static gboolean forget_oldest(ProfileNamesStore *self)
{
  gint64 oldest;

  while ((guint64)profile_names_store_ask(self, MEASURE) > self->bytes_max &&
         (oldest = profile_names_store_ask(self, FIND_OLDEST)))
    if (!names_store_forget(self, oldest))
      return FALSE;
  return !self->damaged;
}

static gboolean save_all(ProfileNamesStore *self, ProfileStoredNames *const *entries, gsize n)
{
  gboolean done = save_uses(self);

  for (gsize i = 0; i < n && done; i++)
    done = !entries[i] || save_entry(self, entries[i]);
  return done && forget_oldest(self);
}

void profile_names_store_save(ProfileNamesStore *self, ProfileStoredNames *const *entries, gsize n)
{
  gsize n_entries = 0;

  for (gsize i = 0; i < n; i++)
    n_entries += entries[i] != NULL;
  if (self->damaged && names_store_empty(self) != SQLITE_OK)
    return;
  if ((n_entries == 0 && self->used->len == 0) || names_store_run(self, "BEGIN IMMEDIATE") != SQLITE_OK)
    return;
  if (!save_all(self, entries, n) || names_store_run(self, "COMMIT") != SQLITE_OK)
    names_store_run(self, "ROLLBACK");
  if (self->damaged)
    names_store_empty(self);
}
