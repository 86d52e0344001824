/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/fetch/symbol-fetcher.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "helpers/helper-start.h"
#include "helpers/packet.h"
#include "helpers/program-path.h"

extern char **environ;

typedef struct {
  pid_t pid; /* 0: none */
  int socket;
  gint64 deadline; /* of g_get_monotonic_time() */
} SymbolFetcher;

static void symbol_fetcher_end(SymbolFetcher *self)
{
  if (self->socket >= 0)
    close(self->socket);
  if (self->pid == 0)
    return;
  kill(self->pid, SIGKILL);
  while (waitpid(self->pid, NULL, 0) < 0 && errno == EINTR)
    continue;
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(SymbolFetcher, symbol_fetcher_end)

static int symbol_fetcher_start(SymbolFetcher *self)
{
  static const struct program_path place =
      PROGRAM_PATH("CAPTURE_SYMBOL_FETCHER", "symbol-fetcher", "capture-symbol-fetcher", PROFILE_LIBEXECDIR);
  char *program = program_path_find(&place, X_OK, NULL);
  int result = program ? helper_start(program, environ, &self->pid, &self->socket) : -ENOSYS;

  free(program);
  return result;
}

/* Until there is something to receive, it is cancelled, or time is over. */
static int symbol_fetcher_wait(const SymbolFetcher *self, GCancellable *cancellable)
{
  GPollFD fds[2] = {{.fd = self->socket, .events = G_IO_IN}};
  gint64 left = self->deadline - g_get_monotonic_time();
  gboolean both;

  if (g_cancellable_is_cancelled(cancellable))
    return -ECANCELED;
  if (left <= 0)
    return -ETIME;
  both = g_cancellable_make_pollfd(cancellable, &fds[1]);
  g_poll(fds, both ? 2 : 1, (gint)MIN(left / 1000 + 1, G_MAXINT));
  if (both)
    g_cancellable_release_fd(cancellable);
  return 0;
}

static gboolean is_answer(const struct symbol_fetcher_answer *answer, int fd)
{
  if (answer->type == SYMBOL_FETCHER_PROGRESS)
    return fd < 0;
  return answer->type == SYMBOL_FETCHER_FETCHED && answer->error <= 0 && answer->error > -4096 &&
         (answer->error == 0) == (fd >= 0);
}

/* The descriptor, or -errno and it is closed. */
static int take_file(int fd, guint64 size_max)
{
  struct stat status = {0};

  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (guint64)status.st_size <= size_max)
    return fd;
  close(fd);
  return S_ISREG(status.st_mode) ? -EFBIG : -EBADMSG;
}

/* 1 with *ret, the descriptor or -errno, when it is done; 0 when it goes on; -errno. */
static int symbol_fetcher_receive(SymbolFetcher *self, guint64 size_max, ProfileFetchedFunc progress,
                                  gpointer data, int *ret)
{
  struct symbol_fetcher_answer answer;
  int fd;
  gssize size = packet_receive(self->socket, &answer, sizeof answer, &fd, false);

  if (size == -EAGAIN)
    return 0;
  if (size != sizeof answer || !is_answer(&answer, fd)) {
    if (size > 0 && fd >= 0)
      close(fd);
    return -EPROTO;
  }
  if (answer.type == SYMBOL_FETCHER_PROGRESS) {
    if (progress)
      progress(answer.bytes, answer.total, data);
    return 0;
  }
  *ret = answer.error == 0 ? take_file(fd, size_max) : answer.error;
  return 1;
}

int profile_symbol_fetcher_run(const struct symbol_fetcher_request *request, ProfileFetchedFunc progress,
                               gpointer data, GCancellable *cancellable)
{
  g_auto(SymbolFetcher) self = {.socket = -1};
  int result = symbol_fetcher_start(&self), answer = -EPROTO;

  self.deadline = g_get_monotonic_time() + (gint64)request->seconds_max * G_USEC_PER_SEC;
  if (result == 0 && packet_send(self.socket, request, sizeof *request, -1, true) < 0)
    result = -EPROTO;
  while (result == 0) {
    result = symbol_fetcher_wait(&self, cancellable);
    if (result == 0)
      result = symbol_fetcher_receive(&self, request->size_max, progress, data, &answer);
  }
  return result < 0 ? result : answer;
}
