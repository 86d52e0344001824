/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/helper-start.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#define FD_IN_CHILD 3

static int helper_start_set_attributes(posix_spawnattr_t *attributes)
{
  sigset_t all, none;
  sigfillset(&all);
  sigemptyset(&none);
  posix_spawnattr_setsigdefault(attributes, &all);
  posix_spawnattr_setsigmask(attributes, &none);
  posix_spawnattr_setpgroup(attributes, 0);
  return posix_spawnattr_setflags(attributes,
                                  POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
}

static int helper_start_with_socket(const char *program, char *const *environment, int socket, pid_t *ret)
{
  char *argv[] = {(char *)program, (char *)"3", NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int result = posix_spawn_file_actions_init(&actions);
  if (result != 0)
    return -result;
  if ((result = posix_spawnattr_init(&attributes)) == 0) {
    if ((result = posix_spawn_file_actions_adddup2(&actions, socket, FD_IN_CHILD)) == 0 &&
        (result = helper_start_set_attributes(&attributes)) == 0)
      result = posix_spawn(ret, program, &actions, &attributes, argv, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&actions);
  return -result;
}

int helper_start(const char *program, char *const *environment, pid_t *ret_pid, int *ret_socket)
{
  pid_t pid;
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    return -errno;
  int result = helper_start_with_socket(program, environment, pair[1], &pid);
  close(pair[1]);
  if (result < 0) {
    close(pair[0]);
    return result;
  }
  *ret_pid = pid;
  *ret_socket = pair[0];
  return 0;
}
