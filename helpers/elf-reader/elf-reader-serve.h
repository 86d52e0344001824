/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests of helpers/elf-reader-protocol.h, one after the other. */
#ifndef ELF_READER_SERVE_H
#define ELF_READER_SERVE_H

/* Says READY and serves until the other end of the socket is closed. 0, or -errno when the other end breaks
 * the protocol. */
int elf_reader_serve(int socket);

#endif
