/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the symbol-fetcher is talked to: the whole protocol, one SOCK_SEQPACKET socketpair.
 *
 * The symbol-fetcher is started as `capture-symbol-fetcher FD`, with its end of the pair as descriptor FD, by
 * whoever looks at a capture and as the same user. It asks debuginfod servers for one file and leaves. It
 * alone has the network, and libdebuginfod.
 *
 *   owner                             symbol-fetcher
 *   request                       ─▶
 *                                 ◀─  PROGRESS, some times a second while a server answers
 *                                 ◀─  FETCHED (+ the file, read-only), or with an error and none
 *
 * The owner may kill it at any time; what it leaves lies below the directory of the request. It keeps the
 * limits itself, and its owner does not rely on that. The owner checks what came: nobody has looked at it.
 */
#ifndef SYMBOL_FETCHER_PROTOCOL_H
#define SYMBOL_FETCHER_PROTOCOL_H

#include <stdint.h>

#define SYMBOL_FETCHER_PROTOCOL_VERSION 1
#define SYMBOL_FETCHER_BUILD_ID_MAX     64 /* bytes */
#define SYMBOL_FETCHER_PATH_MAX         4096
#define SYMBOL_FETCHER_URLS_MAX         8192

enum symbol_fetcher_kind {
  SYMBOL_FETCHER_DEBUG = 1,  /* the debug file; alternate files (dwz) are such, too */
  SYMBOL_FETCHER_BINARY = 2, /* the file that was run */
  SYMBOL_FETCHER_SOURCE = 3  /* a source file, by the path that the debug file says */
};

/* All texts end with a NUL. */
struct symbol_fetcher_request {
  uint32_t version; /* SYMBOL_FETCHER_PROTOCOL_VERSION */
  uint32_t kind;    /* enum symbol_fetcher_kind */
  uint64_t size_max;
  uint32_t seconds_max;   /* from the request to the answer; not 0 */
  uint32_t seconds_stall; /* with hardly any bytes: of a server that answers no more */
  char build_id[2 * SYMBOL_FETCHER_BUILD_ID_MAX + 1]; /* hexadecimal, lower case */
  char path[SYMBOL_FETCHER_PATH_MAX];                 /* SOURCE; else empty */
  char directory[SYMBOL_FETCHER_PATH_MAX];            /* as $DEBUGINFOD_CACHE_PATH. Nothing else is written */
  char urls[SYMBOL_FETCHER_URLS_MAX];                 /* as $DEBUGINFOD_URLS */
};

enum symbol_fetcher_answer_type { SYMBOL_FETCHER_PROGRESS = 64, SYMBOL_FETCHER_FETCHED = 65 };

struct symbol_fetcher_answer {
  uint32_t type;  /* enum symbol_fetcher_answer_type */
  int32_t error;  /* FETCHED: 0, or a negative errno: of libdebuginfod; -EFBIG beyond size_max, -ETIME,
                   -ECONNABORTED when the server broke off */
  uint64_t bytes; /* PROGRESS: that came */
  uint64_t total; /* PROGRESS: of the file; 0: the server did not say */
};

#endif
