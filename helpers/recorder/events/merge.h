/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Brings the records of all rings into the order of their times. */
#ifndef RECORDER_MERGE_H
#define RECORDER_MERGE_H

#include "helpers/recorder/events/ring.h"

/* Takes the record at the front of the ring. */
typedef void (*recorder_merge_fn)(struct recorder_ring *ring, const struct perf_event_header *record,
                                  void *data);

/*
 * Hands over every record that is not later than limit and was in a ring when this was called; later ones
 * stay. A ring that holds nothing holds nothing up. 0, or -EPROTO when a ring holds nonsense: then *ret_bad
 * is that ring.
 */
int recorder_merge(struct recorder_ring *const *rings, uint32_t n_rings, uint64_t limit, recorder_merge_fn fn,
                   void *data, struct recorder_ring **ret_bad);

#endif
