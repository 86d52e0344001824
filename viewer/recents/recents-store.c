/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "viewer/recents/recents-store.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

/* Rises with the tables. */
#define VERSION       2
#define BUSY_MS       1000
#define BYTES_MAX     (1 << 20) /* of any one value */
#define STRING(value) #value
#define TEXT(value)   STRING(value)

/* time, recorded: seconds since 1970; duration: nanoseconds; thumbnail: a PNG. */
static const char schema[] =
    "CREATE TABLE capture (uri TEXT NOT NULL PRIMARY KEY, title TEXT NOT NULL, time INTEGER NOT NULL,"
    "  samples INTEGER NOT NULL, duration INTEGER NOT NULL, thumbnail BLOB,"
    "  recorded INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;"
    "CREATE TABLE command (line TEXT NOT NULL PRIMARY KEY, time INTEGER NOT NULL) WITHOUT ROWID;"
    "PRAGMA user_version = " TEXT(VERSION) ";";

/* From what the first version has. */
static const char upgrade[] = "ALTER TABLE capture ADD COLUMN recorded INTEGER NOT NULL DEFAULT 0;"
                              "PRAGMA user_version = " TEXT(VERSION) ";";

struct _ViewerRecentsStore {
  GMutex mutex; /* of all that follows */
  char *path;
  sqlite3 *db; /* NULL: not opened yet */
  gboolean in_memory;
  char *problem;
};

char *viewer_recents_store_get_path(void)
{
  return g_build_filename(g_get_user_data_dir(), "capture", "recents.sqlite", NULL);
}

ViewerRecentsStore *viewer_recents_store_new(const char *path)
{
  ViewerRecentsStore *self = g_new0(ViewerRecentsStore, 1);

  g_mutex_init(&self->mutex);
  self->path = g_strdup(path);
  return self;
}

void viewer_recents_store_free(ViewerRecentsStore *self)
{
  sqlite3_close(self->db);
  g_mutex_clear(&self->mutex);
  g_free(self->path);
  g_free(self->problem);
  g_free(self);
}

static int recents_store_run(sqlite3 *db, const char *text)
{
  return sqlite3_exec(db, text, NULL, NULL, NULL);
}

static void recents_store_configure(sqlite3 *db)
{
  sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
  sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
  sqlite3_limit(db, SQLITE_LIMIT_LENGTH, BYTES_MAX);
  sqlite3_busy_timeout(db, BUSY_MS);
  recents_store_run(db, "PRAGMA synchronous = NORMAL; PRAGMA cell_size_check = ON");
}

static int get_version(sqlite3 *db, int *ret_version)
{
  sqlite3_stmt *statement = NULL;
  int result = sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &statement, NULL);

  if (result == SQLITE_OK && (result = sqlite3_step(statement)) == SQLITE_ROW) {
    *ret_version = sqlite3_column_int(statement, 0);
    result = SQLITE_OK;
  }
  sqlite3_finalize(statement);
  return result;
}

/* Two viewers may do so at once: the second finds it done. */
static int make_tables(sqlite3 *db)
{
  int version = 0;
  int result = recents_store_run(db, "BEGIN IMMEDIATE");

  if (result != SQLITE_OK)
    return result;
  result = get_version(db, &version);
  if (result == SQLITE_OK && version < VERSION)
    result = recents_store_run(db, version == 0 ? schema : upgrade);
  if (result == SQLITE_OK)
    result = recents_store_run(db, "COMMIT");
  if (result != SQLITE_OK)
    recents_store_run(db, "ROLLBACK");
  return result;
}

/* A new one is empty, and so is one whose content cannot be taken over. */
static sqlite3 *open_in_memory(sqlite3 *content)
{
  sqlite3 *db = NULL;
  int version = 0;

  if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
    g_error("There is no memory for a database.");
  sqlite3_backup *copy = content ? sqlite3_backup_init(db, "main", content, "main") : NULL;
  if (copy) {
    sqlite3_backup_step(copy, -1);
    if (sqlite3_backup_finish(copy) != SQLITE_OK || get_version(db, &version) != SQLITE_OK ||
        version != VERSION) {
      sqlite3_close(db);
      return open_in_memory(NULL);
    }
  }
  recents_store_configure(db);
  make_tables(db);
  return db;
}

/* Takes the sentence. */
static void go_on_in_memory(ViewerRecentsStore *self, gboolean with_content, char *problem)
{
  sqlite3 *db = open_in_memory(with_content ? self->db : NULL);

  sqlite3_close(self->db);
  self->db = db;
  self->in_memory = TRUE;
  self->problem = problem;
}

static char *recents_store_explain(const ViewerRecentsStore *self, int result)
{
  if (result == SQLITE_CORRUPT || result == SQLITE_NOTADB || result == SQLITE_FORMAT ||
      result == SQLITE_ERROR)
    return g_strdup_printf(_("The list of recent captures in “%s” is damaged, so that it is not kept beyond "
                             "this session; remove that file to begin a new one."),
                           self->path);
  return g_strdup_printf(_("The list of recent captures is not kept beyond this session, because “%s” cannot "
                           "be written: %s."),
                         self->path, sqlite3_errstr(result));
}

static int set_up(ViewerRecentsStore *self, int *ret_version)
{
  int result = get_version(self->db, ret_version);

  if (result == SQLITE_OK && *ret_version < VERSION)
    result = make_tables(self->db);
  if (result == SQLITE_OK)
    result = get_version(self->db, ret_version);
  return result;
}

static void open_database(ViewerRecentsStore *self)
{
  g_autofree char *directory = g_path_get_dirname(self->path);
  int version = 0;

  g_mkdir_with_parents(directory, 0700);
  int result = sqlite3_open_v2(self->path, &self->db,
                               SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
  if (result == SQLITE_OK) {
    recents_store_configure(self->db);
    result = set_up(self, &version);
  }
  if (result != SQLITE_OK)
    go_on_in_memory(self, FALSE, recents_store_explain(self, result));
  else if (version != VERSION)
    go_on_in_memory(
        self, FALSE,
        g_strdup_printf(_("The list of recent captures in “%s” belongs to a newer version of this "
                          "program, so that it is not kept beyond this session."),
                        self->path));
  else if (sqlite3_db_readonly(self->db, "main"))
    go_on_in_memory(self, TRUE, recents_store_explain(self, SQLITE_READONLY));
}

/* Unlocked by `unlock`. */
static void recents_store_lock(ViewerRecentsStore *self)
{
  g_mutex_lock(&self->mutex);
  if (!self->db)
    open_database(self);
}

static void recents_store_unlock(ViewerRecentsStore *self)
{
  g_mutex_unlock(&self->mutex);
}

static void clear_statement(sqlite3_stmt **statement)
{
  g_clear_pointer(statement, sqlite3_finalize);
}

typedef sqlite3_stmt *Statement;
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Statement, clear_statement)

/* Something that writes, with what it needs. */
typedef int (*WriteFunc)(sqlite3 *db, gconstpointer data);

/* Somebody else who writes for longer than a second costs what was to be written, no more. */
static void write_or_go_on(ViewerRecentsStore *self, WriteFunc write, gconstpointer data)
{
  int result = write(self->db, data);

  if (result == SQLITE_DONE || result == SQLITE_OK || result == SQLITE_BUSY || self->in_memory)
    return;
  go_on_in_memory(self, TRUE, recents_store_explain(self, result));
  write(self->db, data);
}

static int bind_and_step(sqlite3 *db, const char *sql, const char *text)
{
  g_auto(Statement) statement = NULL;
  int result = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);

  if (result != SQLITE_OK)
    return result;
  sqlite3_bind_text(statement, 1, text, -1, SQLITE_STATIC);
  return sqlite3_step(statement);
}

/* A text without NUL; NULL when it is anything else. */
static const char *get_text(sqlite3_stmt *row, int column)
{
  const char *text =
      sqlite3_column_type(row, column) == SQLITE_TEXT ? (const char *)sqlite3_column_text(row, column) : NULL;

  if (!text || strlen(text) != (gsize)sqlite3_column_bytes(row, column) || !g_utf8_validate(text, -1, NULL))
    return NULL;
  return text;
}

static GBytes *get_bytes(sqlite3_stmt *row, int column)
{
  gconstpointer bytes =
      sqlite3_column_type(row, column) == SQLITE_BLOB ? sqlite3_column_blob(row, column) : NULL;

  return bytes ? g_bytes_new(bytes, (gsize)sqlite3_column_bytes(row, column)) : NULL;
}

static void take_row(sqlite3_stmt *row, GPtrArray *recents)
{
  const char *uri = get_text(row, 0), *title = get_text(row, 1);
  gint64 samples = sqlite3_column_int64(row, 3), duration = sqlite3_column_int64(row, 4);

  if (!uri || !title || samples < 0 || duration < 0)
    return;
  g_autoptr(GFile) file = g_file_new_for_uri(uri);
  g_autoptr(GBytes) thumbnail = get_bytes(row, 5);
  const ViewerRecentFacts facts = {file,
                                   title,
                                   sqlite3_column_int64(row, 2),
                                   (guint64)samples,
                                   (guint64)duration,
                                   thumbnail,
                                   sqlite3_column_int64(row, 6)};
  g_ptr_array_add(recents, viewer_recent_new(&facts));
}

/* What cannot be read to its end is damaged. */
static void read_rows(ViewerRecentsStore *self, const char *sql,
                      void (*take)(sqlite3_stmt *row, GPtrArray *rows), GPtrArray *rows)
{
  g_auto(Statement) statement = NULL;
  int result = sqlite3_prepare_v2(self->db, sql, -1, &statement, NULL);

  if (result == SQLITE_OK)
    while ((result = sqlite3_step(statement)) == SQLITE_ROW)
      take(statement, rows);
  if (result == SQLITE_DONE || result == SQLITE_BUSY || self->in_memory)
    return;
  clear_statement(&statement);
  go_on_in_memory(self, FALSE, recents_store_explain(self, result));
}

GPtrArray *viewer_recents_store_load(ViewerRecentsStore *self)
{
  GPtrArray *recents = g_ptr_array_new_with_free_func(g_object_unref);

  recents_store_lock(self);
  read_rows(self,
            "SELECT uri, title, time, samples, duration, thumbnail, recorded FROM capture"
            " ORDER BY time DESC, uri",
            take_row, recents);
  recents_store_unlock(self);
  return recents;
}

static int recents_store_put(sqlite3 *db, gconstpointer data)
{
  const ViewerRecentFacts *facts = data;
  g_auto(Statement) statement = NULL;
  g_autofree char *uri = g_file_get_uri(facts->file);
  gsize size = 0;
  gconstpointer thumbnail = facts->thumbnail ? g_bytes_get_data(facts->thumbnail, &size) : NULL;
  int result = sqlite3_prepare_v2(db, "INSERT OR REPLACE INTO capture VALUES (?, ?, ?, ?, ?, ?, ?)", -1,
                                  &statement, NULL);

  if (result != SQLITE_OK)
    return result;
  sqlite3_bind_text(statement, 1, uri, -1, SQLITE_STATIC);
  sqlite3_bind_text(statement, 2, facts->title, -1, SQLITE_STATIC);
  sqlite3_bind_int64(statement, 3, facts->time);
  sqlite3_bind_int64(statement, 4, (gint64)MIN(facts->samples, G_MAXINT64));
  sqlite3_bind_int64(statement, 5, (gint64)MIN(facts->duration, G_MAXINT64));
  sqlite3_bind_blob(statement, 6, thumbnail, (int)MIN(size, BYTES_MAX), SQLITE_STATIC);
  sqlite3_bind_int64(statement, 7, facts->recorded);
  result = sqlite3_step(statement);
  if (result != SQLITE_DONE)
    return result;
  return recents_store_run(
      db, "DELETE FROM capture WHERE uri NOT IN"
          " (SELECT uri FROM capture ORDER BY time DESC, uri LIMIT " TEXT(VIEWER_RECENTS_MAX) ")");
}

void viewer_recents_store_put(ViewerRecentsStore *self, const ViewerRecentFacts *facts)
{
  recents_store_lock(self);
  write_or_go_on(self, recents_store_put, facts);
  recents_store_unlock(self);
}

static int remove_uri(sqlite3 *db, gconstpointer uri)
{
  return bind_and_step(db, "DELETE FROM capture WHERE uri = ?", uri);
}

void viewer_recents_store_remove(ViewerRecentsStore *self, GFile *file)
{
  g_autofree char *uri = g_file_get_uri(file);

  recents_store_lock(self);
  write_or_go_on(self, remove_uri, uri);
  recents_store_unlock(self);
}

static void take_command(sqlite3_stmt *row, GPtrArray *commands)
{
  const char *line = get_text(row, 0);

  if (line)
    g_ptr_array_add(commands, g_strdup(line));
}

char **viewer_recents_store_load_commands(ViewerRecentsStore *self)
{
  GPtrArray *commands = g_ptr_array_new();

  recents_store_lock(self);
  read_rows(self, "SELECT line FROM command ORDER BY time DESC, line", take_command, commands);
  recents_store_unlock(self);
  g_ptr_array_add(commands, NULL);
  return (char **)g_ptr_array_free(commands, FALSE);
}

/* Of two in one second the later one is first, too. */
static int put_command(sqlite3 *db, gconstpointer line)
{
  int result = bind_and_step(db,
                             "INSERT OR REPLACE INTO command VALUES (?1, max(unixepoch(),"
                             " 1 + ifnull((SELECT max(time) FROM command), 0)))",
                             line);
  if (result != SQLITE_DONE)
    return result;
  return recents_store_run(
      db, "DELETE FROM command WHERE line NOT IN"
          " (SELECT line FROM command ORDER BY time DESC, line LIMIT " TEXT(VIEWER_RECENTS_MAX) ")");
}

void viewer_recents_store_put_command(ViewerRecentsStore *self, const char *command)
{
  recents_store_lock(self);
  write_or_go_on(self, put_command, command);
  recents_store_unlock(self);
}

char *viewer_recents_store_take_problem(ViewerRecentsStore *self)
{
  recents_store_lock(self);
  char *problem = g_steal_pointer(&self->problem);
  recents_store_unlock(self);
  return problem;
}
