/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * zstd for libcapture, which links no compressor: give these as the hooks of capture_file_options
 * and capture_reader_options. Both keep one context a thread; thread-safe; their data argument is ignored.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Compresses at level 1 into one frame; returns its size, or 0 when it does not fit (a capture_compress_fn).
 */
size_t profile_zstd_compress(void *out, size_t capacity, const void *in, size_t length, void *data);

/* Decompresses one frame into exactly out_length bytes; false when it is damaged or of another
 * length (a capture_decompress_fn). Memory is bounded: frames that ask for a window above 128 MiB are
 * refused. */
bool profile_zstd_decompress(void *out, size_t out_length, const void *in, size_t length, void *data);
