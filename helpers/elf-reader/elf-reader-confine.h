/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the elf-reader gives up what it does not need. It reads files that anybody may have made; whoever takes
 * it over by one of them must gain nothing by it.
 *
 * Two steps, so that each can be tested for itself: the rights that a process has, and the system calls that
 * it may make. What cannot be given up for lack of rights (a file system, on old kernels and for ordinary
 * users) is closed by the second.
 */
#ifndef ELF_READER_CONFINE_H
#define ELF_READER_CONFINE_H

/* Precedence over others; descriptors but for `socket`, which then is alone beside /dev/null as 0 to 2; user
 * (nobody, when root); capabilities, of the bounding and ambient sets too; file system (an empty directory as
 * root, and Landlock); new privileges by exec; resource limits. The process dies with its parent. 0 or
 * -errno. */
int elf_reader_give_up_rights(int socket);
/* From here on, any system call but those for reading descriptors, memory, memfds and `socket` kills the
 * process. 0 or -errno. */
int elf_reader_give_up_calls(int socket);

#endif
