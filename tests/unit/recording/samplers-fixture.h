/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording that takes in programs, and programs that speak the protocol by hand. */
#pragma once

#include "libcapture/file/capture-reader.h"
#include "libcapture/pool/capture-announce.h"
#include "libcapture/pool/capture-pool.h"
#include "recording/inside/samplers.h"

#define FIXTURE_FRAMES 4

typedef struct {
  int fd; /* of the capture */
  capture_file *file;
  RecordingBinaries *binaries;
  RecordingCollector *collector;
  RecordingSamplers *samplers;
  RecordingSamplersSettings settings;
  gchar *directory; /* of the socket, to see that it goes */
  guint n_descriptors;
} Fixture;

/* A program's end. */
typedef struct {
  int socket;
  capture_pool *pool;
} Program;

void fixture_set_up(Fixture *f, gconstpointer data);
/* Sees that no descriptor and no directory is left. */
void fixture_tear_down(Fixture *f, gconstpointer data);
/* Lets programs in. */
void fixture_start(Fixture *f);
/* Whether the capture is sound, and how many samples of which streams it has; the stream's name is NULL: of
 * all. Nothing may be collected any more. */
guint fixture_count_samples(Fixture *f, const char *stream);
/* Whether a message of the capture holds that text. */
gboolean fixture_has_message(Fixture *f, const char *text);

int program_connect(Fixture *f);
/* Sends bytes and descriptors as they are. */
gboolean program_send(int socket, gconstpointer bytes, gsize size, const int *fds, guint n_fds);
/* Waits for a message; its size, 0 at the end. */
gssize program_receive(int socket, gpointer bytes, gsize size, int *ret_fd);
void program_fill_hello(struct capture_hello *hello, const char *name);
/* Joins with windows of its own; ends the test when that does not work. */
void program_join(Program *self, Fixture *f, const char *name);
/* n samples, whole windows of them. */
void program_write_samples(Program *self, guint n);
/* Writes one window of that kind, with that content, and closes it. */
void program_write_window(Program *self, const struct capture_window_header *fill, gconstpointer content,
                          gsize length);
void program_leave(Program *self);
/* Collects until so many samples are there; ends the test when they do not come. */
void fixture_await_samples(Fixture *f, guint64 n);
