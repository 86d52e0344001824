/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording/inside/door-private.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gi18n.h>
#include <glib/gstdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "recording/common/error.h"

/* Many programs may start while another one is let in. */
#define BACKLOG 1024

#define PREFIX "capture-socket-"
/* How old a directory is before it can be somebody's who died: younger ones may be about to listen. */
#define STALE_SECONDS 60

struct _RecordingDoor {
  char *directory;
  char *path;
  int socket;
  int spare; /* given up for a moment to send somebody away, when there is no other descriptor */
};

static gboolean is_stale(const char *directory)
{
  struct stat status;

  return lstat(directory, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
         time(NULL) - status.st_mtime > STALE_SECONDS;
}

static gboolean is_deserted(const char *path)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

  if (fd < 0)
    return FALSE;
  g_strlcpy(address.sun_path, path, sizeof address.sun_path);
  gboolean refused = connect(fd, (struct sockaddr *)&address, sizeof address) < 0 && errno == ECONNREFUSED;
  close(fd);
  return refused;
}

/* What recordings left behind that were killed. */
static void door_sweep(const char *place)
{
  g_autoptr(GDir) entries = g_dir_open(place, 0, NULL);

  for (const char *name; entries && (name = g_dir_read_name(entries));) {
    g_autofree char *directory = g_build_filename(place, name, NULL);
    g_autofree char *path = g_build_filename(directory, "socket", NULL);
    if (!g_str_has_prefix(name, PREFIX) || !is_stale(directory) || !is_deserted(path))
      continue;
    unlink(path);
    rmdir(directory);
  }
}

/* Whether nobody else can put something into the place of what is made there. */
static gboolean is_safe(const char *place)
{
  GStatBuf status;

  return g_stat(place, &status) == 0 && (status.st_uid == geteuid() || status.st_uid == 0) &&
         ((status.st_mode & (S_IWGRP | S_IWOTH)) == 0 || (status.st_mode & S_ISVTX) != 0);
}

/* Not where another user's programs look for theirs, or where he could move it: variables survive su and
 * sudo. */
static char *make_directory(void)
{
  const char *runtime = g_getenv("XDG_RUNTIME_DIR");
  const char *places[] = {runtime && *runtime == '/' && strlen(runtime) < 64 ? runtime : NULL,
                          g_get_tmp_dir(), "/tmp"};

  for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
    gboolean is_last = i + 1 == G_N_ELEMENTS(places);
    if (!places[i] || (!is_last && !is_safe(places[i])))
      continue;
    char *directory = g_build_filename(places[i], PREFIX "XXXXXX", NULL);
    if (strlen(directory) + sizeof "/socket" <= sizeof((struct sockaddr_un *)NULL)->sun_path &&
        g_mkdtemp_full(directory, 0700)) {
      door_sweep(places[i]);
      return directory;
    }
    g_free(directory);
  }
  return NULL;
}

static gboolean listen_at(RecordingDoor *self)
{
  struct sockaddr_un address = {.sun_family = AF_UNIX};

  self->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  self->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
  g_strlcpy(address.sun_path, self->path, sizeof address.sun_path);
  return self->socket >= 0 && bind(self->socket, (struct sockaddr *)&address, sizeof address) == 0 &&
         listen(self->socket, BACKLOG) == 0;
}

RecordingDoor *recording_door_new(GError **error)
{
  g_autoptr(RecordingDoor) self = g_new0(RecordingDoor, 1);

  self->socket = self->spare = -1;
  self->directory = make_directory();
  self->path = self->directory ? g_build_filename(self->directory, "socket", NULL) : NULL;
  if (self->path && listen_at(self))
    return g_steal_pointer(&self);
  g_set_error(
      error, RECORDING_ERROR, RECORDING_ERROR_FAILED,
      _("No socket can be made for the programs that are recorded, neither in $XDG_RUNTIME_DIR nor in "
        "/tmp: %s."),
      g_strerror(errno));
  return NULL;
}

const char *recording_door_get_path(RecordingDoor *self)
{
  return self->path;
}

int recording_door_get_fd(RecordingDoor *self)
{
  return self->socket;
}

/* Else it would knock for ever, and be heard for ever. */
static void send_away(RecordingDoor *self)
{
  close(self->spare);
  self->spare = accept4(self->socket, NULL, NULL, SOCK_CLOEXEC);
  if (self->spare >= 0)
    close(self->spare);
  self->spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static gboolean is_welcome(int fd, pid_t *ret_pid)
{
  struct ucred peer;
  socklen_t length = sizeof peer;

  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0 || peer.uid != geteuid() || peer.pid <= 0)
    return FALSE;
  *ret_pid = peer.pid;
  return TRUE;
}

int recording_door_open(RecordingDoor *self, pid_t *ret_pid)
{
  for (;;) {
    int fd = accept4(self->socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0 && (errno == EMFILE || errno == ENFILE) && self->spare >= 0) {
      send_away(self);
      continue;
    }
    if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
      continue;
    if (fd < 0)
      return -EAGAIN;
    if (is_welcome(fd, ret_pid))
      return fd;
    close(fd);
  }
}

void recording_door_free(RecordingDoor *self)
{
  if (self->socket >= 0)
    close(self->socket);
  if (self->spare >= 0)
    close(self->spare);
  if (self->path)
    unlink(self->path);
  if (self->directory)
    rmdir(self->directory);
  g_free(self->path);
  g_free(self->directory);
  g_free(self);
}
