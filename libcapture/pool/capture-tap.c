/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcapture/pool/capture-pool-private.h"
#include "libcapture/pool/capture-pool.h"

/* The consumer's own view of a slot; nothing here is read from shared memory twice. */
struct tap_slot {
  struct capture_window_header header; /* as it stood when the turn began */
  uint32_t turn;                       /* being taken, or released */
  uint32_t taken;                      /* bytes handed over */
  uint32_t length;                     /* bytes to hand over up to, in this round */
  bool open;                           /* turn is not released yet */
  bool closed;                         /* nothing comes after length */
};

struct capture_tap {
  const uint8_t *windows;
  struct capture_pool_control *control;
  uint8_t *buffer;
  size_t length;
  uint32_t window_size;
  uint32_t window_count;
  uint32_t n_pending;
  uint32_t pending[CAPTURE_POOL_SLOTS_MAX]; /* slots with something to hand over, in order */
  struct tap_slot slots[];
};

static int check_memfd(int fd, int wanted, uint64_t *ret_size)
{
  struct stat st;
  int seals;

  if (fstat(fd, &st) < 0)
    return -errno;
  seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & wanted) != wanted)
    return -EPERM;
  *ret_size = (uint64_t)st.st_size;
  return 0;
}

static int check_control(const struct capture_pool_control *control, uint64_t windows_length)
{
  uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);

  if (control->magic != CAPTURE_POOL_MAGIC || control->version != CAPTURE_POOL_VERSION)
    return -EBADMSG;
  if (control->window_size == 0 || control->window_size % page_size != 0 || control->window_count == 0 ||
      control->window_count > CAPTURE_POOL_SLOTS_MAX)
    return -EBADMSG;
  return (uint64_t)control->window_size * control->window_count == windows_length ? 0 : -EBADMSG;
}

static int map_tap(capture_tap *tap, int windows_fd, int control_fd)
{
  void *map = mmap(NULL, tap->length, PROT_READ, MAP_SHARED, windows_fd, 0);

  if (map == MAP_FAILED)
    return -errno;
  tap->windows = map;
  map = mmap(NULL, sizeof *tap->control, PROT_READ | PROT_WRITE, MAP_SHARED, control_fd, 0);
  if (map == MAP_FAILED)
    return -errno;
  tap->control = map;
  tap->buffer = malloc(tap->window_size);
  return tap->buffer ? 0 : -ENOMEM;
}

int capture_tap_open(capture_tap **ret, int windows_fd, int control_fd)
{
  struct capture_pool_control control;
  uint64_t windows_length = 0, control_length = 0;
  capture_tap *tap;
  int r;

  r = check_memfd(windows_fd, CAPTURE_WINDOWS_SEALS, &windows_length);
  if (r == 0)
    r = check_memfd(control_fd, CAPTURE_CONTROL_SEALS, &control_length);
  if (r < 0)
    return r;
  if (control_length != sizeof control || pread(control_fd, &control, sizeof control, 0) != sizeof control)
    return -EBADMSG;
  r = check_control(&control, windows_length);
  if (r < 0)
    return r;
  tap = calloc(1, sizeof *tap + control.window_count * sizeof tap->slots[0]);
  if (!tap)
    return -ENOMEM;
  tap->length = windows_length;
  tap->window_size = control.window_size;
  tap->window_count = control.window_count;
  r = map_tap(tap, windows_fd, control_fd);
  if (r < 0) {
    capture_tap_close(tap);
    return r;
  }
  *ret = tap;
  return 0;
}

void capture_tap_close(capture_tap *tap)
{
  if (!tap)
    return;
  if (tap->windows)
    munmap((void *)tap->windows, tap->length);
  if (tap->control)
    munmap(tap->control, sizeof *tap->control);
  free(tap->buffer);
  free(tap);
}

void capture_tap_end(capture_tap *tap)
{
  __atomic_store_n(&tap->control->ended, 1, __ATOMIC_RELEASE);
}

static const struct capture_window_header *window_header(const capture_tap *tap, uint32_t index)
{
  return (const struct capture_window_header *)(tap->windows + (size_t)index * tap->window_size);
}

/* Notices a slot's new turn. False when the slot has nothing that is not released. */
static bool look_at_turn(capture_tap *tap, uint32_t index)
{
  const struct capture_window_header *shared = window_header(tap, index);
  struct tap_slot *slot = &tap->slots[index];
  uint32_t turn;

  if (slot->open)
    return true;
  turn = __atomic_load_n(&shared->crc, __ATOMIC_ACQUIRE);
  if (turn == slot->turn)
    return false;
  *slot = (struct tap_slot){.header = *shared, .turn = turn, .open = true};
  return true;
}

/* The collector's own kinds would be believed by a reader; no producer writes them. */
static bool kind_is_allowed(uint16_t kind)
{
  return kind != CAPTURE_WINDOW_META && kind != CAPTURE_WINDOW_INDEX && kind != CAPTURE_WINDOW_FOOTER;
}

static bool look_at_length(capture_tap *tap, uint32_t index)
{
  const struct capture_window_header *shared = window_header(tap, index);
  struct tap_slot *slot = &tap->slots[index];
  uint32_t capacity = tap->window_size - (uint32_t)sizeof *shared;
  uint32_t length;

  /* Closed is read first: the length read after it is then the last one. */
  slot->closed = __atomic_load_n(&shared->stored, __ATOMIC_ACQUIRE) != 0;
  length = __atomic_load_n(&shared->length, __ATOMIC_ACQUIRE);
  if (length > capacity)
    length = capacity;
  slot->length = length > slot->taken ? length : slot->taken;
  /* Times that belong to a later commit only widen the range. */
  slot->header.time_first = __atomic_load_n(&shared->time_first, __ATOMIC_RELAXED);
  slot->header.time_last = __atomic_load_n(&shared->time_last, __ATOMIC_RELAXED);
  return slot->closed || slot->length > slot->taken;
}

static bool is_dictionary(const capture_tap *tap, uint32_t index)
{
  return tap->slots[index].header.kind == CAPTURE_WINDOW_DICTIONARY;
}

static bool comes_before(const capture_tap *tap, uint32_t a, uint32_t b)
{
  if (is_dictionary(tap, a) != is_dictionary(tap, b))
    return is_dictionary(tap, a);
  return (int32_t)(tap->slots[a].header.sequence - tap->slots[b].header.sequence) < 0;
}

static void add_pending(capture_tap *tap, uint32_t index)
{
  uint32_t at = tap->n_pending++;

  for (; at > 0 && comes_before(tap, index, tap->pending[at - 1]); at--)
    tap->pending[at] = tap->pending[at - 1];
  tap->pending[at] = index;
}

/* Lengths of dictionaries are read last, so they hold at least what the samples seen before lead to. */
static void look_at_slots(capture_tap *tap)
{
  tap->n_pending = 0;
  for (uint32_t i = 0; i < tap->window_count; i++) {
    if (look_at_turn(tap, i) && !is_dictionary(tap, i) && look_at_length(tap, i))
      add_pending(tap, i);
  }
  for (uint32_t i = 0; i < tap->window_count; i++) {
    if (look_at_turn(tap, i) && is_dictionary(tap, i) && look_at_length(tap, i))
      add_pending(tap, i);
  }
}

static int hand_over(capture_tap *tap, uint32_t index, capture_taken_fn fn, void *data)
{
  struct tap_slot *slot = &tap->slots[index];
  uint32_t piece = slot->length - slot->taken;
  struct capture_taken taken = {.header = slot->header, .content = tap->buffer};

  if (!kind_is_allowed(slot->header.kind))
    return -EBADMSG;
  if (slot->length == 0)
    return 0;
  memcpy(tap->buffer, tap->windows + (size_t)index * tap->window_size + sizeof taken.header + slot->taken,
         piece);
  taken.header.magic = CAPTURE_WINDOW_MAGIC;
  taken.header.crc = taken.header.stream = 0;
  taken.header.flags = slot->closed ? CAPTURE_WINDOW_CLOSED : 0;
  taken.header.start = slot->taken;
  taken.header.length = taken.header.stored = piece;
  return fn(&taken, data);
}

static void tap_advance(capture_tap *tap, uint32_t index)
{
  struct tap_slot *slot = &tap->slots[index];

  slot->taken = slot->length;
  if (!slot->closed)
    return;
  slot->open = false;
  __atomic_store_n(&tap->control->released[index], slot->turn, __ATOMIC_RELEASE);
}

int64_t capture_tap_take(capture_tap *tap, capture_taken_fn fn, void *data)
{
  int64_t total = 0;

  look_at_slots(tap);
  for (uint32_t i = 0; i < tap->n_pending; i++) {
    uint32_t index = tap->pending[i];
    int r = hand_over(tap, index, fn, data);

    if (r < 0)
      return r;
    total += tap->slots[index].length - tap->slots[index].taken;
    tap_advance(tap, index);
  }
  return total;
}
