/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef UNWIND_DECOMPRESS_PRIVATE_H
#define UNWIND_DECOMPRESS_PRIVATE_H

#include "unwind/unwind-elf-private.h"

/* The content of a section with SHF_COMPRESSED, zlib's or zstd's, in memory of its own that munmap gives
 * back. 0, -EBADMSG, -ENOMEM, or -ENODATA where it is compressed in another way. */
int unwind_decompress(const struct unwind_bytes *section, void **ret_memory, size_t *ret_size);

/* What xz streams hold, at most 256 MiB, in memory to be freed with free(). 0, -EBADMSG or -ENOMEM. */
int unwind_decompress_xz(const struct unwind_bytes *stream, void **ret_memory, size_t *ret_size);

#endif
