/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/recorder-opener.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "helpers/opener/opener-serve.h"
#include "helpers/packet.h"
#include "helpers/recorder/recorder-child.h"
#include "helpers/recorder/recorder-clock.h"
#include "helpers/recorder/recorder-memory.h"

#define PATIENCE UINT64_C(5000000000)

/* The recorder's signals are not for its child, which ends when its socket does. */
static void reset_signals(void)
{
  sigset_t none;
  sigemptyset(&none);
  for (int number = 1; number < NSIG; number++)
    signal(number, number == SIGINT || number == SIGXFSZ ? SIG_IGN : SIG_DFL);
  sigprocmask(SIG_SETMASK, &none, NULL);
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* What is needed to look into other processes and to read what they have mapped, as far as the recorder has
 * it. */
static void keep_rights_to_open(void)
{
  static const int needed[] = {CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE, CAP_DAC_READ_SEARCH};
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct had[_LINUX_CAPABILITY_U32S_3], kept[_LINUX_CAPABILITY_U32S_3] = {0};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (syscall(SYS_capget, &header, had) < 0)
    return;
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++) {
    uint32_t word = CAP_TO_INDEX(needed[i]), bit = CAP_TO_MASK(needed[i]);
    kept[word].permitted |= had[word].permitted & bit;
    kept[word].effective |= had[word].effective & bit;
  }
  syscall(SYS_capset, &header, kept);
}

static _Noreturn void be_opener(int socket, const char *cache, uint64_t cache_limit)
{
  reset_signals();
  if (socket > 3)
    syscall(SYS_close_range, 3, socket - 1, 0);
  syscall(SYS_close_range, socket + 1, ~0u, 0);
  keep_rights_to_open();
  opener_serve(socket, &(struct opener_options){.cache = cache, .cache_limit = cache_limit});
  _exit(EXIT_SUCCESS);
}

int recorder_opener_start(struct recorder_opener *opener, const char *cache, uint64_t cache_limit)
{
  int pair[2];
  *opener = (struct recorder_opener){.socket = -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
    return -errno;
  pid_t pid = fork();
  if (pid == 0)
    be_opener(pair[1], cache, cache_limit);
  int error = errno;
  close(pair[1]);
  if (pid < 0) {
    close(pair[0]);
    return -error;
  }
  opener->pid = pid;
  opener->socket = pair[0];
  return 0;
}

void recorder_opener_stop(struct recorder_opener *opener)
{
  if (opener->pid == 0)
    return;
  close(opener->socket);
  recorder_child_end(opener->pid);
  *opener = (struct recorder_opener){.socket = -1};
}

struct opener_request *recorder_opener_request_new(const struct recorder_binary_key *key, int32_t pid,
                                                   uint64_t start, uint64_t end)
{
  size_t path = key->path_length < OPENER_PATH_MAX ? key->path_length : 0;
  struct opener_request *request = recorder_allocate(1, sizeof *request + path);
  *request = (struct opener_request){
      .type = OPENER_OPEN,
      .size = (uint32_t)(sizeof *request + path),
      .version = OPENER_PROTOCOL_VERSION,
      .pid = pid,
      .start = start,
      .end = end,
      .binary =
          {
              .device = key->device,
              .inode = key->inode,
              .inode_generation = key->inode_generation,
              .flags = key->flags,
              .build_id_size = key->build_id_size,
              .path_length = (uint32_t)path,
          },
  };
  memcpy(request->binary.build_id, key->build_id, sizeof request->binary.build_id);
  memcpy(request + 1, key->path, path);
  return request;
}

int recorder_opener_send(struct recorder_opener *opener, const struct opener_request *request, int fd)
{
  int result = packet_send(opener->socket, request, request->size, fd, false);
  if (result == 0) {
    opener->busy = true;
    opener->since = recorder_clock_now();
  }
  return result;
}

int recorder_opener_receive(struct recorder_opener *opener, struct opener_answer *ret, int *ret_fd)
{
  int fd = -1;
  ssize_t size = packet_receive(opener->socket, ret, sizeof *ret, &fd, false);
  if (size == -EAGAIN)
    return !opener->busy || recorder_clock_now() - opener->since < PATIENCE ? 0 : -ETIMEDOUT;
  if (size == sizeof *ret && opener->busy) {
    opener->busy = false;
    *ret_fd = fd;
    return 1;
  }
  if (fd >= 0)
    close(fd);
  return size < 0 ? (int)size : -EPIPE;
}
