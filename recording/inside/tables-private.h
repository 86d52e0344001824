/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Unwind tables for samplers: elf-readers compile each file once, however many programs want its table, and
 * what they made is kept in memory. A file is what its device, inode, size and times say. One thread at a
 * time.
 *
 * Files come from programs that are not trusted. Nothing here waits for a file system but close, and a file
 * system that a program makes up can hold that up; the caller must not depend on this thread.
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _RecordingTables RecordingTables;
typedef struct _RecordingTablesClient RecordingTablesClient;

/* A table, or why there is none. Counted; immutable. */
typedef struct {
  gatomicrefcount n_references;
  int error; /* 0 or a negative errno */
  int fd;    /* a sealed memfd; -1 without a table */
  guint64 length;
} RecordingTable;

RecordingTable *recording_table_ref(RecordingTable *self);
void recording_table_unref(RecordingTable *self);

/* Called once for each file that a client wanted, perhaps within recording_tables_want. The table stays the
 * caller's. */
typedef void (*RecordingTablesFunc)(gpointer data, guint64 cookie, RecordingTable *table);

/* Starts no elf-reader before one is needed. Without an elf-reader's program every answer is an error. */
RecordingTables *recording_tables_new(void);
/* Ends the elf-readers. All clients must have been removed. */
void recording_tables_free(RecordingTables *self);

RecordingTablesClient *recording_tables_add_client(RecordingTables *self, RecordingTablesFunc func,
                                                   gpointer data);
/* What it still waits for is not answered any more. */
void recording_tables_remove_client(RecordingTables *self, RecordingTablesClient *client);
/* How many of its files are not answered yet. */
guint recording_tables_client_get_n_waiting(RecordingTablesClient *client);
/* Takes the descriptor. A client whose files have killed too many elf-readers gets errors. */
void recording_tables_want(RecordingTables *self, RecordingTablesClient *client, guint64 cookie, int fd);
/* The same of the vDSO, which needs no descriptor: all programs have the same. */
void recording_tables_want_vdso(RecordingTables *self, RecordingTablesClient *client, guint64 cookie);

/* Readable when recording_tables_serve has something to do. */
int recording_tables_get_fd(RecordingTables *self);
/* Takes what elf-readers say and gives them work. To be called four times a second, too, while is_busy. */
void recording_tables_serve(RecordingTables *self);
gboolean recording_tables_is_busy(RecordingTables *self);

G_END_DECLS
