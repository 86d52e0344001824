/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "helpers/opener/opener-serve.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "helpers/common/image.h"
#include "helpers/common/proc.h"
#include "helpers/confinement.h"
#include "helpers/opener/opener-cache.h"
#include "helpers/opener/opener-open.h"
#include "helpers/opener/opener-prove.h"
#include "helpers/packet.h"

#define PIECE    65536u
#define COPY_MAX (UINT64_C(256) << 20)

struct opener {
  const struct opener_options *options;
  struct opener_cache cache;
};

_Static_assert(OPENER_BUILD_ID_MAX == CAPTURE_BUILD_ID_MAX, "the owner need not know the format");

union request {
  struct opener_request request;
  char bytes[sizeof(struct opener_request) + OPENER_PATH_MAX];
};

static int copy_bytes(int from, int to, uint64_t size)
{
  static char piece[PIECE];
  for (uint64_t at = 0; at < size;) {
    ssize_t got = pread(from, piece, sizeof piece, (off_t)at);
    if (got <= 0 || write(to, piece, (size_t)got) != got)
      return got < 0 ? -errno : -EIO;
    at += (uint64_t)got;
  }
  return 0;
}

/* Closes fd. A memfd that nobody can change, or -errno. */
static int to_sealed_memory(int fd, uint64_t size)
{
  int memory = size > COPY_MAX ? -1 : memfd_create("opener", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  int result = size > COPY_MAX ? -EFBIG : memory < 0 ? -errno : copy_bytes(fd, memory, size);
  close(fd);
  if (result == 0 && fcntl(memory, F_ADD_SEALS, OPENER_SEALS) < 0)
    result = -errno;
  if (result == 0)
    return memory;
  if (memory >= 0)
    close(memory);
  return result;
}

static bool is_served_by_a_user(int fd)
{
  struct statfs status;
  return fstatfs(fd, &status) < 0 || status.f_type == FUSE_SUPER_MAGIC;
}

/* The descriptor of an opened file to send, or -errno. Nothing of file systems that a user serves: whoever
 * closes such a descriptor waits for him, and cannot be killed meanwhile. */
static int hand_over(const struct opener_opened *opened)
{
  return is_served_by_a_user(opened->fd) ? to_sealed_memory(opened->fd, opened->size) : opened->fd;
}

/* What the cache knows of it, else the file itself. Returns the descriptor to send. */
static int answer_opened(struct opener *opener, struct opener_opened *opened, uint32_t kind,
                         struct opener_answer *answer)
{
  int table = -1;
  bool foreign = opener->options->foreign;
  memcpy(answer->identity, opened->identity, sizeof answer->identity);
  enum opener_cache_answer known =
      opener_cache_find(&opener->cache, opened->identity, &table, &answer->length, &answer->error);
  if (known == OPENER_CACHE_ABSENT) {
    answer->kind = kind;
    answer->length = opened->size;
    return hand_over(opened);
  }
  close(opened->fd);
  answer->kind = known == OPENER_CACHE_TABLE ? OPENER_TABLE : OPENER_NONE;
  return foreign && table >= 0 ? to_sealed_memory(table, answer->length) : table;
}

/* Returns the descriptor to send, or -errno. What a user serves is not for the recorder to keep: closing it
 * may take for ever. */
static int answer_looked(struct opener_opened *opened, struct opener_answer *answer)
{
  if (is_served_by_a_user(opened->fd)) {
    close(opened->fd);
    return -EPERM;
  }
  memcpy(answer->identity, opened->identity, sizeof answer->identity);
  answer->length = opened->size;
  answer->kind = opener_open_is_public(opened->fd) ? OPENER_PUBLIC : OPENER_FILE;
  if (answer->kind == OPENER_FILE)
    return hand_over(opened);
  close(opened->fd);
  return -1;
}

static struct recorder_binary_key key_of(const union request *request)
{
  const struct opener_binary *binary = &request->request.binary;
  struct recorder_binary_key key = {
      .path = request->bytes + sizeof request->request,
      .path_length = binary->path_length,
      .device = binary->device,
      .inode = binary->inode,
      .inode_generation = binary->inode_generation,
      .flags = binary->flags,
      .build_id_size = binary->build_id_size,
  };
  memcpy(key.build_id, binary->build_id, sizeof key.build_id);
  return key;
}

static int open_binary(struct opener *opener, const union request *request, struct opener_answer *answer)
{
  struct recorder_binary_key key = key_of(request);
  bool is_vdso = (key.flags & CAPTURE_BINARY_VDSO) != 0;
  struct opener_opened opened = {.fd = -1};
  int fd = -1;
  int result = is_vdso ? opener_open_vdso(&opened)
                       : opener_open_mapped(&key, request->request.pid, request->request.start,
                                            request->request.end, &opened);
  if (result == 0 && request->request.type == OPENER_LOOK)
    fd = answer_looked(&opened, answer);
  else if (result == 0)
    fd = answer_opened(opener, &opened, is_vdso ? OPENER_MEMORY : OPENER_FILE, answer);
  bool has_none = answer->kind == OPENER_NONE || answer->kind == OPENER_PUBLIC;
  if (result < 0 || (fd < 0 && !has_none)) {
    answer->kind = OPENER_NOT;
    answer->error = result < 0 ? -result : -fd;
  }
  return fd;
}

/* What cannot be kept is compiled again another time; nobody needs to know. */
static void opener_serve_store(struct opener_cache *cache, const struct opener_request *request, int fd)
{
  const struct unwind_table *table;
  if (request->error != 0) {
    opener_cache_store_none(cache, request->identity, request->error);
    return;
  }
  off_t size = lseek(fd, 0, SEEK_END);
  if (size <= 0 || recorder_image_map_checked(fd, (uint64_t)size, &table) < 0)
    return;
  opener_cache_store(cache, request->identity, table, (uint64_t)size);
  recorder_image_unmap(table, (uint64_t)size);
}

static int answer_proc(const struct opener_request *request, struct opener_answer *answer)
{
  int fd = recorder_proc_open(request->pid, request->tid, (enum opener_proc)request->file);
  answer->error = fd < 0 ? -fd : 0;
  return fd;
}

static void answer_proof(const struct opener *opener, const struct opener_request *request, int pidfd,
                         struct opener_answer *answer)
{
  answer->error = opener->options->exposed ? ENOKEY : -opener_prove(pidfd, request->pid);
}

/* As OPENER_FREE answers. */
static int32_t find_confinement(int32_t pid)
{
  switch (confinement_find(pid, confinement_own_namespace())) {
  case CONFINEMENT_NONE:
    return 0;
  case CONFINEMENT_GONE:
    return ESRCH;
  default:
    return EPERM;
  }
}

/* Returns the descriptor to send, or -1. */
static int serve_request(struct opener *opener, const union request *request, int fd,
                         struct opener_answer *answer)
{
  switch (request->request.type) {
  case OPENER_OPEN:
  case OPENER_LOOK:
    return open_binary(opener, request, answer);
  case OPENER_STORE:
    opener_serve_store(&opener->cache, &request->request, fd);
    return -1;
  case OPENER_FREE:
    answer->error = opener->options->exposed ? ENOKEY : find_confinement(request->request.pid);
    return -1;
  case OPENER_PROVE:
    answer_proof(opener, &request->request, fd, answer);
    return -1;
  default:
    return answer_proc(&request->request, answer);
  }
}

/* An identity becomes the name of a file. */
static bool is_identity(const char *identity)
{
  size_t length = strspn(identity, "0123456789abcdefghijklmnopqrstuvwxyz-");
  return length != 0 && length < OPENER_IDENTITY_MAX && identity[length] == '\0';
}

static bool is_sound(const struct opener_request *request, ssize_t size, int fd)
{
  if (size < (ssize_t)sizeof *request || request->size != (size_t)size ||
      request->version != OPENER_PROTOCOL_VERSION)
    return false;
  const struct opener_binary *binary = &request->binary;
  bool has_fd = fd >= 0;
  bool opens = request->type == OPENER_OPEN || request->type == OPENER_LOOK;
  size_t path = opens ? binary->path_length : 0;
  if (path > OPENER_PATH_MAX || (size_t)size != sizeof *request + path)
    return false;
  switch (request->type) {
  case OPENER_OPEN:
  case OPENER_LOOK:
    return !has_fd && binary->build_id_size <= OPENER_BUILD_ID_MAX;
  case OPENER_STORE:
    return memchr(request->identity, '\0', OPENER_IDENTITY_MAX) != NULL && is_identity(request->identity) &&
           request->error >= 0 && has_fd == (request->error == 0);
  case OPENER_PROVE:
    return has_fd;
  case OPENER_FREE:
    return !has_fd;
  case OPENER_PROC:
    return !has_fd && request->file >= OPENER_PROC_MAPS && request->file <= OPENER_PROC_NAME;
  default:
    return false;
  }
}

static bool serve_one(struct opener *opener, int socket)
{
  static union request request;
  int fd = -1;
  ssize_t size = packet_receive(socket, &request, sizeof request, &fd, true);
  bool sound = is_sound(&request.request, size, fd);
  struct opener_answer answer = {.type = request.request.type, .size = sizeof answer};
  if (sound) {
    alarm(OPENER_SECONDS_MAX);
    int sent = serve_request(opener, &request, fd, &answer);
    alarm(0);
    sound = packet_send(socket, &answer, sizeof answer, sent, true) == 0;
    if (sent >= 0)
      close(sent);
  }
  if (fd >= 0)
    close(fd);
  return sound;
}

void opener_serve(int socket, const struct opener_options *options)
{
  struct opener opener = {.options = options, .cache = {.directory = -1}};
  if (options->cache != NULL)
    opener_cache_open(&opener.cache, options->cache, options->cache_limit);
  while (serve_one(&opener, socket))
    ;
  opener_cache_close(&opener.cache);
}
