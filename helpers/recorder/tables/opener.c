/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/recorder/tables/opener.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/magic.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "helpers/common/memory.h"
#include "helpers/common/proc.h"
#include "helpers/limit.h"
#include "helpers/opener/opener-serve.h"
#include "helpers/packet.h"
#include "helpers/recorder/common/child.h"
#include "helpers/recorder/common/clock.h"

#define PATIENCE      UINT64_C(5000000000)
#define BUSY_PATIENCE UINT64_C(50000000)

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

static bool opener_has(const struct __user_cap_data_struct *rights, int capability)
{
  return (rights[CAP_TO_INDEX(capability)].permitted & CAP_TO_MASK(capability)) != 0;
}

/* What is needed to look into other processes and to read what they have mapped, as far as the recorder has
 * it. CAP_WAKE_ALARM is needed where CAP_SYS_PTRACE is not there (helpers/recorder/common/rights.c). */
static void keep_rights_to_open(void)
{
  static const int needed[] = {CAP_SYS_PTRACE, CAP_CHECKPOINT_RESTORE, CAP_DAC_READ_SEARCH, CAP_WAKE_ALARM};
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct had[_LINUX_CAPABILITY_U32S_3], kept[_LINUX_CAPABILITY_U32S_3] = {0};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (syscall(SYS_capget, &header, had) < 0)
    return;
  size_t n = sizeof needed / sizeof needed[0] - opener_has(had, CAP_SYS_PTRACE);
  for (size_t i = 0; i < n; i++) {
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
  limit_priority();
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

void recorder_opener_adopt(struct recorder_opener *opener, int socket)
{
  *opener = (struct recorder_opener){.socket = socket, .foreign = true};
}

void recorder_opener_stop(struct recorder_opener *opener)
{
  if (opener->socket < 0)
    return;
  close(opener->socket);
  if (opener->has_kept && opener->kept_fd >= 0)
    close(opener->kept_fd);
  if (opener->pid != 0)
    recorder_child_end(opener->pid);
  *opener = (struct recorder_opener){.socket = -1, .foreign = opener->foreign};
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
    opener->asked = request->type;
    opener->since = recorder_clock_now();
  }
  return result;
}

bool recorder_opener_wait(struct recorder_opener *opener, int milliseconds)
{
  struct pollfd answer = {.fd = opener->socket, .events = POLLIN};
  return opener->has_kept || poll(&answer, 1, milliseconds) > 0;
}

static bool opener_opens(uint32_t type)
{
  return type == OPENER_OPEN || type == OPENER_LOOK;
}

static bool may_have_descriptor(const struct opener_answer *answer)
{
  return (answer->type == OPENER_OPEN && answer->kind >= OPENER_FILE && answer->kind <= OPENER_TABLE) ||
         (answer->type == OPENER_LOOK && answer->kind == OPENER_FILE) ||
         (answer->type == OPENER_PROC && answer->error == 0);
}

/* Whether the answer fits what was asked, whoever gave it. */
static bool is_sound(const struct recorder_opener *opener, const struct opener_answer *answer, ssize_t size,
                     int fd)
{
  if (size != sizeof *answer || answer->size != sizeof *answer || !opener->busy ||
      answer->type != opener->asked || answer->kind > OPENER_PUBLIC || answer->error < 0 ||
      memchr(answer->identity, '\0', sizeof answer->identity) == NULL)
    return false;
  if (opener_opens(answer->type) != (answer->kind != OPENER_DONE) ||
      (answer->kind == OPENER_PUBLIC && answer->type != OPENER_LOOK) ||
      (fd >= 0) != may_have_descriptor(answer))
    return false;
  return !opener_opens(answer->type) || answer->kind == OPENER_NOT ||
         (answer->identity[0] != '\0' && (answer->kind != OPENER_NONE || answer->error != 0));
}

static bool is_memory(int fd)
{
  return fcntl(fd, F_GET_SEALS) >= 0;
}

/* What is asked first waits for nobody: memory is told by its seals, and a file system that a user serves
 * says what it is without him. */
static bool is_file(int fd)
{
  struct statfs file_system;
  struct stat status;
  return is_memory(fd) || (fstatfs(fd, &file_system) == 0 && file_system.f_type != FUSE_SUPER_MAGIC &&
                           fstat(fd, &status) == 0 && S_ISREG(status.st_mode));
}

/* Descriptors of /proc may be opened by one process and read by another with other rights, so it must be the
 * one that was asked for. */
static bool is_what_was_looked_for(int fd, const struct opener_request *request)
{
  char link[40], path[PATH_MAX], wanted[64];
  struct statfs file_system;
  recorder_proc_path(wanted, sizeof wanted, request->pid, request->tid, (enum opener_proc)request->file);
  const char *end = wanted + strlen("/proc");
  size_t length = strlen(end);
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t size = readlink(link, path, sizeof path);
  return fstatfs(fd, &file_system) == 0 && file_system.f_type == PROC_SUPER_MAGIC &&
         size >= (ssize_t)length && memcmp(path + (size_t)size - length, end, length) == 0;
}

static bool is_of_its_sort(const struct opener_answer *answer, int fd)
{
  switch (answer->kind) {
  case OPENER_TABLE:
  case OPENER_MEMORY:
    return is_memory(fd);
  case OPENER_FILE:
    return is_file(fd);
  default:
    return true;
  }
}

/* An answer from the socket: 1, 0 when there is none, or -errno. */
static int take_answer(struct recorder_opener *opener, struct opener_answer *ret, int *ret_fd)
{
  int fd = -1;
  if (opener->socket < 0)
    return -EPIPE;
  ssize_t size = packet_receive(opener->socket, ret, sizeof *ret, &fd, false);
  if (size == -EAGAIN)
    return !opener->busy || recorder_clock_now() - opener->since < PATIENCE ? 0 : -ETIMEDOUT;
  if (is_sound(opener, ret, size, fd) && (!opener->foreign || fd < 0 || is_of_its_sort(ret, fd))) {
    opener->busy = false;
    *ret_fd = fd;
    return 1;
  }
  if (fd >= 0)
    close(fd);
  return size < 0 ? (int)size : -EPIPE;
}

int recorder_opener_receive(struct recorder_opener *opener, struct opener_answer *ret, int *ret_fd)
{
  if (!opener->has_kept)
    return take_answer(opener, ret, ret_fd);
  *ret = opener->kept;
  *ret_fd = opener->kept_fd;
  opener->has_kept = false;
  return 1;
}

/* As take_answer, but waits until that time. */
static int await_answer(struct recorder_opener *opener, struct opener_answer *ret, int *ret_fd,
                        uint64_t until)
{
  for (;;) {
    int result = take_answer(opener, ret, ret_fd);
    uint64_t now = recorder_clock_now();
    if (result != 0)
      return result;
    if (now >= until)
      return -ETIMEDOUT;
    recorder_opener_wait(opener, (int)((until - now) / 1000000 + 1));
  }
}

/* Its answer to what it was asked before: a disk may keep it waiting longer than the recorder should. */
static int keep_answer(struct recorder_opener *opener)
{
  if (!opener->busy)
    return 0;
  int result = await_answer(opener, &opener->kept, &opener->kept_fd, recorder_clock_now() + BUSY_PATIENCE);
  opener->has_kept = result > 0;
  return result < 0 ? result : 0;
}

/* Returns 1 with the answer, or -errno: -EAGAIN when it is busy with something else, anything else when it
 * was lost. */
static int opener_ask(struct recorder_opener *opener, const struct opener_request *request, int fd,
                      uint64_t patience, struct opener_answer *ret, int *ret_fd)
{
  if (opener->socket < 0)
    return -EPIPE;
  int result = keep_answer(opener);
  if (result == -ETIMEDOUT)
    return -EAGAIN;
  if (result == 0)
    result = recorder_opener_send(opener, request, fd);
  if (result == 0)
    result = await_answer(opener, ret, ret_fd, recorder_clock_now() + patience);
  if (result < 0)
    recorder_opener_stop(opener);
  return result;
}

int recorder_opener_prove(struct recorder_opener *opener, int32_t pid, int pidfd, uint64_t patience)
{
  const struct opener_request request = {
      .type = OPENER_PROVE, .size = sizeof request, .version = OPENER_PROTOCOL_VERSION, .pid = pid};
  struct opener_answer answer;
  int fd;
  int result = opener_ask(opener, &request, pidfd, patience, &answer, &fd);
  return result < 0 ? result : -answer.error;
}

int recorder_opener_look(struct recorder_opener *opener, int32_t pid, int32_t tid, enum opener_proc file,
                         uint64_t patience)
{
  const struct opener_request request = {.type = OPENER_PROC,
                                         .size = sizeof request,
                                         .version = OPENER_PROTOCOL_VERSION,
                                         .pid = pid,
                                         .tid = tid,
                                         .file = file};
  struct opener_answer answer;
  int fd;
  int result = opener_ask(opener, &request, -1, patience, &answer, &fd);
  if (result < 0 || answer.error != 0)
    return result < 0 ? result : -answer.error;
  if (is_what_was_looked_for(fd, &request))
    return fd;
  close(fd);
  recorder_opener_stop(opener);
  return -EPROTO;
}
