/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A pool of windows in shared memory: one producer fills windows, one consumer takes what was
 * committed. Two memfds carry it:
 *
 *   windows  count × size bytes; slot i begins at i × size with a struct capture_window_header, its
 *            content follows. Mapped writable by the producer only: mode 0400, sealed
 *            SHRINK | GROW | FUTURE_WRITE once the producer has mapped it.
 *   control  one struct capture_pool_control, mode 0600, sealed SHRINK | GROW. The consumer alone
 *            writes `released` and `ended`.
 *
 * Life of a slot. It is free when released[i] equals the number of times the producer has claimed
 * it. Claiming fills the header in and publishes crc (the turn, one more than before) last, with
 * release. The producer writes content and publishes `length` with release; it never changes what
 * lies below length. Closing sets `stored` to 1 with release: nothing more comes. The consumer
 * copies, and once it has copied all of a closed window it sets released[i] to the turn.
 * Neither side believes the other: the producer compares released[i] with its own count and
 * takes anything but equality as "not free"; the consumer bounds length by the slot.
 */
#ifndef CAPTURE_POOL_H
#define CAPTURE_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "libcapture/format/capture-format.h"

#define CAPTURE_POOL_MAGIC     0x4c4f4f50u
#define CAPTURE_POOL_VERSION   1
#define CAPTURE_POOL_SLOTS_MAX 1008

struct capture_pool_control { /* 4096 bytes */
  uint32_t magic;
  uint32_t version;
  uint32_t window_size; /* bytes, a multiple of the page size */
  uint32_t window_count;
  uint32_t ended; /* the consumer's: not 0 once nothing is taken any more */
  uint32_t reserved[11];
  uint32_t released[CAPTURE_POOL_SLOTS_MAX];
};

/* A claimed window, in shared memory or elsewhere; see capture-sink.h. */
struct capture_slot {
  struct capture_window_header *header; /* NULL: none claimed */
  uint8_t *content;
  uint32_t capacity;  /* bytes of content */
  uint32_t committed; /* bytes, the sink's last commit */
  uint32_t index;
};

typedef struct capture_pool capture_pool;

struct capture_pool_options {
  size_t size;           /* sizeof (struct capture_pool_options) */
  uint32_t window_size;  /* 0: 64 KiB */
  uint32_t window_count; /* 0: 128 */
};

/* Creates both memfds, maps and seals them. Options may be NULL.
 * Returns 0 or a negative errno (-EFBIG where RLIMIT_FSIZE permits no file of that size); *ret is untouched
 * on failure. Not async-signal-safe. */
int capture_pool_create(capture_pool **ret, const struct capture_pool_options *options);
void capture_pool_destroy(capture_pool *pool);

/* The descriptors to hand to the consumer; they stay the pool's. */
int capture_pool_windows_fd(const capture_pool *pool);
int capture_pool_control_fd(const capture_pool *pool);
/* Closes both; the memory stays mapped. Once the consumer has them, whoever lives in somebody else's program
 * keeps no descriptor that the program could close, or count on to be free. */
void capture_pool_close_fds(capture_pool *pool);

/* Claims a free window and publishes it with the given header fields (kind, epoch, event,
 * entry_size, time_first, weight of `fill`; the pool sets magic, crc, sequence, length, stored).
 * Returns 0, or -EAGAIN when none is free. Thread-safe, lock-free, async-signal-safe. */
int capture_pool_claim(capture_pool *pool, const struct capture_window_header *fill,
                       struct capture_slot *slot);
/* Publishes the first `length` bytes of content. Async-signal-safe; one thread a slot at a time. */
void capture_pool_commit(capture_pool *pool, struct capture_slot *slot, uint32_t length);
/* Publishes that nothing more comes and forgets the slot (slot->header becomes NULL). Likewise. */
void capture_pool_close(capture_pool *pool, struct capture_slot *slot);
/* Free windows now. Async-signal-safe. */
uint32_t capture_pool_free_windows(const capture_pool *pool);
/* Whether the consumer said that it takes nothing any more. Costs a load. Async-signal-safe. */
bool capture_pool_is_ended(const capture_pool *pool);

/* The consumer's end. */
typedef struct capture_tap capture_tap;

/* Checks type, size and seals of both descriptors, then maps windows read-only and control
 * writable. Takes ownership of neither descriptor (they may be closed afterwards).
 * Returns 0, -EPERM (seals missing), -EBADMSG (sizes that do not fit each other), another -errno. */
int capture_tap_open(capture_tap **ret, int windows_fd, int control_fd);
void capture_tap_close(capture_tap *tap);
/* Tells the producer that nothing is taken any more: sets `ended`. */
void capture_tap_end(capture_tap *tap);

/* What capture_tap_take hands over: bytes copied out of shared memory, valid during the call. */
struct capture_taken {
  struct capture_window_header
      header; /* start and length say which piece of the window; CLOSED is set in flags with the last */
  const uint8_t *content;
};

/* Called for each piece; a negative return ends the round and is returned from capture_tap_take. */
typedef int (*capture_taken_fn)(const struct capture_taken *taken, void *data);

/*
 * One round: takes all that is newly committed, in an order that keeps a truncated file whole —
 * lengths of sample and record windows are looked at first, then dictionaries; dictionaries are
 * handed over first. Pieces end where a record or entry ends, because commits do; a producer
 * that breaks this is the reader's problem. A piece is released only after fn returned 0, so a failed
 * round loses nothing. Windows of one kind come in the order of their sequence.
 * Returns the number of bytes taken, or a negative errno. Not thread-safe.
 */
int64_t capture_tap_take(capture_tap *tap, capture_taken_fn fn, void *data);

#endif
