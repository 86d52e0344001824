/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Remembers the stack before: the next one of the same thread mostly shares its way from the root. */
#ifndef RECORDER_MEMO_H
#define RECORDER_MEMO_H

#include <stdint.h>

#define RECORDER_MEMO_MAX 128u

struct recorder_memo {
  uint32_t epoch;  /* of the nodes; 0: nothing is remembered */
  uint32_t serial; /* of the mappings by which the addresses were understood */
  uint32_t count;
  uint32_t nodes[RECORDER_MEMO_MAX];
  uint64_t addresses[RECORDER_MEMO_MAX]; /* from the root on, as the nodes */
};

static inline void recorder_memo_forget(struct recorder_memo *memo)
{
  memo->epoch = 0;
}

/* How many addresses from the root on, of `count` that begin with the leaf, are those of the stack before. */
static inline uint32_t recorder_memo_common(struct recorder_memo *memo, uint32_t epoch, uint32_t serial,
                                            const uint64_t *addresses, uint32_t count)
{
  if (memo->epoch != epoch || memo->serial != serial) {
    memo->epoch = epoch;
    memo->serial = serial;
    memo->count = 0;
  }
  uint32_t common = 0, most = memo->count < count ? memo->count : count;
  while (common < most && memo->addresses[common] == addresses[count - 1 - common])
    common++;
  return common;
}

/* Remembers a stack whose first `common` addresses are remembered already; nodes has those of the others,
 * leaf first. */
static inline void recorder_memo_learn(struct recorder_memo *memo, uint32_t common, const uint64_t *addresses,
                                       const uint32_t *nodes, uint32_t count)
{
  uint32_t at = common, most = count < RECORDER_MEMO_MAX ? count : RECORDER_MEMO_MAX;
  for (; at < most; at++) {
    memo->addresses[at] = addresses[count - 1 - at];
    memo->nodes[at] = nodes[count - 1 - at];
  }
  memo->count = most;
}

#endif
