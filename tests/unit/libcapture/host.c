/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <poll.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Not while programs are taken from: children of fork in this process would inherit it. */
static int accept_one(struct host *host)
{
  struct pollfd polled = {.fd = host->listener, .events = POLLIN};

  return poll(&polled, 1, 2) > 0 ? accept4(host->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
}

static void receive_hello(int socket, struct capture_hello *hello, int fds[2])
{
  struct iovec iov = {hello, sizeof *hello};
  union {
    struct cmsghdr header;
    uint8_t space[CMSG_SPACE(2 * sizeof(int))];
  } control;
  struct msghdr message = {
      .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};

  g_assert_cmpint(recvmsg(socket, &message, MSG_CMSG_CLOEXEC), ==, sizeof *hello);
  g_assert_cmpuint(hello->type, ==, CAPTURE_ANNOUNCE_HELLO);
  g_assert_cmpuint(hello->version, ==, CAPTURE_ANNOUNCE_VERSION);
  g_assert_nonnull(memchr(hello->name, '\0', sizeof hello->name));
  g_assert_nonnull(CMSG_FIRSTHDR(&message));
  g_assert_cmpuint(CMSG_FIRSTHDR(&message)->cmsg_len, ==, CMSG_LEN(2 * sizeof(int)));
  memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), 2 * sizeof(int));
}

static void answer(struct host *host, int socket)
{
  struct capture_settings settings = {.type = CAPTURE_ANNOUNCE_SETTINGS,
                                      .version = CAPTURE_ANNOUNCE_VERSION,
                                      .flags = host->flags,
                                      .frequency = 1000};

  if (host->answer == HOST_GARBAGE)
    settings.type = 77;
  g_assert_cmpint(send(socket, &settings, sizeof settings, MSG_NOSIGNAL), ==, sizeof settings);
}

static void take_in(struct host *host, int socket)
{
  struct host_program *program = &host->programs[atomic_load(&host->n_programs)];
  struct capture_hello hello;
  int fds[2] = {-1, -1};

  g_assert_cmpuint(host->n_programs, <, HOST_PROGRAMS_MAX);
  receive_hello(socket, &hello, fds);
  if (host->answer == HOST_REFUSES) {
    close(socket);
  } else {
    program->socket = socket;
    program->pid = hello.pid;
    memcpy(program->name, hello.name, sizeof program->name);
    g_assert_cmpint(capture_tap_open(&program->tap, fds[0], fds[1]), ==, 0);
    program->control = mmap(NULL, sizeof *program->control, PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
    g_assert_true(program->control != MAP_FAILED);
    program->stream = capture_file_add_stream(host->file, CAPTURE_STREAM_SAMPLER, hello.pid, hello.name);
    atomic_fetch_add(&host->n_open, 1);
    atomic_fetch_add(&host->n_programs, 1);
    if (host->answer != HOST_SILENT)
      answer(host, socket);
  }
  close(fds[0]);
  close(fds[1]);
}

struct taking {
  struct host *host;
  const struct host_program *program;
};

static int append(const struct capture_taken *taken, void *data)
{
  const struct taking *taking = data;
  struct capture_window_header header = taken->header;

  header.stream = (uint32_t)taking->program->stream;
  return capture_file_append(taking->host->file, &header, taken->content);
}

static void take(struct host *host, struct host_program *program)
{
  struct taking taking = {host, program};
  struct pollfd polled = {.fd = program->socket, .events = POLLIN};
  bool gone = poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP) != 0;

  if (!atomic_load(&host->stalls) || gone)
    g_assert_cmpint(capture_tap_take(program->tap, append, &taking), >=, 0);
  if (!gone)
    return;
  capture_tap_close(program->tap);
  munmap(program->control, sizeof *program->control);
  close(program->socket);
  program->tap = NULL;
  atomic_fetch_sub(&host->n_open, 1);
}

static void *run(void *data)
{
  struct host *host = data;

  while (!atomic_load(&host->stops) || atomic_load(&host->n_open) > 0) {
    int socket = accept_one(host);

    if (socket >= 0)
      take_in(host, socket);
    for (uint32_t i = 0; i < host->n_programs; i++) {
      if (host->programs[i].tap)
        take(host, &host->programs[i]);
    }
  }
  return NULL;
}

struct host *host_new(enum host_answer how, uint32_t flags)
{
  struct host *host = g_new0(struct host, 1);
  struct sockaddr_un address = {.sun_family = AF_UNIX};

  host->answer = how;
  host->flags = flags;
  host->directory = g_dir_make_tmp("capture-host-XXXXXX", NULL);
  g_assert_nonnull(host->directory);
  host->path = g_build_filename(host->directory, "socket", NULL);
  g_strlcpy(address.sun_path, host->path, sizeof address.sun_path);
  host->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  g_assert_cmpint(bind(host->listener, (struct sockaddr *)&address, sizeof address), ==, 0);
  g_assert_cmpint(listen(host->listener, 16), ==, 0);
  host->fd = memfd_create("host", MFD_CLOEXEC);
  g_assert_cmpint(capture_file_create(&host->file, host->fd, NULL), ==, 0);
  g_assert_cmpint(pthread_create(&host->thread, NULL, run, host), ==, 0);
  g_setenv(CAPTURE_SOCKET_VARIABLE, host->path, TRUE);
  return host;
}

void host_end(struct host *host)
{
  for (uint32_t i = 0; i < host->n_programs; i++)
    __atomic_store_n(&host->programs[i].control->ended, 1, __ATOMIC_RELEASE);
}

int host_finish(struct host *host)
{
  int fd = host->fd;

  g_unsetenv(CAPTURE_SOCKET_VARIABLE);
  atomic_store(&host->stops, true);
  g_assert_cmpint(pthread_join(host->thread, NULL), ==, 0);
  g_assert_cmpint(capture_file_add_index(host->file), ==, 0);
  g_assert_cmpint(capture_file_end(host->file, CAPTURE_END_EXITED, 0, 0), ==, 0);
  capture_file_free(host->file);
  close(host->listener);
  g_unlink(host->path);
  g_rmdir(host->directory);
  g_free(host->path);
  g_free(host->directory);
  g_free(host);
  return fd;
}
