/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads jitdump (jit-PID.dump): the machine code that a runtime made, with times, names and lines, in either
 * byte order. Every byte is hostile; nothing is copied: what is returned points into the bytes, which must
 * outlive it. Pure functions, any thread.
 */
#pragma once

#include "profile/base/bytes.h"

G_BEGIN_DECLS

typedef struct {
  ProfileBytes bytes; /* what has not been read yet */
  guint32 machine;    /* ELF e_machine */
  gint32 pid;
  gboolean has_other_clock; /* times are the processor's, not CLOCK_MONOTONIC's */
} ProfileJitdump;

enum profile_jitdump_type {
  PROFILE_JITDUMP_LOAD = 0,
  PROFILE_JITDUMP_MOVE = 1,
  PROFILE_JITDUMP_LINES = 2, /* DEBUG_INFO, of the LOAD that follows for the same address */
  PROFILE_JITDUMP_CLOSE = 3,
  PROFILE_JITDUMP_UNWINDING = 4
};

typedef struct {
  guint32 type;
  guint64 time;       /* of CLOCK_MONOTONIC; 0: not known */
  gint32 pid;         /* LOAD, MOVE */
  guint64 start;      /* LOAD, LINES: of the code; MOVE: where it is now */
  guint64 old_start;  /* MOVE */
  guint64 length;     /* LOAD, MOVE */
  guint64 index;      /* LOAD, MOVE: number of the code */
  const char *name;   /* LOAD */
  const guint8 *code; /* LOAD: length bytes; NULL: not all of them are there */
  ProfileBytes lines; /* LINES: for profile_jitdump_read_lines */
  guint64 n_lines;
} ProfileJitdumpRecord;

typedef struct {
  guint64 address; /* not before the code's beginning */
  guint32 line;
  const char *file; /* text; NULL not known */
} ProfileJitdumpLine;

/* Reads the header; false when it makes no sense. */
gboolean profile_jitdump_open(ProfileJitdump *self, const guint8 *bytes, gsize length);
/* The next record of a type listed above; records that are too short for what they should hold are passed
 * over. False at the end, and where a length makes no sense (a record that was being written): then bytes.at
 * is not bytes.end. */
gboolean profile_jitdump_next(ProfileJitdump *self, ProfileJitdumpRecord *ret);
/*
 * Appends ProfileJitdumpLine of a LINES record to lines; none where they make no sense. V8 of Node 20 writes
 * file names from memory that it has freed: their length is right, but not what they say. Where all were of
 * one length, and so of one file, lines are had nonetheless.
 */
void profile_jitdump_read_lines(const ProfileJitdumpRecord *record, GArray *lines);

G_END_DECLS
