/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples whose unwind tables are still to come: kept whole, in the order in which they came. */
#ifndef RECORDER_HELD_H
#define RECORDER_HELD_H

#include "helpers/recorder/samples/held-memory.h"
#include "helpers/recorder/samples/sample.h"

struct recorder_held {
  struct recorder_held *next;
  struct recorder_sample sample;
  struct recorder_thread
      thread; /* as it was: it may have got another name or program since; its process is counted */
  const struct recorder_binary *awaited; /* whose table; NULL: not known */
  struct recorder_layout *layout;        /* a reference, so that binary is there, too */
  uint64_t words[];                      /* the kernel's addresses, the waker's, then the stack */
};

struct recorder_held_queue {
  struct recorder_held *first;
  struct recorder_held **end;
  struct recorder_held_memory memory;
  uint32_t count;
};

void recorder_held_init(struct recorder_held_queue *queue);
/* Keeps a copy, last of all. Takes over the references to layout and to the thread's process. */
void recorder_held_push(struct recorder_held_queue *queue, const struct recorder_sample *sample,
                        const struct recorder_thread *thread, struct recorder_layout *layout,
                        const struct recorder_binary *awaited);
/* Takes out what stands at *place, which is queue->first or some held one's next; its references are the
 * caller's to give back before recorder_held_free. */
struct recorder_held *recorder_held_take(struct recorder_held_queue *queue, struct recorder_held **place);
/* Frees what was taken out. */
void recorder_held_free(struct recorder_held_queue *queue, struct recorder_held *held);
/* Frees what an empty queue has for later ones. */
void recorder_held_clear(struct recorder_held_queue *queue);

#endif
