/* SPDX-License-Identifier: BSD-2-Clause */
#include "libcapture/pool/capture-pool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcapture/pool/capture-pool-private.h"

#define DEFAULT_WINDOW_SIZE  (64u << 10)
#define DEFAULT_WINDOW_COUNT 128u
#define MAX_WINDOW_SIZE      (64u << 20)

/* What the producer knows of a slot: how often it was claimed, and whether it is claimed now. The
 * second keeps a consumer that releases too early from having one slot claimed twice. */
#define SLOT_CLAIMED        1u
#define SLOT_TURN(state)    ((uint32_t)((state) >> 32))
#define SLOT_STATE(turn, c) ((uint64_t)(turn) << 32 | (c))

struct capture_pool {
  uint8_t *windows;
  const struct capture_pool_control *control;
  size_t length;
  uint32_t window_size;
  uint32_t window_count;
  int windows_fd;
  int control_fd;
  _Atomic uint32_t sequence;
  _Atomic uint32_t next; /* where the search for a free slot begins */
  _Atomic uint64_t slots[];
};

_Static_assert(sizeof(struct capture_pool_control) == 4096, "one page is shared with the consumer");
_Static_assert(sizeof(_Atomic uint64_t) == 8 && ATOMIC_LLONG_LOCK_FREE == 2, "claiming takes no lock");

/* Windows are never executed; kernels before 6.3 do not know the flag. */
static int create_memfd(const char *name)
{
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING | CAPTURE_MFD_NOEXEC_SEAL);

  if (fd < 0 && errno == EINVAL)
    fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return fd < 0 ? -errno : fd;
}

/* Where files may not be so long, to make one so is answered by a signal, which ends the program. */
static bool may_be_so_long(uint64_t length)
{
  struct rlimit limit;

  return getrlimit(RLIMIT_FSIZE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= length;
}

static int create_control(capture_pool *pool)
{
  const struct capture_pool_control control = {.magic = CAPTURE_POOL_MAGIC,
                                               .version = CAPTURE_POOL_VERSION,
                                               .window_size = pool->window_size,
                                               .window_count = pool->window_count};
  ssize_t written;
  void *map;

  pool->control_fd = create_memfd("capture-control");
  if (pool->control_fd < 0)
    return pool->control_fd;
  written = pwrite(pool->control_fd, &control, sizeof control, 0);
  if (written != sizeof control)
    return written < 0 ? -errno : -EIO;
  map = mmap(NULL, sizeof control, PROT_READ, MAP_SHARED, pool->control_fd, 0);
  if (map == MAP_FAILED)
    return -errno;
  pool->control = map;
  if (fchmod(pool->control_fd, S_IRUSR | S_IWUSR) < 0)
    return -errno;
  return fcntl(pool->control_fd, F_ADD_SEALS, CAPTURE_CONTROL_SEALS) < 0 ? -errno : 0;
}

static int create_windows(capture_pool *pool)
{
  void *map;

  pool->windows_fd = create_memfd("capture-windows");
  if (pool->windows_fd < 0)
    return pool->windows_fd;
  /* Allocated now, so that no store into a window can meet a lack of memory. */
  if (fallocate(pool->windows_fd, 0, 0, (off_t)pool->length) < 0)
    return -errno;
  map = mmap(NULL, pool->length, PROT_READ | PROT_WRITE, MAP_SHARED, pool->windows_fd, 0);
  if (map == MAP_FAILED)
    return -errno;
  pool->windows = map;
  if (fchmod(pool->windows_fd, S_IRUSR) < 0)
    return -errno;
  return fcntl(pool->windows_fd, F_ADD_SEALS, CAPTURE_WINDOWS_SEALS) < 0 ? -errno : 0;
}

int capture_pool_create(capture_pool **ret, const struct capture_pool_options *options)
{
  uint32_t size = options && options->window_size ? options->window_size : DEFAULT_WINDOW_SIZE;
  uint32_t count = options && options->window_count ? options->window_count : DEFAULT_WINDOW_COUNT;
  capture_pool *pool;
  int r;

  if (size % (uint32_t)sysconf(_SC_PAGESIZE) != 0 || size > MAX_WINDOW_SIZE || count > CAPTURE_POOL_SLOTS_MAX)
    return -EINVAL;
  pool = calloc(1, sizeof *pool + count * sizeof pool->slots[0]);
  if (!pool)
    return -ENOMEM;
  pool->window_size = size;
  pool->window_count = count;
  pool->length = (size_t)size * count;
  pool->windows_fd = pool->control_fd = -1;
  r = may_be_so_long(pool->length) ? create_windows(pool) : -EFBIG;
  if (r >= 0)
    r = create_control(pool);
  if (r < 0) {
    capture_pool_destroy(pool);
    return r;
  }
  *ret = pool;
  return 0;
}

void capture_pool_destroy(capture_pool *pool)
{
  if (!pool)
    return;
  if (pool->windows)
    munmap(pool->windows, pool->length);
  if (pool->control)
    munmap((void *)pool->control, sizeof *pool->control);
  capture_pool_close_fds(pool);
  free(pool);
}

void capture_pool_close_fds(capture_pool *pool)
{
  if (pool->windows_fd >= 0)
    close(pool->windows_fd);
  if (pool->control_fd >= 0)
    close(pool->control_fd);
  pool->windows_fd = pool->control_fd = -1;
}

int capture_pool_windows_fd(const capture_pool *pool)
{
  return pool->windows_fd;
}

int capture_pool_control_fd(const capture_pool *pool)
{
  return pool->control_fd;
}

static bool slot_is_free(const capture_pool *pool, uint32_t index, uint64_t state)
{
  /* Acquire: the consumer has finished reading what a new claim overwrites. */
  return (state & SLOT_CLAIMED) == 0 &&
         __atomic_load_n(&pool->control->released[index], __ATOMIC_ACQUIRE) == SLOT_TURN(state);
}

static bool claim_slot(capture_pool *pool, uint32_t index, uint32_t *ret_turn)
{
  uint64_t state = atomic_load_explicit(&pool->slots[index], memory_order_relaxed);
  uint32_t turn = SLOT_TURN(state) + 1;

  if (!slot_is_free(pool, index, state) ||
      !atomic_compare_exchange_strong_explicit(&pool->slots[index], &state, SLOT_STATE(turn, SLOT_CLAIMED),
                                               memory_order_acquire, memory_order_relaxed))
    return false;
  *ret_turn = turn;
  return true;
}

static void publish_slot(capture_pool *pool, uint32_t index, uint32_t turn,
                         const struct capture_window_header *fill, struct capture_slot *slot)
{
  uint8_t *window = pool->windows + (size_t)index * pool->window_size;
  struct capture_window_header *header = (struct capture_window_header *)window;
  const size_t after_crc = offsetof(struct capture_window_header, kind);

  /* The consumer watches crc: until the turn is stored there it looks at nothing else. */
  memcpy(window + after_crc, (const uint8_t *)fill + after_crc, sizeof *header - after_crc);
  header->magic = CAPTURE_WINDOW_MAGIC;
  header->flags = 0;
  header->stream = header->start = header->length = header->stored = 0;
  header->sequence = 1 + atomic_fetch_add_explicit(&pool->sequence, 1, memory_order_relaxed);
  __atomic_store_n(&header->crc, turn, __ATOMIC_RELEASE);
  *slot = (struct capture_slot){.header = header,
                                .content = window + sizeof *header,
                                .capacity = pool->window_size - (uint32_t)sizeof *header,
                                .index = index};
}

int capture_pool_claim(capture_pool *pool, const struct capture_window_header *fill,
                       struct capture_slot *slot)
{
  uint32_t first = atomic_load_explicit(&pool->next, memory_order_relaxed);
  uint32_t turn;

  for (uint32_t i = 0; i < pool->window_count; i++) {
    uint32_t index = (first + i) % pool->window_count;

    if (claim_slot(pool, index, &turn)) {
      atomic_store_explicit(&pool->next, (index + 1) % pool->window_count, memory_order_relaxed);
      publish_slot(pool, index, turn, fill, slot);
      return 0;
    }
  }
  return -EAGAIN;
}

void capture_pool_commit(capture_pool *pool, struct capture_slot *slot, uint32_t length)
{
  (void)pool;
  slot->committed = length;
  __atomic_store_n(&slot->header->length, length, __ATOMIC_RELEASE);
}

void capture_pool_close(capture_pool *pool, struct capture_slot *slot)
{
  __atomic_store_n(&slot->header->stored, 1, __ATOMIC_RELEASE);
  /* Release: whoever claims the slot next finds this turn's stores done. */
  atomic_fetch_and_explicit(&pool->slots[slot->index], ~(uint64_t)SLOT_CLAIMED, memory_order_release);
  slot->header = NULL;
}

uint32_t capture_pool_free_windows(const capture_pool *pool)
{
  uint32_t free_windows = 0;

  for (uint32_t i = 0; i < pool->window_count; i++)
    free_windows += slot_is_free(pool, i, atomic_load_explicit(&pool->slots[i], memory_order_relaxed));
  return free_windows;
}

bool capture_pool_is_ended(const capture_pool *pool)
{
  return __atomic_load_n(&pool->control->ended, __ATOMIC_RELAXED) != 0;
}
