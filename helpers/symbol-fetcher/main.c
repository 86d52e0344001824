/* SPDX-License-Identifier: GPL-3.0-or-later */
/* capture-symbol-fetcher FD: see helpers/symbol-fetcher-protocol.h. */
#include <elfutils/debuginfod.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "helpers/symbol-fetcher-protocol.h"
#include "helpers/symbol-fetcher/symbol-fetcher-limits.h"

struct fetching {
  int socket;
  const struct symbol_fetcher_request *request;
  bool is_too_large;
};

static bool is_text(const char *text, size_t size)
{
  return memchr(text, '\0', size) != NULL;
}

static bool request_is_valid(const struct symbol_fetcher_request *request)
{
  bool is_source = request->kind == SYMBOL_FETCHER_SOURCE;
  if (request->version != SYMBOL_FETCHER_PROTOCOL_VERSION || request->kind < SYMBOL_FETCHER_DEBUG ||
      request->kind > SYMBOL_FETCHER_SOURCE || request->seconds_max == 0)
    return false;
  if (!is_text(request->build_id, sizeof request->build_id) ||
      !is_text(request->path, sizeof request->path) ||
      !is_text(request->directory, sizeof request->directory) ||
      !is_text(request->urls, sizeof request->urls))
    return false;
  size_t length = strlen(request->build_id);
  return length >= 4 && length % 2 == 0 && strspn(request->build_id, "0123456789abcdef") == length &&
         request->size_max <= INT64_MAX / 2 && (request->path[0] == '/') == is_source &&
         request->directory[0] == '/' && request->urls[0] != '\0';
}

static void set_number(const char *name, uint64_t number)
{
  char text[32];
  snprintf(text, sizeof text, "%" PRIu64, number);
  setenv(name, text, 1);
}

static void set_environment(const struct symbol_fetcher_request *request)
{
  setenv(DEBUGINFOD_URLS_ENV_VAR, request->urls, 1);
  setenv(DEBUGINFOD_CACHE_PATH_ENV_VAR, request->directory, 1);
  set_number(DEBUGINFOD_MAXSIZE_ENV_VAR, request->size_max);
  set_number(DEBUGINFOD_MAXTIME_ENV_VAR, request->seconds_max);
  set_number(DEBUGINFOD_TIMEOUT_ENV_VAR, request->seconds_stall);
  set_number(DEBUGINFOD_RETRY_LIMIT_ENV_VAR, 1);
  unsetenv(DEBUGINFOD_PROGRESS_ENV_VAR);
  unsetenv(DEBUGINFOD_VERBOSE_ENV_VAR);
}

/* Until a server has answered, libdebuginfod counts turns here, not bytes. An owner that is gone, or behind,
 * misses a number. */
static int on_progress(debuginfod_client *client, long done, long total)
{
  struct fetching *self = debuginfod_get_user_data(client);
  struct symbol_fetcher_answer answer = {.type = SYMBOL_FETCHER_PROGRESS};
  if (debuginfod_get_url(client) == NULL)
    return 0;
  answer.bytes = done > 0 ? (uint64_t)done : 0;
  answer.total = total > 0 ? (uint64_t)total : 0;
  self->is_too_large = answer.bytes > self->request->size_max || answer.total > self->request->size_max;
  packet_send(self->socket, &answer, sizeof answer, -1, false);
  return self->is_too_large;
}

static int find_file(debuginfod_client *client, const struct symbol_fetcher_request *request)
{
  const unsigned char *build_id = (const unsigned char *)request->build_id;
  switch (request->kind) {
  case SYMBOL_FETCHER_DEBUG:
    return debuginfod_find_debuginfo(client, build_id, 0, NULL);
  case SYMBOL_FETCHER_BINARY:
    return debuginfod_find_executable(client, build_id, 0, NULL);
  default:
    return debuginfod_find_source(client, build_id, 0, request->path, NULL);
  }
}

/* A descriptor or -errno. */
static int symbol_fetcher_fetch(struct fetching *self)
{
  debuginfod_client *client = debuginfod_begin();
  if (client == NULL)
    return -ENOMEM;
  debuginfod_set_user_data(client, self);
  debuginfod_set_progressfn(client, on_progress);
  int result = find_file(client, self->request);
  /* It has an address once a server sent a byte. */
  bool has_begun = debuginfod_get_url(client) != NULL;
  debuginfod_end(client);
  if (result < 0 && (self->is_too_large || symbol_fetcher_was_too_large()))
    return -EFBIG;
  return result == -ENOENT && has_begun ? -ECONNABORTED : result;
}

static int symbol_fetcher_serve(int socket)
{
  static struct symbol_fetcher_request request;
  struct fetching fetching = {.socket = socket, .request = &request};
  ssize_t size = packet_receive_many(socket, &request, sizeof request, NULL, 0, true);
  if (size != sizeof request || !request_is_valid(&request))
    return -EPROTO;
  int fd = symbol_fetcher_limit(&request);
  if (fd == 0) {
    set_environment(&request);
    fd = symbol_fetcher_fetch(&fetching);
  }
  struct symbol_fetcher_answer answer = {.type = SYMBOL_FETCHER_FETCHED, .error = fd < 0 ? fd : 0};
  return packet_send(socket, &answer, sizeof answer, fd < 0 ? -1 : fd, true);
}

int main(int argc, char **argv)
{
  int fd = packet_find_socket(argc, argv);
  if (fd < 0) {
    fputs("capture-symbol-fetcher is started by capturectl and the viewer, with its end of a socket pair: "
          "capture-symbol-fetcher FD.\n",
          stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN); /* what a server closes is an error, whatever writes to it */
  return symbol_fetcher_serve(fd) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
