/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How a program and a recording find each other: the whole protocol.
 *
 * A recording listens on a SOCK_SEQPACKET socket in a directory that only its user may enter, and names it to
 * the programs that it starts in the environment. A path, since runtimes close descriptors that they do not
 * know. Both sides look at SO_PEERCRED: the program takes only its own user or root for a recording; the
 * recording takes only its own user's programs, and the pid from there.
 *
 *   program                                       recording
 *   HELLO (+ windows, control: capture-pool.h) ─▶
 *                                              ◀─ SETTINGS, or an end of file: not wanted
 *   TABLE_WANTED (+ ELF file, read-only)       ─▶ any number of times; the preload library only
 *   TABLE_WANTED (of the vDSO, alone)          ─▶
 *                                              ◀─ TABLE (+ sealed memfd: unwind/unwind-table.h), or an error
 *   end of file: the process has ended, executed another program, or closed its capture
 *
 * What the program has to say is in its windows; the socket stays open for the sake of its end. A recording
 * that ends sets `ended` in the pool's control page. Nothing that comes from the other side is believed:
 * lengths, seals and types are checked, and a stranger's message ends the connection.
 */
#ifndef CAPTURE_ANNOUNCE_H
#define CAPTURE_ANNOUNCE_H

#include <stdint.h>

#define CAPTURE_SOCKET_VARIABLE  "CAPTURE_SOCKET"
#define CAPTURE_ANNOUNCE_VERSION 1

enum capture_announce_type {
  CAPTURE_ANNOUNCE_HELLO = 1,
  CAPTURE_ANNOUNCE_SETTINGS = 2,
  CAPTURE_ANNOUNCE_TABLE_WANTED = 3,
  CAPTURE_ANNOUNCE_TABLE = 4
};

enum capture_hello_flags {
  CAPTURE_HELLO_PRELOAD = 1 << 0 /* the preload library, not an embedder */
};

struct capture_hello {
  uint32_t type;
  uint32_t version; /* CAPTURE_ANNOUNCE_VERSION */
  int32_t pid;      /* as the process sees itself: another one in a pid namespace */
  uint32_t flags;   /* enum capture_hello_flags */
  char name[64];    /* of the embedder, ends with a NUL */
};

enum capture_settings_flags {
  CAPTURE_SETTINGS_SAMPLE = 1 << 0,          /* samplers are to run */
  CAPTURE_SETTINGS_WALL = 1 << 1,            /* by the wall's clock, not the processor's */
  CAPTURE_SETTINGS_TABLES = 1 << 2,          /* TABLE_WANTED is answered */
  CAPTURE_SETTINGS_ALLOCATIONS = 1 << 3,     /* the preload library traces allocations */
  CAPTURE_SETTINGS_CHILDREN = 1 << 4,        /* children are followed */
  CAPTURE_SETTINGS_NO_COMMAND_LINES = 1 << 5 /* the process's arguments are left out */
};

struct capture_settings {
  uint32_t type;
  uint32_t version;
  uint32_t flags;     /* enum capture_settings_flags */
  uint32_t frequency; /* hertz */
  uint32_t max_stack; /* 0: default */
  int32_t pid;        /* the program's number where it is recorded: another one than its own in a namespace of
                         processes; 0: not told */
  uint64_t allocation_bytes; /* between two samples of allocations; 1: each of them */
};

/* A file's table, or why there is none. */
struct capture_table_message {
  uint32_t type;   /* TABLE_WANTED or TABLE */
  int32_t error;   /* TABLE: 0 or a negative errno */
  uint64_t cookie; /* TABLE_WANTED: the program's, comes back */
  uint64_t length; /* TABLE: bytes of the memfd that are the table */
};

#endif
