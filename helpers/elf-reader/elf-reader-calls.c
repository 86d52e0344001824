/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#include "helpers/elf-reader/elf-reader-confine.h"

/* What the allocator needs, fstat as it was before it took a path, write, for memfds (files come read-only),
 * and sysinfo: before it sorts much, qsort asks how much memory there is. */
static const int calls[] = {SCMP_SYS(brk),     SCMP_SYS(munmap),  SCMP_SYS(mremap),
                            SCMP_SYS(madvise), SCMP_SYS(close),   SCMP_SYS(fstat),
                            SCMP_SYS(write),   SCMP_SYS(sysinfo), SCMP_SYS(exit_group)};

static int elf_reader_calls_allow(scmp_filter_ctx filter)
{
  int result = 0;
  for (size_t i = 0; i < sizeof calls / sizeof calls[0] && result == 0; i++)
    result = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 0);
  return result;
}

static int allow_in_part(scmp_filter_ctx filter, int socket)
{
  const struct {
    int call;
    struct scmp_arg_cmp argument;
  } parts[] = {
      {SCMP_SYS(mmap), SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)},
      {SCMP_SYS(memfd_create), SCMP_A1(SCMP_CMP_EQ, MFD_CLOEXEC | MFD_ALLOW_SEALING)},
      {SCMP_SYS(fcntl), SCMP_A1(SCMP_CMP_EQ, F_ADD_SEALS)},
      {SCMP_SYS(setitimer), SCMP_A0(SCMP_CMP_EQ, ITIMER_PROF)},
      {SCMP_SYS(clock_gettime), SCMP_A0(SCMP_CMP_EQ, CLOCK_THREAD_CPUTIME_ID)},
      {SCMP_SYS(clock_gettime), SCMP_A0(SCMP_CMP_EQ, CLOCK_MONOTONIC)},
      {SCMP_SYS(recvmsg), SCMP_A0(SCMP_CMP_EQ, (unsigned)socket)},
      {SCMP_SYS(sendmsg), SCMP_A0(SCMP_CMP_EQ, (unsigned)socket)},
  };
  int result = 0;
  for (size_t i = 0; i < sizeof parts / sizeof parts[0] && result == 0; i++)
    result = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, parts[i].call, 1, &parts[i].argument);
  return result;
}

int elf_reader_give_up_calls(int socket)
{
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
  if (filter == NULL)
    return -ENOMEM;
  int result = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
  if (result == 0)
    result = elf_reader_calls_allow(filter);
  if (result == 0)
    result = allow_in_part(filter, socket);
  if (result == 0)
    result = seccomp_load(filter);
  seccomp_release(filter);
  return result;
}
