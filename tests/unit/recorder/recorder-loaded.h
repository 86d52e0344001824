/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A capture read back record by record, for tests to look things up in. */
#pragma once

#include <glib.h>

#include "libcapture/file/capture-reader.h"

struct loaded_sample {
  guint64 time;
  guint64 weight;
  guint event;
  guint thread;
  guint leaf;
  guint cpu;
  guint outcome;
  guint mode;
  guint64 detail;
  guint epoch;
};

struct loaded_record {
  guint epoch;
  const struct capture_record *record;
};

struct loaded_frame {
  guint kind; /* enum capture_space_kind */
  guint owner;
  guint64 address;
};

struct loaded {
  capture_reader *reader;
  GPtrArray *buffers;
  GHashTable *definitions; /* of type, epoch and identifier -> record */
  GArray *records;         /* struct loaded_record, in the order of the file */
  GArray *samples;         /* struct loaded_sample */
};

/* Reads all of it; asserts that every record and every reference of a sample is sound. */
void loaded_read(struct loaded *loaded, int fd);
void loaded_clear(struct loaded *loaded);

/* The definition with that identifier, NULL when there is none. */
const void *loaded_find(const struct loaded *loaded, guint type, guint epoch, guint id);
/* "" for string 0. */
const char *loaded_string(const struct loaded *loaded, guint epoch, guint id);
const struct capture_record_thread *loaded_thread(const struct loaded *loaded,
                                                  const struct loaded_sample *sample);
const struct capture_record_process *loaded_process(const struct loaded *loaded,
                                                    const struct loaded_sample *sample);
/* The sample's frames, leaf first: kernel, then user. Free with g_array_unref. */
GArray *loaded_stack(const struct loaded *loaded, const struct loaded_sample *sample);
/* The path of the binary that owns the frame, or NULL. */
const char *loaded_frame_path(const struct loaded *loaded, guint epoch, const struct loaded_frame *frame);
/* Records of that type. */
guint loaded_count(const struct loaded *loaded, guint type);
/* Samples of processes with that pid. */
guint loaded_count_pid(const struct loaded *loaded, int pid);
/* The sums of all LOST records. */
guint64 loaded_lost(const struct loaded *loaded);
