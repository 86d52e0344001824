/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/naming/elf-reader.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/elf-reader-client.h"

#define POLL_MS    250
#define ANSWER_MAX ((guint64)256 * 1024 * 1024)

struct _ProfileElfReader {
  char *program;
  gint64 end; /* of a RESOLVE; 0: when it is done */
  struct elf_reader_client client;
};

ProfileElfReader *profile_elf_reader_new(const char *program)
{
  ProfileElfReader *self = g_new0(ProfileElfReader, 1);

  self->program = g_strdup(program);
  self->client.socket = -1;
  return self;
}

void profile_elf_reader_set_end(ProfileElfReader *self, gint64 end)
{
  self->end = end;
}

static void elf_reader_end(ProfileElfReader *self)
{
  pid_t pid = elf_reader_client_release(&self->client);

  if (pid == 0)
    return;
  kill(pid, SIGKILL);
  while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
    continue;
}

void profile_elf_reader_free(ProfileElfReader *self)
{
  elf_reader_end(self);
  g_free(self->program);
  g_free(self);
}

/* Until there is something to receive, or for a while, or until it is cancelled or hangs. */
static void elf_reader_wait(const ProfileElfReader *self, GCancellable *cancellable)
{
  GPollFD fds[2] = {{.fd = self->client.socket, .events = G_IO_IN}};
  gboolean both = g_cancellable_make_pollfd(cancellable, &fds[1]);
  gint64 left = (gint64)(MIN(self->client.deadline, G_MAXINT64) / 1000) - g_get_monotonic_time();

  g_poll(fds, both ? 2 : 1, (gint)CLAMP(left / 1000 + 1, 1, POLL_MS));
  if (both)
    g_cancellable_release_fd(cancellable);
}

/* Waits until it is ready, or, if it has a job, for the answer. */
static int elf_reader_receive(ProfileElfReader *self, GCancellable *cancellable,
                              struct elf_reader_answer *ret)
{
  gboolean has_job = self->client.job != NULL;
  int result;

  for (;;) {
    if (g_cancellable_is_cancelled(cancellable))
      return -ECANCELED;
    result = elf_reader_client_receive(&self->client, ret);
    if (result != 0 || (!has_job && self->client.ready))
      return result;
    elf_reader_wait(self, cancellable);
  }
}

static int elf_reader_start(ProfileElfReader *self, GCancellable *cancellable)
{
  struct elf_reader_answer answer;
  int result;

  if (self->client.pid != 0)
    return 0;
  result = elf_reader_client_start(&self->client, self->program);
  return result < 0 ? result : elf_reader_receive(self, cancellable, &answer);
}

static gboolean is_as_promised(const struct elf_reader_answer *answer)
{
  int seals = fcntl(answer->fd, F_GET_SEALS);
  struct stat status;

  return seals >= 0 && (seals & ELF_READER_SEALS) == ELF_READER_SEALS && fstat(answer->fd, &status) == 0 &&
         (guint64)status.st_size == answer->size && answer->size <= ANSWER_MAX;
}

/* A copy, which is read at once and changed. */
static gpointer elf_reader_copy_answer(const struct elf_reader_answer *answer)
{
  g_autofree guint8 *bytes = g_try_malloc(answer->size);
  gsize at = 0;
  gssize n = 1;

  while (bytes && at < answer->size && n > 0) {
    n = pread(answer->fd, bytes + at, answer->size - at, (off_t)at);
    at += n > 0 ? (gsize)n : 0;
  }
  return bytes && at == answer->size ? g_steal_pointer(&bytes) : NULL;
}

static int elf_reader_take_answer(const struct elf_reader_answer *answer,
                                  bool (*is_valid)(const void *bytes, size_t size), gpointer *ret)
{
  g_autofree gpointer bytes = NULL;

  if (answer->fd < 0)
    return answer->error;
  bytes = is_as_promised(answer) ? elf_reader_copy_answer(answer) : NULL;
  close(answer->fd);
  if (!bytes || !is_valid(bytes, answer->size))
    return -EBADMSG;
  *ret = g_steal_pointer(&bytes);
  return 0;
}

/* Of what was asked with that result. */
static int elf_reader_finish(ProfileElfReader *self, int result, GCancellable *cancellable,
                             bool (*is_valid)(const void *bytes, size_t size), gpointer *ret)
{
  struct elf_reader_answer answer;

  if (result == 0)
    result = elf_reader_receive(self, cancellable, &answer);
  if (result > 0)
    result = elf_reader_take_answer(&answer, is_valid, ret);
  if (result < 0)
    elf_reader_end(self);
  return result;
}

int profile_elf_reader_resolve(ProfileElfReader *self, const int *fds, guint n_fds, guint32 flags,
                               const guint64 *addresses, guint n, GCancellable *cancellable,
                               struct dwarf_places **ret)
{
  gpointer places = NULL;
  int result = elf_reader_start(self, cancellable);

  self->client.resolve_until = (guint64)self->end * 1000;
  if (result == 0)
    result = elf_reader_client_resolve(&self->client, self, fds, n_fds, flags, addresses, n);
  result = elf_reader_finish(self, result, cancellable, dwarf_places_are_valid, &places);
  if (result == 0)
    *ret = places;
  return result;
}

int profile_elf_reader_disassemble(ProfileElfReader *self, int fd, const struct elf_reader_code *code,
                                   GCancellable *cancellable, struct code_instructions **ret)
{
  gpointer instructions = NULL;
  int result = elf_reader_start(self, cancellable);

  if (result == 0)
    result = elf_reader_client_disassemble(&self->client, self, fd, code);
  result = elf_reader_finish(self, result, cancellable, code_instructions_are_valid, &instructions);
  if (result == 0)
    *ret = instructions;
  return result;
}
