/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Appends parts of windows to a capture file: checksums, compression, index and footer, the
 * `ended` field. Used by whoever persists a recording; not async-signal-safe, one thread at a time.
 * Every function that writes leaves, on failure, a file that ends with its last whole part.
 */
#ifndef CAPTURE_FILE_H
#define CAPTURE_FILE_H

#include "libcapture/file/capture-sink.h"

typedef struct capture_file capture_file;

/* Compresses length bytes into out (capacity bytes); returns the size, or 0 when it does not
 * fit or failed: the part is then stored as it is. libcapture itself links no compressor. */
typedef size_t (*capture_compress_fn)(void *out, size_t capacity, const void *in, size_t length, void *data);

struct capture_file_options {
  size_t size;                  /* sizeof (struct capture_file_options) */
  capture_compress_fn compress; /* NULL: store everything as it is */
  void *compress_data;
  uint32_t clock;        /* enum capture_clock */
  uint64_t time;         /* 0: now */
  int64_t time_realtime; /* 0: now */
  bool foreign;          /* not known to be recorded since this machine was started: what the
                          * header says about the machine (boot_id …) stays unknown */
};

/* Writes a header to fd, which must be empty, seekable and writable, and stays the caller's. 0 or -errno. */
int capture_file_create(capture_file **ret, int fd, const struct capture_file_options *options);
/* Continues a file that was read before: parts go to `offset`, where the last whole part ends
 * (what stands behind it is cut off when the first part is written). */
int capture_file_continue(capture_file **ret, int fd, uint64_t offset,
                          const struct capture_file_options *options);
void capture_file_free(capture_file *file);

/* A stream number for a new producer, from 1. Writes its STREAM record. Returns it or -errno. */
int64_t capture_file_add_stream(capture_file *file, uint32_t kind, int32_t pid, const char *name);
/* Appends one part; header's kind … weight are kept, magic, crc, stored and the ZSTD and SHUFFLED
 * flags are set here. Returns 0 or -errno (-ENOSPC, -EFBIG, -EIO …). */
int capture_file_append(capture_file *file, const struct capture_window_header *header, const void *content);
/* Appends one METADATA record or MESSAGE record of stream 0. */
int capture_file_add_metadata(capture_file *file, const char *key, const char *value);
int capture_file_add_message(capture_file *file, uint64_t time, uint32_t severity, const char *text);
/* Appends index and footer. May be called again after more parts: the last footer wins. */
int capture_file_add_index(capture_file *file);
/* Rewrites `ended` in place; needs no space. time 0: now. */
int capture_file_end(capture_file *file, uint32_t reason, int32_t status, uint64_t time);
/* Bytes in the file so far. */
uint64_t capture_file_size(const capture_file *file);

/* A sink that writes windows of `window_size` bytes of private memory (0: 1 MiB) straight to the file as
 * `stream`: dictionaries before the samples that need them. Several may share a file. Freed by
 * capture_file_sink_free. */
int capture_file_sink_new(capture_sink **ret, capture_file *file, uint32_t stream, uint32_t window_size);
void capture_file_sink_free(capture_sink *sink);
/* Writes what was committed, of open windows too, so that it stands in the file whatever happens next:
 * dictionaries first. 0 or -errno. */
int capture_file_sink_write(capture_sink *sink);

#endif
