/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the opener is talked to: the whole protocol, one SOCK_SEQPACKET socketpair.
 *
 * The opener looks into processes and opens files for a recorder that may not do so itself, or that must not
 * wait for disks. The recorder of a direct or system session forks its own. For a session of scope "own" it
 * is a program, `capture-opener FD`, started as the caller: what it opens, the kernel permits the caller.
 *
 *   owner                             opener
 *   FREE                          ─▶
 *                                 ◀─  answer: 0, or why not
 *   PROVE (+ pidfd)               ─▶
 *                                 ◀─  answer: 0, or why not
 *   PROC                          ─▶
 *                                 ◀─  answer (+ a file of the process's in /proc)
 *   OPEN (its path behind it)     ─▶
 *                                 ◀─  answer (+ a file to compile, or a table)
 *   STORE (+ table)               ─▶
 *                                 ◀─  answer
 *   LOOK (its path behind it)     ─▶
 *                                 ◀─  answer (+ a file that not everybody may read)
 *
 * One request after the other; nothing is kept from one to the next, so the socket may change hands between
 * two. Each request has one answer, with the request's type. A request that breaks these rules ends the
 * opener, as does end of file on the socket. A request that takes it longer than OPENER_SECONDS_MAX does,
 * too.
 *
 * Starting capture-opener as another user. Between its exec and its first instructions nothing but the kernel
 * protects it from that user, who must not attach to it: a proof would then be worth nothing. So whoever
 * starts it leaves it one ambient capability that the user lacks (CAP_IPC_LOCK, say) through the exec: the
 * kernel then keeps the user out. The opener makes itself undumpable, which keeps him out from then on, and
 * gives that capability up, first thing. Without it PROVE is answered with ENOKEY (unless the program's file
 * may not be read by that user, which has the same effect). It ends with its parent only if PR_SET_PDEATHSIG
 * was set after the last change of credentials. XDG_CACHE_HOME counts when it belongs to the user; HOME does
 * not, the user's entry in the user database does.
 *
 * The owner checks whatever comes: a process of the caller's can be stopped and killed, its files and its
 * cache hold what the caller wants them to. Tables come as memfds with OPENER_SEALS from capture-opener.
 */
#ifndef OPENER_PROTOCOL_H
#define OPENER_PROTOCOL_H

#include <fcntl.h>
#include <stdint.h>

#define OPENER_PROTOCOL_VERSION 1
#define OPENER_IDENTITY_MAX     96
#define OPENER_PATH_MAX         4096
#define OPENER_BUILD_ID_MAX     20
#define OPENER_SECONDS_MAX      10
#define OPENER_SEALS            (F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE)

enum opener_type {
  OPENER_OPEN = 1,  /* finds the file that a process has mapped, and looks into the cache of tables */
  OPENER_STORE = 2, /* keeps in the cache what was compiled: a table as descriptor, or `error` and none */
  OPENER_PROVE = 3, /* whether the opener's user may look into the process behind the pidfd */
  OPENER_PROC = 4,  /* opens a file of a process's in /proc */
  /* As OPEN, for names: the file, unless everybody may read it and finds it by its path, and can name it
   * himself. That leaves those of closed modes and directories, deleted ones, and those of other mount
   * namespaces. */
  OPENER_LOOK = 5,
  /* Whether nothing confines that process of the opener's user to less than the user may do, as far as that
   * can be told from outside: nothing that it had to forgo new privileges for (Landlock, filters of system
   * calls), no user namespace of its own, and no label of a security module that is more than a name. */
  OPENER_FREE = 6
};

enum opener_proc {
  OPENER_PROC_MAPS = 1,         /* maps: those of its present program, for as long as the descriptor lives */
  OPENER_PROC_COMMAND_LINE = 2, /* cmdline */
  OPENER_PROC_NAME = 3          /* task/TID/comm */
};

/* What a mapping says of its file. */
struct opener_binary {
  uint64_t device; /* major << 32 | minor */
  uint64_t inode;
  uint64_t inode_generation;
  uint32_t flags; /* enum capture_binary_flags */
  uint32_t build_id_size;
  uint8_t build_id[OPENER_BUILD_ID_MAX];
  uint32_t path_length;
};

struct opener_request {
  uint32_t type;    /* enum opener_type */
  uint32_t size;    /* of all of it */
  uint32_t version; /* OPENER_PROTOCOL_VERSION */
  int32_t pid;      /* OPEN, LOOK, PROC, FREE, and PROVE, where it is that of the pidfd */
  int32_t tid;      /* PROC: of a name */
  uint32_t file;    /* PROC: enum opener_proc */
  uint64_t start;   /* OPEN, LOOK: of the mapping, as `end` */
  uint64_t end;
  int32_t error;                      /* STORE: positive errno: why there is no table; else 0 */
  char identity[OPENER_IDENTITY_MAX]; /* STORE */
  struct opener_binary binary;        /* OPEN, LOOK; its path follows this structure */
};

enum opener_kind {
  OPENER_DONE = 0,   /* what was asked for, unless `error` says otherwise: PROVE, FREE, PROC, STORE */
  OPENER_FILE = 1,   /* to be compiled; the descriptor */
  OPENER_MEMORY = 2, /* the same, of what is in memory at its addresses */
  OPENER_TABLE = 3,  /* from the cache, checked; the descriptor, of `length` bytes */
  OPENER_NONE = 4,   /* known to have no table: `error` */
  OPENER_NOT = 5,    /* it cannot be opened now: `error` */
  OPENER_PUBLIC = 6  /* the caller reads it himself: opener_open_is_public() */
};

/* FREE's errors: ENOKEY as said above; EPERM: it is confined, or that cannot be told; ESRCH: it is gone.
 * PROVE's errors: ENOKEY as said above; EACCES: it is not this user's, or set-uid, or not dumpable; ESRCH: it
 * is gone already; EBADF: no pidfd; EINVAL: a pidfd of a thread, or of another process. */
struct opener_answer {
  uint32_t type; /* of the request */
  uint32_t size; /* of the answer */
  uint32_t kind; /* enum opener_kind */
  int32_t error; /* positive errno, or 0 */
  uint64_t length;
  char identity[OPENER_IDENTITY_MAX]; /* OPEN, LOOK: what tells the binary from others */
};

#endif
