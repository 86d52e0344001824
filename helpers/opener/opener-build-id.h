/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The build-id of an ELF file, of which nothing is believed: every read is one of bounded size. */
#ifndef OPENER_BUILD_ID_H
#define OPENER_BUILD_ID_H

#include <stdint.h>

#include "libcapture/format/capture-format.h"

/* Reads it from the notes of a 64-bit ELF file of this machine's byte order. Returns its size, at most
 * CAPTURE_BUILD_ID_MAX, or 0 when there is none. */
uint32_t opener_build_id_read(int fd, uint8_t build_id[CAPTURE_BUILD_ID_MAX]);

#endif
