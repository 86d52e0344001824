/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/recording-elf-reader-private.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/elf-reader-protocol.h"
#include "recording/recording-packet-private.h"

#define FD_IN_CHILD 3
#define PATIENCE    (5 * G_TIME_SPAN_SECOND)

struct _RecordingElfReader {
  pid_t pid;
  int socket;
  gboolean ready;
  gboolean busy;
  guint64 cookie;
  gint64 deadline; /* while it starts or is busy */
};

/* In a process group of its own: what a terminal's user interrupts is the recording, which then needs its
 * last tables. */
static int set_attributes(posix_spawnattr_t *attributes)
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

static int spawn(const char *program, int socket, pid_t *ret)
{
  char name[] = "capture-elf-reader", number[] = "3";
  char *argv[] = {name, number, NULL}, *environment[] = {NULL};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int result;

  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  if ((result = posix_spawn_file_actions_adddup2(&actions, socket, FD_IN_CHILD)) == 0 &&
      (result = set_attributes(&attributes)) == 0)
    result = posix_spawn(ret, program, &actions, &attributes, argv, environment);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return -result;
}

int recording_elf_reader_new(RecordingElfReader **ret, const char *program)
{
  int pair[2];
  pid_t pid;

  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
    return -errno;
  /* The elf-reader waits for what it is told. */
  fcntl(pair[1], F_SETFL, fcntl(pair[1], F_GETFL) & ~O_NONBLOCK);
  int result = spawn(program, pair[1], &pid);
  close(pair[1]);
  if (result < 0) {
    close(pair[0]);
    return result;
  }
  RecordingElfReader *self = g_new(RecordingElfReader, 1);
  *self = (RecordingElfReader){.pid = pid, .socket = pair[0], .deadline = g_get_monotonic_time() + PATIENCE};
  *ret = self;
  return 0;
}

void recording_elf_reader_free(RecordingElfReader *self)
{
  if (!self)
    return;
  close(self->socket);
  kill(self->pid, SIGKILL);
  waitpid(self->pid, NULL, 0);
  g_free(self);
}

int recording_elf_reader_get_fd(RecordingElfReader *self)
{
  return self->socket;
}

gboolean recording_elf_reader_is_idle(RecordingElfReader *self)
{
  return self->ready && !self->busy;
}

gboolean recording_elf_reader_was_ready(RecordingElfReader *self)
{
  return self->ready;
}

gboolean recording_elf_reader_compile(RecordingElfReader *self, int fd)
{
  struct elf_reader_message message = {
      .type = ELF_READER_COMPILE, .size = sizeof message, .cookie = ++self->cookie};

  self->busy = TRUE;
  self->deadline = g_get_monotonic_time() + PATIENCE;
  return recording_packet_send(self->socket, &message, sizeof message, &fd, 1);
}

/* Nobody can change it or take it away, and no page of it is yet to be found. */
static gboolean is_for_good(int fd, guint64 length)
{
  int seals = fcntl(fd, F_GET_SEALS);
  struct stat status;

  return seals >= 0 && (seals & ELF_READER_SEALS) == ELF_READER_SEALS && fstat(fd, &status) == 0 &&
         (guint64)status.st_size == length && length > 0 && length <= G_MAXINT32;
}

static gboolean take_ready(RecordingElfReader *self, const struct elf_reader_message *message, int fd)
{
  if (message->type != ELF_READER_READY || self->ready || fd >= 0 ||
      message->version != ELF_READER_PROTOCOL_VERSION)
    return FALSE;
  self->ready = TRUE;
  return TRUE;
}

static gboolean take_compiled(RecordingElfReader *self, const struct elf_reader_message *message, int fd,
                              RecordingElfReaderAnswer *ret)
{
  if (message->type != ELF_READER_COMPILED || !self->busy || message->cookie != self->cookie ||
      message->error > 0 || message->error < -4095 || (message->error == 0) != (fd >= 0) ||
      (fd >= 0 && !is_for_good(fd, message->length)))
    return FALSE;
  self->busy = FALSE;
  *ret = (RecordingElfReaderAnswer){.error = message->error, .fd = fd, .length = message->length};
  return TRUE;
}

static gboolean hangs(const RecordingElfReader *self)
{
  return (self->busy || !self->ready) && g_get_monotonic_time() >= self->deadline;
}

RecordingElfReaderState recording_elf_reader_receive(RecordingElfReader *self, RecordingElfReaderAnswer *ret)
{
  struct elf_reader_message message;
  int fd = -1;
  gssize n = recording_packet_receive(self->socket, &message, sizeof message, &fd, 1);

  if (n == -EAGAIN || n == -EINTR)
    return hangs(self) ? RECORDING_ELF_READER_LOST : RECORDING_ELF_READER_QUIET;
  if (n == sizeof message && message.size == sizeof message) {
    if (take_ready(self, &message, fd))
      return RECORDING_ELF_READER_QUIET;
    if (take_compiled(self, &message, fd, ret))
      return RECORDING_ELF_READER_ANSWERED;
  }
  if (fd >= 0)
    close(fd);
  return RECORDING_ELF_READER_LOST;
}
