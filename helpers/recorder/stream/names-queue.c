/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What waits to be named, and for how long it may. */
#include "helpers/recorder/common/clock.h"
#include "helpers/recorder/stream/names-private.h"

void recorder_named_push(struct recorder_named_queue *queue, struct recorder_named *named)
{
  named->next = NULL;
  if (queue->first == NULL)
    queue->first = named;
  else
    queue->last->next = named;
  queue->last = named;
}

struct recorder_named *recorder_named_pop(struct recorder_named_queue *queue)
{
  struct recorder_named *named = queue->first;
  if (named != NULL)
    queue->first = named->next;
  return named;
}

bool recorder_names_go_on(struct recorder_names *names)
{
  if (!names->is_over)
    names->is_over = !names->tick(names->tick_data) || recorder_clock_now() >= names->deadline;
  return !names->is_over;
}
