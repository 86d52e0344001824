/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Files as the elf-reader gets them, and answers as it gives them. */
#ifndef ELF_READER_FILE_H
#define ELF_READER_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Maps a regular file of at most `most` bytes, to be unmapped with munmap. Whoever reads it is killed by
 * SIGBUS when it is cut short meanwhile; its owner knows what to make of that. 0, or -errno: -EINVAL,
 * -ENOEXEC (empty), -EFBIG. */
int elf_reader_file_map(int fd, uint64_t most, const void **ret_bytes, size_t *ret_size);
/* The bytes in a memfd that nobody can change any more, to be closed, or -errno. */
int elf_reader_file_seal(const void *bytes, size_t size);

#endif
