/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A file system of one user's, with one executable file, whose server may leave a closing file without an
 * answer. */
#pragma once

#include <glib.h>

struct fuse_file {
  int device;
  char *directory;
  char *path; /* of the file */
  char *bytes;
  gsize size;
  gboolean hangs; /* FLUSH, which whoever closes the file waits for, is never answered */
  gint flushes;   /* how many were asked for */
  GThread *thread;
};

/* Mounts it with that program's bytes. */
void fuse_file_mount(struct fuse_file *file, guint user, const char *program, gboolean hangs);
/* Ends it; whoever waited gets an error. */
void fuse_file_unmount(struct fuse_file *file);
