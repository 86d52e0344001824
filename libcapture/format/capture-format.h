/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The capture format, version 1: every structure that stands in a capture, as it stands there.
 * docs/format.md is the normative text; this header is the same in C.
 *
 * All integers are in the byte order of the recording machine (capture_file_header.byte_order),
 * all fields are naturally aligned, all structures are multiples of 8 bytes and stand at multiples
 * of 8 bytes, so that each can be read in place. Reserved fields and padding are zero.
 * Times are nanoseconds of CLOCK_MONOTONIC unless the header's clock field says otherwise.
 *
 * Include this one; it is in three parts only to be read.
 */
#ifndef CAPTURE_FORMAT_H
#define CAPTURE_FORMAT_H

#include "libcapture/format/capture-format-dictionary.h"
#include "libcapture/format/capture-format-file.h"
#include "libcapture/format/capture-format-records.h"

#endif
