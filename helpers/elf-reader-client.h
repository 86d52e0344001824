/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One elf-reader, from the side of who starts it (helpers/elf-reader-protocol.h): another process, which
 * files are compiled and named in that may be made to take it over. It keeps to the protocol or is given up;
 * what it answers is the owner's to check. Nothing here waits. libc only; one thread at a time.
 */
#ifndef ELF_READER_CLIENT_H
#define ELF_READER_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_reader_code;

struct elf_reader_client {
  pid_t pid;         /* 0: not running */
  int socket;        /* readable when there is something to receive; -1: not running */
  bool ready;        /* it has said so */
  void *job;         /* what it is asked about, the owner's; NULL: nothing */
  uint32_t expected; /* enum elf_reader_message_type: the answer to that */
  uint64_t cookie;
  uint64_t resolved_bytes; /* of the files that the last RESOLVE brought */
  uint64_t resolve_until;  /* the owner's to set: CLOCK_MONOTONIC, ns, when a RESOLVE ends with what it has;
                              0: when it is done */
  uint64_t deadline; /* CLOCK_MONOTONIC, ns: when it counts as hung; UINT64_MAX while it has nothing to do */
};

/* Not checked: seals, size, content. */
struct elf_reader_answer {
  int error; /* 0, or why there is no answer: a negative errno */
  int fd;    /* the table, names, places or instructions, the receiver's to close; -1 without */
  uint64_t size;
};

/* Starts `program`, in a process group of its own. 0 or -errno. */
int elf_reader_client_start(struct elf_reader_client *client, const char *program);
/* Hangs up, which makes the elf-reader leave when it waits. Returns its process, which is the caller's to
 * kill and to wait for; 0 when it was not running. */
pid_t elf_reader_client_release(struct elf_reader_client *client);
/* Hands a file (helpers/elf-reader-protocol.h has the flags), which stays the caller's, to an elf-reader that
 * is ready and has no job. 0 or -errno. */
int elf_reader_client_compile(struct elf_reader_client *client, void *job, int fd, uint32_t flags);
/* The same with offsets in the file, ascending, at most ELF_READER_OFFSETS_MAX: which functions they lie in.
 * One thread of the process at a time, whatever the elf-reader. */
int elf_reader_client_name(struct elf_reader_client *client, void *job, int fd, const uint64_t *offsets,
                           uint32_t n);
/* The same with n_fds files and enum elf_reader_flags, as RESOLVE has them, and addresses: in which places
 * they lie. Thread-safe. It counts as hung some minutes later than in the other cases, with large files, but
 * no later than a moment after resolve_until. */
int elf_reader_client_resolve(struct elf_reader_client *client, void *job, const int *fds, uint32_t n_fds,
                              uint32_t flags, const uint64_t *addresses, uint32_t n);
/* The same with a file of machine code, and what it is: which instructions stand there. Thread-safe. */
int elf_reader_client_disassemble(struct elf_reader_client *client, void *job, int fd,
                                  const struct elf_reader_code *code);
/* What it says: 1 and *ret filled in when its job is done, which it then has no more; 0 when there is nothing
 * new, or it became ready; -errno when it died, hangs (-ETIMEDOUT) or breaks the protocol and must be
 * released. To be called some times a second even when the socket is silent: so it is noticed that it hangs.
 */
int elf_reader_client_receive(struct elf_reader_client *client, struct elf_reader_answer *ret);

#endif
