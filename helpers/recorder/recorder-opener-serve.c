/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "helpers/packet.h"
#include "helpers/recorder/recorder-cache.h"
#include "helpers/recorder/recorder-image.h"
#include "helpers/recorder/recorder-opener.h"

#define PATHS 4096

union request {
  struct recorder_opener_request request;
  char bytes[sizeof(struct recorder_opener_request) + PATHS];
};

/* What the cache knows of it, else the file itself. Returns the descriptor to send. */
static int answer_opened(struct recorder_cache *cache, struct recorder_opened *opened, uint32_t kind,
                         struct recorder_opener_answer *answer)
{
  int table = -1;
  memcpy(answer->identity, opened->identity, sizeof answer->identity);
  enum recorder_cache_answer known =
      recorder_cache_find(cache, opened->identity, &table, &answer->size, &answer->error);
  if (known == RECORDER_CACHE_ABSENT) {
    answer->kind = kind;
    answer->size = opened->size;
    return opened->fd;
  }
  close(opened->fd);
  answer->kind = known == RECORDER_CACHE_TABLE ? RECORDER_OPENED_TABLE : RECORDER_OPENED_NONE;
  return table;
}

static int open_binary(struct recorder_cache *cache, const struct recorder_opener_request *request,
                       struct recorder_opener_answer *answer)
{
  bool is_vdso = (request->key.flags & CAPTURE_BINARY_VDSO) != 0;
  struct recorder_opened opened = {.fd = -1};
  int result = is_vdso
                   ? recorder_open_vdso(&opened)
                   : recorder_open_mapped(&request->key, request->pid, request->start, request->end, &opened);
  if (result == 0)
    return answer_opened(cache, &opened, is_vdso ? RECORDER_OPENED_MEMORY : RECORDER_OPENED_FILE, answer);
  answer->kind = RECORDER_OPENED_NOT;
  answer->error = -result;
  return -1;
}

/* What cannot be kept is compiled again another time; nobody needs to know. */
static void store(struct recorder_cache *cache, const struct recorder_opener_request *request, int fd)
{
  const struct unwind_table *table;
  if (request->error != 0) {
    recorder_cache_store_none(cache, request->identity, request->error);
    return;
  }
  off_t size = lseek(fd, 0, SEEK_END);
  if (size <= 0 || recorder_image_map_checked(fd, (uint64_t)size, &table) < 0)
    return;
  recorder_cache_store(cache, request->identity, table, (uint64_t)size);
  recorder_image_unmap(table, (uint64_t)size);
}

static int serve(struct recorder_cache *cache, const struct recorder_opener_request *request, int fd,
                 struct recorder_opener_answer *answer)
{
  if (request->type == RECORDER_OPENER_OPEN)
    return open_binary(cache, request, answer);
  store(cache, request, fd);
  answer->kind = RECORDER_OPENED_STORED;
  return -1;
}

void recorder_opener_serve(int socket, const char *path, uint64_t cache_limit)
{
  struct recorder_cache cache = {.directory = -1};
  union request request;
  int fd;
  if (path != NULL)
    recorder_cache_open(&cache, path, cache_limit);
  while (packet_receive(socket, &request, sizeof request, &fd, true) >= (ssize_t)sizeof request.request) {
    struct recorder_opener_answer answer = {0};
    request.request.key.path = request.bytes + sizeof request.request;
    int sent = serve(&cache, &request.request, fd, &answer);
    int result = packet_send(socket, &answer, sizeof answer, sent, true);
    if (sent >= 0)
      close(sent);
    if (fd >= 0)
      close(fd);
    if (result < 0)
      break;
  }
  recorder_cache_close(&cache);
}
