/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads .syscap, Sysprof's capture format: a header and frames, in either byte order. Programs that embed
 * Sysprof's capture library write it, too; where several write to one descriptor, their headers stand between
 * the frames and are passed over. Every byte is hostile; nothing is copied: what is returned points into the
 * bytes, which must outlive it. Pure functions, any thread.
 */
#pragma once

#include "profile/base/bytes.h"

G_BEGIN_DECLS

enum profile_syscap_type {
  PROFILE_SYSCAP_TIMESTAMP = 1,
  PROFILE_SYSCAP_SAMPLE = 2,
  PROFILE_SYSCAP_MAP = 3,
  PROFILE_SYSCAP_PROCESS = 4,
  PROFILE_SYSCAP_FORK = 5,
  PROFILE_SYSCAP_EXIT = 6,
  PROFILE_SYSCAP_JITMAP = 7,
  PROFILE_SYSCAP_COUNTER_DEFINE = 8,
  PROFILE_SYSCAP_COUNTER_SET = 9,
  PROFILE_SYSCAP_MARK = 10,
  PROFILE_SYSCAP_METADATA = 11,
  PROFILE_SYSCAP_LOG = 12,
  PROFILE_SYSCAP_FILE_CHUNK = 13,
  PROFILE_SYSCAP_ALLOCATION = 14,
  PROFILE_SYSCAP_OVERLAY = 15,
  PROFILE_SYSCAP_TRACE = 16,
  PROFILE_SYSCAP_DBUS_MESSAGE = 17
};

#define PROFILE_SYSCAP_MAGIC       0xFDCA975Eu
#define PROFILE_SYSCAP_HEADER_SIZE 256
#define PROFILE_SYSCAP_FRAME_SIZE  24 /* of a frame's own header */
#define PROFILE_SYSCAP_FRAME_MAX   65528
#define PROFILE_SYSCAP_VALUES      8 /* in a group of a COUNTER_SET */

typedef struct {
  ProfileBytes bytes; /* what has not been read yet */
  gint64 begin, end;  /* CLOCK_MONOTONIC; 0 not known */
  char wall_time[65]; /* ISO 8601, when it began */
} ProfileSyscap;

typedef struct {
  const guint8 *start;  /* of the frame */
  ProfileBytes payload; /* after its header */
  guint64 time;
  gint32 pid; /* -1 of nobody */
  gint32 cpu; /* -1 not known */
  guint8 type;
} ProfileSyscapFrame;

/* Whether the bytes begin like a .syscap. */
gboolean profile_syscap_is(const guint8 *bytes, gsize length);
/* Reads the header; false when it makes no sense. */
gboolean profile_syscap_open(ProfileSyscap *self, const guint8 *bytes, gsize length);
/* The next frame, of whatever type; false at the end, and where a length makes no sense: then bytes.at is not
 * bytes.end. A piece of a frame at the end, of which a writer was killed, makes no sense either. */
gboolean profile_syscap_next(ProfileSyscap *self, ProfileSyscapFrame *ret);
/* The frame at start, which profile_syscap_next has given before. */
void profile_syscap_get(const ProfileSyscap *self, const guint8 *start, ProfileSyscapFrame *ret);

/* SAMPLE and TRACE; ALLOCATION after its first fields. Addresses, the innermost first, are read with
 * profile_bytes_take_64. */
typedef struct {
  gint32 tid;        /* -1 not known */
  guint32 n;         /* addresses, all of them there */
  gboolean entering; /* TRACE */
  guint64 address;   /* ALLOCATION */
  gint64 size;       /* ALLOCATION: 0 or less when memory was given back */
  ProfileBytes addresses;
} ProfileSyscapStack;

typedef struct {
  guint64 start, end, offset, inode;
  const char *path;
  const char *build_id; /* as hexadecimal digits; NULL not known */
} ProfileSyscapMap;

typedef struct {
  char category[33], name[33], description[53];
  guint32 id;
  gboolean is_double;
} ProfileSyscapCounter;

typedef struct {
  guint32 ids[PROFILE_SYSCAP_VALUES]; /* 0: none */
  guint64 values[PROFILE_SYSCAP_VALUES];
} ProfileSyscapValues;

typedef struct {
  gint64 duration;
  char group[25], name[41];
  const char *message;
} ProfileSyscapMark;

typedef struct {
  guint32 severity; /* GLogLevelFlags */
  char domain[33];
  const char *message;
} ProfileSyscapLog;

/* Each reads from a frame's payload and is false when it is too short. Those of what occurs several times in
 * a frame are called until they are false. */
gboolean profile_syscap_read_stack(ProfileSyscapFrame *frame, ProfileSyscapStack *ret);
gboolean profile_syscap_read_map(ProfileSyscapFrame *frame, ProfileSyscapMap *ret);
gboolean profile_syscap_read_jit(ProfileBytes *names, guint64 *ret_address, const char **ret_name);
/* The names of a JITMAP and how many there are; then profile_syscap_read_jit. */
guint32 profile_syscap_read_jitmap(ProfileSyscapFrame *frame);
guint32 profile_syscap_read_count(ProfileSyscapFrame *frame); /* of COUNTER_DEFINE and COUNTER_SET */
gboolean profile_syscap_read_counter(ProfileBytes *payload, ProfileSyscapCounter *ret);
gboolean profile_syscap_read_values(ProfileBytes *payload, ProfileSyscapValues *ret);
gboolean profile_syscap_read_mark(ProfileSyscapFrame *frame, ProfileSyscapMark *ret);
gboolean profile_syscap_read_log(ProfileSyscapFrame *frame, ProfileSyscapLog *ret);
gboolean profile_syscap_read_metadata(ProfileSyscapFrame *frame, char ret_id[41], const char **ret_text);
/* A piece of a file within the file. */
gboolean profile_syscap_read_chunk(ProfileSyscapFrame *frame, const char **ret_path, const guint8 **ret_data,
                                   gsize *ret_length);
gboolean profile_syscap_read_overlay(ProfileSyscapFrame *frame, const char **ret_source,
                                     const char **ret_target);

G_END_DECLS
